/** What delegations and pools got by day, as JSON and CSV. */
import { delegationAddress, destinationAddress, poolAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { amountJson } from '../../render/common-values.ts';
import { nullableJson, plainJson } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { type CsvTable, csvDay } from '../../serving/route/csv.ts';
import type { DelegationMoveEntryRow } from '../../store/queries/pools/delegations.ts';
import type {
  DelegationDayEntryRow,
  DelegationDayRow,
  PoolDayEntryRow,
  RewardShareEntryRow,
} from '../../store/queries/pools/staking-days.ts';
import type { IncomeEntryRow, IncomeRow } from '../../store/queries/pools/staking-income.ts';
import { objectWriter } from './object-writer.ts';

const AMOUNT = schemaRef('Amount');
const DAY = { ...COUNT_SCHEMA, description: 'Its first second, UTC' };

export const DELEGATION_DAY_SCHEMA = strictObject({
  day: DAY,
  deposited: AMOUNT,
  withdrawn: AMOUNT,
  rewards: AMOUNT,
  balance: { ...AMOUNT, description: 'At its end; on the newest day now' },
});

const delegationDayJson = objectWriter(DELEGATION_DAY_SCHEMA);

/** A day of a delegation. */
export function presentDelegationDay(
  { coinDecimals }: Network,
  row: DelegationDayEntryRow,
): JsonTextOf<typeof DELEGATION_DAY_SCHEMA> {
  return delegationDayJson({
    day: row.day * DAY_SECONDS,
    deposited: amountJson(row.deposited, coinDecimals),
    withdrawn: amountJson(row.withdrawn, coinDecimals),
    rewards: amountJson(row.rewards, coinDecimals),
    balance: amountJson(row.balance, coinDecimals),
  });
}

export const DELEGATION_TRANSACTION_SCHEMA = strictObject({
  tx_id: HEX_ID_SCHEMA,
  tx_global_index: COUNT_SCHEMA,
  block_height: COUNT_SCHEMA,
  timestamp: COUNT_SCHEMA,
  deposited: AMOUNT,
  withdrawn: AMOUNT,
});

const delegationTransactionJson = objectWriter(DELEGATION_TRANSACTION_SCHEMA);

/** A transaction that put something into a delegation or took it out. */
export function presentDelegationTransaction(
  { coinDecimals }: Network,
  row: DelegationMoveEntryRow,
): JsonTextOf<typeof DELEGATION_TRANSACTION_SCHEMA> {
  return delegationTransactionJson({
    tx_id: row.tx_id,
    tx_global_index: row.tx_index,
    block_height: row.height,
    timestamp: row.timestamp,
    deposited: amountJson(row.deposited, coinDecimals),
    withdrawn: amountJson(row.withdrawn, coinDecimals),
  });
}

export const DELEGATION_SUMS_SCHEMA = strictObject(
  { deposited: AMOUNT, withdrawn: AMOUNT, rewards: AMOUNT },
  { description: 'Since it was created, whatever `from` and `to` say' },
);

const delegationSumsJson = objectWriter(DELEGATION_SUMS_SCHEMA);

/** What was put into a delegation and taken out, and its rewards, since it was created. */
export function presentDelegationSums(
  { coinDecimals }: Network,
  row: DelegationDayRow,
): JsonTextOf<typeof DELEGATION_SUMS_SCHEMA> {
  return delegationSumsJson({
    deposited: amountJson(row.all_deposited, coinDecimals),
    withdrawn: amountJson(row.all_withdrawn, coinDecimals),
    rewards: amountJson(row.all_rewards, coinDecimals),
  });
}

const dayField = (day: number): string => csvDay(day * DAY_SECONDS);
const coinField =
  ({ coinDecimals }: Network) =>
  (atoms: Atoms) => ({ atoms, decimals: coinDecimals });

/** The columns of the exported days of a delegation. */
export function delegationDayCsv(network: Network): CsvTable<DelegationDayEntryRow> {
  const coins = coinField(network);
  return {
    columns: ['day_utc', 'deposited', 'withdrawn', 'rewards', 'balance'],
    fields: ({ day, deposited, withdrawn, rewards, balance }) => [
      dayField(day),
      ...[deposited, withdrawn, rewards, balance].map(coins),
    ],
  };
}

export const POOL_DAY_SCHEMA = strictObject({
  day: DAY,
  blocks: { ...COUNT_SCHEMA, description: 'That the pool made' },
  staker_rewards: AMOUNT,
  delegation_rewards: AMOUNT,
  pledge: { ...AMOUNT, description: "The staker's pledge and rewards, as `staker_balance`, at the end of the day" },
  delegated: { ...AMOUNT, description: 'At its end, as the next' },
  delegation_count: { ...COUNT_SCHEMA, description: 'Delegations with a balance' },
});

const poolDayJson = objectWriter(POOL_DAY_SCHEMA);

/** A day of a pool. */
export function presentPoolDay({ coinDecimals }: Network, row: PoolDayEntryRow): JsonTextOf<typeof POOL_DAY_SCHEMA> {
  return poolDayJson({
    day: row.day * DAY_SECONDS,
    blocks: row.blocks,
    staker_rewards: amountJson(row.staker_rewards, coinDecimals),
    delegation_rewards: amountJson(row.delegation_rewards, coinDecimals),
    pledge: amountJson(row.staker_balance, coinDecimals),
    delegated: amountJson(row.delegations_balance, coinDecimals),
    delegation_count: row.delegation_count,
  });
}

/** The columns of the exported days of a pool. */
export function poolDayCsv(network: Network): CsvTable<PoolDayEntryRow> {
  const coins = coinField(network);
  return {
    columns: [
      ...['day_utc', 'blocks', 'staker_rewards', 'delegation_rewards', 'pledge', 'delegated', 'delegation_count'],
    ],
    fields: (row) => [
      dayField(row.day),
      row.blocks,
      ...[row.staker_rewards, row.delegation_rewards, row.staker_balance, row.delegations_balance].map(coins),
      row.delegation_count,
    ],
  };
}

export const REWARD_SHARE_SCHEMA = strictObject({
  delegation_id: BECH32_SCHEMA,
  owner: { ...BECH32_SCHEMA, description: 'Whose key authorises withdrawals' },
  balance: { ...AMOUNT, description: 'At the end of the day' },
  rewards: { ...AMOUNT, description: 'Of the day' },
});

const rewardShareJson = objectWriter(REWARD_SHARE_SCHEMA);

/** What a delegation got of a day's rewards. */
export function presentRewardShare(network: Network, row: RewardShareEntryRow): JsonTextOf<typeof REWARD_SHARE_SCHEMA> {
  return rewardShareJson({
    delegation_id: delegationAddress(network, row.delegation_id),
    owner: destinationAddress(network, row.spend_destination),
    balance: amountJson(row.balance, network.coinDecimals),
    rewards: amountJson(row.rewards, network.coinDecimals),
  });
}

/** The columns of the exported shares of a day's rewards. */
export function rewardShareCsv(network: Network): CsvTable<RewardShareEntryRow> {
  const coins = coinField(network);
  return {
    columns: ['delegation_id', 'owner', 'balance', 'rewards'],
    fields: (row) => [
      delegationAddress(network, row.delegation_id),
      destinationAddress(network, row.spend_destination),
      coins(row.balance),
      coins(row.rewards),
    ],
  };
}

export const STAKING_INCOME_SCHEMA = strictObject({
  day: DAY,
  pool_id: { ...nullable(BECH32_SCHEMA), description: 'null for a delegation' },
  delegation_id: { ...nullable(BECH32_SCHEMA), description: 'null for a pool' },
  rewards: { ...AMOUNT, description: 'Of a pool: those of its staker' },
});

const incomeJson = objectWriter(STAKING_INCOME_SCHEMA);

/** What a pool or delegation earned in a day. */
export function presentIncome(network: Network, row: IncomeEntryRow): JsonTextOf<typeof STAKING_INCOME_SCHEMA> {
  const { pool, delegation } = stakeAddresses(network, row);
  return incomeJson({
    day: row.day * DAY_SECONDS,
    pool_id: nullableJson(pool, plainJson),
    delegation_id: nullableJson(delegation, plainJson),
    rewards: amountJson(row.rewards, network.coinDecimals),
  });
}

function stakeAddresses(network: Network, { is_pool, stake_id }: IncomeEntryRow) {
  return {
    pool: is_pool ? poolAddress(network, stake_id) : null,
    delegation: is_pool ? null : delegationAddress(network, stake_id),
  };
}

/** The columns of exported income. */
export function incomeCsv(network: Network): CsvTable<IncomeEntryRow> {
  const coins = coinField(network);
  return {
    columns: ['day_utc', 'pool_id', 'delegation_id', 'rewards'],
    fields: (row) => {
      const { pool, delegation } = stakeAddresses(network, row);
      return [dayField(row.day), pool, delegation, coins(row.rewards)];
    },
  };
}

export const INCOME_SUMS_SCHEMA = strictObject(
  { pools: AMOUNT, delegations: AMOUNT, rewards: { ...AMOUNT, description: 'Both together' } },
  { title: 'IncomeSums', description: 'Of all days between `from` and `to`' },
);

const incomeSumsJson = objectWriter(INCOME_SUMS_SCHEMA);

/** What all pools and delegations of addresses earned in a range of days. */
export function presentIncomeSums({ coinDecimals }: Network, row: IncomeRow): JsonTextOf<typeof INCOME_SUMS_SCHEMA> {
  const { all_of_pools: pools, all_of_delegations: delegations } = row;
  return incomeSumsJson({
    pools: amountJson(pools, coinDecimals),
    delegations: amountJson(delegations, coinDecimals),
    rewards: amountJson(pools + delegations, coinDecimals),
  });
}
