/** Staking pools and their delegations as JSON. */
import { delegationAddress, destinationAddress, poolAddress, vrfKeyAddress } from '../../chain/address.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import type { Network } from '../../chain/networks/network.ts';

import { nullableJson, numberJson, objectJson, plainJson, withFields } from '../../render/typed-json.ts';

import { amountJson } from '../../render/value-json.ts';
import type { DelegationRow } from '../../store/queries/delegations.ts';
import type { ExpandedPoolRow } from '../../store/queries/pool-lists.ts';
import type { PoolRow } from '../../store/queries/pools.ts';

import { Bech32, Count, DecimalText, nullable, plainString, schemaRef, strictObject } from '../schemas/common.ts';

import type { JsonTextOf } from '../schemas/schema-types.ts';
import { objectWriter } from './object-writer.ts';

const POOL = {
  pool_id: Bech32,
  decommission_destination: Bech32,
  staker_balance: { ...schemaRef('Amount'), description: "The staker's pledge and rewards; 0 when decommissioned" },
  margin_ratio_per_thousand: plainString({ pattern: '^[0-9]+(\\.[0-9])?%$' }),
  cost_per_block: schemaRef('Amount'),
  vrf_public_key: Bech32,
  delegations_balance: { ...schemaRef('Amount'), description: 'Total delegated by others' },
};

export const POOL_SCHEMA = strictObject(POOL);

const poolJson = objectWriter(POOL_SCHEMA);

export function presentPool(network: Network, row: PoolRow): JsonTextOf<typeof POOL_SCHEMA> {
  const { coinDecimals } = network;
  return poolJson({
    pool_id: poolAddress(network, row.pool_id),
    decommission_destination: destinationAddress(network, row.decommission_destination),
    staker_balance: amountJson(row.staker_balance, coinDecimals),
    margin_ratio_per_thousand: percentage(row.margin_ratio_per_thousand),
    cost_per_block: amountJson(row.cost_per_block, coinDecimals),
    vrf_public_key: vrfKeyAddress(network, row.vrf_public_key),
    delegations_balance: amountJson(row.delegations_balance, coinDecimals),
  });
}

const STAKE_SHARE_DECIMALS = 9;
const EXPECTED_BLOCKS_DECIMALS = 3;
const APY_DECIMALS = 6;
/** Blocks of all pools in a month, at the target spacing of 120 seconds. */
const MONTH_BLOCKS = 21_600n;
const MONTH_HOURS = 720n;
const YEAR_HOURS = 8_760n;
/** The decimals of the kept rate of a month. */
const RATE_DECIMALS = 18;

export const EXPANDED_POOL_SCHEMA = strictObject({
  ...POOL,
  created: schemaRef('Created'),
  delegation_count: { ...Count, description: 'Delegations that hold something' },
  total_stake: { ...schemaRef('Amount'), description: 'Pledge, rewards and what is delegated' },
  effective_stake: { ...schemaRef('Amount'), description: 'What the stake weighs when it is drawn who makes a block' },
  stake_share: {
    ...DecimalText,
    description: `The part of the effective stake of all pools; ${STAKE_SHARE_DECIMALS} decimals, rounded down`,
  },
  blocks: strictObject(
    { day: Count, month: Count, total: Count },
    { description: "Blocks that it made: in the last complete 24 and 720 UTC hours before the tip's hour, and ever" },
  ),
  expected_blocks_month: {
    ...DecimalText,
    description: `\`stake_share\` of the ${MONTH_BLOCKS} blocks of 720 hours; ${EXPECTED_BLOCKS_DECIMALS} decimals, rounded down`,
  },
  apy_month: {
    ...nullable(DecimalText),
    description:
      "A delegator's rewards of the last 720 hours per coin that was delegated, as a year's rate without compounding: " +
      `0.05 is 5%; ${APY_DECIMALS} decimals, rounded down; null where nothing was delegated`,
  },
});

/** A pool with all that is known of it. */
export function presentExpandedPool(network: Network, row: ExpandedPoolRow): JsonTextOf<typeof EXPANDED_POOL_SCHEMA> {
  const { coinDecimals } = network;
  const { effective_stake: stake } = row;
  return withFields(presentPool(network, row), {
    created: objectJson({
      height: numberJson(row.creation_height),
      timestamp: numberJson(row.creation_timestamp),
    }),
    delegation_count: numberJson(row.delegation_count),
    total_stake: amountJson(row.total_stake, coinDecimals),
    effective_stake: amountJson(stake, coinDecimals),
    stake_share: plainJson(stakeShare(row)),
    blocks: objectJson({
      day: numberJson(row.blocks_day),
      month: numberJson(row.blocks_month),
      total: numberJson(row.blocks_total),
    }),
    expected_blocks_month: plainJson(expectedBlocksOfMonth(row)),
    apy_month: nullableJson(apyOfMonth(row), (apy) => plainJson(decimalText(apy, APY_DECIMALS))),
  });
}

/** `stake_share` as a decimal number. */
export function stakeShare({ effective_stake, all_effective_stake }: ExpandedPoolRow): string {
  return decimalText(ratio(effective_stake, all_effective_stake, STAKE_SHARE_DECIMALS), STAKE_SHARE_DECIMALS);
}

/** `expected_blocks_month` as a decimal number. */
export function expectedBlocksOfMonth({ effective_stake, all_effective_stake }: ExpandedPoolRow): string {
  const blocks = ratio(effective_stake * MONTH_BLOCKS, all_effective_stake, EXPECTED_BLOCKS_DECIMALS);
  return decimalText(blocks, EXPECTED_BLOCKS_DECIMALS);
}

/** `apy_month` in millionths; null where nothing was delegated. */
export function apyOfMonth({ month_rate }: ExpandedPoolRow): bigint | null {
  if (month_rate === null) return null;
  return ratio(month_rate * YEAR_HOURS, MONTH_HOURS * 10n ** BigInt(RATE_DECIMALS), APY_DECIMALS);
}

/** A quotient in units of its last decimal, rounded down; 0 where there is nothing to divide by. */
function ratio(numerator: bigint, denominator: bigint, decimals: number): bigint {
  return denominator === 0n ? 0n : (numerator * 10n ** BigInt(decimals)) / denominator;
}

export const OWN_POOL_SCHEMA = strictObject({ ...POOL, creation_block_height: Count });

/** An entry of an address' list of pools. */
export function presentOwnPool(network: Network, row: PoolRow): JsonTextOf<typeof OWN_POOL_SCHEMA> {
  return withFields(presentPool(network, row), { creation_block_height: numberJson(row.creation_height) });
}

/** Thousandths as a percentage: 50 is "5%", 123 is "12.3%". */
function percentage(perThousand: number): string {
  return `${perThousand / 10}%`;
}

export const POOL_DELEGATION_SCHEMA = strictObject({
  delegation_id: Bech32,
  next_nonce: Count,
  spend_destination: Bech32,
  balance: schemaRef('Amount'),
  creation_block_height: Count,
});

const poolDelegationJson = objectWriter(POOL_DELEGATION_SCHEMA);

/** An entry of a pool's list of delegations. */
export function presentPoolDelegation(network: Network, row: DelegationRow): JsonTextOf<typeof POOL_DELEGATION_SCHEMA> {
  return poolDelegationJson({
    delegation_id: delegationAddress(network, row.delegation_id),
    next_nonce: row.next_nonce,
    spend_destination: destinationAddress(network, row.spend_destination),
    balance: amountJson(row.balance, network.coinDecimals),
    creation_block_height: row.creation_height,
  });
}

export const BLOCK_COUNT_SCHEMA = strictObject({ block_count: Count });

const blockCountJson = objectWriter(BLOCK_COUNT_SCHEMA);

/** How many blocks a pool made. */
export function presentBlockCount(count: number): JsonTextOf<typeof BLOCK_COUNT_SCHEMA> {
  return blockCountJson({ block_count: count });
}
