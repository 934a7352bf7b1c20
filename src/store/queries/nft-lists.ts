/** Lists of NFTs, and who had them. */
import { LARGEST_HEIGHT } from '../../chain/networks/network.ts';
import type { Destination, Hex, Id } from '../../chain/types.ts';
import { batchedQuery, type QueryRunner, type SnapshotRows } from '../read/batched-query.ts';
import type { KeysetPage } from './keyset.ts';

export interface ListedNftRow {
  readonly token_id: Id;
  /** Null when it was burned, or is held by an order or an HTLC. */
  readonly owner: Destination | null;
  /** The SCALE encoding of the issuance's metadata. */
  readonly metadata: Hex;
  readonly creation_height: number;
  /** Of the block that created it; seconds since the epoch. */
  readonly creation_timestamp: number;
}

/** Two walks along an index that begins with creation_height desc, token_id: from a place in the list on. */
const listed = (condition: string) => `
    select n.token_id, n.owner, n.metadata, n.creation_height, b.timestamp as creation_timestamp
    from (
      (select token_id, owner, metadata, creation_height from nfts
       where ${condition} and creation_height = q.height and token_id > q.token_id
       order by token_id limit q.row_limit)
      union all
      (select token_id, owner, metadata, creation_height from nfts
       where ${condition} and creation_height < q.height
       order by creation_height desc, token_id limit q.row_limit)
      limit q.row_limit
    ) n
    join blocks b on b.height = n.creation_height
    order by n.creation_height desc, n.token_id`;

/** All NFTs, the youngest first. */
export const NFTS_BY_HEIGHT = batchedQuery<[height: number, tokenId: Id, rowLimit: number], ListedNftRow>({
  name: 'nfts_by_height',
  parameters: { height: 'integer', token_id: 'bytea', row_limit: 'integer' },
  presenceColumn: 'token_id',
  select: listed('true'),
});

/** Those that an address has, the youngest first. */
export const NFTS_OF_OWNER = batchedQuery<
  [owner: Destination, height: number, tokenId: Id, rowLimit: number],
  ListedNftRow
>({
  name: 'nfts_of_owner',
  parameters: { owner: 'bytea', height: 'integer', token_id: 'bytea', row_limit: 'integer' },
  presenceColumn: 'token_id',
  select: listed('owner = q.owner'),
});

/** The fields but `exists` are null in the one row of an NFT without owners below the place. */
export interface NftOwnerRow {
  readonly exists: boolean;
  /** Of the transaction that gave it to the owner. */
  readonly tx_index: number | null;
  readonly tx_id: Id | null;
  /** Null also where nobody had it: it was burned, or held by an order or an HTLC. */
  readonly owner: Destination | null;
  readonly height: number | null;
  readonly block_id: Id | null;
  readonly timestamp: number | null;
}

/** Who had an NFT since when, newest first, by transactions below a global index; no row for what is no NFT. */
export const NFT_OWNERS_BELOW = batchedQuery<[tokenId: Id, below: number, rowLimit: number], NftOwnerRow>({
  name: 'nft_owners_below',
  parameters: { token_id: 'bytea', below: 'bigint', row_limit: 'integer' },
  presenceColumn: 'exists',
  select: `
    select true as exists, l.*
    from nfts n
    left join lateral (
      select o.tx_index, x.tx_id, o.owner, b.height, b.block_id, b.timestamp
      from (
        select tx_index, owner from nft_owners
        where token_id = q.token_id and tx_index < q.below
        order by tx_index desc limit q.row_limit
      ) o
      join transactions x on x.tx_index = o.tx_index
      join blocks b on b.height = x.height
      order by o.tx_index desc
    ) l on true
    where n.token_id = q.token_id`,
});

export interface NftKey {
  /** At which it was issued. */
  readonly height: number;
  readonly tokenId: Id;
}

/** All NFTs. */
export function listNfts(
  store: QueryRunner,
  { after, limit }: KeysetPage<NftKey>,
): Promise<SnapshotRows<ListedNftRow>> {
  return store.query(NFTS_BY_HEIGHT, after?.height ?? LARGEST_HEIGHT, after?.tokenId ?? '', limit);
}

/** The NFTs of an address. */
export function listNftsOfOwner(
  store: QueryRunner,
  { owner, after, limit }: { readonly owner: Destination } & KeysetPage<NftKey>,
): Promise<SnapshotRows<ListedNftRow>> {
  return store.query(NFTS_OF_OWNER, owner, after?.height ?? LARGEST_HEIGHT, after?.tokenId ?? '', limit);
}

/** Who had an NFT; no row for what is no NFT. */
export function listNftOwners(
  store: QueryRunner,
  { tokenId, after, limit }: { readonly tokenId: Id } & KeysetPage<{ readonly txIndex: number }>,
): Promise<SnapshotRows<NftOwnerRow>> {
  return store.query(NFT_OWNERS_BELOW, tokenId, after?.txIndex ?? Number.MAX_SAFE_INTEGER, limit);
}
