/** `expand=true` of transactions: what they did, alone and in lists, in both profiles. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { tokenIds } from '../../sim/naive-lists.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { errorOfOurParameter, network, UNKNOWN } = chain;

const without = ({ actions: _, net_changes: __, protocol_fee: ___, ...rest }: Json): Json => rest;
const changed = (transaction: Json) =>
  transaction.net_changes
    .filter(({ account_type }: Json) => account_type === 'address')
    .map(({ account, currency, change }: Json) => `${account} ${currency.token_id ?? ''} ${change.atoms}`)
    .sort();

it('the net changes of addresses are those of their histories', async () => {
  const expected = new Map<string, string[]>();
  for (const { transactionId, owner, currency, change } of chain.past.changes) {
    if (transactionId === null) continue;
    const token = currency === '' ? '' : tokenAddress(network, currency);
    const line = `${destinationAddress(network, owner)} ${token} ${change}`;
    expected.set(transactionId, [...(expected.get(transactionId) ?? []), line]);
  }
  const [described] = chain.servers;
  const transactions = (await described!.pages('/transaction?expand=true&items=100')).flat();
  assert.ok(transactions.length > 300);
  for (const transaction of transactions) {
    assert.deepEqual(changed(transaction), (expected.get(transaction.id) ?? []).sort(), transaction.id);
  }
});

it('the expanded list has what the list and each expanded transaction have, in both profiles', async () => {
  for (const server of chain.servers) {
    for (const query of ['cursor=&', 'offset=7&', 'offset_mode=absolute&offset=40&']) {
      const path = `/transaction?${query}items=25`;
      const short = (await server.json(path)) as Json;
      const expanded = (await server.json(`${path}&expand=true`)) as Json;
      const entries = expanded.items ?? expanded;
      assert.equal(entries.length, 25);
      assert.deepEqual(entries.map(without), short.items ?? short);
      for (const { id, actions, net_changes, protocol_fee } of entries) {
        const single = await server.json(`/transaction/${id}?expand=true`);
        assert.deepEqual(
          [single.actions, single.net_changes, single.protocol_fee],
          [actions, net_changes, protocol_fee],
        );
        assert.deepEqual(without(single), await server.json(`/transaction/${id}`));
      }
    }
  }
  assert.deepEqual(await errorOfOurParameter('/transaction?expand=yes'), [
    400,
    'Invalid expand: `true` or `false` is expected',
  ]);
});

it('the expanded histories of addresses and tokens have the same transactions, each whole', async () => {
  const [described] = chain.servers;
  const expanded = new Map<string, Json>();
  for (const transaction of (await described!.pages('/transaction?expand=true&items=100')).flat()) {
    expanded.set(transaction.id, transaction);
  }
  const addresses = [...chain.taking.ofAddress.keys()].slice(0, 6).map((owner) => destinationAddress(network, owner));
  const tokens = tokenIds(chain.facts.world)
    .slice(0, 6)
    .map((token) => tokenAddress(network, token));
  const paths = [...addresses.map((address) => `/address/${address}`), ...tokens.map((token) => `/token/${token}`)];
  for (const path of paths.map((each) => `${each}/transactions`)) {
    const ids = (await described!.pages(`${path}?items=50`)).flat().map(({ tx_id }) => tx_id);
    for (const items of [4, 50]) {
      const whole = (await described!.pages(`${path}?expand=true&items=${items}`)).flat();
      assert.deepEqual(
        whole,
        ids.map((id) => expanded.get(id)),
        path,
      );
    }
    assert.equal((await chain.servers[1]!.pages(`${path}?expand=true&items=50`)).flat().length, ids.length);
  }
  const byOffset = await described!.json(`/token/${tokens[0]}/transactions?offset=2&items=3&expand=true`);
  const all = await described!.json(`/token/${tokens[0]}/transactions?items=100&expand=true`);
  assert.deepEqual(byOffset, all.slice(2, 5));
  const unknown = `/token/${tokenAddress(network, UNKNOWN)}/transactions`;
  for (const server of chain.servers) {
    const { status, body } = await server.get(`${unknown}?expand=true`);
    const short = await server.get(unknown);
    assert.deepEqual([status, body], [short.status, short.body]);
  }
});

it('an expanded block has what each of its expanded transactions has, in both profiles', async () => {
  const busiest = chain.facts.blocks.toSorted((a, b) => b.transactionIds.length - a.transactionIds.length).slice(0, 10);
  for (const server of chain.servers) {
    for (const { id, transactionIds } of [...busiest, chain.facts.blocks.at(-1)!]) {
      const block = (await server.json(`/block/${id}?expand=true`)) as Json;
      const plain = (await server.json(`/block/${id}`)) as Json;
      const { transactions } = block.body;
      assert.deepEqual({ ...block, body: { ...block.body, transactions: transactions.map(without) } }, plain);
      for (const [i, transactionId] of transactionIds.entries()) {
        const single = await server.json(`/transaction/${transactionId}?expand=true`);
        for (const field of ['actions', 'net_changes', 'protocol_fee']) {
          assert.deepEqual(transactions[i][field], single[field], field);
        }
      }
    }
  }
  assert.deepEqual(await errorOfOurParameter(`/block/${UNKNOWN}?expand=yes`), [
    400,
    'Invalid expand: `true` or `false` is expected',
  ]);
});
