import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientWeights } from '../../src/resources/client-weights.ts';

test('a client has the weight of the first network that contains it, otherwise one', () => {
  const weightOf = clientWeights([
    { network: '192.0.2.7', weight: 9 },
    { network: '192.0.2.0/24', weight: 3 },
    { network: '2001:db8::/48', weight: 5 },
  ]);
  const weights = ['192.0.2.7', '192.0.2.8', '192.0.3.1', '2001:db8:0:1::/64', '2001:db9:0:0::/64', 'nonsense'].map(
    weightOf,
  );
  assert.deepEqual(weights, [9, 3, 1, 5, 1, 1]);
  assert.equal(weightOf('192.0.2.7'), 9);
});
