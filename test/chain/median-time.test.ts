import assert from 'node:assert/strict';
import { it } from 'node:test';
import { medianTime } from '../../src/chain/median-time.ts';

it('the median time past is the upper middle of the newest eleven timestamps', () => {
  assert.equal(medianTime([5]), 5);
  assert.equal(medianTime([5, 1]), 5);
  assert.equal(medianTime([9, 1, 5]), 5);
  assert.equal(medianTime([1000, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), 6);
});
