/** The order book and the holders of a simulated chain, against a naive count from `/order` and `/address`. */
import assert from 'node:assert/strict';
import { destinationAddress, parseDestination, tokenAddress } from '../../src/chain/address.ts';
import type { Destination } from '../../src/chain/types.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { oncePerSeed, testOverSeeds } from '../support/seeds.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';
import { type History, simulatedHistory, TRADING, take } from './history.ts';
import { TakingPart } from './naive-lists.ts';
import { seesTip } from './patient-answers.ts';

const BLOCKS = 40;
const TICKER = network.coinTicker;
// biome-ignore lint/suspicious/noExplicitAny: answers of the API
type Json = any;

interface Level {
  readonly atoms: string;
  readonly amount: bigint;
  readonly orders: number;
}

const sideOf = ({ type, token_id }: Json): string => (type === 'Coin' ? TICKER : token_id);

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

/** The levels of one side of a pair, from the open orders themselves; in the order of the API's description. */
function naiveLevels(orders: readonly Json[], base: string, quote: string, side: 'ask' | 'bid'): Level[] {
  const [asked, given] = side === 'ask' ? [base, quote] : [quote, base];
  const levels = new Map<string, { quote: bigint; base: bigint; amount: bigint; orders: number }>();
  for (const order of orders) {
    if (sideOf(order.ask_currency) !== asked || sideOf(order.give_currency) !== given) continue;
    const [ask, give] = [BigInt(order.ask_balance.atoms), BigInt(order.give_balance.atoms)];
    const [ofQuote, ofBase] = side === 'ask' ? [give, ask] : [ask, give];
    const divisor = greatestCommonDivisor(ofQuote, ofBase);
    const key = `${ofQuote / divisor}/${ofBase / divisor}`;
    const level = levels.get(key) ?? { quote: ofQuote / divisor, base: ofBase / divisor, amount: 0n, orders: 0 };
    levels.set(key, { ...level, amount: level.amount + ofBase, orders: level.orders + 1 });
  }
  const upwards = [...levels.values()].sort((a, b) => (a.quote * b.base < b.quote * a.base ? -1 : 1));
  return (side === 'ask' ? upwards : upwards.reverse()).map((level) => ({
    atoms: `${level.quote}/${level.base}`,
    amount: level.amount,
    orders: level.orders,
  }));
}

const levelOf = ({ price, amount, order_count }: Json): Level => ({
  atoms: price.atoms,
  amount: BigInt(amount.atoms),
  orders: order_count,
});

/** Compares every book; gives the number of levels that orders share. */
async function compareBooks(server: TestServer, core: TestServer): Promise<number> {
  const orders = (await server.pages('/order?items=100')).flat();
  const pairs = new Set(
    orders.map((order) => [sideOf(order.ask_currency), sideOf(order.give_currency)].sort().join('_')),
  );
  let shared = 0;
  for (const pair of pairs) {
    const [first, second] = pair.split('_') as [string, string];
    for (const [base, quote] of [
      [first, second],
      [second, first],
    ] as const) {
      for (const side of ['ask', 'bid'] as const) {
        const path = `/order/pair/${base}_${quote}/book?side=${side}`;
        const expected = naiveLevels(orders, base, quote, side);
        const levels = (await server.pages(`${path}&items=2`)).flat();
        assert.deepEqual(levels.map(levelOf), expected, path);
        assert.deepEqual((await server.pages(`${path}&items=3&order=best`)).flat(), levels.toReversed(), path);
        const inCore = (await core.pages(`${path}&items=100&order=best`)).flat();
        assert.deepEqual(
          inCore.map(({ price, amount }) => [price.atoms, amount]),
          levels.map(({ price, amount }) => [price.atoms, amount]),
        );
        for (const [i, { price }] of inCore.entries()) {
          assert.equal(Number(price.decimal), Number(levels[i].price.decimal), 'the same number, written in two ways');
        }
        shared += expected.filter((level) => level.orders > 1).length;
      }
    }
  }
  return shared;
}

/** What `/address` shows as spendable of each currency, for everybody with a history. */
async function spendable(
  core: TestServer,
  owners: Iterable<Destination>,
): Promise<Map<string, Map<Destination, bigint>>> {
  const found = new Map<string, Map<Destination, bigint>>();
  for (const owner of owners) {
    const { coin_balance, tokens } = await core.json(`/address/${destinationAddress(network, owner)}`);
    const amounts = [[TICKER, coin_balance], ...tokens.map(({ token_id, amount }: Json) => [token_id, amount])];
    for (const [currency, { atoms }] of amounts) {
      if (atoms === '0') continue;
      const holders = found.get(currency) ?? new Map<Destination, bigint>();
      found.set(currency, holders.set(owner, BigInt(atoms)));
    }
  }
  return found;
}

async function compareHolders(server: TestServer, core: TestServer, history: History): Promise<void> {
  const { ofAddress } = new TakingPart(network, history.mainChain);
  const amounts = await spendable(core, ofAddress.keys());
  const { tokens, nfts } = history.simulation.world;
  const ids = [...tokens.keys(), ...nfts.keys()].map((id) => tokenAddress(network, id));
  for (const currency of [TICKER, ...ids]) {
    const path = currency === TICKER ? '/statistics/coin/holders' : `/statistics/token/${currency}/holders`;
    const expected = [...(amounts.get(currency) ?? [])].sort(([a, ofA], [b, ofB]) =>
      ofA === ofB ? (a < b ? -1 : 1) : ofA > ofB ? -1 : 1,
    );
    for (const api of [server, core]) {
      // Who has nothing but what the genesis or a reward gave him has no history, and /address does not know him.
      const listed = (await api.pages(`${path}?items=7`))
        .flat()
        .map(({ address, amount }) => [parseDestination(network, address), BigInt(amount.atoms)] as const)
        .filter(([owner]) => ofAddress.has(owner));
      assert.deepEqual(listed, expected, path);
    }
  }
}

const indexed = oncePerSeed(async (seed, scope) => {
  const history = simulatedHistory({ network, blocks: BLOCKS, seed, mix: TRADING, reorganisationProbability: 0.15 });
  const index = await TestIndex.create(scope, network);
  const common = { network, postgres: index.postgres };
  const server = await startTestWebServer(scope, common);
  const core = await startTestWebServer(scope, { ...common, contract: 'mintlayer-core' });
  return { history, server, core, tips: tips(index, history, [server, core]) };
});

/** Goes through the history, and stops at some tips, the last one included; each is seen by the servers. */
async function* tips(index: TestIndex, { steps }: History, servers: readonly TestServer[]): AsyncGenerator<number> {
  for (const [i, step] of steps.entries()) {
    await take(index, step);
    if (i % 20 !== 19 && i !== steps.length - 1) continue;
    for (const server of servers) await seesTip(server, step.blocks.at(-1)!.id);
    yield i;
  }
}

testOverSeeds('the order book is a naive sum of the open orders, at every tip', async (seed, scope) => {
  const { server, core, tips } = await indexed(seed, scope);
  let shared = 0;
  for await (const _tip of tips) shared += await compareBooks(server, core);
  assert.ok(shared > 0, 'no two orders had the same price');
});

testOverSeeds('the holders are those who can spend something by /address', async (seed, scope) => {
  const { history, server, core, tips } = await indexed(seed, scope);
  // The chain may have been gone through by another test.
  for await (const _tip of tips);
  await compareHolders(server, core, history);
});
