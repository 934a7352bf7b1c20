/** Lists of NFTs, and of the owners of an NFT. */
import { MAX_HEIGHT } from '../../../chain/networks/network.ts';
import type { Destination, Hex, Id } from '../../../chain/types.ts';
import { defineQuery } from '../../read/query.ts';
import { AGE_ORDERS, type AgeSort, type ByAge } from '../lists/age-order.ts';
import { defineList, type List, type NotNull, type OwnerSelection } from '../lists/define-list.ts';
import { walksFromSortKeySql } from '../lists/keyset.ts';
import { TRANSACTION_ORDER, type TransactionSortKey } from '../transactions/transactions.ts';

export interface ListedNftRow {
  readonly token_id: Id;
  /** The owner; null if the NFT was burned, or an order or an HTLC holds it. */
  readonly owner: Destination | null;
  readonly is_burned: boolean;
  /** The SCALE encoding of the issuance's metadata. */
  readonly metadata: Hex;
  readonly creation_height: number;
  /** The timestamp of the block that created it, in seconds since the epoch. */
  readonly creation_timestamp: number;
}

const BY_HEIGHT = {
  table: 'nfts',
  columns: 'token_id, owner, metadata, creation_height',
  key: 'creation_height',
  id: 'token_id',
};

/** The SQL of the entries from a sort key on. */
function listed(where: string, sort: AgeSort = 'by_height'): string {
  const { direction, idDirection } = AGE_ORDERS[sort];
  return `
    select n.token_id, n.owner, n.metadata, n.creation_height, b.timestamp as creation_timestamp,
           n.owner is null and coalesce((select circulating_supply from statistics where currency = n.token_id), 0) = 0 as is_burned
    from (${walksFromSortKeySql({ ...BY_HEIGHT, where, direction, idDirection })}
      limit :row_limit
    ) n
    join blocks b on b.height = n.creation_height
    order by n.creation_height ${direction}, n.token_id ${idDirection}`;
}

/** All NFTs. */
const allNfts = (sort: AgeSort) =>
  defineQuery<[height: number, tokenId: Id, rowLimit: number], ListedNftRow>({
    name: `nfts_${sort}`,
    parameters: { height: 'integer', token_id: 'bytea', row_limit: 'integer' },
    select: listed('true', sort),
  });
const NFTS = { by_height: allNfts('by_height'), by_age: allNfts('by_age') };

/** The NFTs of an address, newest first. */
const NFTS_OF_OWNER = defineQuery<[owner: Destination, height: number, tokenId: Id, rowLimit: number], ListedNftRow>({
  name: 'nfts_of_owner',
  parameters: { owner: 'bytea', height: 'integer', token_id: 'bytea', row_limit: 'integer' },
  select: listed('owner = :owner'),
});

/**
 * A row of the list. If an NFT has no owners below the given index, it has one row, in which all fields but `exists`
 * are null.
 */
interface NftOwnerRow {
  readonly exists: boolean;
  /** The global index of the transaction that gave it to the owner. */
  readonly tx_index: number | null;
  readonly tx_id: Id | null;
  /** The owner; null also if the NFT was burned, or an order or an HTLC held it. */
  readonly owner: Destination | null;
  readonly height: number | null;
  readonly block_id: Id | null;
  readonly timestamp: number | null;
}

/** A row that is an entry; its owner may be null. */
export type NftOwnerEntryRow = NotNull<NftOwnerRow, Exclude<keyof NftOwnerRow, 'owner'>>;

/** The owners of an NFT, newest first, from transactions below a global index. No row if the id is not an NFT's. */
const NFT_OWNERS_BELOW = defineQuery<[tokenId: Id, below: number, rowLimit: number], NftOwnerRow>({
  name: 'nft_owners_below',
  parameters: { token_id: 'bytea', below: 'bigint', row_limit: 'integer' },
  select: `
    select true as exists, l.*
    from nfts n
    left join lateral (
      select o.tx_index, x.tx_id, o.owner, b.height, b.block_id, b.timestamp
      from (
        select tx_index, owner from nft_owners
        where token_id = :token_id and tx_index < :below
        order by tx_index desc limit :row_limit
      ) o
      join transactions x on x.tx_index = o.tx_index
      join blocks b on b.height = x.height
      order by o.tx_index desc
    ) l on true
    where n.token_id = :token_id`,
});

interface NftKey {
  /** The height at which it was issued. */
  readonly height: number;
  readonly tokenId: Id;
}

const ORDER = {
  fields: { height: 'int32', tokenId: 'hash' },
  sortKey: ({ creation_height: height, token_id: tokenId }: ListedNftRow): NftKey => ({ height, tokenId }),
} as const;

/** All NFTs. */
export const NFT_LIST = defineList<ByAge, NftKey, ListedNftRow>({
  name: ({ sort = 'by_height' }) => (sort === 'by_height' ? 'nft' : `nft ${sort}`),
  ...ORDER,
  read: (store, { sort = 'by_height', after, limit }) =>
    store.query(NFTS[sort], after?.height ?? AGE_ORDERS[sort].first, after?.tokenId ?? '', limit),
});

/** The NFTs of an address. */
export const ADDRESS_NFT_LIST = defineList<OwnerSelection, NftKey, ListedNftRow>({
  name: ({ owner }) => `address-nfts ${owner}`,
  ...ORDER,
  read: (store, { owner, after, limit }) =>
    store.query(NFTS_OF_OWNER, owner, after?.height ?? MAX_HEIGHT, after?.tokenId ?? '', limit),
});

/** The owners of an NFT. No row if the id is not an NFT's; a row that is no entry if nobody has owned it. */
export const NFT_OWNER_LIST: List<{ readonly tokenId: Id }, TransactionSortKey, NftOwnerRow, NftOwnerEntryRow> = {
  name: ({ tokenId }) => `nft-owners ${tokenId}`,
  ...TRANSACTION_ORDER,
  isEntry: (row): row is NftOwnerEntryRow => row.tx_index !== null,
  read: (store, { tokenId, after, limit }) =>
    store.query(NFT_OWNERS_BELOW, tokenId, after?.txIndex ?? Number.MAX_SAFE_INTEGER, limit),
};
