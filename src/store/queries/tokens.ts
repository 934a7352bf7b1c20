/** Fungible tokens and NFTs. Lists hold both: the fungible ones by id, then the NFTs by id. */
import type { Atoms, Destination, Hex, Id } from '../../chain/types.ts';
import { batchedQuery } from '../read/batched-query.ts';

export interface TokenRow {
  readonly token_id: Id;
  readonly ticker: Hex;
  readonly decimals: number;
  readonly metadata_uri: Hex;
  readonly total_supply_type: 'Fixed' | 'Lockable' | 'Unlimited';
  /** Null unless Fixed. */
  readonly total_supply: Atoms | null;
  readonly circulating_supply: Atoms;
  readonly is_locked: boolean;
  readonly is_frozen: boolean;
  readonly is_freezable: boolean;
  /** Null unless frozen. */
  readonly is_unfreezable: boolean | null;
  readonly authority: Destination;
  readonly next_nonce: bigint;
}

export const TOKEN = batchedQuery<[tokenId: Id], TokenRow>({
  name: 'token',
  asked: { token_id: 'bytea' },
  key: 'token_id',
  select: `
    select token_id, ticker, decimals, metadata_uri, total_supply_type, total_supply, circulating_supply,
           is_locked, is_frozen, is_freezable, is_unfreezable, authority, next_nonce
    from tokens where token_id = q.token_id`,
});

/** No row for what is no fungible token. */
export const TOKEN_DECIMALS = batchedQuery<[tokenId: Id], { readonly decimals: number }>({
  name: 'token_decimals',
  asked: { token_id: 'bytea' },
  key: 'decimals',
  select: 'select decimals from tokens where token_id = q.token_id',
});

export interface NftRow {
  readonly owner: Destination | null;
  /** The SCALE encoding of the issuance's metadata. */
  readonly metadata: Hex;
}

export const NFT = batchedQuery<[tokenId: Id], NftRow>({
  name: 'nft',
  asked: { token_id: 'bytea' },
  key: 'metadata',
  select: 'select owner, metadata from nfts where token_id = q.token_id',
});

export interface TokenIdRow {
  readonly token_id: Id;
  readonly is_nft: boolean;
}

/** Token ids after a place: `isNft` says in which of the two halves the place is. */
export const TOKEN_IDS = batchedQuery<[isNft: boolean, after: Id, skipped: number, items: number], TokenIdRow>({
  name: 'token_ids',
  asked: { is_nft: 'boolean', after: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'token_id',
  select: `
    (select token_id, false as is_nft from tokens
     where not q.is_nft and token_id > q.after
     order by token_id limit q.items + q.skipped)
    union all
    (select token_id, true from nfts
     where token_id > case when q.is_nft then q.after else '' end
     order by token_id limit q.items + q.skipped)
    offset q.skipped limit q.items`,
});

/** The tokens whose lower-case ticker contains a lower-case text, after a place. */
export const TOKEN_IDS_BY_TICKER = batchedQuery<
  [fragment: string, isNft: boolean, after: Id, skipped: number, items: number],
  TokenIdRow
>({
  name: 'token_ids_by_ticker',
  asked: { fragment: 'text', is_nft: 'boolean', after: 'bytea', skipped: 'bigint', items: 'integer' },
  key: 'token_id',
  select: `
    select token_id, is_nft from ticker_fragments
    where fragment = q.fragment and (is_nft, token_id) > (q.is_nft, q.after)
    order by is_nft, token_id offset q.skipped limit q.items`,
});
