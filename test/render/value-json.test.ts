import assert from 'node:assert/strict';
import { it } from 'node:test';
import { amountJson, byteArrayJson, lockJson, stringOrHexJson } from '../../src/render/json-pieces.ts';

const hex = (text: string) => Buffer.from(text).toString('hex');

// docs/api.md#formats
it('bytes in JSON are hex, and a text where they are one', () => {
  assert.equal(stringOrHexJson(hex('XXX')), '{"hex":"585858","string":"XXX"}');
  assert.equal(stringOrHexJson(''), '{"hex":"","string":""}');
});

it('bytes in JSON are a text of any characters, escaped as JSON has them', () => {
  for (const text of ['"\\', '\0\n\x1f', 'ß🦀', '\u2028', '\ufeffBOM', '\ufffd']) {
    const shown = stringOrHexJson(hex(text));
    assert.deepEqual(JSON.parse(shown), { hex: hex(text), string: text });
    // A list of outputs comes line by line.
    assert.doesNotMatch(shown, /[\n\t]/);
  }
});

it('bytes in JSON are no text when they are not UTF-8: cut, too long, half of a pair, or no start of anything', () => {
  for (const bytes of ['ff', '61c3', 'c080', 'eda080', '80']) {
    assert.equal(stringOrHexJson(bytes), `{"hex":"${bytes}","string":null}`);
  }
});

it('bytes in JSON are numbers in an array where no text is meant', () => {
  assert.equal(byteArrayJson('00ff80'), '[0,255,128]');
  assert.equal(byteArrayJson(''), '[]');
});

it('a lock in JSON has its number to the last of 64 bits, that of a time in an object', () => {
  const value = (1n << 64n) - 1n;
  assert.equal(lockJson({ type: 'UntilHeight', value }), '{"content":18446744073709551615,"type":"UntilHeight"}');
  assert.equal(
    lockJson({ type: 'UntilTime', value }),
    '{"content":{"timestamp":18446744073709551615},"type":"UntilTime"}',
  );
  assert.equal(lockJson({ type: 'ForBlockCount', value: 0n }), '{"content":0,"type":"ForBlockCount"}');
  assert.equal(lockJson({ type: 'ForSeconds', value }), '{"content":18446744073709551615,"type":"ForSeconds"}');
});

it('an amount has all of its atoms, beyond 128 bits as well', () => {
  assert.equal(
    amountJson(1n << 129n, 11),
    '{"atoms":"680564733841876926926749214863536422912","decimal":"6805647338418769269267492148.63536422912"}',
  );
  assert.equal(amountJson(0n, 11), '{"atoms":"0","decimal":"0"}');
});
