/** Balances and history of a destination, as JSON. */
import Type from 'typebox';
import type { OwnedSummary } from '../../answers/address-holdings.ts';
import type { Network } from '../../chain/networks/network.ts';
import { amountJson } from '../../render/common-values.ts';
import { jsonFromStore, objectJson } from '../../render/compose-json.ts';
import { COUNT_SCHEMA, describedRef, HEX_ID_SCHEMA, strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { AddressRow } from '../../store/queries/addresses/addresses.ts';
import type { AddressTransactionRow } from '../../store/queries/transactions/transactions.ts';
import type { AddressToken, ResponseProfile } from '../response-profile/profile.ts';
import { presentOwned } from './address-holdings.ts';
import { objectWriter } from './object-writer.ts';

export function addressSchema({ addressTokens }: ResponseProfile) {
  return strictObject({
    coin_balance: describedRef('Amount', 'Not under a time lock'),
    locked_coin_balance: describedRef('Amount', 'Under a time lock'),
    tokens: addressTokens.schema,
    transaction_history: Type.Array(HEX_ID_SCHEMA, { description: 'Most recent first' }),
    total: Type.Optional(describedRef('Owned', 'With `expand=true`')),
  });
}

/** An address with at least one transaction. `owned`: all that it owns, if the request asks for it. */
export function presentAddress(
  network: Network,
  { addressTokens }: ResponseProfile,
  row: AddressRow,
  owned?: OwnedSummary,
): JsonTextOf<ReturnType<typeof addressSchema>> {
  return objectJson({
    coin_balance: amountJson(row.coins ?? 0n, network.coinDecimals),
    locked_coin_balance: amountJson(row.locked_coins ?? 0n, network.coinDecimals),
    tokens: addressTokens.text(network, tokensOf(row)),
    transaction_history: jsonFromStore(`["${row.history}"]`),
    total: owned && presentOwned(network, owned),
  });
}

function tokensOf({ tokens }: AddressRow): AddressToken[] {
  if (tokens === '') return [];
  return tokens.split(' ').map((word) => {
    const [tokenId, atoms, decimals] = word.split(':') as [string, string, string];
    const isNft = decimals === 'nft';
    return { tokenId, atoms: BigInt(atoms), decimals: isNft ? 0 : Number(decimals), isNft };
  });
}

export const ADDRESS_TRANSACTION_SCHEMA = strictObject({
  tx_id: HEX_ID_SCHEMA,
  tx_global_index: COUNT_SCHEMA,
  block_height: COUNT_SCHEMA,
  timestamp: COUNT_SCHEMA,
});

const addressTransactionJson = objectWriter(ADDRESS_TRANSACTION_SCHEMA);

/** An entry of an address' list of transactions. */
export function presentAddressTransaction(row: AddressTransactionRow): JsonTextOf<typeof ADDRESS_TRANSACTION_SCHEMA> {
  return addressTransactionJson({
    tx_id: row.tx_id,
    tx_global_index: row.tx_index,
    block_height: row.height,
    timestamp: row.timestamp,
  });
}
