/** What delegations and pools got by day, as JSON and CSV. */
import { delegationAddress, destinationAddress, poolAddress } from '../../chain/address.ts';
import type { DelegationMoveEntryRow } from '../../store/queries/pools/delegations.ts';
import type {
  DelegationDayEntryRow,
  DelegationDayRow,
  PoolDayEntryRow,
  RewardShareEntryRow,
} from '../../store/queries/pools/staking-days.ts';
import type { IncomeEntryRow, IncomeRow } from '../../store/queries/pools/staking-income.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { bech32, coins, count, hexId, utcDay } from '../entry/kinds.ts';

export const DELEGATION_DAY = defineEntry<DelegationDayEntryRow>({
  day: utcDay(({ day }) => day),
  deposited: coins(({ deposited }) => deposited),
  withdrawn: coins(({ withdrawn }) => withdrawn),
  rewards: coins(({ rewards }) => rewards),
  balance: coins(({ balance }) => balance, 'At its end; on the newest day now'),
});

/** A transaction that put something into a delegation or took it out. */
export const DELEGATION_TRANSACTION = defineEntry<DelegationMoveEntryRow>({
  tx_id: hexId(({ tx_id }) => tx_id),
  tx_global_index: count(({ tx_index }) => tx_index),
  block_height: count(({ height }) => height),
  timestamp: count(({ timestamp }) => timestamp),
  deposited: coins(({ deposited }) => deposited),
  withdrawn: coins(({ withdrawn }) => withdrawn),
});

export const DELEGATION_SUMS = defineEntry<DelegationDayRow>(
  {
    deposited: coins(({ all_deposited }) => all_deposited),
    withdrawn: coins(({ all_withdrawn }) => all_withdrawn),
    rewards: coins(({ all_rewards }) => all_rewards),
  },
  { description: 'Since it was created, whatever `from` and `to` say' },
);

export const POOL_DAY = defineEntry<PoolDayEntryRow>({
  day: utcDay(({ day }) => day),
  blocks: count(({ blocks }) => blocks, 'That the pool made'),
  staker_rewards: coins(({ staker_rewards }) => staker_rewards),
  delegation_rewards: coins(({ delegation_rewards }) => delegation_rewards),
  pledge: coins(
    ({ staker_balance }) => staker_balance,
    "The staker's pledge and rewards, as `staker_balance`, at the end of the day",
  ),
  delegated: coins(({ delegations_balance }) => delegations_balance, 'At its end, as the next'),
  delegation_count: count(({ delegation_count }) => delegation_count, 'Delegations with a balance'),
});

/** What a delegation got of a day's rewards. */
export const REWARD_SHARE = defineEntry<RewardShareEntryRow>({
  delegation_id: bech32(({ delegation_id }, network) => delegationAddress(network, delegation_id)),
  owner: bech32(
    ({ spend_destination }, network) => destinationAddress(network, spend_destination),
    'Whose key authorises withdrawals',
  ),
  balance: coins(({ balance }) => balance, 'At the end of the day'),
  rewards: coins(({ rewards }) => rewards, 'Of the day'),
});

/** What a pool or delegation earned in a day. */
export const STAKING_INCOME = defineEntry<IncomeEntryRow>({
  day: utcDay(({ day }) => day),
  pool_id: bech32.orNull(
    ({ is_pool, stake_id }, network) => (is_pool ? poolAddress(network, stake_id) : null),
    'null for a delegation',
  ),
  delegation_id: bech32.orNull(
    ({ is_pool, stake_id }, network) => (is_pool ? null : delegationAddress(network, stake_id)),
    'null for a pool',
  ),
  rewards: coins(({ rewards }) => rewards, 'Of a pool: those of its staker'),
});

/** What all pools and delegations of addresses earned in a range of days. */
export const INCOME_SUMS = defineEntry<IncomeRow>(
  {
    pools: coins(({ all_of_pools }) => all_of_pools),
    delegations: coins(({ all_of_delegations }) => all_of_delegations),
    rewards: coins(({ all_of_pools, all_of_delegations }) => all_of_pools + all_of_delegations, 'Both together'),
  },
  { title: 'IncomeSums', description: 'Of all days between `from` and `to`' },
);
