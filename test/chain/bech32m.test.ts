import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bech32m } from '@scure/base';
import fc from 'fast-check';
import { Bech32mEncoder, decodeBech32m } from '../../src/chain/bech32m.ts';

it('encoding in bech32m gives what the library gives, for any payload under any prefix, remembered or not', () => {
  const prefixes = ['mtc', 'rpmt', 'mxanyonecanspend', 'tvrfpk'].map((prefix) => ({
    prefix,
    encoder: new Bech32mEncoder(prefix),
  }));
  fc.assert(
    fc.property(fc.constantFrom(...prefixes), fc.uint8Array({ maxLength: 80 }), ({ prefix, encoder }, payload) => {
      const expected = bech32m.encode(prefix, bech32m.toWords(payload), 1023);
      const hex = Buffer.from(payload).toString('hex');
      assert.equal(encoder.encode(hex), expected);
      assert.equal(encoder.encode(hex), expected);
    }),
    { numRuns: 1000 },
  );
});

/** What the library says of a text in lower case. */
function expected(text: string): { prefix: string; payload: string } | null {
  const decoded = bech32m.decodeUnsafe(text, 1023);
  if (!decoded || decoded.prefix.length > 83) return null;
  // The library would refuse some of the bits that fill up the last character.
  const bits = decoded.words.map((word) => word.toString(2).padStart(5, '0')).join('');
  const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return { prefix: decoded.prefix, payload: Buffer.from(bytes).toString('hex') };
}

function check(text: string): void {
  const decoded = decodeBech32m(text);
  const found = decoded && { prefix: decoded.prefix, payload: decoded.payload.toString('hex') };
  assert.deepEqual(found, expected(text), text);
}

const prefix = fc.string({ unit: fc.constantFrom(...'1abmtx!~q'), minLength: 1, maxLength: 90 });
const word = fc.integer({ min: 0, max: 31 });

it('decoding bech32m gives what the library gives, for any words under any prefix', () => {
  fc.assert(
    fc.property(prefix, fc.array(word, { maxLength: 120 }), (some, words) => check(bech32m.encode(some, words, 1023))),
    { numRuns: 2000 },
  );
});

it('decoding bech32m refuses what the library refuses: damaged texts, strange characters, lengths beyond the limits', () => {
  const damaged = fc
    .tuple(prefix, fc.array(word, { maxLength: 60 }), fc.nat(), fc.constantFrom(...'bio1qpz A\u212a\u0000ß🦀'))
    .map(([some, words, at, character]) => {
      const text = bech32m.encode(some, words, 1023);
      const place = at % text.length;
      return text.slice(0, place) + character + text.slice(place + 1);
    })
    // The library would take a text that is in upper case as a whole.
    .filter((text) => text === text.toLowerCase() || text !== text.toUpperCase());
  fc.assert(fc.property(damaged, check), { numRuns: 3000 });
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), check));
  for (const text of ['', '1', 'a1', '1qqqqqqq', 'mtc1', bech32m.encode('mtc', Array(1100).fill(1), false)])
    check(text);
});
