/** Balances and history of a destination, as JSON. */
import Type from 'typebox';
import type { OwnedSummary } from '../../answers/owned-coins-and-tokens.ts';
import { HEX_ID_SCHEMA } from '../../render/schemas/common.ts';
import type { AddressRow } from '../../store/queries/addresses/addresses.ts';
import type { AddressTransactionRow } from '../../store/queries/transactions/transactions.ts';
import { defineEntry, type Entry } from '../entry/define-entry.ts';
import { coins, count, hexId, nested, stored } from '../entry/kinds.ts';
import type { AddressToken, ResponseProfile } from '../response-profile/profile.ts';
import { OWNED_COINS_AND_TOKENS } from './owned-coins-and-tokens.ts';

/** An address with at least one transaction. */
interface ShownAddress {
  readonly row: AddressRow;
  /** All that it owns, if the request asks for it. */
  readonly owned: OwnedSummary | undefined;
}

export const addressEntry = ({ addressTokens }: ResponseProfile): Entry<ShownAddress> =>
  defineEntry<ShownAddress>({
    coin_balance: coins(({ row }) => row.coins ?? 0n, 'Not under a time lock'),
    locked_coin_balance: coins(({ row }) => row.locked_coins ?? 0n, 'Under a time lock'),
    tokens: addressTokens.kind(({ row }) => tokensOf(row)),
    transaction_history: stored(Type.Array(HEX_ID_SCHEMA))(({ row }) => `["${row.history}"]`, 'Most recent first'),
    total: nested(OWNED_COINS_AND_TOKENS, 'Owned').optional(({ owned }) => owned, 'With `expand=true`'),
  });

function tokensOf({ tokens }: AddressRow): AddressToken[] {
  if (tokens === '') return [];
  return tokens.split(' ').map((word) => {
    const [tokenId, atoms, decimals] = word.split(':') as [string, string, string];
    const isNft = decimals === 'nft';
    return { tokenId, atoms: BigInt(atoms), decimals: isNft ? 0 : Number(decimals), isNft };
  });
}

/** An entry of an address' list of transactions. */
export const ADDRESS_TRANSACTION = defineEntry<AddressTransactionRow>({
  tx_id: hexId(({ tx_id }) => tx_id),
  tx_global_index: count(({ tx_index }) => tx_index),
  block_height: count(({ height }) => height),
  timestamp: count(({ timestamp }) => timestamp),
});
