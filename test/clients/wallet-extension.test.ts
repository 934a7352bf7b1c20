/**
 * What a browser wallet (Mojito 1.5.3) sends to `/batch` for its page of delegations, and reads of the answers, restated: it
 * takes each list one level apart, and finds the parts of what it shows by their place or by their height.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationAddress } from '../../src/chain/address.ts';
import type { Id } from '../../src/chain/types.ts';
import { upgrading } from '../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory } from '../sim/history.ts';
import { TestIndex } from '../support/indexed-database.ts';

// Wallets number their networks.
const network = { ...upgrading, name: 'testnet' };

interface Delegation {
  readonly delegation_id: string;
  readonly pool_id: string;
}

test('a browser wallet finds all delegations of its addresses, when they were made, and which pools have ended', async (t) => {
  const { mainChain } = simulatedHistory({
    network,
    blocks: 60,
    seed: 'wallet',
    reorganisationProbability: 0,
    mix: MONTHS,
  });
  const index = await TestIndex.create(t, network);
  await index.follow(mainChain, 60);
  const server = await index.serve(t, { contract: 'mintlayer-core' });
  // biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
  const ask = async (ids: readonly (string | number)[], type: string): Promise<any[]> => {
    const body = { ids: [...new Set(ids)], type, network: 1 };
    const answer = await server.batch(body, { 'content-type': 'application/json' });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.results.flat();
  };

  const { rows } = await index.query<{ owner: string; delegation_id: Id }>(
    'select spend_destination as owner, delegation_id from delegations',
  );
  const addresses = [...new Set(rows.map(({ owner }) => destinationAddress(network, owner)))];
  const unused = destinationAddress(network, `01${'77'.repeat(20)}`);
  const delegations: Delegation[] = await ask([...addresses, unused], '/address/:address/delegations');
  assert.equal(delegations.length, rows.length);
  const details = await ask(
    delegations.map((each) => each.delegation_id),
    '/delegation/:address',
  );
  const heights: number[] = details.map(({ creation_block_height: height }) => height);
  assert.ok(heights.every(Number.isInteger) && new Set(heights).size < heights.length, `${heights}`);
  const hashes: string[] = await ask(heights, '/chain/:address');
  const blocks = await ask(hashes, '/block/:address');
  const pools = [...new Set(details.map(({ pool_id: id }) => id as string))];
  const poolDetails = await ask(pools, '/pool/:address');
  let ended = 0;
  for (const [i, { delegation_id: id, pool_id: pool }] of delegations.entries()) {
    assert.equal(details[i].id, id);
    assert.equal(details[i].pool_id, pool);
    const block = blocks.find(({ height }) => height === details[i].creation_block_height);
    assert.equal(block.header.timestamp.timestamp, mainChain[block.height - 1]!.block.header.timestamp);
    const place = pools.indexOf(pool);
    assert.equal(poolDetails[place].id, pool);
    if (poolDetails[place].staker_balance.atoms === '0') ended++;
  }
  assert.ok(ended > 0 && ended < delegations.length, `${ended} of ${delegations.length}`);

  const utxos = await ask(addresses, '/address/:address/all-utxos');
  assert.ok(utxos.every(({ outpoint, utxo }) => outpoint.source_id !== undefined && utxo.type !== undefined));
  assert.ok(utxos.some(({ utxo }) => utxo.type === 'LockThenTransfer'));
});
