/** Search over HTTP: things of every type, whole and by their beginning. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../../src/chain/address.ts';
import { tokenIds } from '../../sim/naive-lists.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';

chain.serveSimulatedChain();
const { error, got, network, UNKNOWN } = chain;

const search = async (q: string): Promise<Json[]> => (await got(`/search?q=${encodeURIComponent(q)}`)).items;
const found = async (q: string): Promise<string[]> => (await search(q)).map(({ type, id }) => `${type} ${id}`);

it('search finds things by whole ids, in hex and as bech32m, in either case', async () => {
  const { world, blocks } = chain.facts;
  const first = (map: { keys(): Iterator<string> }): string => map.keys().next().value!;
  const transaction = blocks[20]!.transactionIds[0]!;
  assert.deepEqual(await found(blocks[20]!.id), [`block ${blocks[20]!.id}`]);
  assert.deepEqual(await found(`0x${blocks[20]!.id.toUpperCase()}`), [`block ${blocks[20]!.id}`]);
  assert.deepEqual(await found(transaction), [`transaction ${transaction}`]);
  assert.equal((await search(transaction))[0].detail, 'In block 21');
  const things = [
    ['pool', first(world.pools), poolAddress],
    ['delegation', first(world.delegations), delegationAddress],
    ['token', first(world.tokens), tokenAddress],
    ['nft', first(world.nfts), tokenAddress],
    ['order', first(world.orders), orderAddress],
  ] as const;
  for (const [type, id, write] of things) {
    const text = write(network, id);
    for (const q of [id, text, text.toUpperCase(), ` ${text} `, text.slice(0, -3), text.slice(0, -20)]) {
      assert.deepEqual(await found(q), [`${type} ${text}`], q);
    }
  }
  const used = destinationAddress(network, first(chain.taking.ofAddress));
  assert.deepEqual(await search(used), [{ type: 'address', id: used, label: 'Address', detail: 'With transactions' }]);
  const unused = destinationAddress(network, `01${'77'.repeat(20)}`);
  assert.equal((await search(unused))[0].detail, 'Without transactions');
});

it('search finds things by the beginning of ids from six characters on', async () => {
  const { world, blocks } = chain.facts;
  const named = (ids: Iterable<string>, name: (id: string) => string) => [...ids].map((id) => [name(id), id] as const);
  const every = [
    ...named(
      blocks.map(({ id }) => id),
      (id) => `block ${id}`,
    ),
    ...named(
      blocks.flatMap(({ transactionIds }) => transactionIds),
      (id) => `transaction ${id}`,
    ),
    ...named(world.pools.keys(), (id) => `pool ${poolAddress(network, id)}`),
    ...named(world.delegations.keys(), (id) => `delegation ${delegationAddress(network, id)}`),
    ...named(world.orders.keys(), (id) => `order ${orderAddress(network, id)}`),
  ];
  for (const [name, id] of every.filter((_, i) => i % 23 === 0)) {
    for (const length of [6, 7, 12]) {
      const expected = every.filter(([, other]) => other.startsWith(id.slice(0, length))).map(([other]) => other);
      const results = await found(id.slice(0, length));
      for (const each of expected) assert.ok(results.includes(each), `${each} by ${id.slice(0, length)}`);
    }
    assert.ok(!(await found(id.slice(0, 5))).includes(name), 'five characters are too few');
  }
  const payees = [...chain.taking.ofAddress.keys()].filter((owner) => owner.startsWith('01'));
  for (const owner of payees.slice(0, 5)) {
    const text = destinationAddress(network, owner);
    const start = text.indexOf('1') + 1;
    for (const length of [start + 2, start + 3, start + 5, text.length - 7, text.length - 1]) {
      const expected = [...chain.taking.ofAddress.keys()]
        .filter((other) => destinationAddress(network, other).startsWith(text.slice(0, length)))
        .sort()
        .map((other) => `address ${destinationAddress(network, other)}`);
      assert.deepEqual(await found(text.slice(0, length)), expected.slice(0, 20), text.slice(0, length));
    }
  }
});

it('search finds blocks by height, by time, and the first and the last one of a day, a month and a year', async () => {
  const block = chain.facts.blocks[41]!;
  assert.equal((await search('42'))[0].id, block.id);
  assert.equal((await search('#42'))[0].label, 'Block 42');
  assert.equal((await search('0'))[0].id, network.genesisId);
  const time = new Date(block.timestamp * 1_000).toISOString().slice(0, 19);
  assert.deepEqual(await found(time), [`block ${block.id}`]);
  assert.deepEqual(await found(`${time.replace('T', ' ')}Z`), [`block ${block.id}`]);
  const day = new Date(block.timestamp * 1_000).toISOString().slice(0, 10);
  const [year, month] = day.split('-').map(Number) as [number, number];
  const start = Date.parse(`${day}T00:00:00Z`) / 1_000;
  const at = (time: number) => chain.facts.blocks.findLastIndex(({ timestamp }) => timestamp <= time);
  const first = chain.facts.blocks[at(start - 1) + 1]!;
  const last = chain.facts.blocks[at(start + 86_399)]!;
  assert.deepEqual(await found(day), [...new Set([`block ${first.id}`, `block ${last.id}`])]);
  for (const [text, from, to] of [
    [day.slice(0, 7), Date.UTC(year, month - 1), Date.UTC(year, month)],
    [day.slice(0, 4), Date.UTC(year, 0), Date.UTC(year + 1, 0)],
  ] as const) {
    const ends = [at(from / 1_000 - 1) + 1, at(to / 1_000 - 1)].map((i) => `block ${chain.facts.blocks[i]!.id}`);
    const asHeight = chain.facts.blocks[Number(text) - 1];
    assert.deepEqual(await found(text), [...new Set([...(asHeight ? [`block ${asHeight.id}`] : []), ...ends])], text);
  }
  assert.deepEqual(await found(String(block.timestamp)), [`block ${block.id}`]);
  assert.deepEqual(await found(`${block.timestamp}123`), [`block ${block.id}`]);
  assert.deepEqual(await found('1999-01-01'), []);
  assert.deepEqual(await found('2024-02-31'), []);
});

it('search finds the markets of two tickers in any order and spelling, and the form of orders those of two tokens', async () => {
  const { items } = await got('/market?items=100');
  const tickers = ({ base, quote }: Json) => [base.ticker, quote.ticker];
  const [market] = items;
  const [base, quote] = tickers(market);
  const same = items.filter((each: Json) => tickers(each).join() === `${base},${quote}`);
  const expected = same.map(({ pair }: Json) => `market ${pair}`);
  for (const text of [`${base}/${quote}`, `${quote} ${base}`, `${base.toLowerCase()}-${quote}`]) {
    assert.deepEqual((await found(text)).sort(), expected.toSorted(), text);
  }
  const [{ label, detail }] = await search(`${base} ${quote}`);
  assert.equal(label, `${base}/${quote}`);
  assert.match(detail, /^\d+ trades, \d+ open orders$/);
  assert.deepEqual(await found(`${base}/NOBODYS`), []);
  const response = await fetch(`${chain.servers[0]!.url}/orders?first=${base}&second=${quote}`, {
    headers: { accept: 'text/html' },
    redirect: 'manual',
  });
  const tokens = (await found(base)).filter((each) => each.startsWith('token '));
  if (tokens.length === 1) assert.equal(response.headers.get('location'), `/orders?pair=${market.pair}`);
  else assert.match(await response.text(), /Several tokens have the ticker/);
});

it('search finds tokens by tickers and NFTs by names, whole ones before parts', async () => {
  const nameOf = (id: string) => chain.facts.names.get(id) ?? '';
  const all = tokenIds(chain.facts.world);
  for (const text of ['a', chain.taking.tickers.get(all[0]!)!, nameOf(all.at(-1)!), nameOf(all.at(-1)!).slice(1, 4)]) {
    const wanted = text.toLowerCase();
    const matching = all.filter((id) =>
      [chain.taking.tickers.get(id)!, nameOf(id)].some((name) => name.toLowerCase().includes(wanted)),
    );
    const results = await search(text);
    assert.equal(results.length, Math.min(20, matching.length), text);
    const addresses = new Set(matching.map((id) => tokenAddress(network, id)));
    assert.ok(results.every(({ id }) => addresses.has(id)));
    const isWhole = results.map(({ id }) => {
      const hex = all.find((each) => tokenAddress(network, each) === id)!;
      return [chain.taking.tickers.get(hex)!, nameOf(hex)].some((name) => name.toLowerCase() === wanted);
    });
    const wholeFirst = isWhole.toSorted((x, y) => Number(y) - Number(x));
    assert.deepEqual(isWhole, wholeFirst);
    assert.deepEqual(await search(text), results, 'the order is stable');
  }
});

it('search says what is wrong with ids of other networks and mistyped ones', async () => {
  const mistyped = poolAddress(network, UNKNOWN).replace(/.$/, (last) => (last === 'q' ? 'p' : 'q'));
  const [wrong] = await search(mistyped);
  assert.deepEqual([wrong.type, wrong.id], ['wrong_checksum', mistyped]);
  const [foreign] = await search('mtc1q95nhwph0a9ekg7xh08qk602guhypg7r95l7erhx');
  assert.deepEqual([foreign.type, foreign.label], ['other_network', 'Of mainnet']);
});

it('search gives nothing for what means nothing, and refuses an empty text', async () => {
  assert.deepEqual(await got(`/search?q=${encodeURIComponent('no such thing ☂')}`), { items: [], next_cursor: null });
  assert.deepEqual(await got('/search?q=%00'), { items: [], next_cursor: null });
  assert.deepEqual(await error('/search'), [400, 'Invalid search: nothing is searched for']);
  assert.deepEqual(await error('/search?q=%20'), [400, 'Invalid search: nothing is searched for']);
  assert.deepEqual(await error(`/search?q=${'x'.repeat(1_001)}`), [400, 'Invalid search: the text is too long']);
});
