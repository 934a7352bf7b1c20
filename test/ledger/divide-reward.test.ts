import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { delegatorShare, stakerPart } from '../../src/ledger/divide-reward.ts';

// The worked example of docs/indexing-rules.md#reward-distribution
const terms = {
  reward: 1000n,
  costPerBlock: 100n,
  marginRatioPerThousand: 50,
  stakerBalance: 4000n,
  delegationsBalance: 6000n,
};

it('the reward of a proof-of-stake block gives the staker cost and margin by the old rule', () => {
  assert.equal(stakerPart(0, terms), 145n);
  assert.equal(delegatorShare(855n, 5000n, 6000n), 712n);
  assert.equal(delegatorShare(855n, 1000n, 6000n), 142n);
});

it('the reward of a proof-of-stake block also gives the staker its share of the pool by the new rule', () => {
  assert.equal(stakerPart(1, terms), 487n);
  assert.equal(delegatorShare(513n, 5000n, 6000n), 427n);
  assert.equal(delegatorShare(513n, 1000n, 6000n), 85n);
});

it('the reward of a proof-of-stake block is all the staker’s when it does not cover the cost', () => {
  assert.equal(stakerPart(0, { ...terms, reward: 99n }), 99n);
  assert.equal(stakerPart(1, { ...terms, reward: 99n }), 99n);
});

it('the reward of a proof-of-stake block is never shared beyond what there is', () => {
  const atoms = fc.bigInt(0n, 1n << 80n);
  fc.assert(
    fc.property(
      fc.constantFrom(0 as const, 1 as const),
      atoms,
      atoms,
      fc.nat(1000),
      atoms,
      fc.array(atoms, { maxLength: 5 }),
      (version, reward, costPerBlock, marginRatioPerThousand, stakerBalance, balances) => {
        const delegationsBalance = balances.reduce((sum, balance) => sum + balance, 0n);
        const own = stakerPart(version, {
          reward,
          costPerBlock,
          marginRatioPerThousand,
          stakerBalance,
          delegationsBalance,
        });
        assert.ok(own >= 0n && own <= reward);
        if (delegationsBalance === 0n) return;
        const shared = balances.reduce((sum, b) => sum + delegatorShare(reward - own, b, delegationsBalance), 0n);
        assert.ok(shared <= reward - own && reward - own - shared < BigInt(balances.length));
      },
    ),
  );
});
