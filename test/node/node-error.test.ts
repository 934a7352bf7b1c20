/** What messages say of a node's answers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { oneLineExcerpt } from '../../src/node/node-error.ts';

it('the excerpt of an answer is the same for each call, whose id grows', () => {
  const excerpts = [7, 1234].map((id) => oneLineExcerpt(`{"jsonrpc":"2.0","id":${id},\n "resu`));
  assert.deepEqual(new Set(excerpts), new Set(['{"jsonrpc":"2.0","id":…, "resu']));
});
