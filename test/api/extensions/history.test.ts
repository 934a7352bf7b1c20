/** What changed balances, and balances as they were, against a naive model. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { COIN, type Currency } from '../../../src/chain/currency.ts';
import { decimalText } from '../../../src/chain/decimal-text.ts';
import type { Destination } from '../../../src/chain/types.ts';
import type { NaiveChange } from '../../sim/naive-changes.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { coins, error, errorOfOurParameter, got, listed, network, timeOf } = chain;

const addressOf = (owner: Destination) => destinationAddress(network, owner);
const currencyName = (currency: Currency) => (currency === COIN ? network.coinTicker : tokenAddress(network, currency));
const atomsOf = ({ atoms }: Json) => BigInt(atoms);

/** The owners with most changes, and some with few. */
function owners(): Destination[] {
  const counts = new Map<Destination, number>();
  for (const { owner } of chain.past.changes) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([owner]) => owner);
  return [...sorted.slice(0, 6), ...sorted.slice(-3)];
}

const nameOf = (row: Json) => (row.currency.type === 'Coin' ? network.coinTicker : row.currency.token_id);
const shortOf = (row: Json) => [row.height, row.tx_id, nameOf(row), atomsOf(row.change), atomsOf(row.balance)];
const expected = ({ height, transactionId, currency, change, balance }: NaiveChange) => [
  ...[height, transactionId, currencyName(currency), change, balance],
];

/** Rows that change nothing are locks that ended, transfers to oneself, and fees alone: the model has none. */
const changing = (rows: readonly Json[]) => rows.filter(({ change }) => change.atoms !== '0');
const sortedByText = (rows: readonly unknown[][]) => rows.map((row) => row.join(' ')).sort();

it('histories have a row for each transaction and currency, whose changes add up to the balance', async () => {
  for (const owner of owners()) {
    const rows = await listed(`/address/${addressOf(owner)}/history`);
    const own = chain.past.changes.filter((change) => change.owner === owner);
    assert.deepEqual(sortedByText(changing(rows).map(shortOf)), sortedByText(own.map(expected)));
    assert.deepEqual(
      rows.map(({ height }) => height),
      rows.map(({ height }) => height).sort((a, b) => b - a),
    );
    for (const currency of new Set(rows.map(nameOf))) {
      const ofCurrency = rows.filter((row) => nameOf(row) === currency);
      const sum = ofCurrency.reduce((atoms, { change }) => atoms + atomsOf(change), 0n);
      assert.equal(sum, atomsOf(ofCurrency[0].balance));
      assert.deepEqual(await listed(`/address/${addressOf(owner)}/history?currency=${currency}`), ofCurrency);
    }
    const live = await got(`/address/${addressOf(owner)}`).catch(() => null);
    const coin = rows.find((row) => row.currency.type === 'Coin');
    if (live !== null && coin !== undefined) {
      assert.equal(atomsOf(coin.balance), atomsOf(live.coin_balance) + atomsOf(live.locked_coin_balance));
      assert.equal(coin.ticker, network.coinTicker);
    }
  }
});

it('histories can be cut to directions, kinds, times and heights', async () => {
  const [owner] = owners() as [Destination];
  const path = `/address/${addressOf(owner)}/history`;
  const rows = await listed(path);
  const wanted: readonly [query: string, isWanted: (row: Json) => boolean][] = [
    ['direction=in', ({ change }) => atomsOf(change) > 0n],
    ['direction=out', ({ change }) => atomsOf(change) < 0n],
    ['direction=in,out', ({ change }) => change.atoms !== '0'],
    ['kind=received', ({ kinds }) => kinds.includes('received')],
    ['kind=sent,unlocked', ({ kinds }) => kinds.includes('sent') || kinds.includes('unlocked')],
    ['from=%2320', ({ height }) => height >= 20],
    ['to=%2350', ({ height }) => height < 50],
    ['from=%2320&to=%2350&direction=in', ({ height, change }) => height >= 20 && height < 50 && atomsOf(change) > 0n],
    ['from=%2350&to=%2320', () => false],
    ['from=%2350&from=%2320', ({ height }) => height >= 20],
    [`from=0&to=${2n ** 63n - 1n}`, () => true],
  ];
  for (const [query, isWanted] of wanted) {
    assert.deepEqual(await listed(`${path}?${query}`), rows.filter(isWanted), query);
  }
  // Times go back now and then: a range begins after the last block before it.
  for (const height of [10, 40, 70]) {
    const time = timeOf(height);
    const { height: last } = await got(`/chain/at?time=${time - 1}`);
    assert.deepEqual(
      await listed(`${path}?from=${time}`),
      rows.filter((row) => row.height > last),
    );
    assert.deepEqual(
      await listed(`${path}?to=${time}`),
      rows.filter((row) => row.height <= last),
    );
  }
  assert.deepEqual(await error(`${path}?direction=up`), [400, 'Invalid direction: known are in, out']);
  assert.match((await error(`${path}?kind=x`))[1], /^Invalid kind: known are received, sent/);
  assert.match((await error(`${path}?from=yesterday`))[1], /^Invalid from: /);
  assert.deepEqual(await error(`${path}?currency=x`), [400, 'Invalid token Id']);
  const { next_cursor } = await got(`${path}?items=1`);
  assert.deepEqual(await error(`${path}?direction=in&cursor=${next_cursor}`), [400, 'Invalid cursor']);
});

it('addresses show what they had after any block, or at any time', async () => {
  for (const owner of owners()) {
    for (const height of [0, 1, 7, 33, 60, 90]) {
      const balances = chain.past.balancesAt(owner, height);
      const path = `/address/${addressOf(owner)}?height=${height}`;
      if (balances.size === 0) continue;
      const shown = await got(path);
      assert.equal(shown.height, height);
      assert.equal(
        atomsOf(shown.coin_balance) + atomsOf(shown.locked_coin_balance),
        balances.get(COIN) ?? 0n,
        `${path}: ${JSON.stringify(shown)}`,
      );
      const tokens = [...balances].filter(([currency, balance]) => currency !== COIN && balance > 0n);
      assert.deepEqual(
        shown.tokens.map((token: Json) => [nameOf(token), atomsOf(token.balance)]),
        tokens.sort(([a], [b]) => (a < b ? -1 : 1)).map(([currency, balance]) => [currencyName(currency), balance]),
      );
      if (height > 0) {
        const { height: last } = await got(`/chain/at?time=${timeOf(height)}`);
        const atTime = await got(`/address/${addressOf(owner)}?time=${timeOf(height)}`);
        assert.deepEqual(atTime, await got(`/address/${addressOf(owner)}?height=${last}`));
      }
    }
  }
  const [owner] = owners() as [Destination];
  const path = `/address/${addressOf(owner)}`;
  assert.deepEqual(await error(`${path}?height=91`), [404, 'No block found at supplied height']);
  assert.deepEqual(await error(`${path}?height=${2n ** 62n}`), [404, 'No block found at supplied height']);
  assert.deepEqual(await error(`${path}?time=0`), [404, 'No block found at supplied time']);
  assert.deepEqual(await errorOfOurParameter(`${path}?height=x`), [400, 'Invalid block height']);
  assert.deepEqual(await errorOfOurParameter(`${path}?height=1&time=1`), [
    400,
    'Invalid time: it cannot be given with `height`',
  ]);
  const late = chain.past.changes.findLast(
    (change) => chain.past.changes.find((each) => each.owner === change.owner) === change,
  )!;
  assert.deepEqual(await error(`/address/${addressOf(late.owner)}?height=0`), [404, 'Address not found']);
});

it('addresses show what their pools and delegations held, at the tip as it is now, and before at the end of a day', async () => {
  const { world, blocks } = chain.facts;
  const held = new Map<Destination, { pools: bigint; delegations: bigint }>();
  const add = (owner: Destination, pools: bigint, delegations: bigint): void => {
    const known = held.get(owner) ?? { pools: 0n, delegations: 0n };
    held.set(owner, { pools: known.pools + pools, delegations: known.delegations + delegations });
  };
  for (const { decommissionKey, stakerBalance } of world.pools.values()) add(decommissionKey, stakerBalance, 0n);
  for (const { owner, balance } of world.delegations.values()) add(owner, 0n, balance);
  let staking = 0;
  for (const [owner, { pools, delegations }] of held) {
    const { status, body } = await chain.servers[0]!.get(`/address/${addressOf(owner)}?height=${blocks.length}`);
    if (status === 404) {
      assert.equal(pools + delegations, 0n);
      continue;
    }
    staking++;
    assert.equal(body.staked.height, blocks.length);
    assert.deepEqual([atomsOf(body.staked.pools), atomsOf(body.staked.delegations)], [pools, delegations]);
  }
  assert.ok(staking > 3);
  let latest = 0;
  const days = blocks.map(({ timestamp }) => (latest = Math.max(latest, Math.floor(timestamp / 86_400))));
  const [owner] = [...held.keys()] as [Destination];
  for (let height = 1; height < blocks.length; height++) {
    const { status, body } = await chain.servers[0]!.get(`/address/${addressOf(owner)}?height=${height}`);
    if (status === 404 || body.staked === null) continue;
    const isLastOfDay = days[height] !== days[height - 1];
    const lastBefore = days.findLastIndex((day) => day < days[height - 1]!) + 1;
    assert.equal(body.staked.height, isLastOfDay ? height : lastBefore);
  }
});

it('balance series of a token or an NFT have its ticker and decimals beside each amount', async () => {
  const held = chain.past.changes.filter(({ currency }) => currency !== COIN);
  const { tokens, nfts } = chain.facts.world;
  for (const kind of [tokens, nfts]) {
    const { owner, currency } = held.find((change) => kind.get(change.currency) !== undefined)!;
    const path = `/address/${addressOf(owner)}/balance-series?currency=${currencyName(currency)}`;
    const [{ ticker, decimals, currency: shown, balance }] = await listed(path);
    assert.deepEqual({ ticker, decimals }, chain.labelOf(currency));
    assert.deepEqual(shown, { type: 'Token', token_id: currencyName(currency) });
    assert.equal(balance.decimal, decimalText(BigInt(balance.atoms), decimals));
  }
  const [owner] = owners() as [Destination];
  const [{ ticker, decimals, currency }] = await listed(`/address/${addressOf(owner)}/balance-series`);
  assert.deepEqual([ticker, decimals, currency], [network.coinTicker, network.coinDecimals, { type: 'Coin' }]);
});

it('balance series have the balance at the end of each day, and what came and went', async () => {
  for (const owner of owners().slice(0, 4)) {
    const days = await listed(`/address/${addressOf(owner)}/balance-series`);
    const own = chain.past.changes.filter((change) => change.owner === owner && change.currency === COIN);
    if (own.length === 0) {
      assert.deepEqual(days, []);
      continue;
    }
    let below = chain.facts.blocks.length + 1;
    let net = 0n;
    for (const [i, { day, height, received, sent, balance }] of days.entries()) {
      assert.equal(height, below - 1);
      below = i + 1 < days.length ? days[i + 1].height + 1 : 0;
      const ofDay = own.filter((change) => change.height >= below && change.height <= height);
      assert.equal(
        atomsOf(received) - atomsOf(sent),
        ofDay.reduce((sum, { change }) => sum + change, 0n),
      );
      assert.equal(atomsOf(balance), chain.past.balancesAt(owner, height).get(COIN));
      assert.ok(day % 86_400 === 0);
      net += atomsOf(received) - atomsOf(sent);
    }
    assert.equal(net, atomsOf(days[0].balance));
  }
  const [owner] = owners() as [Destination];
  assert.deepEqual(await error(`/address/${addressOf(owner)}/balance-series?interval=week`), [
    400,
    'Invalid interval: `day` is expected',
  ]);
});

it('supply is shown as it was after a block', async () => {
  const tip = await got('/statistics/coin');
  assert.deepEqual(await got(`/statistics/coin?height=${chain.facts.blocks.length}`), tip);
  assert.deepEqual(await error('/statistics/coin?height=91'), [404, 'No block found at supplied height']);
  assert.ok(coins(atomsOf(tip.circulating_supply)));
});
