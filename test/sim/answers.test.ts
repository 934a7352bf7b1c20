/** What the web server answers about simulated chains, against a naive model. */
import assert from 'node:assert/strict';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import type { Id } from '../../src/chain/types.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { merkleVerify } from '../support/merkle-path.ts';
import { oncePerSeed, testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { type History, sample, simulatedHistory, take } from './history.ts';
import {
  delegationsOf,
  openOrders,
  openOrdersOfPair,
  poolsByHeight,
  poolsByPledge,
  spendableOf,
  TakingPart,
  tokenIds,
  tokensByTicker,
  tokensOfAuthority,
  unspentOf,
} from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';

const BLOCKS = 70;
const SAMPLES = 12;

const indexed = oncePerSeed(async (seed, scope): Promise<{ history: History; server: TestServer }> => {
  const history = simulatedHistory({ network, blocks: BLOCKS, seed, reorganisationProbability: 0.1 });
  const index = await TestIndex.create(scope, network);
  for (const step of history.steps) await take(index, step);
  const server = await startTestWebServer(scope, { network, postgres: index.postgres });
  await seesTip(server, history.simulation.tipId);
  return { history, server };
});

/** A whole list, by cursors. */
async function whole<T>(server: TestServer, path: string, items = 37): Promise<T[]> {
  return (await server.pages(`${path}${path.includes('?') ? '&' : '?'}items=${items}`)).flat();
}

/** One field of every entry of a list. */
async function column(server: TestServer, name: string, path: string, items?: number): Promise<unknown[]> {
  return (await whole<Record<string, unknown>>(server, path, items)).map((entry) => entry[name]);
}

const newestFirst = <T>(oldestFirst: readonly T[]): T[] => [...oldestFirst].reverse();
interface ListedOutput {
  readonly outpoint: { readonly source_id: string; readonly index: number };
  readonly spent?: { transaction_id: Id | null; block_id: Id; height: number } | null;
}

const outpointOf = ({ outpoint }: ListedOutput): string => `${outpoint.source_id}:${outpoint.index}`;

testOverSeeds('lists about a simulated chain are those of a naive model', async (seed, scope) => {
  const { history, server } = await indexed(seed, scope);
  const { world } = history.simulation;
  const part = new TakingPart(network, history.mainChain);
  const pool = (id: Id) => poolAddress(network, id);
  const order = (id: Id) => orderAddress(network, id);
  const token = (id: Id) => tokenAddress(network, id);

  assert.deepEqual(await column(server, 'id', '/transaction'), newestFirst(part.transactions));
  assert.deepEqual(await column(server, 'tx_global_index', '/transaction'), newestFirst([...part.transactions.keys()]));
  assert.deepEqual(await column(server, 'pool_id', '/pool', 1), poolsByHeight(world).map(pool));
  assert.deepEqual(await column(server, 'pool_id', '/pool?sort=by_pledge', 1), poolsByPledge(world).map(pool));
  assert.deepEqual(await column(server, 'order_id', '/order', 1), openOrders(world).map(order));
  assert.deepEqual(await whole(server, '/token'), tokenIds(world).map(token));

  for (const ticker of sample([...part.tickers.values()], SAMPLES)) {
    for (const piece of new Set([ticker, ticker.slice(1, 3), ticker.slice(-1)].filter((text) => text !== ''))) {
      const expected = tokensByTicker(world, part.tickers, piece).map(token);
      assert.deepEqual(await whole(server, `/token/ticker/${piece}`), expected, `tickers with ${piece}`);
    }
  }
  for (const { id } of sample([...world.tokens.values()], SAMPLES)) {
    const listed = await column(server, 'tx_id', `/token/${token(id)}/transactions`, 4);
    assert.deepEqual(listed, newestFirst(part.ofToken.get(id)!), `transactions of ${token(id)}`);
    const pair = await column(server, 'order_id', `/order/pair/${network.coinTicker}_${token(id)}`, 2);
    assert.deepEqual(pair, openOrdersOfPair(world, 'coin', id).map(order));
  }
  for (const { id, delegations } of sample([...world.pools.values()], SAMPLES)) {
    const listed = await whole<{ delegation_id: string; balance: { atoms: string } }>(
      server,
      `/pool/${pool(id)}/delegations`,
      2,
    );
    const expected = delegations
      .map(({ id: delegation, balance }) => [delegation, balance] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([delegation, balance]) => [delegationAddress(network, delegation), `${balance}`]);
    const found = listed.map(({ delegation_id, balance }) => [delegation_id, balance.atoms]);
    assert.deepEqual(found, expected);
  }
});

testOverSeeds('answers about addresses of a simulated chain are those of a naive model', async (seed, scope) => {
  const { history, server } = await indexed(seed, scope);
  const { world } = history.simulation;
  const part = new TakingPart(network, history.mainChain);
  for (const [owner, transactions] of part.ofAddress) {
    const path = `/address/${destinationAddress(network, owner)}`;
    const listed = await column(server, 'tx_id', `${path}/transactions`);
    assert.deepEqual(listed, newestFirst(transactions), path);
  }
  for (const owner of sample([...part.ofAddress.keys()], 2 * SAMPLES)) {
    const path = `/address/${destinationAddress(network, owner)}`;
    const all: ListedOutput[] = await server.json(`${path}/all-utxos`);
    const unspent = all.filter(({ spent }) => spent === null);
    assert.deepEqual(unspent.map(outpointOf).sort(), unspentOf(world, owner), path);
    for (const output of all) {
      const { spent } = output;
      const expected = part.spent.get(outpointOf(output));
      assert.deepEqual(
        [spent?.height, spent?.block_id, spent?.transaction_id],
        [expected?.height, expected?.blockId, expected?.transactionId],
        `${path}: ${outpointOf(output)}`,
      );
    }
    const spendable: ListedOutput[] = await server.json(`${path}/spendable-utxos`);
    assert.deepEqual(spendable.map(outpointOf).sort(), spendableOf(world, owner), path);

    const delegations = delegationsOf(world, owner).map((id) => delegationAddress(network, id));
    assert.deepEqual(await server.json(`${path}/delegations`), delegations, path);

    const authority = tokensOfAuthority(world, owner).map((id) => tokenAddress(network, id));
    const answer = await server.get(`${path}/token-authority`);
    assert.deepEqual(answer.status === 404 ? [] : answer.body, authority, path);
  }
});

testOverSeeds('transactions show the HTLC secrets that were revealed, and no others', async (seed, scope) => {
  const { history, server } = await indexed(seed, scope);
  const { wallet } = history.simulation.world;
  const { htlcsSpent } = new TakingPart(network, history.mainChain);
  for (const { transactionId, input, secretHash, isRefund } of htlcsSpent) {
    const { inputs } = await server.json(`/transaction/${transactionId}`);
    const shown = inputs[input].utxo.htlc.secret?.hex ?? null;
    assert.equal(shown, isRefund ? null : wallet.secretOf(secretHash), `input ${input} of ${transactionId}`);
  }
  assert.ok(htlcsSpent.length > 0);
});

testOverSeeds('each transaction has a merkle path that verifies', async (seed, scope) => {
  const { history, server } = await indexed(seed, scope);
  let checked = 0;
  for (const { id, block, transactionIds } of sample(history.mainChain, SAMPLES)) {
    const paths = transactionIds.map((transaction) => server.json(`/transaction/${transaction}/merkle-path`));
    for (const [position, answer] of (await Promise.all(paths)).entries()) {
      assert.equal(answer.block_id, id);
      assert.equal(answer.transaction_index, position);
      assert.equal(answer.merkle_root, block.header.txMerkleRoot);
      assert.ok(merkleVerify(transactionIds[position]!, position + 1, answer.merkle_path, block.header.txMerkleRoot));
      checked++;
    }
  }
  assert.ok(checked > 50);
});
