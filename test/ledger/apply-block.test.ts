/** What a block as a whole does: who gets its fees and its subsidy, by the kind of its consensus. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { effectiveStake } from '../../src/chain/effective-stake.ts';
import type { ConsensusData, TxOutput } from '../../src/chain/types.ts';
import type { LedgerState } from '../../src/ledger/state.ts';
import { balanceKey, outpointKey } from '../../src/ledger/state-rows.ts';
import {
  applySecond,
  applyThird,
  COIN,
  coins,
  DELEGATION,
  FREE,
  GENESIS,
  network,
  OWNER,
  POOL,
  SECOND_BLOCK,
  signed,
  smallWorld,
  spend,
  transfer,
} from './small-world.ts';

const MINER = `01${'0b'.repeat(20)}`;

const MINED: readonly ConsensusData[] = [{ type: 'None' }, { type: 'PoW', bits: 0x207fffff, nonce: 7n }];
const staked = (kernelInputs = [spend(GENESIS, 1, 'BlockReward')]): ConsensusData => ({
  type: 'PoS',
  data: { kernelInputs, kernelWitness: [], stakePoolId: POOL, vrfData: '', compactTarget: 0 },
});
/** A transaction that leaves a coin of its 500 as its fee. */
const PAYS_A_COIN = signed([FREE], [transfer(coins(499n * COIN))]);
/** What a block that is made without stake may have as its reward. */
const reward = (blocks: bigint): TxOutput => ({
  type: 'LockThenTransfer',
  value: coins(30n * COIN),
  destination: MINER,
  lock: { type: 'ForBlockCount', value: blocks },
});

const coinStatistics = (state: LedgerState) => state.statistics.get('')!;
const balance = (state: LedgerState, owner: string) => state.balances.get(balanceKey(owner, ''));

// docs/indexing-rules.md#block-rewards-and-genesis, docs/indexing-rules.md#reward-distribution
for (const consensus of MINED) {
  it(`a block with consensus ${consensus.type} gives its fees to nobody, and has no subsidy`, () => {
    const state = smallWorld();
    const [pool, delegation, before] = [
      state.pools.get(POOL),
      state.delegations.get(DELEGATION),
      coinStatistics(state),
    ];
    const { transactions } = applySecond(state, { consensus, transactions: [PAYS_A_COIN] });
    assert.equal(transactions[0]!.fee, COIN);
    assert.deepEqual([state.pools.get(POOL), state.delegations.get(DELEGATION)], [pool, delegation]);
    assert.equal(balance(state, OWNER)?.amount, 499n * COIN);
    // An ordinary fee is neither burned nor minted.
    assert.deepEqual(coinStatistics(state), before);
  });

  it(`a block with consensus ${consensus.type} mints its reward, which counts as preminted and is nobody’s history`, () => {
    const state = smallWorld();
    const before = coinStatistics(state);
    const { transactions } = applySecond(state, { consensus, transactions: [PAYS_A_COIN], reward: [reward(500n)] });
    assert.deepEqual(coinStatistics(state), {
      ...before,
      preminted: before.preminted + 30n * COIN,
      circulatingSupply: before.circulatingSupply + 30n * COIN,
      holders: before.holders + 1,
    });
    assert.deepEqual([...transactions[0]!.addresses], [OWNER]);
  });

  it(`a block with consensus ${consensus.type} has a reward that is free at once, whatever lock it carries, and that no lock’s end frees again`, () => {
    const state = smallWorld();
    const { outputs } = applySecond(state, { consensus, reward: [reward(1n)] });
    const { isReward, unlockHeight, unlockTime, position, owner } = outputs[0]!;
    assert.deepEqual(
      { isReward, unlockHeight, unlockTime, position, owner },
      { isReward: true, unlockHeight: null, unlockTime: null, position: 0, owner: MINER },
    );
    const minted = { owner: MINER, currency: '', amount: 30n * COIN, locked: 0n };
    assert.deepEqual(balance(state, MINER), minted);
    applyThird(state, { consensus });
    assert.deepEqual(balance(state, MINER), minted);
  });

  it(`a block with consensus ${consensus.type} has a reward whose spending lowers the balance and is history`, () => {
    const state = smallWorld();
    applySecond(state, { consensus, reward: [reward(0n)] });
    const { transactions } = applyThird(state, {
      consensus,
      transactions: [signed([spend(SECOND_BLOCK, 0, 'BlockReward')], [transfer(coins(29n * COIN))])],
    });
    assert.equal(balance(state, MINER), null);
    assert.deepEqual([...transactions[0]!.addresses].sort(), [OWNER, MINER].sort());
    assert.equal(transactions[0]!.fee, COIN);
  });

  it(`a block with consensus ${consensus.type} may have outputs of other kinds in its reward, which are nothing`, () => {
    const state = smallWorld();
    const before = coinStatistics(state);
    const { outputs } = applySecond(state, {
      consensus,
      reward: [
        { type: 'Burn', value: coins(5n) },
        { type: 'DataDeposit', data: '' },
        { type: 'DelegateStaking', delegationId: DELEGATION, amount: 5n },
      ],
    });
    assert.deepEqual(outputs, []);
    assert.deepEqual(coinStatistics(state), before);
    assert.equal(state.delegations.get(DELEGATION)?.balance, 70n);
  });
}

it('a block with proof of stake gives subsidy and fees to its pool, all of it staked, and mints the subsidy', () => {
  const state = smallWorld();
  const before = coinStatistics(state);
  const effectiveBefore = state.pools.get(POOL)!.effectiveStake;
  const { spends } = applySecond(state, {
    consensus: staked(),
    transactions: [PAYS_A_COIN],
    reward: [{ type: 'ProduceBlockFromStake', destination: OWNER, poolId: POOL }],
  });
  const total = 203n * COIN;
  // 40 atoms of the 110 in the pool are the staker's own; there is neither cost nor margin.
  const own = (total * 40n) / 110n;
  assert.equal(state.pools.get(POOL)?.rewards, own);
  assert.equal(state.pools.get(POOL)?.delegationsBalance, 70n + total - own);
  assert.equal(state.delegations.get(DELEGATION)?.balance, 70n + total - own);
  const weight = effectiveStake(network.finalSupply, 40n + own, 70n + total - own);
  assert.equal(state.pools.get(POOL)?.effectiveStake, weight);
  assert.deepEqual(coinStatistics(state), {
    ...before,
    effectiveStake: before.effectiveStake + weight - effectiveBefore,
    staked: before.staked + total,
    circulatingSupply: before.circulatingSupply + 202n * COIN,
  });
  assert.deepEqual(
    spends.map(({ position, utxo }) => [position, utxo.outpoint]),
    [
      [0, FREE.type === 'Utxo' && outpointKey(FREE.outpoint.sourceId, 0)],
      [null, outpointKey(GENESIS, 1)],
    ],
  );
});

// The worked example of docs/indexing-rules.md#reward-distribution: 4000 of the staker, 5000 and 1000 delegated.
for (const [version, rewardDistributionV1, gain, shares] of [
  [0, 1000, 146n, [712n, 142n]],
  [1, 0, 488n, [427n, 85n]],
] as const) {
  it(`a block with proof of stake leaves what rounding leaves to the staker, by rule ${version}`, () => {
    const other = '0d'.repeat(32);
    const empty = '0e'.repeat(32);
    const state = smallWorld();
    const delegation = state.delegations.get(DELEGATION)!;
    const pool = { ...state.pools.get(POOL)!, marginRatioPerThousand: 50, costPerBlock: 100n };
    state.pools.set(POOL, { ...pool, pledge: 3000n, rewards: 1000n, delegationsBalance: 6000n });
    state.delegations.set(DELEGATION, { ...delegation, balance: 5000n });
    state.delegations.set(other, { ...delegation, delegationId: other, balance: 1000n });
    state.delegations.set(empty, { ...delegation, delegationId: empty, balance: 0n });
    state.delegationsOfPool.get(POOL)!.push(other, empty);
    applySecond(
      state,
      { consensus: staked() },
      {
        ...network,
        subsidy: [{ height: 1, atoms: 1000n }],
        upgrades: { ...network.upgrades, rewardDistributionV1 },
      },
    );
    const after = state.pools.get(POOL)!;
    assert.equal(after.rewards, 1000n + gain);
    assert.equal(after.delegationsBalance, 6000n + shares[0] + shares[1]);
    const balances = [DELEGATION, other, empty].map((id) => state.delegations.get(id)!.balance);
    assert.deepEqual(balances, [5000n + shares[0], 1000n + shares[1], 0n]);
  });
}

it('a block with proof of stake gives all to the staker when nothing is delegated, also in a pool without any stake', () => {
  const state = smallWorld();
  state.pools.set(POOL, { ...state.pools.get(POOL)!, pledge: 0n, delegationsBalance: 0n });
  state.delegations.set(DELEGATION, { ...state.delegations.get(DELEGATION)!, balance: 0n });
  applySecond(state, { consensus: staked() });
  assert.equal(state.pools.get(POOL)?.rewards, 202n * COIN);
  assert.equal(state.delegations.get(DELEGATION)?.balance, 0n);
});
