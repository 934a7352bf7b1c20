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
import { delegationAddress, destinationAddress, poolAddress, vrfKeyAddress } from '../../chain/address.ts';
import { decimalText, percentText } from '../../chain/decimal-text.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson } from '../../render/common-values.ts';
import { nullableJson, numberJson, plainJson, withFields } from '../../render/compose-json.ts';
import {
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  CREATION_BLOCK_SCHEMA,
  DECIMAL_TEXT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  nullable,
  patternString,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { DelegationRow } from '../../store/queries/pools/delegations.ts';
import type { ExpandedPoolRow, SinglePoolRow } from '../../store/queries/pools/pool-lists.ts';
import type { PoolRow } from '../../store/queries/pools/pools.ts';
import { createdJson, objectWriter } from './object-writer.ts';

const POOL = {
  pool_id: BECH32_SCHEMA,
  decommission_destination: BECH32_SCHEMA,
  staker_balance: describedRef('Amount', "The staker's pledge and rewards; 0 when decommissioned"),
  margin_ratio_per_thousand: patternString({ pattern: '^[0-9]+(\\.[0-9])?%$' }),
  cost_per_block: schemaRef('Amount'),
  vrf_public_key: BECH32_SCHEMA,
  delegations_balance: describedRef('Amount', 'Total delegated by others'),
};

export const POOL_SCHEMA = strictObject(POOL);

const poolJson = objectWriter(POOL_SCHEMA);

export function presentPool(network: Network, row: PoolRow): JsonTextOf<typeof POOL_SCHEMA> {
  return poolJson(poolFields(network, row));
}

function poolFields(network: Network, row: PoolRow): Parameters<typeof poolJson>[0] {
  const { coinDecimals } = network;
  return {
    cost_per_block: amountJson(row.cost_per_block, coinDecimals),
    decommission_destination: destinationAddress(network, row.decommission_destination),
    delegations_balance: amountJson(row.delegations_balance, coinDecimals),
    margin_ratio_per_thousand: percentText(row.margin_ratio_per_thousand),
    pool_id: poolAddress(network, row.pool_id),
    staker_balance: amountJson(row.staker_balance, coinDecimals),
    vrf_public_key: vrfKeyAddress(network, row.vrf_public_key),
  };
}

export const EXPANDED_POOL_SCHEMA = strictObject({
  ...POOL,
  created: schemaRef('Created'),
  delegation_count: { ...COUNT_SCHEMA, description: 'Delegations with a balance' },
  total_stake: describedRef('Amount', 'Pledge, rewards and delegated coins'),
  effective_stake: describedRef('Amount', 'The weight of the stake in the selection of block producers'),
  stake_share: {
    ...DECIMAL_TEXT_SCHEMA,
    description: `Share of the effective stake of all pools; ${STAKE_SHARE_DECIMALS} decimals, rounded down`,
  },
  blocks: strictObject(
    { day: COUNT_SCHEMA, month: COUNT_SCHEMA, total: COUNT_SCHEMA },
    {
      title: 'PoolBlocks',
      description: 'Blocks produced in the 24 and the 720 hours up to the timestamp of the tip, and in total',
    },
  ),
  expected_blocks_month: {
    ...DECIMAL_TEXT_SCHEMA,
    description: `Blocks that its shares of the effective stake made likely in the 720 hours, or since its creation if that was later; ${EXPECTED_BLOCKS_DECIMALS} decimals, rounded down`,
  },
  apr_month: {
    ...nullable(DECIMAL_TEXT_SCHEMA),
    description:
      'Rewards of delegators per delegated coin in the 720 hours, or since its creation if that was later (of a day at least), ' +
      `as a yearly rate without compounding: 0.05 is 5%; ${APR_DECIMALS} decimals, rounded down; null where nothing was delegated`,
  },
  apr_expected: {
    ...nullable(DECIMAL_TEXT_SCHEMA),
    description:
      'What a delegated coin is expected to earn at the stakes, margin and cost of now, if its share of all blocks is that of its effective ' +
      `stake, as a yearly rate without compounding; ${APR_DECIMALS} decimals, rounded down; null where rewards do not follow the stake yet`,
  },
  apy_month: {
    ...nullable(DECIMAL_TEXT_SCHEMA),
    description: 'The same as `apr_month`, by the name that it had before: it is no APY, because nothing is compounded',
  },
});

const expandedPoolJson = objectWriter(EXPANDED_POOL_SCHEMA);

const blockCountsJson = objectWriter(EXPANDED_POOL_SCHEMA.properties.blocks);

const DECOMMISSION_SCHEMA = strictObject(
  { tx_id: HEX_ID_SCHEMA, ...CREATION_BLOCK_SCHEMA.properties },
  { description: 'The transaction that decommissioned it, and its block; null for an active pool' },
);

export const SINGLE_POOL_SCHEMA = strictObject({
  ...EXPANDED_POOL_SCHEMA.properties,
  decommissioned: nullable(DECOMMISSION_SCHEMA),
});

const decommissionJson = objectWriter(DECOMMISSION_SCHEMA);

/** A pool with all fields, active or decommissioned. */
export function presentSinglePool(network: Network, row: SinglePoolRow): JsonTextOf<typeof SINGLE_POOL_SCHEMA> {
  const { decommission_tx_id: tx_id, decommission_height: height, decommission_timestamp: timestamp } = row;
  return withFields(presentExpandedPool(network, row), {
    decommissioned: nullableJson(tx_id, (id) =>
      decommissionJson({ tx_id: id, height: height!, timestamp: timestamp! }),
    ),
  });
}

/** A pool with all fields that lists have. */
export function presentExpandedPool(network: Network, row: ExpandedPoolRow): JsonTextOf<typeof EXPANDED_POOL_SCHEMA> {
  const { coinDecimals } = network;
  const apr = aprJson(aprOfMonth(row));
  return expandedPoolJson({
    ...poolFields(network, row),
    created: createdJson({ height: row.creation_height, timestamp: row.creation_timestamp }),
    delegation_count: row.delegation_count,
    total_stake: amountJson(row.total_stake, coinDecimals),
    effective_stake: amountJson(row.effective_stake, coinDecimals),
    stake_share: stakeShare(row),
    blocks: blockCountsJson({ day: row.blocks_day, month: row.blocks_month, total: row.blocks_total }),
    expected_blocks_month: expectedBlocksOfMonth(row),
    apr_month: apr,
    apr_expected: aprJson(expectedApr(network, row)),
    apy_month: apr,
  });
}

const aprJson = (apr: bigint | null) => nullableJson(apr, (rate) => plainJson(decimalText(rate, APR_DECIMALS)));

export const ADDRESS_POOL_SCHEMA = strictObject({ ...POOL, creation_block_height: COUNT_SCHEMA });

/** An entry of an address' list of pools. */
export function presentAddressPool(network: Network, row: PoolRow): JsonTextOf<typeof ADDRESS_POOL_SCHEMA> {
  return withFields(presentPool(network, row), { creation_block_height: numberJson(row.creation_height) });
}

export const POOL_DELEGATION_SCHEMA = strictObject({
  delegation_id: BECH32_SCHEMA,
  next_nonce: COUNT_SCHEMA,
  spend_destination: BECH32_SCHEMA,
  balance: schemaRef('Amount'),
  creation_block_height: COUNT_SCHEMA,
});

const poolDelegationJson = objectWriter(POOL_DELEGATION_SCHEMA);

/** An entry of a pool's list of delegations. */
export function presentPoolDelegation(network: Network, row: DelegationRow): JsonTextOf<typeof POOL_DELEGATION_SCHEMA> {
  return poolDelegationJson({
    balance: amountJson(row.balance, network.coinDecimals),
    creation_block_height: row.creation_height,
    delegation_id: delegationAddress(network, row.delegation_id),
    next_nonce: row.next_nonce,
    spend_destination: destinationAddress(network, row.spend_destination),
  });
}

export const BLOCK_COUNT_SCHEMA = strictObject({ block_count: COUNT_SCHEMA });

const blockCountJson = objectWriter(BLOCK_COUNT_SCHEMA);

/** The number of blocks that a pool made. */
export function presentBlockCount(count: number): JsonTextOf<typeof BLOCK_COUNT_SCHEMA> {
  return blockCountJson({ block_count: count });
}

export const DELEGATION_SCHEMA = strictObject({
  spend_destination: { ...BECH32_SCHEMA, description: 'Whose key authorises withdrawals' },
  balance: schemaRef('Amount'),
  creation_block_height: COUNT_SCHEMA,
  next_nonce: COUNT_SCHEMA,
  pool_id: BECH32_SCHEMA,
});

const delegationJson = objectWriter(DELEGATION_SCHEMA);

export function presentDelegation(network: Network, row: DelegationRow): JsonTextOf<typeof DELEGATION_SCHEMA> {
  return delegationJson({
    balance: amountJson(row.balance, network.coinDecimals),
    creation_block_height: row.creation_height,
    next_nonce: row.next_nonce,
    pool_id: poolAddress(network, row.pool_id),
    spend_destination: destinationAddress(network, row.spend_destination),
  });
}
