/** The sums of the operations of the Mesh API against balances, coins, and what the simulation knows. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { isContractOutput } from '../../../src/chain/input-and-output-kinds.ts';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory, take } from '../../sim/history.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import type { TestServer } from '../../support/web-server.ts';
import { type Json, meshServers, post } from './mesh-client.ts';

const BLOCKS = 80;
/** Many blocks a day, so that pools earn several times between two ends of days. */
const MIX = {
  ...MONTHS,
  blockSeconds: { from: 200, to: 30_000 },
  weights: { ...MONTHS.weights, orderCreate: 8, orderConclude: 4 },
};

/** An account and a currency, and what the operations up to a block sum up to. */
type Sums = ReadonlyMap<string, bigint>;

const chain = builtBefore(async (scope) => {
  const history = simulatedHistory({ network, seed: 'mesh', mix: MIX, blocks: BLOCKS, reorganisationProbability: 0.1 });
  const index = await TestIndex.create(scope, network);
  for (const step of history.steps) await take(index, step);
  const servers = await meshServers(scope, index);
  return { ...(await readOperations(servers[0])), servers, world: history.simulation.world, index };
});

const keyOf = ({ account, amount }: Json) => JSON.stringify([account, amount.currency]);

/** All blocks of a server, and the sums after each of them. */
async function readOperations(server: TestServer) {
  const { current_block_identifier: tip } = await post(server, '/network/status');
  const blocks: Json[] = [];
  const sums: Sums[] = [];
  let sum = new Map<string, bigint>();
  for (let index = 0; index <= tip.index; index++) {
    const { block } = await post(server, '/block', { block_identifier: { index } });
    blocks.push(block);
    sum = new Map(sum);
    for (const operation of block.transactions.flatMap(({ operations }: Json) => operations)) {
      if (operation.amount === undefined) continue;
      const key = keyOf(operation);
      sum.set(key, (sum.get(key) ?? 0n) + BigInt(operation.amount.value));
    }
    sums.push(sum);
  }
  return { blocks, sums };
}

it('each account has the sum of its operations after every block that moves something on it, and one block before', async () => {
  const { blocks, sums, servers } = chain();
  const kinds = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    const touched = new Set<string>(
      block.transactions.flatMap(({ operations }: Json) => operations.filter(({ amount }: Json) => amount).map(keyOf)),
    );
    const checkAccount = async (key: string) => {
      const [account_identifier, currency] = JSON.parse(key);
      kinds.add(
        account_identifier.sub_account?.address ??
          /^[0-9a-f]{64}:|^[a-z]+(?=1)/.exec(account_identifier.address)![0].slice(0, 64),
      );
      // One of three says what it had before.
      for (const height of index % 3 === 1 ? [index, index - 1] : [index]) {
        const { hash } = blocks[height]!.block_identifier;
        const request = {
          account_identifier,
          block_identifier: index % 2 === 0 ? { index: height } : { hash },
          currencies: [currency],
        };
        const { block_identifier, balances } = await post(servers[height % 2]!, '/account/balance', request);
        assert.deepEqual(block_identifier, { index: height, hash });
        const value = `${sums[height]!.get(key) ?? 0n}`;
        assert.deepEqual(balances, [{ value, currency }], `${key} at ${height}`);
      }
    };
    await Promise.all([...touched].map(checkAccount));
  }
  // Addresses, what is locked on them, pools, delegations, orders and HTLCs.
  assert.ok(kinds.has('locked') && kinds.size > 6, [...kinds].join());
});

it('no sum is ever below zero, and all of one block are what the simulation has', () => {
  const { sums, world } = chain();
  for (const sum of sums) for (const [key, value] of sum) assert.ok(value >= 0n, key);
  const expected = new Map<string, bigint>();
  const add = (address: string, currency: string, amount: bigint) => {
    if (amount === 0n) return;
    const key = `${address} ${currency === 'coin' ? '' : tokenAddress(network, currency)}`;
    expected.set(key, (expected.get(key) ?? 0n) + amount);
  };
  for (const { outpoint, output, currency, amount, destination } of world.utxos.values()) {
    const coin = `${outpoint.sourceId}:${outpoint.index}`;
    const account = isContractOutput(output) ? coin : destinationAddress(network, destination);
    add(account, currency, amount);
  }
  for (const { id, balance } of world.delegations.values()) add(delegationAddress(network, id), 'coin', balance);
  for (const { id, stakerBalance } of world.pools.values()) add(poolAddress(network, id), 'coin', stakerBalance);
  for (const { id, ask, give, askBalance, giveBalance, isConcluded } of world.orders.values()) {
    if (isConcluded) continue;
    add(orderAddress(network, id), ask.currency, ask.amount - askBalance);
    add(orderAddress(network, id), give.currency, giveBalance);
  }
  const summed = new Map<string, bigint>();
  for (const [key, value] of sums.at(-1)!) {
    const [{ address }, { metadata }] = JSON.parse(key);
    const name = `${address} ${metadata?.token_id ?? ''}`;
    if (value !== 0n) summed.set(name, (summed.get(name) ?? 0n) + value);
  }
  assert.deepEqual([...summed].sort(), [...expected].sort());
});

it('the coins of an account are what it has at the tip, and each was created by an operation that names it', async () => {
  const { blocks, sums, servers } = chain();
  const created = new Map<string, Json>();
  for (const operation of blocks.flatMap(({ transactions }) =>
    transactions.flatMap(({ operations }: Json) => operations),
  )) {
    const { coin_identifier, coin_action } = operation.coin_change ?? {};
    if (coin_action === 'coin_created') created.set(coin_identifier.identifier, operation);
  }
  const accounts = new Set([...sums.at(-1)!.keys()].map((key) => JSON.stringify(JSON.parse(key)[0])));
  let count = 0;
  for (const text of accounts) {
    const account_identifier = JSON.parse(text);
    const { coins } = await post(servers[0], '/account/coins', { account_identifier });
    assert.deepEqual((await post(servers[1], '/account/coins', { account_identifier })).coins, coins);
    const totals = new Map<string, bigint>();
    for (const { coin_identifier, amount } of coins) {
      const operation = created.get(coin_identifier.identifier);
      assert.deepEqual([operation.account.address, operation.amount], [account_identifier.address, amount]);
      const key = keyOf({ account: account_identifier, amount });
      totals.set(key, (totals.get(key) ?? 0n) + BigInt(amount.value));
      count++;
    }
    for (const [key, total] of totals) assert.equal(total, sums.at(-1)!.get(key), key);
  }
  assert.ok(count > 50, `${count} coins`);
});

it('a transaction of a block is the same by itself and in the search, and so is what the block itself does', async () => {
  const { blocks, servers } = chain();
  for (const { block_identifier, transactions } of blocks.slice(-5)) {
    for (const transaction of transactions) {
      const { transaction_identifier } = transaction;
      const request = { block_identifier, transaction_identifier };
      assert.deepEqual(await post(servers[1], '/block/transaction', request), { transaction });
      if (transaction_identifier.hash === block_identifier.hash) continue;
      const found = await post(servers[0], '/search/transactions', { transaction_identifier });
      assert.deepEqual(found, { transactions: [{ block_identifier, transaction }], total_count: 1 });
    }
  }
});

it('the search finds the transactions of an address page by page, and none above a block', async () => {
  const { blocks, index, servers } = chain();
  const { rows } = await index.query(
    'select owner, count(*)::int as count from address_transactions group by owner order by count(*) desc limit 1',
  );
  const address = destinationAddress(network, rows[0].owner);
  const max_block = BLOCKS - 20;
  for (const condition of [{}, { max_block }]) {
    const found: Json[] = [];
    let offset: number | undefined = 0;
    let total = 0;
    while (offset !== undefined) {
      const page: Json = await post(servers[0], '/search/transactions', { address, offset, limit: 7, ...condition });
      found.push(...page.transactions);
      offset = page.next_offset;
      total = page.total_count;
    }
    assert.equal(found.length, total);
    if (!('max_block' in condition)) assert.equal(total, rows[0].count);
    assert.ok(found.every(({ block_identifier }) => block_identifier.index <= (condition.max_block ?? BLOCKS * 2)));
    for (const { block_identifier, transaction } of found) {
      assert.ok(
        blocks[block_identifier.index]!.transactions.some(
          (each: Json) => each.transaction_identifier.hash === transaction.transaction_identifier.hash,
        ),
      );
    }
  }
});
