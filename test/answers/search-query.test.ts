/** What a searched text may mean. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parseSearchQuery } from '../../src/answers/search-query.ts';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
  vrfKeyAddress,
} from '../../src/chain/address.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';

const network = networkByName('mainnet');
const testnet = networkByName('testnet');
const ID = '5a'.repeat(32);
const ADDRESS = `01${'5a'.repeat(20)}`;
/** Saturday, 28 November 2026, 09:30 UTC. */
const NOW = Date.UTC(2026, 10, 28, 9, 30) / 1_000;
const read = (text: string) => parseSearchQuery(network, text, NOW);
const termsOf = (text: string) => read(text).terms;

it('a searched text is a height where it is a number that a chain may reach', () => {
  assert.equal(termsOf('0').height, 0);
  assert.equal(termsOf(' 123456 ').height, 123_456);
  assert.equal(termsOf('#42').height, 42);
  assert.equal(termsOf('2147483647').height, 2 ** 31 - 1);
  for (const text of ['2147483648', '-1', '1.5', '1e3', '', '12345678901']) assert.equal(termsOf(text).height, null);
});

it('a searched text is a height also with separated thousands, or after the word "block"', () => {
  for (const text of ['1,234', '1 234', "1'234", 'block 1234', 'Block 1,234', '/block/1234']) {
    assert.equal(termsOf(text).height, 1_234, text);
  }
  for (const text of ['1,23', '12,34', '1,2345', 'blocks 1']) assert.equal(termsOf(text).height, null, text);
});

it('a searched text is an id as people paste it: quoted, as an outpoint, in a URL, or broken into lines', () => {
  const broken = `${ID.slice(0, 40)}\n  ${ID.slice(40)}`;
  const address = destinationAddress(network, ADDRESS);
  for (const text of [
    `"${ID}",`,
    `${ID}:0`,
    `(${ID}:12)`,
    `https://explorer.example/tx/${ID}?a=b#c`,
    `tx/${ID}`,
    broken,
  ]) {
    assert.deepEqual(termsOf(text).ids, { of: 'any', first: ID, last: ID }, text);
    assert.equal(read(text).hexId, ID);
  }
  for (const text of [`${address.slice(0, 20)} ${address.slice(20)}`, `/address/${address}/history`, `'${address}'.`]) {
    assert.equal(read(text).address, ADDRESS, text);
    assert.equal(termsOf(text).text, text.toLowerCase(), 'a name may have any of these characters');
  }
});

it('of a shortened id the beginning is searched for', () => {
  for (const text of [`${ID.slice(0, 10)}…${ID.slice(-6)}`, `"${ID.slice(0, 10)}...${ID.slice(-6)}"`]) {
    const { of, first, last } = termsOf(text).ids!;
    assert.deepEqual([of, first, last], ['any', ID.slice(0, 10), ID.slice(0, 10).padEnd(64, 'f')], text);
  }
  assert.equal(termsOf('to…be').ids, null);
});

it('a number in a searched text with slashes is a height only where a path has one', () => {
  for (const [text, height] of [
    ['https://explorer.example/block/1234/transactions', 1_234],
    ['/api/v2/chain/0', 0],
    ['24/7', null],
    ['01/02', null],
    ['Punk 3/10', null],
    ['/address/1234567', null],
  ] as const) {
    assert.deepEqual(termsOf(text), { height, ids: null, text: text.toLowerCase(), times: [], periods: [] });
  }
  const output = termsOf(`https://explorer.example/api/v2/transaction/${ID}/output/0`);
  assert.deepEqual([output.height, output.ids], [null, { of: 'any', first: ID, last: ID }]);
});

it('a searched text is the hash of a secret or a trading pair also where it is quoted or in a URL', () => {
  const hash = 'c5'.repeat(20);
  for (const text of [hash, `"${hash.toUpperCase()}"`, `0x${hash}`, `https://explorer.example/htlc/${hash}`]) {
    assert.equal(read(text).secretHash, hash, text);
  }
  for (const text of [`${hash}00`, hash.slice(2)]) assert.equal(read(text).secretHash, null, text);
  const pair = `${tokenAddress(network, ID)}_ML`;
  for (const text of [
    pair,
    `'${pair.toLowerCase()}'`,
    `https://explorer.example/market/${pair}?interval=hour`,
    `/api/v2/order/pair/${pair}/book`,
  ]) {
    assert.deepEqual(read(text).pair, [ID, ''], text);
    assert.equal(termsOf(text).text, text.toLowerCase(), 'a name may have any of these characters');
  }
  for (const text of [`${pair}_ML`, `${pair.slice(1)}`, 'my_token', '1_234']) assert.equal(read(text).pair, null, text);
});

it('a searched text is an id of any kind where it is hex of six to 64 digits', () => {
  assert.deepEqual(termsOf('abcdef').ids, { of: 'any', first: 'abcdef', last: 'abcdef'.padEnd(64, 'f') });
  assert.deepEqual(termsOf('ABCDEF1').ids, { of: 'any', first: 'abcdef10', last: 'abcdef1'.padEnd(64, 'f') });
  assert.deepEqual(termsOf(`0x${ID}`).ids, { of: 'any', first: ID, last: ID });
  assert.equal(read(ID).hexId, ID);
  assert.equal(read(ID.slice(1)).hexId, null);
  for (const text of ['abcde', `${ID}0`, 'abcdeg']) assert.equal(termsOf(text).ids, null, text);
});

it('a searched text is an id of one kind where it is bech32m of this network, whole or its beginning', () => {
  const kinds = [
    ['pool', poolAddress(network, ID)],
    ['delegation', delegationAddress(network, ID)],
    ['token', tokenAddress(network, ID)],
    ['order', orderAddress(network, ID)],
  ] as const;
  for (const [of, text] of kinds) {
    for (const whole of [text, text.toUpperCase(), text.slice(0, -1), text.slice(0, -6)]) {
      assert.deepEqual(termsOf(whole).ids, { of, first: ID, last: ID }, whole);
    }
    const { first, last } = termsOf(text.slice(0, text.indexOf('1') + 3)).ids!;
    assert.equal(first, `5a40${'00'.repeat(30)}`, 'two characters are ten bits');
    assert.equal(last, `5a7f${'ff'.repeat(30)}`);
  }
});

it('a searched text is an address with the kind of its destination', () => {
  const text = destinationAddress(network, ADDRESS);
  assert.equal(read(text).address, ADDRESS);
  assert.deepEqual(termsOf(text).ids, { of: 'address', first: ADDRESS, last: ADDRESS });
  assert.equal(read(text.slice(0, -1)).address, null);
  const { first, last } = termsOf(text.slice(0, 10)).ids!;
  assert.ok(first <= ADDRESS && ADDRESS <= last && first.length === ADDRESS.length && last.length === ADDRESS.length);
});

it('a searched text of another network is said to be so, in full and in part', () => {
  const text = poolAddress(testnet, ID);
  assert.deepEqual(read(text).problem, { type: 'other_network', name: 'testnet' });
  assert.deepEqual(read(text.slice(0, 20)).problem, { type: 'other_network', name: 'testnet' });
  assert.equal(termsOf(text).ids, null);
});

it('a searched text with a wrong checksum is said to be so, also one that is too long', () => {
  const text = tokenAddress(network, ID);
  const other = text.endsWith('q') ? 'p' : 'q';
  // Bech32 has no 1, b, i and o, because people confuse them with others.
  const confused = ['1', 'b', 'i', 'o'].map((letter) => `${text.slice(0, 20)}${letter}${text.slice(21)}`);
  const wrongTexts = [`${text.slice(0, -1)}${other}`, `${text}q`, `${poolAddress(testnet, ID)}q`, ...confused];
  for (const wrong of wrongTexts) {
    assert.deepEqual(read(wrong).problem, { type: 'wrong_checksum' }, wrong);
    assert.equal(termsOf(wrong).ids, null);
  }
  assert.equal(read(text).problem, null);
});

const periodsOf = (text: string) => termsOf(text).periods.map(({ name }) => name);

it('a day without a year is the latest such day up to the newest block', () => {
  for (const text of ['10 November', 'Nov 10', '10. Nov', '10 de noviembre', '11月10日']) {
    assert.deepEqual(periodsOf(text), ['2026-11-10'], text);
  }
  assert.deepEqual(
    [periodsOf('Nov 28'), periodsOf('29 Nov.'), periodsOf('Dec 24')],
    [['2026-11-28'], ['2025-11-29'], ['2025-12-24']],
  );
  assert.deepEqual([periodsOf('Nov 31'), periodsOf('12 days'), periodsOf('abc 10')], [[], [], []]);
});

it('a searched text is a day however its date is written', () => {
  const from = Date.UTC(2024, 1, 29) / 1_000;
  for (const text of [
    ...['2024-02-29', '2024/2/29', '29.2.2024', '29. 2. 2024', '29 Feb 2024', '29 february 2024', '29th Feb 2024'],
    ...['Feb 29, 2024', 'February 29 2024', '29. Feb. 2024', '29/02/2024', '2/29/2024', '02-29-2024'],
  ]) {
    assert.deepEqual(termsOf(text).periods, [{ name: '2024-02-29', from, to: from + 86_400 }], text);
    assert.deepEqual(termsOf(text).times, [], text);
  }
  for (const text of ['2023-02-29', '2024-13-01', '30 Feb 2024', '1 abc 2024', 'Ma 2024', '2024011', '1.1.24']) {
    assert.deepEqual(termsOf(text).periods, [], text);
  }
});

it('a searched text is two days where its day and month may be either way round', () => {
  assert.deepEqual(periodsOf('11/10/2026'), ['2026-11-10', '2026-10-11']);
  assert.deepEqual(periodsOf('1-2-2026'), ['2026-01-02', '2026-02-01']);
  assert.deepEqual(periodsOf('25/10/2026'), ['2026-10-25']);
  assert.deepEqual(periodsOf('10/25/2026'), ['2026-10-25']);
  assert.deepEqual(periodsOf('10/10/2026'), ['2026-10-10']);
  for (const text of ['31/31/2026', '11/10-2026', '11/10/26', '0/1/2026']) assert.deepEqual(periodsOf(text), [], text);
});

it('a searched text is a month or a year, and a year is a height as well', () => {
  const from = Date.UTC(2026, 10) / 1_000;
  const month = { name: '2026-11', from, to: Date.UTC(2026, 11) / 1_000 };
  for (const text of ['2026-11', '2026/11', '11/2026', '11.2026', 'Nov 2026', 'november 2026', 'Nov. 2026']) {
    assert.deepEqual(termsOf(text).periods, [month], text);
  }
  const { height, periods } = termsOf('2026');
  const [first, next] = [2026, 2027].map((year) => Date.UTC(year, 0) / 1_000);
  assert.deepEqual([height, periods], [2_026, [{ name: '2026', from: first, to: next }]]);
  for (const text of ['20191115', '20261131', '20280101', '#20261115', '120261115'])
    assert.deepEqual(periodsOf(text), [], text);
  assert.deepEqual([termsOf('20261115').height, ...periodsOf('20261115')], [20_261_115, '2026-11-15']);
  assert.deepEqual(periodsOf('20271231'), ['2027-12-31']);
  for (const text of ['1969', '2026-13', '13/2026', '123']) assert.deepEqual(periodsOf(text), [], text);
});

it('a searched text is a Unix time where it has ten or 13 digits', () => {
  const time = Date.UTC(2026, 10, 10) / 1_000;
  assert.deepEqual([termsOf(String(time)).times, termsOf(String(time)).height], [[time], time]);
  assert.deepEqual([termsOf(`${time}999`).times, termsOf(`${time}999`).height], [[time], null]);
  for (const text of ['123456789', '12345678901', `0x${time}`]) assert.deepEqual(termsOf(text).times, [], text);
});

it('a searched text is two tickers, however they are joined', () => {
  for (const text of ['ABC/rml', 'abc rml', 'abc-RML', 'abc_rml', 'ABC / RML', 'abc:rml']) {
    assert.deepEqual(read(text).tickers, ['abc', 'rml'], text);
  }
  for (const text of ['abc', 'a b c', 'abc/', 'a$/b', `${'x'.repeat(13)}/b`])
    assert.equal(read(text).tickers, null, text);
});

it('a searched text is a time where it is a date, in any spelling, with a time of day', () => {
  const time = Date.UTC(2024, 1, 29, 12, 30) / 1_000;
  for (const text of [
    ...['2024-02-29 12:30', '2024-02-29T12:30:00Z', '2024-02-29T12:30:00.000Z', '2024-02-29 12:30:00 UTC'],
    ...['29.2.2024 12:30', '29 Feb 2024, 12:30', 'Feb 29, 2024 12:30', '2/29/2024 12:30'],
  ]) {
    assert.deepEqual([termsOf(text).times, termsOf(text).periods], [[time], []], text);
  }
  assert.deepEqual(termsOf('2024-02-29 9:05:15').times, [Date.UTC(2024, 1, 29, 9, 5, 15) / 1_000]);
  assert.equal(termsOf('11/10/2026 12:00').times.length, 2);
  for (const text of [
    '10 Nov 14:30',
    'November 10, 14:30',
    '10. Nov 14:30',
    '10 de noviembre 14:30',
    '11月10日 14:30',
  ]) {
    assert.deepEqual(termsOf(text).times, [Date.UTC(2026, 10, 10, 14, 30) / 1_000], text);
  }
  for (const text of [
    '14:30 yesterday',
    'yesterday 14:30',
    '14:30 on 2026-11-27',
    '14:30 27 Nov',
    '14:30',
    '14:30 UTC',
  ])
    assert.deepEqual(termsOf(text).times, [Date.UTC(2026, 10, 27, 14, 30) / 1_000], text);
  assert.deepEqual(termsOf('9:30').times, [Date.UTC(2026, 10, 28, 9, 30) / 1_000], 'now');
  assert.deepEqual(termsOf('1 Dec 14:30').times, [Date.UTC(2025, 11, 1, 14, 30) / 1_000], 'not in the future');
  for (const text of ['2023-02-29', '2023-02-29 12:00', '2024-01-01 25:00', '2024-01-01 12:60', '2024-01 12:00']) {
    assert.deepEqual(termsOf(text).times, [], text);
  }
});

it('a searched text is a part of a ticker or a name, in lower case, unless it is too long or holds a zero character', () => {
  assert.equal(termsOf(' My Token ').text, 'my token');
  for (const text of ['', 'x'.repeat(201), 'a\0b']) assert.equal(termsOf(text).text, null);
});

it('a searched text that looks like bech32m of nobody, or is a VRF key, is a text', () => {
  for (const text of ['abc1qqqqqq', vrfKeyAddress(network, `00${'5a'.repeat(32)}`)]) {
    assert.equal(termsOf(text).ids, null);
    assert.equal(read(text).problem, null);
  }
});

it('a searched text is a day, week, month or year before now, in the words of each language of the pages', () => {
  for (const [name, ...texts] of [
    ['2026-11-28', 'today', 'Heute', 'hoy', '今天', '0 days ago'],
    ['2026-11-27', 'yesterday', 'gestern', 'ayer', '昨天', '1 day ago', 'a day ago', 'vor einem Tag', 'hace un día'],
    ['2026-11-26', 'vorgestern', 'anteayer', '前天', '2 days ago'],
    ['2026-11-28', 'Saturday', 'samstag', 'sábado', '星期六', '周六'],
    ['2026-11-21', 'last Saturday', 'letzten Samstag', 'el sábado pasado'],
    ['2026-11-23', 'monday', 'last monday', 'Letzter Montag', 'lunes', 'el lunes', 'lunes pasado', '周一', '礼拜一'],
    ['2026-11-22', 'sunday', 'domingo', '星期天', '上个星期日', '上周日'],
    ['2026-11-16', '上周一'],
    ['2026-11-16', '12 days ago', ' 12  Days ago ', 'vor 12 Tagen', 'hace 12 dias', '12天前', '12 天前'],
    ['2026-11-16/2026-11-22', 'last week', 'letzte Woche', 'la semana pasada', '上周', 'a week ago'],
    ['2026-11-23/2026-11-29', 'this week', 'diese Woche'],
    ['2026-10', 'last month', 'letzten Monat', 'el mes pasado', '上个月', 'vor einem Monat'],
    ['2025-12', '11 months ago'],
    ['2025', 'last year', 'hace un año'],
    ['2026-01-31', '31. Januar 2026', '31 de enero de 2026', '31 enero 2026', '2026年1月31日', '2026 年 1 月 31 日'],
    ['2026-03', 'März 2026', 'marzo de 2026', '2026年3月', 'maerz 2026'.replace('ae', 'a')],
    ['2026-12', 'Dez 2026', 'dic 2026', 'dec 2026'],
  ] as const) {
    for (const text of texts) {
      const { periods, times } = termsOf(text);
      assert.deepEqual([periods.map((period) => period.name), times], [[name], []], text);
    }
  }
  const { from, to } = termsOf('last week').periods[0]!;
  assert.deepEqual([from, to], [Date.UTC(2026, 10, 16) / 1_000, Date.UTC(2026, 10, 23) / 1_000]);
  for (const text of [
    'tomorrow',
    'days ago',
    '99999 days ago',
    '-1 days ago',
    'ago',
    'mon',
    'last',
    'last mo',
    'vor Tagen',
    '9'.repeat(400),
  ]) {
    assert.deepEqual(termsOf(text).periods, [], text);
  }
});

it('a searched text is a time before now, in the words of each language of the pages', () => {
  for (const [seconds, ...texts] of [
    [3_600, 'an hour ago', '1 hour ago', 'vor einer Stunde', 'hace una hora', '1小时前'],
    [90 * 60, '90 minutes ago', 'vor 90 Minuten', 'hace 90 minutos', '90 分钟前'],
  ] as const) {
    for (const text of texts) assert.deepEqual(termsOf(text).times, [NOW - seconds], text);
  }
  assert.deepEqual(termsOf('999999999 hours ago').times, []);
});
