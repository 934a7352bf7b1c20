import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { OFFSET_OR_CURSOR } from '../../../src/serving/pagination/paging.ts';
import {
  parseBlockHeight,
  parseBlockId,
  parseOutputIndex,
  parsePositiveAmount,
  parseRequiredSeconds,
  parseTradingPair,
  parseTransactionId,
  parseUnsigned,
  type UrlQuery,
} from '../../../src/serving/parse/parameters.ts';

const id = 'aB'.repeat(32);
const pageOf = (query: UrlQuery) => OFFSET_OR_CURSOR.parse(query, { name: () => 'list', fields: {} }, {});
const network = networkByName('mainnet');

it('an unsigned integer is decimal digits, with or without a plus', () => {
  for (const [text, value] of [
    ['0', 0n],
    ['+5', 5n],
    ['0007', 7n],
    ['9223372036854775807', 2n ** 63n - 1n],
  ] as const) {
    assert.equal(parseUnsigned(text, ''), value);
  }
});

const NOT_UNSIGNED = ['', '-1', '1.5', ' 1', '1 ', 'x', '0x10', '1e3', '++1', '+', '٣', '9223372036854775808'];
const UNKNOWN_NUMBER = 'Failed to deserialize query string: ';
/** By the error; the words of the longer ones are those of mintlayer-core. */
const REFUSED: Readonly<Record<string, readonly (() => unknown)[]>> = {
  // The last one must be refused in no time.
  'Invalid offset': [...NOT_UNSIGNED, '9'.repeat(16_000)].map((text) => () => parseUnsigned(text, 'Invalid offset')),
  'Invalid block height': [() => parseBlockHeight('99999999999999999999')],
  'Invalid block Id': [() => parseBlockId(id.slice(2))],
  'Invalid transaction Id': [`${id}00`, `0x0x${id}`, 'zz'.repeat(32)].map((text) => () => parseTransactionId(text)),
  'Invalid URL: Cannot parse value at index 1 with value `"4294967296"` to a `u32`': [
    () => parseOutputIndex('4294967296'),
  ],
  'Invalid number of items': ['0', '101', ''].map((items) => () => pageOf({ items })),
  [`${UNKNOWN_NUMBER}missing field \`from\``]: [() => parseRequiredSeconds({}, 'from')],
  [`${UNKNOWN_NUMBER}duplicate field \`from\``]: [() => parseRequiredSeconds({ from: ['1', '2'] }, 'from')],
  [`${UNKNOWN_NUMBER}invalid digit found in string`]: [() => parseRequiredSeconds({ from: '-1' }, 'from')],
  [`${UNKNOWN_NUMBER}number too large to fit in target type`]: [
    () => parseRequiredSeconds({ from: '1'.repeat(30) }, 'from'),
  ],
  'Invalid order trading pair': ['ML', 'ML_ML_ML'].map((pair) => () => parseTradingPair(network, pair)),
  'Invalid token Id': ['ML_', 'RML_ML'].map((pair) => () => parseTradingPair(network, pair)),
};

for (const [message, parsings] of Object.entries(REFUSED)) {
  it(`a wrong parameter is refused: ${message}`, () => {
    for (const parse of parsings) assert.throws(parse, { status: 400, message });
  });
}

it('a height beyond every chain is understood all the same', () => {
  assert.equal(parseBlockHeight('4294967296'), null);
  assert.equal(parseBlockHeight('12'), 12);
});

it('an id in hex may be in any case and start with 0x', () => {
  assert.equal(parseBlockId(id), id.toLowerCase());
  assert.equal(parseTransactionId(`0x${id}`), id.toLowerCase());
});

it('an output index has 32 bits', () => {
  assert.equal(parseOutputIndex('4294967295'), 4294967295);
});

it('a page is the first ten entries by default, and a hundred at most', () => {
  const { offset, limit, shape } = pageOf({});
  assert.deepEqual({ offset, limit, shape }, { offset: null, limit: 10, shape: 'array' });
  assert.equal(pageOf({ items: '100' }).limit, 100);
});

it('a page takes the last value of a parameter that is given twice', () => {
  assert.equal(pageOf({ items: ['x', '7'] }).limit, 7);
});

it('a page has its offset looked at before its number of items', () => {
  assert.throws(() => pageOf({ offset: 'x', items: 'x' }), { message: 'Invalid offset' });
});

it('a page may have an offset and a cursor, as the SDKs send them', () => {
  assert.equal(pageOf({ offset: '3', cursor: '' }).shape, 'envelope');
});

it('a trading pair has two sides, each the ticker of the coin in any case or a token', () => {
  assert.deepEqual(parseTradingPair(network, 'ml_ML'), ['', '']);
});

it('an amount is a number with no more decimals than the currency has', () => {
  assert.equal(parsePositiveAmount('12.5', 3), 12_500n);
  assert.equal(parsePositiveAmount('12.5000', 1), 125n);
  assert.equal(parsePositiveAmount('7.', 0), 7n);
  for (const text of ['', '1.05', '-1', '1e5', 'a', '1,5', '.5', `${'9'.repeat(31)}`])
    assert.throws(() => parsePositiveAmount(text, 1), /Invalid amount: a number with at most 1 decimals is expected/);
  assert.throws(() => parsePositiveAmount('0.0', 1), /more than 0/);
});
