import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bech32m } from '@scure/base';
import fc from 'fast-check';
import { Bech32mEncoder } from '../../src/chain/bech32m.ts';

describe('encoding in bech32m', () => {
  it('gives what the library gives, for any payload under any prefix, remembered or not', () => {
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
});
