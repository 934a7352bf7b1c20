/** What happened to tokens, against the commands and issuances in the blocks. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { deriveTokenId } from '../../../src/chain/derive-ids.ts';
import { tokenIdGenerationAt } from '../../../src/chain/networks/network.ts';
import type { Id } from '../../../src/chain/types.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { error, listed, network, newestFirst, timeOf, UNKNOWN } = chain;

const NAMES: Readonly<Record<string, string>> = {
  MintTokens: 'mint',
  UnmintTokens: 'unmint',
  LockTokenSupply: 'lock',
  FreezeToken: 'freeze',
  UnfreezeToken: 'unfreeze',
  ChangeTokenAuthority: 'authority',
  ChangeTokenMetadataUri: 'metadata',
};

/** The events of each token by its blocks: what the response shows of them, oldest first. */
function naiveEvents(): Map<Id, Json[]> {
  const events = new Map<Id, Json[]>();
  const supplies = new Map<Id, bigint>();
  const authorities = new Map<Id, string>();
  const nothing = { amount: null, authority: null, metadata_uri: null, is_unfreezable: null };
  for (const [index, { block, transactionIds }] of chain.facts.mainChain.entries()) {
    const height = index + 1;
    for (const [position, { transaction }] of block.transactions.entries()) {
      const place = { height, tx_id: transactionIds[position]!, timestamp: timeOf(height) };
      const add = (token: Id, event: Json, supplyChange = 0n): void => {
        const supply = (supplies.get(token) ?? 0n) + supplyChange;
        supplies.set(token, supply);
        const by = authorities.get(token) ?? null;
        if (event.authority) authorities.set(token, event.authority);
        events.set(token, [...(events.get(token) ?? []), { ...place, ...nothing, ...event, by, supply: `${supply}` }]);
      };
      for (const input of transaction.inputs) {
        if (input.type !== 'AccountCommand' || !(input.command.type in NAMES)) continue;
        const command: Json = input.command;
        const event = NAMES[command.type];
        switch (command.type) {
          case 'MintTokens':
            add(command.tokenId, { event, amount: `${command.amount}` }, command.amount);
            break;
          case 'UnmintTokens': {
            // What it unmints is what it takes in: known to the ledger, here by the supply after it.
            add(command.tokenId, { event, amount: 'unknown' });
            break;
          }
          case 'ChangeTokenAuthority':
            add(command.tokenId, { event, authority: destinationAddress(network, command.newAuthority) });
            break;
          case 'ChangeTokenMetadataUri':
            add(command.tokenId, { event, metadata_uri: command.metadataUri });
            break;
          case 'FreezeToken':
            add(command.tokenId, { event, is_unfreezable: command.isUnfreezable });
            break;
          default:
            add(command.tokenId, { event });
        }
      }
      for (const output of transaction.outputs) {
        if (output.type === 'IssueNft') add(output.tokenId, { event: 'issue', amount: '1' }, 1n);
        if (output.type === 'IssueFungibleToken') {
          const { authority, metadataUri } = output.issuance;
          const id = deriveTokenId(transaction.inputs, tokenIdGenerationAt(network, height))!;
          add(id, { event: 'issue', authority: destinationAddress(network, authority), metadata_uri: metadataUri });
        }
      }
    }
  }
  return events;
}

it('tokens tell their issuance and all commands of their authority, newest first, with the supply after each', async () => {
  const seen = new Set<string>();
  for (const [token, naive] of naiveEvents()) {
    const path = `/token/${tokenAddress(network, token)}/events`;
    const shown = await listed(path);
    const hasUnmint = naive.some(({ event }) => event === 'unmint');
    assert.deepEqual(
      shown.map(({ event, height, tx_id, timestamp }) => ({ event, height, tx_id, timestamp })),
      newestFirst(naive).map(({ event, height, tx_id, timestamp }) => ({ event, height, tx_id, timestamp })),
    );
    let supply = 0n;
    for (const { event, amount, supply: after } of newestFirst(shown)) {
      seen.add(event);
      if (amount !== null) supply += event === 'unmint' ? -BigInt(amount.atoms) : BigInt(amount.atoms);
      assert.equal(BigInt(after.atoms), supply, path);
    }
    for (const [i, row] of shown.entries()) {
      const expected = newestFirst(naive)[i]!;
      assert.equal(row.by, expected.by);
      assert.equal(row.authority, expected.authority);
      assert.equal(row.metadata_uri?.hex ?? null, expected.metadata_uri);
      assert.equal(row.is_unfreezable, expected.is_unfreezable);
      if (!hasUnmint) assert.equal(row.supply.atoms, expected.supply);
    }
    const absent = Object.values(NAMES).find((name) => !shown.some(({ event }) => event === name));
    for (const name of new Set([...shown.map(({ event }) => event), ...(absent === undefined ? [] : [absent])])) {
      const ofKind = shown.filter(({ event }) => event === name);
      assert.deepEqual(await listed(`${path}?kind=${name}`), ofKind, `${path} ${name}`);
    }
    const whole = await (chain.servers[0] as TestServer).get(`${path}?format=ndjson`);
    const lines = whole.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ cursor: _, ...event }) => event),
      shown,
    );
  }
  assert.ok(seen.size >= 6, [...seen].join());
  const [token] = chain.facts.world.tokens.keys();
  const path = `/token/${tokenAddress(network, token!)}/events`;
  const [status, message] = await error(`${path}?kind=theft`);
  assert.deepEqual([status, message.split(':')[0]], [400, 'Invalid kind']);
  assert.deepEqual(await error(`/token/${tokenAddress(network, UNKNOWN)}/events`), [404, 'Token not found']);
  assert.deepEqual(await error(`/token/${tokenAddress(network, UNKNOWN)}/events?format=csv`), [404, 'Token not found']);
});
