/**
 * The shares of a block's reward, computed independently of the ledger (docs/indexing-rules.md#reward-distribution).
 */
import { rewardDistributionVersionAt, subsidyAt } from '../../../chain/networks/network.ts';
import type { Atoms } from '../../../chain/types.ts';
import type { Undoable } from '../journal.ts';
import type { Delegation, Pool, World } from '../world.ts';

/** Puts the balances of a pool's delegations back. */
const delegationBalances: Undoable = {
  undo(record) {
    const { delegations, balances } = record as { delegations: Delegation[]; balances: Atoms[] };
    for (let index = 0; index < balances.length; index++) delegations[index]!.balance = balances[index]!;
  },
};

/** What the staker keeps before rounding is settled. */
function stakersPart(world: World, pool: Pool, reward: Atoms): Atoms {
  if (reward < pool.costPerBlock) return reward;
  const margin = BigInt(pool.marginRatioPerThousand);
  const afterCost = reward - pool.costPerBlock;
  if (rewardDistributionVersionAt(world.network, world.height) === 0) {
    return pool.costPerBlock + (afterCost * margin) / 1000n;
  }
  const all = pool.stakerBalance + pool.delegationsBalance;
  const proportional = all === 0n ? 0n : (afterCost * pool.stakerBalance) / all;
  return pool.costPerBlock + proportional + ((afterCost - proportional) * margin) / 1000n;
}

/** Credits subsidy and fees of the block being built to the pool that makes it and to the pool's delegations. */
export function payReward(world: World, pool: Pool, fees: Atoms): void {
  const { journal, statistics } = world;
  const subsidy = subsidyAt(world.network, world.height);
  const reward = subsidy + fees;
  const pot = reward - stakersPart(world, pool, reward);
  const total = pool.delegationsBalance;
  let shared = 0n;
  if (pot > 0n && total > 0n) {
    const balances: Atoms[] = [];
    for (const delegation of pool.delegations) {
      balances.push(delegation.balance);
      const share = (pot * delegation.balance) / total;
      delegation.balance += share;
      shared += share;
    }
    journal.note(delegationBalances, { delegations: pool.delegations, balances });
    journal.set(pool, 'delegationsBalance', total + shared);
  }
  journal.set(pool, 'stakerBalance', pool.stakerBalance + reward - shared);
  journal.set(pool, 'blocks', pool.blocks + 1);
  journal.set(statistics, 'staked', statistics.staked + reward);
  journal.set(statistics, 'circulating', statistics.circulating + subsidy);
}
