import assert from 'node:assert/strict';
import { it } from 'node:test';
import { effectiveStake } from '../../src/chain/effective-stake.ts';
import { mainnet, testnet } from '../../src/chain/networks/known-networks.ts';

/** Pledge and rewards, that with what is delegated, effective stake (docs/indexing-rules.md#effective-stake). */
const EXAMPLES: readonly (readonly [staker: bigint, total: bigint, effective: bigint])[] = [
  [4n * 10n ** 15n, 4n * 10n ** 15n, 3720876294538143n],
  [4n * 10n ** 15n, 6n * 10n ** 16n, 56073966839616079n],
  [2n * 10n ** 16n, 45n * 10n ** 15n, 42780425202264589n],
  [6n * 10n ** 16n, 9n * 10n ** 16n, 59999080000000000n],
  [4n * 10n ** 15n, 10n ** 18n, 56073966839616079n],
];

for (const [staker, total, effective] of EXAMPLES) {
  it(`the effective stake of a pool is ${effective} with ${staker} of ${total} the staker's own`, () => {
    for (const { finalSupply } of [mainnet, testnet]) {
      assert.equal(effectiveStake(finalSupply, staker, total - staker), effective);
    }
  });
}

it('the effective stake of a pool is nothing without stake, and where a network has no supply to speak of', () => {
  assert.equal(effectiveStake(mainnet.finalSupply, 0n, 0n), 0n);
  assert.equal(effectiveStake(999n, 10n, 10n), 0n);
});

it('the effective stake of a pool never is more than the stake, nor than a thousandth of the supply', () => {
  const cap = mainnet.finalSupply / 1_000n;
  for (let staker = 0n; staker <= 2n * cap; staker += cap / 7n) {
    for (let delegated = 0n; delegated <= 2n * cap; delegated += cap / 5n) {
      const effective = effectiveStake(mainnet.finalSupply, staker, delegated);
      assert.ok(effective >= 0n && effective <= cap && effective <= staker + delegated, `${staker}, ${delegated}`);
    }
  }
});
