import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tickerFragments } from '../../src/ledger/tokens.ts';

const fragments = (ticker: string) => [...tickerFragments(Buffer.from(ticker).toString('hex'))];

describe('the pieces of a ticker', () => {
  it('are all of them in lower case, each once', () => {
    assert.deepEqual(fragments('aBa').sort(), ['a', 'ab', 'aba', 'b', 'ba']);
    assert.deepEqual(fragments('ÄÖ').sort(), ['ä', 'äö', 'ö']);
    assert.deepEqual(fragments(''), []);
  });

  it('are made of whole characters', () => {
    assert.deepEqual(fragments('😀x').sort(), ['x', '😀', '😀x'].sort());
  });

  it('are of its first 32 characters', () => {
    const head = 'abcdefghijklmnopqrstuvwxyz012345';
    assert.equal(head.length, 32);
    const longest = fragments(head);
    assert.equal(longest.length, (32 * 33) / 2);
    assert.ok(longest.includes(head));
    assert.deepEqual(fragments(`${head}6789`), longest);
    assert.equal(fragments('😀'.repeat(40)).length, 32);
  });

  it('are none when it is not UTF-8', () => {
    for (const bytes of ['ff', '61c3', 'c0af', 'eda080']) assert.equal(tickerFragments(bytes).size, 0, bytes);
  });

  it('are none when it holds a control character', () => {
    for (const character of ['\0', '\n', '\x1f', '\x7f', '\u0085']) {
      assert.deepEqual(fragments(`A${character}B`), [], JSON.stringify(character));
    }
  });
});
