/** Staking pools and their delegations as JSON. */
import { delegationAddress, destinationAddress, poolAddress, vrfKeyAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson } from '../../render/value-json.ts';
import type { DelegationRow } from '../../store/queries/delegations.ts';
import type { PoolRow } from '../../store/queries/pools.ts';
import { Bech32, Count, plainString, schemaRef, strictObject } from '../schemas/common.ts';
import type { JsonTextOf } from '../schemas/schema-types.ts';
import { objectWriter } from './object-writer.ts';

export const POOL_SCHEMA = strictObject({
  pool_id: Bech32,
  decommission_destination: Bech32,
  staker_balance: { ...schemaRef('Amount'), description: "The staker's pledge and rewards; 0 when decommissioned" },
  margin_ratio_per_thousand: plainString({ pattern: '^[0-9]+(\\.[0-9])?%$' }),
  cost_per_block: schemaRef('Amount'),
  vrf_public_key: Bech32,
  delegations_balance: { ...schemaRef('Amount'), description: 'Total delegated by others' },
});

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
