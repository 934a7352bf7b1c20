/** Tokens and NFTs found by a piece of their ticker. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countOf, filledServers, SIZES } from '../support/filled-servers.ts';

const filled = filledServers();

it('the search by ticker finds a text anywhere in a ticker, in any case', async () => {
  const all = await filled.server.json('/token/ticker/tk?items=100');
  assert.equal(all.length, SIZES.tokens);
  const found = await filled.server.json('/token/ticker/k1?items=100');
  const count = countOf(1, SIZES.tokens, (i) => `tk${i}`.includes('k1'));
  assert.equal(found.length, count);
  assert.deepEqual(await filled.server.json('/token/ticker/K1?items=100'), found);
  assert.equal((await filled.server.json('/token/ticker/NFTx?items=100')).length, SIZES.nfts);
});

it('the search by ticker takes every character as itself and any text as a search', async () => {
  for (const text of ['%25', '_', '%5C', '%00', '"', "'", 'x'.repeat(5000), '%F0%9F%98%80', '{', ',']) {
    assert.deepEqual(await filled.server.json(`/token/ticker/${text}`), [], text);
  }
});
