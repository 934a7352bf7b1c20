/** All that addresses own, against the simulation's world and the trades that were made. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { COIN, type Currency } from '../../../src/chain/currency.ts';
import type { Atoms, Destination } from '../../../src/chain/types.ts';
import { pagedRows } from '../../explorer/page-values.ts';
import { MONTHS, simulatedHistory, take } from '../../sim/history.ts';
import { fileScope } from '../../support/file-scope.ts';
import { getPage } from '../../support/html-page.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import { until } from '../../support/until.ts';
import type { TestServer } from '../../support/web-server.ts';

const scope = fileScope();
chain.serveSimulatedChain();
const { coins, network } = chain;
const MONTH = 30 * 86_400;
const served = () => chain.servers[0] as TestServer;
const nameOf = (currency: Currency) => (currency === COIN ? network.coinTicker : tokenAddress(network, currency));

type Part = 'held' | 'pools' | 'delegations' | 'orders' | 'htlcs';

/** What some owners have of each currency, and where, by the world. */
function owned(owners: readonly Destination[]): Map<Currency, Record<Part, Atoms>> {
  const all = new Map<Currency, Record<Part, Atoms>>();
  const add = (part: Part, owner: Destination, currency: Currency | null, atoms: Atoms) => {
    if (!owners.includes(owner) || currency === null || atoms === 0n) return;
    const parts = all.get(currency) ?? { held: 0n, pools: 0n, delegations: 0n, orders: 0n, htlcs: 0n };
    parts[part] += atoms;
    all.set(currency, parts);
  };
  const { pools, delegations, orders, utxos } = chain.facts.world;
  for (const owner of owners) {
    for (const [currency, atoms] of chain.past.balancesAt(owner, 90)) add('held', owner, currency, atoms);
  }
  for (const pool of pools.values()) add('pools', pool.decommissionKey, COIN, pool.stakerBalance);
  for (const { owner, balance } of delegations.values()) add('delegations', owner, COIN, balance);
  for (const { concludeKey, ask, give, askBalance, giveBalance, isConcluded } of orders.values()) {
    if (isConcluded) continue;
    const [given, asked] = [give, ask].map(({ currency }) => (currency === 'coin' ? COIN : currency)) as [
      string,
      string,
    ];
    add('orders', concludeKey, given, giveBalance);
    add('orders', concludeKey, asked, ask.amount - askBalance);
  }
  for (const { output } of utxos.values()) {
    if (output.type !== 'Htlc' || output.value.type === 'TokenV0') continue;
    const { value, contract } = output;
    add('htlcs', contract.refundKey, value.type === 'Coin' ? COIN : value.tokenId, value.amount);
  }
  return all;
}

/** What an amount of a token is worth by its newest trade for coins with a price. */
async function worth(
  currency: Currency,
  atoms: Atoms,
): Promise<{ value: Atoms | null; time: number } | 'old' | 'none'> {
  const pair = `${nameOf(currency)}_${network.coinTicker}`;
  const { status, body } = await served().get(`/order/pair/${pair}/trades?items=100`);
  const last = status === 404 ? undefined : body.items.find(({ price }: Json) => price !== null);
  if (last === undefined) return 'none';
  if (last.timestamp <= chain.timeOf(90) - MONTH) return 'old';
  const [paid, got] = [BigInt(last.quote.amount.atoms), BigInt(last.base.amount.atoms)];
  let depth = 0n;
  for (const { ask, give, giveBalance, askBalance, isConcluded, isFrozen } of chain.facts.world.orders.values()) {
    const isOpen = !isConcluded && !isFrozen && askBalance > 0n;
    if (!isOpen || give.currency !== 'coin' || ask.currency !== currency) continue;
    if (2n * give.amount * got >= ask.amount * paid) depth += giveBalance;
  }
  const isSold = depth >= 1_000n * 10n ** BigInt(network.coinDecimals) && !chain.facts.world.isFrozen(currency);
  const value = (atoms * paid) / got;
  return { value: isSold ? (value < depth ? value : depth) : null, time: last.timestamp };
}

function owners(): Destination[] {
  const found = new Set<Destination>(chain.past.changes.map(({ owner }) => owner));
  const { pools, delegations, orders } = chain.facts.world;
  for (const { decommissionKey } of pools.values()) found.add(decommissionKey);
  for (const { owner } of delegations.values()) found.add(owner);
  for (const { concludeKey } of orders.values()) found.add(concludeKey);
  return [...found];
}

const seen = new Set<string>();

async function checkTotal(total: Json, wallet: readonly Destination[]): Promise<bigint> {
  const all = owned(wallet);
  const own = all.get(COIN) ?? { held: 0n, pools: 0n, delegations: 0n, orders: 0n, htlcs: 0n };
  const { spendable, locked, staked, orders, htlcs, tokens, coin_value } = total;
  assert.equal(BigInt(spendable.atoms) + BigInt(locked.atoms), own.held);
  assert.deepEqual(staked, { pools: coins(own.pools), delegations: coins(own.delegations) });
  assert.deepEqual([orders, htlcs], [coins(own.orders), coins(own.htlcs)]);
  const ownCoins = own.held + own.pools + own.delegations + own.orders + own.htlcs;
  let sum = ownCoins;
  const ids = [...all.keys()].filter((currency) => currency !== COIN);
  assert.deepEqual(tokens.map(({ currency }: Json) => currency.token_id).sort(), ids.map(nameOf).sort());
  for (const currency of ids) {
    const parts = all.get(currency)!;
    const token = tokens.find((each: Json) => each.currency.token_id === nameOf(currency));
    const atoms = parts.held + parts.orders + parts.htlcs;
    assert.equal(token.amount.atoms, `${atoms}`);
    assert.equal(BigInt(token.spendable.atoms) + BigInt(token.locked.atoms), parts.held);
    assert.deepEqual([token.orders.atoms, token.htlcs.atoms], [`${parts.orders}`, `${parts.htlcs}`]);
    const isFrozen = chain.facts.world.isFrozen(currency);
    assert.equal(token.frozen_since !== null, isFrozen);
    assert.deepEqual([token.ticker, token.decimals], Object.values(chain.labelOf(currency)));
    const known = await worth(currency, atoms);
    const valued = typeof known === 'string' ? null : known;
    const value = valued?.value ?? null;
    assert.deepEqual([token.coin_value, token.traded_at], [value && coins(value), valued?.time ?? null]);
    sum += value ?? 0n;
    seen.add(`token ${typeof known === 'string' ? known : value === null ? 'without depth' : 'traded'}`);
    for (const part of ['orders', 'htlcs'] as const) if (parts[part] > 0n) seen.add(`token in ${part}`);
  }
  for (const [part, atoms] of Object.entries(own)) if (atoms > 0n) seen.add(`coins in ${part}`);
  const values = tokens.map((each: Json) => (each.coin_value === null ? -1n : BigInt(each.coin_value.atoms)));
  assert.ok(
    values.every((value: bigint, i: number) => i === 0 || value <= values[i - 1]!),
    'those worth most come first',
  );
  const parts = [total.coins, total.tokens_coin_value, coin_value];
  assert.deepEqual(parts, [ownCoins, sum - ownCoins, sum].map(coins));
  return ownCoins;
}

it('an address and a wallet have a total of all that they own, worked out from the world', async () => {
  const known = owners();
  for (const owner of known) {
    const path = `/address/${destinationAddress(network, owner)}`;
    if ((await served().get(path)).status === 404) continue;
    const { total, ...rest } = await served().json(`${path}?expand=true`);
    assert.deepEqual(rest, await served().json(path));
    assert.deepEqual((await chain.servers[1]!.json(`${path}?expand=true`)).total, total);
    const ownCoins = await checkTotal(total, [owner]);
    const { main } = await getPage(served(), path);
    assert.equal(main.fact('Coins').atoms()[0], ownCoins);
    for (const [name, amount] of [
      ['Spendable', total.spendable],
      ['Locked', total.locked],
      ['In pools', total.staked.pools],
      ['In delegations', total.staked.delegations],
      ['In orders', total.orders],
      ['In HTLCs', total.htlcs],
    ]) {
      if (amount.atoms === '0') continue;
      // A single part is the headline itself.
      const shown = main.facts().get(name) ?? main.fact('Coins');
      assert.equal(`${shown.atoms()[0]}`, amount.atoms, name);
    }
    if (total.tokens.length === 0) continue;
    // The coins and the values of all tokens, over all pages, are the total: those worth most are on the page of the address.
    const rows = await pagedRows(served(), `${path}/balances?items=3`);
    const values = rows.map(([, , , , , value]) => value!.atoms()[0] ?? 0n);
    assert.equal(`${values.reduce((all, value) => all + value, ownCoins)}`, total.coin_value.atoms);
    assert.deepEqual(
      values.slice(0, 5),
      main.table('balances').map(([, , , , , value]) => value!.atoms()[0] ?? 0n),
    );
    assert.match(main.fact('Tokens').text, new RegExp(`^${total.tokens.length}( · ≈ |$)`));
  }
  for (const wallet of [known.slice(0, 1), known.slice(0, 40)]) {
    const addresses = wallet.map((owner) => destinationAddress(network, owner));
    const post = async (body: object) =>
      (await served().request('/api/v2/balances', { method: 'POST', body: JSON.stringify({ addresses, ...body }) }))
        .body;
    const { total, ...rest } = await post({ expand: true });
    await checkTotal(total, wallet);
    assert.deepEqual(rest, await post({}));
  }
  // What has a value is in test/explorer/frozen.test.ts: here no market has the depth.
  const parts = ['delegations', 'held', 'htlcs', 'orders', 'pools'].map((part) => `coins in ${part}`);
  for (const each of [...parts, 'token in orders', 'token none', 'token without depth'])
    assert.ok(seen.has(each), each);
});

it('a trade says nothing of a token from the second on that it is 30 days before the tip', async () => {
  const index = await TestIndex.create(scope, network);
  const mix = { ...MONTHS, weights: { ...MONTHS.weights, orderCreate: 12, orderFill: 30 } };
  for (const step of simulatedHistory({ network, seed: 'owned', mix, blocks: 50, reorganisationProbability: 0 })
    .steps) {
    await take(index, step);
  }
  const { described } = await index.serveBoth(scope);
  const { rows } = await index.query(`
    select encode(h.owner, 'hex') as owner, encode(m.base, 'hex') as token, b.timestamp::text as time
    from markets m join blocks b on b.height = m.last_height join balances h on h.currency = m.base
    where m.quote = '' and h.amount > 0 limit 1`);
  const { owner, token, time } = rows[0] as Record<'owner' | 'token' | 'time', string>;
  const hasValueAt = async (tip: bigint, expected: boolean) => {
    await index.query(`update chain_tip set revision = revision + 1, timestamp = ${tip}`);
    await until(async () => {
      const { total } = await described.json(`/address/${destinationAddress(network, owner)}?expand=true`);
      const { coin_value, traded_at } = total.tokens.find((each: Json) => each.currency.token_id === nameOf(token));
      assert.ok(coin_value === null || traded_at === Number(time));
      return (traded_at !== null) === expected;
    }, `a trade ${expected} at ${tip}`);
  };
  await hasValueAt(BigInt(time) + BigInt(MONTH), false);
  await hasValueAt(BigInt(time) + BigInt(MONTH) - 1n, true);
});
