/** Delegations as JSON. */
import { destinationAddress, poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { Bech32, Count, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/schema-types.ts';
import { amountJson } from '../../render/value-json.ts';
import type { DelegationRow } from '../../store/queries/delegations.ts';
import { objectWriter } from './object-writer.ts';

export const DELEGATION_SCHEMA = strictObject({
  spend_destination: { ...Bech32, description: 'Whose key authorises withdrawals' },
  balance: schemaRef('Amount'),
  creation_block_height: Count,
  next_nonce: Count,
  pool_id: Bech32,
});

const delegationJson = objectWriter(DELEGATION_SCHEMA);

export function presentDelegation(network: Network, row: DelegationRow): JsonTextOf<typeof DELEGATION_SCHEMA> {
  return delegationJson({
    spend_destination: destinationAddress(network, row.spend_destination),
    balance: amountJson(row.balance, network.coinDecimals),
    creation_block_height: row.creation_height,
    next_nonce: row.next_nonce,
    pool_id: poolAddress(network, row.pool_id),
  });
}
