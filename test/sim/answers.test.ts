/** What the web server answers about simulated chains, against a naive model; and during reorganisations. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { merkleVerify } from '../../src/chain/merkle.ts';
import type { Id } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';
import { totals } from '../../src/devnet/sim/totals.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { type SeedScope, testOverSeeds } from '../support/seeds.ts';
import { TestIndex } from '../support/test-index.ts';
import { startTestWebServer, type TestAnswer, type TestServer } from '../support/web-server.ts';
import { type History, type Step, simulatedHistory, take } from './history.ts';
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

const BLOCKS = 70;
const SAMPLES = 12;
/** Not a time: a machine that stands still for a minute is no failure. */
const MOST_TRIES = 5_000;

async function indexed(scope: SeedScope, seed: string): Promise<{ history: History; server: TestServer }> {
  const history = simulatedHistory({ network, blocks: BLOCKS, seed, reorganisationProbability: 0.1 });
  const index = await TestIndex.create(scope, network);
  for (const step of history.steps) await take(index, step);
  const server = await startTestWebServer(scope, { network, postgres: index.postgres });
  await seesTip(server, history.simulation.tipId);
  return { history, server };
}

/** Waits until the web server knows the tip, however busy the machine is. */
async function seesTip(server: TestServer, id: Id): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if ((await answerOf(server, '/chain/tip')).body.block_id === id) return;
    await sleep(5);
  }
  assert.fail(`the web server does not see the tip ${id}`);
}

/** An answer about the chain: a server that could not confirm the tip for seconds says so with 503, and is asked again. */
async function answerOf(server: TestServer, url: string, headers: Record<string, string> = {}): Promise<TestAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await server.get(url, headers);
    if (answer.status !== 503) return answer;
    assert.ok(tries < MOST_TRIES, `${url}: ${answer.text}`);
    await sleep(5);
  }
}

/** The transaction that comes in the most blocks: reorganisations move it from one to the other. */
function mostMoved(steps: readonly Step[]): Id {
  const blocks = new Map<Id, number>();
  for (const id of steps.flatMap((step) => step.blocks.flatMap(({ transactionIds }) => transactionIds))) {
    blocks.set(id, (blocks.get(id) ?? 0) + 1);
  }
  return [...blocks].reduce((most, next) => (next[1] > most[1] ? next : most))[0];
}

/** What a server answers at each tip, remembered while nothing changes; the tips in their order. */
class KnownAnswers {
  readonly #places = new Map<string, number>();
  /** By the ETag, which names the tip; those without one, the errors, by the empty text. */
  readonly #answers = new Map<string, Set<string>>();

  /** The answers of the next tip. */
  async add(server: TestServer, urls: readonly string[]): Promise<void> {
    const place = this.#places.size;
    for (const url of urls) {
      const answer = await answerOf(server, url);
      const etag = answer.headers.get('etag') ?? '';
      if (etag !== '') this.#places.set(etag, place);
      const key = `${etag} ${url}`;
      this.#answers.set(key, (this.#answers.get(key) ?? new Set()).add(`${answer.status} ${answer.text}`));
    }
  }

  /** Which tip an answer is of, as the how manieth; null for an error, which does not say. */
  placeOf({ headers }: TestAnswer): number | null {
    const etag = headers.get('etag');
    if (etag === null) return null;
    const place = this.#places.get(etag);
    assert.ok(place !== undefined, `${etag} is of no tip`);
    return place;
  }

  check(url: string, { status, headers, text }: TestAnswer): void {
    const known = this.#answers.get(`${headers.get('etag') ?? ''} ${url}`);
    assert.ok(known?.has(`${status} ${text}`), `${url} answers of no tip: ${status} ${text.slice(0, 400)}`);
  }
}

/** A whole list, by cursors. */
async function whole<T>(server: TestServer, path: string, items = 37): Promise<T[]> {
  return (await server.pages(`${path}${path.includes('?') ? '&' : '?'}items=${items}`)).flat();
}

/** So many of them, evenly over all. */
function sample<T>(all: readonly T[], count = SAMPLES): T[] {
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, index) => index % step === 0).slice(0, count);
}

const newestFirst = <T>(oldestFirst: readonly T[]): T[] => [...oldestFirst].reverse();
interface ListedOutput {
  readonly outpoint: { readonly source_id: string; readonly index: number };
  readonly spent?: { transaction_id: Id | null; block_id: Id; height: number } | null;
}

const outpointOf = ({ outpoint }: ListedOutput): string => `${outpoint.source_id}:${outpoint.index}`;
const idsOf = (entries: readonly { tx_id: string }[]): string[] => entries.map(({ tx_id }) => tx_id);

describe('the answers about a simulated chain', () => {
  testOverSeeds('are the lists of a naive model', import.meta.url, async (seed, scope) => {
    const { history, server } = await indexed(scope, seed);
    const { world } = history.simulation;
    const part = new TakingPart(network, history.mainChain);
    const pool = (id: Id) => poolAddress(network, id);
    const order = (id: Id) => orderAddress(network, id);
    const token = (id: Id) => tokenAddress(network, id);

    const transactions = await whole<{ id: string; tx_global_index: number }>(server, '/transaction');
    assert.deepEqual(
      transactions.map(({ id }) => id),
      newestFirst(part.transactions),
    );
    assert.deepEqual(
      transactions.map(({ tx_global_index }) => tx_global_index),
      newestFirst(part.transactions.map((_, index) => index)),
    );
    const pools = await whole<{ pool_id: string }>(server, '/pool', 1);
    assert.deepEqual(
      pools.map(({ pool_id }) => pool_id),
      poolsByHeight(world).map(pool),
    );
    const byPledge = await whole<{ pool_id: string }>(server, '/pool?sort=by_pledge', 1);
    assert.deepEqual(
      byPledge.map(({ pool_id }) => pool_id),
      poolsByPledge(world).map(pool),
    );
    const orders = await whole<{ order_id: string }>(server, '/order', 1);
    assert.deepEqual(
      orders.map(({ order_id }) => order_id),
      openOrders(world).map(order),
    );
    assert.deepEqual(await whole(server, '/token'), tokenIds(world).map(token));

    for (const ticker of sample([...part.tickers.values()])) {
      for (const piece of new Set([ticker, ticker.slice(1, 3), ticker.slice(-1)].filter((text) => text !== ''))) {
        const expected = tokensByTicker(world, part.tickers, piece).map(token);
        assert.deepEqual(await whole(server, `/token/ticker/${piece}`), expected, `tickers with ${piece}`);
      }
    }
    for (const { id } of sample([...world.tokens.values()])) {
      const listed = await whole<{ tx_id: string }>(server, `/token/${token(id)}/transactions`, 4);
      assert.deepEqual(idsOf(listed), newestFirst(part.ofToken.get(id)!), `transactions of ${token(id)}`);
      const pair = await whole<{ order_id: string }>(server, `/order/pair/${network.coinTicker}_${token(id)}`, 2);
      assert.deepEqual(
        pair.map(({ order_id }) => order_id),
        openOrdersOfPair(world, 'coin', id).map(order),
      );
      const { held } = totals(world).get(id)!;
      const holders = await whole<{ amount: { atoms: string } }>(server, `/token/${token(id)}/holders`);
      const sum = holders.reduce((all, { amount }) => all + BigInt(amount.atoms), 0n);
      assert.equal(sum, held, `what the holders of ${token(id)} hold`);
    }
    for (const { id, delegations } of sample([...world.pools.values()])) {
      const listed = await whole<{ delegation_id: string; balance: { atoms: string } }>(
        server,
        `/pool/${pool(id)}/delegations`,
        2,
      );
      const expected = delegations
        .map(({ id: delegation, balance }) => [delegation, balance] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([delegation, balance]) => [delegationAddress(network, delegation), `${balance}`]);
      assert.deepEqual(
        listed.map(({ delegation_id, balance }) => [delegation_id, balance.atoms]),
        expected,
      );
    }
  });

  testOverSeeds('about addresses are those of a naive model', import.meta.url, async (seed, scope) => {
    const { history, server } = await indexed(scope, seed);
    const { world } = history.simulation;
    const part = new TakingPart(network, history.mainChain);
    for (const [owner, transactions] of part.ofAddress) {
      const path = `/address/${destinationAddress(network, owner)}`;
      const listed = await whole<{ tx_id: string }>(server, `${path}/transactions`);
      assert.deepEqual(idsOf(listed), newestFirst(transactions), path);
    }
    for (const owner of sample([...part.ofAddress.keys()], 2 * SAMPLES)) {
      const path = `/address/${destinationAddress(network, owner)}`;
      const all: ListedOutput[] = await server.json(`${path}/all-utxos`);
      const unspent = all.filter(({ spent }) => spent === null);
      assert.deepEqual(unspent.map(outpointOf).sort(), unspentOf(world, owner), path);
      for (const output of all) {
        const { spent } = output;
        const expected = part.spent.get(outpointOf(output)) ?? null;
        const found = spent && { height: spent.height, blockId: spent.block_id, transactionId: spent.transaction_id };
        assert.deepEqual(found, expected, `${path}: ${outpointOf(output)}`);
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

  testOverSeeds('show the secrets that were revealed, and no others', import.meta.url, async (seed, scope) => {
    const { history, server } = await indexed(scope, seed);
    const { wallet } = history.simulation.world;
    const { htlcsSpent } = new TakingPart(network, history.mainChain);
    for (const { transactionId, input, secretHash, isRefund } of htlcsSpent) {
      const { inputs } = await server.json(`/transaction/${transactionId}`);
      const shown = inputs[input].utxo.htlc.secret?.hex ?? null;
      assert.equal(shown, isRefund ? null : wallet.secretOf(secretHash), `input ${input} of ${transactionId}`);
    }
    assert.ok(htlcsSpent.length > 0);
  });

  testOverSeeds('include a merkle path that verifies for every transaction', import.meta.url, async (seed, scope) => {
    const { history, server } = await indexed(scope, seed);
    let checked = 0;
    for (const { id, block, transactionIds } of history.mainChain) {
      const paths = transactionIds.map((transaction) => server.json(`/transaction/${transaction}/merkle-path`));
      for (const [position, answer] of (await Promise.all(paths)).entries()) {
        assert.equal(answer.block_id, id);
        assert.equal(answer.transaction_index, position);
        assert.equal(answer.merkle_root, block.header.txMerkleRoot);
        assert.ok(merkleVerify(transactionIds[position]!, position + 1, answer.merkle_path, block.header.txMerkleRoot));
        checked++;
      }
    }
    assert.ok(checked > 300);
  });

  testOverSeeds(
    'belong to one tip each while branches come and go',
    import.meta.url,
    async (seed, scope) => {
      const { steps, mainChain, simulation } = simulatedHistory({
        network,
        blocks: 24,
        seed,
        reorganisationProbability: 0.4,
      });
      const owner = [...new TakingPart(network, mainChain).ofAddress.keys()][0]!;
      const address = destinationAddress(network, owner);
      const moving = mostMoved(steps);
      const oldPool = poolAddress(network, [...simulation.world.pools.keys()][1]!);
      const urls = [
        '/chain/tip',
        '/transaction?items=20',
        '/pool?sort=by_pledge',
        '/order?items=50',
        '/token?items=100',
        '/statistics/coin',
        `/address/${address}`,
        `/address/${address}/all-utxos`,
        `/address/${address}/spendable-utxos`,
        `/address/${address}/transactions?items=50`,
        `/transaction/${moving}`,
        `/transaction/${moving}/merkle-path`,
        `/pool/${oldPool}/delegations`,
        `/pool/${oldPool}`,
      ];
      // First in quiet: what each tip's answers are.
      const quiet = await TestIndex.create(scope, network);
      const quietServer = await startTestWebServer(scope, { network, postgres: quiet.postgres });
      const known = new KnownAnswers();
      await seesTip(quietServer, network.genesisId);
      await known.add(quietServer, urls);
      for (const step of steps) {
        await take(quiet, step);
        await seesTip(quietServer, step.blocks.at(-1)!.id);
        await known.add(quietServer, urls);
      }
      // Then the same with clients that ask all the time.
      const index = await TestIndex.create(scope, network);
      const server = await startTestWebServer(scope, { network, postgres: index.postgres });
      let isOver = false;
      let asked = 0;
      const random = new Random(seed);
      const client = async (url: string) => {
        let held: TestAnswer | undefined;
        while (!isOver) {
          const told = known.placeOf(await answerOf(server, '/chain/tip'));
          const etag: string | null = held?.headers.get('etag') ?? null;
          const answer = await answerOf(server, url, etag === null ? {} : { 'if-none-match': etag });
          if (answer.status === 304) assert.equal(answer.headers.get('etag'), etag);
          else held = answer;
          known.check(url, held!);
          const place = known.placeOf(answer);
          assert.ok(place === null || place >= told!, `${url} answers of tip ${place} after tip ${told} was told`);
          asked++;
          // All work is this process's: without pauses the writer would hardly have a turn.
          await sleep(random.below(20));
        }
      };
      const clients = urls.map(client);
      const writing = (async () => {
        for (const step of steps) {
          // Each tip is there for long enough that clients see it, and all of them ask while it goes.
          const enough = asked + clients.length;
          while (asked < enough && !isOver) await sleep(1);
          await take(index, step);
        }
        await seesTip(server, simulation.tipId);
      })();
      await Promise.race([writing, ...clients]).finally(() => {
        isOver = true;
      });
      await Promise.all([writing, ...clients]);
    },
    1,
  );
});
