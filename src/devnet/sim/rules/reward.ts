/** The shares of a block's reward (docs/indexing-rules.md#reward-distribution). */
import { rewardDistributionVersionAt, subsidyAt } from '../../../chain/networks/network.ts';
import type { Atoms } from '../../../chain/types.ts';
import { delegatorShare, stakerPart } from '../../../ledger/divide-reward.ts';
import type { Undoable } from '../undo-journal.ts';
import type { SimulatedDelegation, SimulatedPool, SimulatedWorld } from '../world.ts';

/** Puts the balances of a pool's delegations back. */
const delegationBalances: Undoable = {
  undo(record) {
    const { delegations, balances } = record as { delegations: SimulatedDelegation[]; balances: Atoms[] };
    for (let index = 0; index < balances.length; index++) delegations[index]!.balance = balances[index]!;
  },
};

/** Credits subsidy and fees of the block being built to the pool that makes it and to the pool's delegations. */
export function payReward(world: SimulatedWorld, pool: SimulatedPool, fees: Atoms): void {
  const { journal, statistics } = world;
  const subsidy = subsidyAt(world.network, world.height);
  const reward = subsidy + fees;
  const pot = reward - stakerPart(rewardDistributionVersionAt(world.network, world.height), { ...pool, reward });
  const total = pool.delegationsBalance;
  let shared = 0n;
  if (pot > 0n && total > 0n) {
    const balances: Atoms[] = [];
    for (const delegation of pool.delegations) {
      balances.push(delegation.balance);
      const share = delegatorShare(pot, delegation.balance, total);
      delegation.balance += share;
      shared += share;
    }
    journal.note(delegationBalances, { delegations: pool.delegations, balances });
    journal.set(pool, 'delegationsBalance', total + shared);
  }
  journal.change(pool, { stakerBalance: pool.stakerBalance + reward - shared, blocks: pool.blocks + 1 });
  journal.change(statistics, { staked: statistics.staked + reward, circulating: statistics.circulating + subsidy });
}
