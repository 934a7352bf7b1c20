/** The pages about the past of addresses and tokens, against the API's responses. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../src/chain/address.ts';
import { KIND_WORDS, kindsText } from '../../src/explorer/parts/kind-words.ts';
import { getPage } from '../support/html-page.ts';
import * as chain from '../support/simulated-chain-servers.ts';
import type { TestServer } from '../support/web-server.ts';
import { addressesText, doersOf, payersOf, receiversOf } from './check-transaction-page.ts';
import { atoms, type Json, linked, listed, pagedRows } from './page-values.ts';

chain.serveSimulatedChain();
const { network } = chain;
const served = () => chain.servers[0] as TestServer;

const wordsOf = (kind: string) => KIND_WORDS[kind as keyof typeof KIND_WORDS];

/** A plain transfer is sent or received; else only what was done is named. */
function typeOf(kinds: readonly string[]): string {
  if (kinds.includes('transfer')) return wordsOf(kinds[0]!);
  const done = kinds.filter((kind) => !['received', 'sent'].includes(kind));
  return done.map(wordsOf).join(', ');
}

/** The addresses with most changes. */
function addresses(): string[] {
  const counts = new Map<string, number>();
  for (const { owner } of chain.past.changes) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([owner]) => owner);
  return [...sorted.slice(0, 2), sorted.at(-1)!].map((owner) => destinationAddress(network, owner));
}

it('the history of an address shows the net change of each currency', async () => {
  for (const address of addresses()) {
    const rows = await pagedRows(served(), `/address/${address}/history`);
    const api = await listed(served(), `/address/${address}/history`);
    assert.equal(rows.length, api.length);
    for (const [i, [transaction, kinds, change, balance]] of rows.entries()) {
      const { tx_id, change: exact, balance: after, kinds: names } = api[i]!;
      if (tx_id !== null) assert.equal(linked(transaction!), tx_id);
      assert.equal(kinds!.text.toLowerCase(), typeOf(names).toLowerCase());
      assert.deepEqual([change!.atoms()[0] ?? 0n, balance!.atoms()[0]], [atoms(exact), atoms(after)]);
      const isOpened = tx_id === null && atoms(exact) === 0n;
      assert.equal(change!.text.endsWith(' became spendable'), isOpened, 'a lock that ended changed no balance');
    }
  }
});

it('the past of an address has a chart of its days, and what it had after a block or a day', async () => {
  let tokens = 0;
  for (const address of addresses()) {
    const { main } = await getPage(served(), `/address/${address}/past?height=45`);
    const days = await listed(served(), `/address/${address}/balance-series`);
    assert.equal(main.all('path.line').length, days.length > 0 ? 1 : 0);
    const shown = main.table('balance-days');
    assert.equal(shown.length, Math.min(days.length, 90));
    for (const [i, [, received, sent, balance]] of shown.entries()) {
      assert.deepEqual(
        [received!, sent!, balance!].map((cell) => cell.atoms()[0]),
        [days[i]!.received, days[i]!.sent, days[i]!.balance].map(atoms),
      );
    }
    const { status, body } = await served().get(`/address/${address}?height=45`);
    const then = main.table('balances-then');
    if (status === 404) assert.equal(then.length, 0);
    else {
      const coins = atoms(body.coin_balance) + atoms(body.locked_coin_balance);
      assert.equal(then.length, body.tokens.length + (coins > 0n ? 1 : 0));
      if (coins > 0n) assert.equal(then[0]![3]!.atoms()[0], coins);
      const tickers = then.slice(coins > 0n ? 1 : 0).map(([currency]) => currency!.text);
      const inOrder = tickers.toSorted((a, b) => a.localeCompare(b));
      assert.deepEqual(tickers, inOrder, 'tokens by ticker, as in a statement');
      tokens = Math.max(tokens, tickers.length);
    }
  }
  const [address] = addresses() as [string];
  assert.ok(tokens > 1, 'several tokens were compared');
  const day = new Date(chain.timeOf(60) * 1_000).toISOString().slice(0, 10);
  const { main } = await getPage(served(), `/address/${address}/past?day=${day}`);
  assert.match(main.text, new RegExp(`Balance after block \\d+, ${day} \\d\\d:\\d\\d:\\d\\d UTC:`));
  const newest = /No block is after this day yet: these are the newest balances/;
  const lastDay = new Date(chain.timeOf(90) * 1_000).toISOString().slice(0, 10);
  assert.match((await getPage(served(), `/address/${address}/past?day=${lastDay}`)).main.text, newest);
  const later = await getPage(served(), `/address/${address}/past?day=2999-01-01`, 404);
  assert.match(later.main.one('.banner').text, /no block at this height or on this day/);
  assert.doesNotMatch((await getPage(served(), `/address/${address}/past?height=90`)).main.text, newest);
  const both = await getPage(served(), `/address/${address}/past?day=${day}&height=45`, 400);
  assert.match(both.main.text, /Choose a day or a block, not both/);
  await getPage(served(), `/address/${address}/past?day=nonsense`, 400);
  await getPage(served(), `/address/${address}/past?height=91`, 404);
});

it('the history of an address is filtered by currency, direction, kind and period, as in the API, over pages', async () => {
  let filtered = 0;
  for (const address of addresses()) {
    const all = await listed(served(), `/address/${address}/history`);
    const { token_id: token } = all.find(({ currency }: Json) => currency.token_id !== undefined)?.currency ?? {};
    const day = new Date(all[Math.floor(all.length / 2)]!.timestamp * 1_000).toISOString().slice(0, 10);
    const seconds = Date.parse(`${day}T00:00:00Z`) / 1_000;
    const filters: [page: string, api: string][] = [
      ['direction=in&currency=&kind=&from=&to=', 'direction=in'],
      ['direction=out', 'direction=out'],
      ['kind=reward', 'kind=reward'],
      [`since=${seconds}`, `from=${seconds}`],
      [`from=${day}&to=${day}`, `from=${seconds}&to=${seconds + 86_400}`],
      ...(token === undefined ? [] : [[`currency=${token}`, `currency=${token}`] as [string, string]]),
      ['currency=rml&direction=in&kind=received', 'currency=rml&direction=in&kind=received'],
    ];
    for (const [page, api] of filters) {
      const path = `/address/${address}/history?${page}`;
      const expected = await listed(served(), `/address/${address}/history?${api}`);
      const rows = await pagedRows(served(), `${path}&items=4`);
      assert.deepEqual(
        rows.map((cells) => cells[2]!.atoms()[0] ?? 0n),
        expected.map(({ change }: Json) => atoms(change)),
        path,
      );
      if (expected.length > 0 && expected.length < all.length) filtered++;
      const { main } = await getPage(served(), path);
      const [csv] = main.all('a.button').map((link) => link.attribute('href')!);
      const lines = (await (await fetch(served().url + csv!)).text()).trim().split('\r\n').length;
      assert.equal(lines, expected.length + 1, `the file has the same rows: ${csv}`);
    }
    await getPage(served(), `/address/${address}/history?direction=up`, 400);
    await getPage(served(), `/address/${address}/history?kind=theft`, 400);
    await getPage(served(), `/address/${address}/history?since=then`, 400);
    const { main: ofCoin } = await getPage(served(), `/address/${address}/history?currency=rml`);
    const options = ofCoin.all('option').map(({ text }) => text);
    assert.deepEqual(
      options.filter((text) => text === 'received' || text === 'sent'),
      ['received', 'sent'],
      'each once',
    );
    const balances = ofCoin.all('tr').flatMap((row) => row.all('td')[3]?.all('.amount') ?? []);
    const decimals = balances
      .filter((each) => each.atoms()[0] !== 0n)
      .map((each) => {
        const shown = each.name === 'details' ? each.one('summary') : each;
        return shown.text.split('.')[1]?.length ?? 0;
      });
    assert.ok(new Set(decimals).size <= 1, `balances of one column are rounded alike: ${decimals}`);
    const { main } = await getPage(served(), `/address/${address}/history?since=${seconds}`);
    assert.match(main.text, /New since you last looked\. All changes/);
  }
  assert.ok(filtered > 3, `${filtered} filters leave some of the changes`);
});

it('the page of a token shows what happened to it', async () => {
  let [received, severalReceived] = [0, 0];
  for (const token of [...chain.facts.world.tokens.keys()].slice(0, 3)) {
    const address = tokenAddress(network, token);
    const events = await listed(served(), `/token/${address}/events`);
    const { main } = await getPage(served(), `/token/${address}`);
    const rows = main.table('token-events');
    assert.equal(rows.length, Math.min(events.length, 10));
    for (const [i, row] of rows.entries()) {
      assert.equal(row[2]!.atoms()[0], atoms(events[i]!.supply));
      assert.equal(linked(row.at(-3)!), events[i]!.tx_id);
      const json = await served().json(`/transaction/${events[i]!.tx_id}?expand=true`);
      const mint = json.actions.find(({ type }: Json) => type === 'token_mint');
      const receivers = events[i]!.event === 'mint' ? receiversOf(json, mint) : [];
      const { by } = events[i]!;
      assert.equal(row[3]!.text, addressesText(by === null ? payersOf(json) : [by]) ?? '–');
      const { authority, metadata_uri: uri } = events[i]!;
      if (authority !== null) assert.equal(linked(row[4]!), authority);
      else if (uri !== null) assert.notEqual(row[4]!.text, '–');
      else assert.equal(row[4]!.text, addressesText(receivers) ?? '–');
      severalReceived += Number(receivers.length > 1);
      if (receivers.length > 0) received++;
    }
  }
  assert.ok(received > 0 && severalReceived > 0);
});

it('the events of a token can be of one kind', async () => {
  const lengths: number[] = [];
  for (const token of chain.facts.world.tokens.keys()) {
    const address = tokenAddress(network, token);
    const events = await listed(served(), `/token/${address}/events`);
    const { main } = await getPage(served(), `/token/${address}`);
    const links = main.links().filter((link) => /[?&]event=/.test(link));
    assert.equal(links.length, events.length > 10 ? 8 : 0, 'a list on one page has no filter');
    for (const link of links) {
      const kind = new URLSearchParams(link.split(/[?#]/)[1]).get('event')!;
      const expected = events.filter(({ event }) => event === kind).map(({ tx_id }) => tx_id);
      const { main: page } = await getPage(served(), link);
      const shown = page.table('token-events').map((row) => linked(row.at(-3)!));
      assert.deepEqual(shown, expected.slice(0, 10), link);
      assert.ok(page.links().includes(`/token/${address}#events-list`), 'all are a click away');
      lengths.push(expected.length);
    }
  }
  assert.ok(Math.max(...lengths) > 5 && lengths.includes(0), lengths.join());
  const [token] = chain.facts.world.tokens.keys();
  await getPage(served(), `/token/${tokenAddress(network, token!)}?event=theft`, 400);
});

it('a type of a change names what was done, and that it was sent or received only of a plain transfer', () => {
  const words = Object.values(KIND_WORDS);
  assert.equal(new Set(words).size, words.length);
  assert.equal(kindsText(['sent', 'delegation_withdraw', 'lock']), 'Withdrawal from a delegation, time-locked');
  assert.equal(kindsText(['sent', 'transfer']), 'Sent');
});

it('a block that is not there yet is said beside the form, which keeps it', async () => {
  const { main } = await getPage(served(), `/address/${addresses()[0]}/past?height=99999`, 404);
  assert.match(main.one('.banner').text, /^The chain has no block at this height or on this day\.$/);
  const [field] = main.all('input').filter((input) => input.attribute('name') === 'height');
  assert.equal(field!.attribute('value'), '99999');
});

it('the page of an address that may claim an HTLC says who locked it', async () => {
  const all: Json[] = await listed(served(), '/transaction?expand=true');
  let told = 0;
  for (const json of all) {
    const [first] = json.actions;
    if (first?.type !== 'htlc_create') continue;
    const doers = await doersOf(served(), json);
    if (doers.length !== 1 || doers[0] === first.spend_key) continue;
    const rows = await pagedRows(served(), `/address/${first.spend_key}/transactions?items=25`);
    const row = rows.find(([id]) => linked(id!) === json.id)!;
    if (!row[3]!.links().includes(`/address/${first.spend_key}`)) continue;
    assert.match(row[3]!.text, new RegExp(`^By ${doers[0]}: Locked `));
    told++;
  }
  assert.ok(told > 0);
});
