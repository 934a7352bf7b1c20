/** Delegations as JSON. */
import { destinationAddress, poolAddress } from '../../chain/address.ts';
import type { Network } from '../../chain/networks/network.ts';
import { numberJson, objectJson, plainJson } from '../../render/json.ts';
import { amountJson } from '../../render/text.ts';
import type { DelegationRow } from '../../store/queries/delegations.ts';
import { Bech32, Count, schemaRef, strictObject } from '../schemas/common.ts';
import type { JsonOf } from '../schemas/json-types.ts';

export const DELEGATION_SCHEMA = strictObject({
  spend_destination: { ...Bech32, description: 'Whose key authorises withdrawals' },
  balance: schemaRef('Amount'),
  creation_block_height: Count,
  next_nonce: Count,
  pool_id: Bech32,
});

export function presentDelegation(network: Network, row: DelegationRow): JsonOf<typeof DELEGATION_SCHEMA> {
  return objectJson({
    spend_destination: plainJson(destinationAddress(network, row.spend_destination)),
    balance: amountJson(row.balance, network.coinDecimals),
    creation_block_height: numberJson(row.creation_height),
    next_nonce: numberJson(row.next_nonce),
    pool_id: plainJson(poolAddress(network, row.pool_id)),
  });
}
