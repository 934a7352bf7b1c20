import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parsePageParameters } from '../../../src/api/pagination/paging.ts';
import {
  parseBlockHeight,
  parseBlockId,
  parseOutputIndex,
  parseRequiredSeconds,
  parseTradingPair,
  parseTransactionId,
  parseUnsigned,
} from '../../../src/api/parse/parameters.ts';
import { networkByName } from '../../../src/chain/networks/known.ts';

const refused = (message: string | RegExp) => ({ status: 400, message });

it('an unsigned integer is decimal digits, with or without a plus', () => {
  assert.equal(parseUnsigned('0', ''), 0n);
  assert.equal(parseUnsigned('+5', ''), 5n);
  assert.equal(parseUnsigned('0007', ''), 7n);
  assert.equal(parseUnsigned('9223372036854775807', ''), 2n ** 63n - 1n);
});

for (const text of ['', '-1', '1.5', ' 1', '1 ', 'x', '0x10', '1e3', '++1', '+', '٣', '9223372036854775808']) {
  it(`${JSON.stringify(text)} is not an unsigned integer`, () => {
    assert.throws(() => parseUnsigned(text, 'Invalid offset'), refused('Invalid offset'));
  });
}

it('an unsigned integer of any length is refused in no time', () => {
  assert.throws(() => parseUnsigned('9'.repeat(16_000), 'Invalid offset'), refused('Invalid offset'));
});

it('a height beyond every chain is understood all the same', () => {
  assert.equal(parseBlockHeight('4294967296'), null);
  assert.equal(parseBlockHeight('12'), 12);
  assert.throws(() => parseBlockHeight('99999999999999999999'), refused('Invalid block height'));
});

const id = 'aB'.repeat(32);

it('an id in hex may be in any case and start with 0x', () => {
  assert.equal(parseBlockId(id), id.toLowerCase());
  assert.equal(parseTransactionId(`0x${id}`), id.toLowerCase());
});

it('an id in hex has exactly 64 digits', () => {
  assert.throws(() => parseBlockId(id.slice(2)), refused('Invalid block Id'));
  assert.throws(() => parseTransactionId(`${id}00`), refused('Invalid transaction Id'));
  assert.throws(() => parseTransactionId(`0x0x${id}`), refused('Invalid transaction Id'));
  assert.throws(() => parseTransactionId('zz'.repeat(32)), refused('Invalid transaction Id'));
});

it('an output index has 32 bits, and the error is in the words of mintlayer-core', () => {
  assert.equal(parseOutputIndex('4294967295'), 4294967295);
  assert.throws(
    () => parseOutputIndex('4294967296'),
    refused('Invalid URL: Cannot parse value at index 1 with value `"4294967296"` to a `u32`'),
  );
});

it('a page is the first ten entries by default', () => {
  assert.deepEqual(parsePageParameters({}), { offset: 0n, hasOffset: false, items: 10, cursor: undefined });
});

it('a page takes the last value of a parameter that is given twice', () => {
  assert.equal(parsePageParameters({ items: ['x', '7'] }).items, 7);
});

it('a page has one to a hundred entries', () => {
  assert.equal(parsePageParameters({ items: '100' }).items, 100);
  assert.throws(() => parsePageParameters({ items: '0' }), refused('Invalid number of items'));
  assert.throws(() => parsePageParameters({ items: '101' }), refused('Invalid number of items'));
  assert.throws(() => parsePageParameters({ items: '' }), refused('Invalid number of items'));
});

it('a page has its offset looked at before its number of items', () => {
  assert.throws(() => parsePageParameters({ offset: 'x', items: 'x' }), refused('Invalid offset'));
});

it('a page may have an offset and a cursor, as the SDKs send them', () => {
  assert.deepEqual(parsePageParameters({ offset: '3', cursor: '' }), {
    offset: 3n,
    hasOffset: true,
    items: 10,
    cursor: '',
  });
});

it('a required number of seconds that is missing, repeated or malformed is refused in the words of mintlayer-core', () => {
  const prefix = 'Failed to deserialize query string: ';
  assert.throws(() => parseRequiredSeconds({}, 'from'), refused(`${prefix}missing field \`from\``));
  assert.throws(() => parseRequiredSeconds({ from: ['1', '2'] }, 'from'), refused(`${prefix}duplicate field \`from\``));
  assert.throws(() => parseRequiredSeconds({ from: '-1' }, 'from'), refused(`${prefix}invalid digit found in string`));
  assert.throws(() => parseRequiredSeconds({ from: '1'.repeat(30) }, 'from'), refused(`${prefix}number too large`));
});

const network = networkByName('mainnet');

it('a trading pair has two sides, each the ticker of the coin in any case or a token', () => {
  assert.deepEqual(parseTradingPair(network, 'ml_ML'), ['', '']);
  assert.throws(() => parseTradingPair(network, 'ML'), refused('Invalid order trading pair'));
  assert.throws(() => parseTradingPair(network, 'ML_ML_ML'), refused('Invalid order trading pair'));
  assert.throws(() => parseTradingPair(network, 'ML_'), refused('Invalid token Id'));
  assert.throws(() => parseTradingPair(network, 'RML_ML'), refused('Invalid token Id'));
});
