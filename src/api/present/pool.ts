/** Staking pools and delegations as JSON. */
import {
  APR_DECIMALS,
  aprOfMonth,
  EXPECTED_BLOCKS_DECIMALS,
  expectedApr,
  expectedBlocksOfMonth,
  STAKE_SHARE_DECIMALS,
  stakeShare,
} from '../../answers/pool-figures.ts';
import { delegationAddress, poolAddress, vrfKeyAddress } from '../../chain/address.ts';
import { decimalText, percentText } from '../../chain/decimal-text.ts';
import { patternString } from '../../render/schemas/common.ts';
import type { DelegationRow } from '../../store/queries/pools/delegations.ts';
import type { ExpandedPoolRow, SinglePoolRow } from '../../store/queries/pools/pool-lists.ts';
import type { PoolRow } from '../../store/queries/pools/pools.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { bech32, CREATED, coins, count, decimal, destination, hexId, nested, unescapedText } from '../entry/kinds.ts';

export const POOL = defineEntry<PoolRow>({
  cost_per_block: coins(({ cost_per_block }) => cost_per_block),
  decommission_destination: destination(({ decommission_destination }) => decommission_destination),
  delegations_balance: coins(({ delegations_balance }) => delegations_balance, 'Total delegated by others'),
  margin_ratio_per_thousand: unescapedText(patternString({ pattern: '^[0-9]+(\\.[0-9])?%$' }))(
    ({ margin_ratio_per_thousand }) => percentText(margin_ratio_per_thousand),
  ),
  pool_id: bech32(({ pool_id }, network) => poolAddress(network, pool_id)),
  staker_balance: coins(
    ({ staker_balance }) => staker_balance,
    "The staker's pledge and rewards; 0 when decommissioned",
  ),
  vrf_public_key: bech32(({ vrf_public_key }, network) => vrfKeyAddress(network, vrf_public_key)),
});

const BLOCK_COUNTS = defineEntry<ExpandedPoolRow>(
  {
    day: count(({ blocks_day }) => blocks_day),
    month: count(({ blocks_month }) => blocks_month),
    total: count(({ blocks_total }) => blocks_total),
  },
  {
    title: 'PoolBlocks',
    description: 'Blocks produced in the 24 and the 720 hours up to the timestamp of the tip, and in total',
  },
);

const aprText = (apr: bigint | null) => (apr === null ? null : decimalText(apr, APR_DECIMALS));
const aprOfMonthText = (row: ExpandedPoolRow) => aprText(aprOfMonth(row));

/** A pool with all fields that lists have. */
export const EXPANDED_POOL = defineEntry<ExpandedPoolRow>({
  ...POOL.fields,
  created: CREATED,
  delegation_count: count(({ delegation_count }) => delegation_count, 'Delegations with a balance'),
  total_stake: coins(({ total_stake }) => total_stake, 'Pledge, rewards and delegated coins'),
  effective_stake: coins(
    ({ effective_stake }) => effective_stake,
    'The weight of the stake in the selection of block producers',
  ),
  stake_share: decimal(
    stakeShare,
    `Share of the effective stake of all pools; ${STAKE_SHARE_DECIMALS} decimals, rounded down`,
  ),
  blocks: nested(BLOCK_COUNTS)((row) => row),
  expected_blocks_month: decimal(
    expectedBlocksOfMonth,
    `Blocks that its shares of the effective stake made likely in the 720 hours, or since its creation if that was later; ${EXPECTED_BLOCKS_DECIMALS} decimals, rounded down`,
  ),
  apr_month: decimal.orNull(
    aprOfMonthText,
    'Rewards of delegators per delegated coin in the 720 hours, or since its creation if that was later (of a day at least), ' +
      `as a yearly rate without compounding: 0.05 is 5%; ${APR_DECIMALS} decimals, rounded down; null where nothing was delegated`,
  ),
  apr_expected: decimal.orNull(
    (row, network) => aprText(expectedApr(network, row)),
    'What a delegated coin is expected to earn at the stakes, margin and cost of now, if its share of all blocks is that of its effective ' +
      `stake, as a yearly rate without compounding; ${APR_DECIMALS} decimals, rounded down; null where rewards do not follow the stake yet`,
  ),
  apy_month: decimal.orNull(
    aprOfMonthText,
    'The same as `apr_month`, by the name that it had before: it is no APY, because nothing is compounded',
  ),
});

const DECOMMISSION = defineEntry<SinglePoolRow>(
  {
    tx_id: hexId(({ decommission_tx_id }) => decommission_tx_id!),
    height: count(({ decommission_height }) => decommission_height!),
    timestamp: count(({ decommission_timestamp }) => decommission_timestamp!, 'Seconds since the epoch'),
  },
  { description: 'The transaction that decommissioned it, and its block; null for an active pool' },
);

/** A pool with all fields, active or decommissioned. */
export const SINGLE_POOL = defineEntry<SinglePoolRow>({
  ...EXPANDED_POOL.fields,
  decommissioned: nested(DECOMMISSION).orNull((row) => (row.decommission_tx_id === null ? null : row)),
});

/** An entry of an address' list of pools. */
export const ADDRESS_POOL = defineEntry<PoolRow>({
  ...POOL.fields,
  creation_block_height: count(({ creation_height }) => creation_height),
});

/** An entry of a pool's list of delegations. */
export const POOL_DELEGATION = defineEntry<DelegationRow>({
  balance: coins(({ balance }) => balance),
  creation_block_height: count(({ creation_height }) => creation_height),
  delegation_id: bech32(({ delegation_id }, network) => delegationAddress(network, delegation_id)),
  next_nonce: count(({ next_nonce }) => next_nonce),
  spend_destination: destination(({ spend_destination }) => spend_destination),
});

/** The number of blocks that a pool made. */
export const BLOCK_COUNT = defineEntry<{ readonly block_count: number }>({
  block_count: count(({ block_count }) => block_count),
});

export const DELEGATION = defineEntry<DelegationRow>({
  balance: coins(({ balance }) => balance),
  creation_block_height: count(({ creation_height }) => creation_height),
  next_nonce: count(({ next_nonce }) => next_nonce),
  pool_id: bech32(({ pool_id }, network) => poolAddress(network, pool_id)),
  spend_destination: destination(({ spend_destination }) => spend_destination, 'Whose key authorises withdrawals'),
});
