/** Fungible tokens, NFTs, ids of tokens, and transactions of a token, as JSON. */
import { lastPriceOf } from '../../answers/markets.ts';
import { publicKeyAddress } from '../../chain/address.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination, Hex, Id, NftMetadata } from '../../chain/types.ts';
import { oneOf } from '../../render/schemas/common.ts';
import type { AnyTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import type { ListedNftRow, NftOwnerEntryRow } from '../../store/queries/tokens/nft-lists.ts';
import type { NftRow, TokenRow } from '../../store/queries/tokens/tokens.ts';
import { defineEntry, type Entry, type Field } from '../entry/define-entry.ts';
import {
  amountsIn,
  bech32,
  CREATED,
  coins,
  count,
  destination,
  flag,
  hexId,
  hexText,
  literal,
  TICKER_IS_UNIQUE,
  text,
  time,
  token,
  utf8,
} from '../entry/kinds.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { price, priceWithDecimals } from './market.ts';
import { frozenSince } from './token-label.ts';

export const tokenEntry = (profile: ResponseProfile): Entry<TokenRow> =>
  defineEntry<TokenRow>({
    authority: destination(({ authority }) => authority),
    circulating_supply: amountsIn<TokenRow>(({ decimals }) => decimals)(
      ({ circulating_supply }) => circulating_supply,
      'What was minted and not unminted; tokens that were burned without an unmint are part of it',
    ),
    frozen: flag(({ is_frozen }) => is_frozen),
    is_locked: flag(({ is_locked }) => is_locked, 'Is the supply locked?'),
    is_token_freezable: profile.isTokenFreezable((row) => row),
    is_token_unfreezable: flag.orNull((row) => (row.is_frozen ? row.is_unfreezable : null), 'null unless frozen'),
    metadata_uri: profile.tokenMetadataUri(({ metadata_uri }) => metadata_uri),
    next_nonce: count(({ next_nonce }) => next_nonce),
    number_of_decimals: count(({ decimals }) => decimals),
    token_ticker: profile.tokenTicker(({ ticker }) => ticker),
    ...profile.tokenTotalSupply,
    ...profile.tokenUniqueness,
  });

/** An entry of a token's list of transactions. */
export const TOKEN_TRANSACTION = defineEntry<{ readonly tx_index: number; readonly tx_id: Id }>({
  tx_global_index: count(({ tx_index }) => tx_index),
  tx_id: hexId(({ tx_id }) => tx_id),
});

const NFT_DECIMALS = count(() => 0, 'Always 0');

const nftOwner = <Row>(of: (row: Row) => Destination | null): Field<Row> =>
  destination.orNull(of, 'null when burned, or held by an order or an HTLC');

const tokens = amountsIn<AnyTokenRow>(({ decimals }) => decimals ?? 0);

const CIRCULATING = tokens<AnyTokenRow>(
  ({ circulating_supply }) => circulating_supply,
  'Without what was burned, as `/statistics/token/{id}` has it',
);
const HOLDERS = count<AnyTokenRow>(
  ({ holders }) => holders,
  'Addresses with a balance, spendable or under a time lock',
);

const EXPANDED_FUNGIBLE = defineEntry<AnyTokenRow>(
  {
    token_id: token(({ token_id }) => token_id),
    type: literal('fungible'),
    ticker: utf8(({ ticker }) => ticker!),
    ticker_is_unique: TICKER_IS_UNIQUE,
    name: text.orNull(() => null, 'Always null'),
    decimals: count(({ decimals }) => decimals!),
    circulating_supply: CIRCULATING,
    holders: HOLDERS,
    authority: destination(({ authority }) => authority!),
    created: CREATED,
    is_frozen: flag(({ is_frozen }) => is_frozen!),
    is_unfreezable: flag.orNull(({ is_unfreezable }) => is_unfreezable, 'May it be unfrozen? null unless frozen'),
    frozen_since: frozenSince(({ frozen_since }) => frozen_since),
    is_locked: flag(({ is_locked }) => is_locked!, 'Is the supply locked?'),
    is_mintable: flag(
      ({ is_mintable }) => is_mintable!,
      'Does the supply allow to mint more, while the token is not frozen?',
    ),
    max_supply: tokens.orNull(
      ({ max_supply }) => max_supply,
      'What may be minted in all, if the supply is fixed; null if it has no limit',
    ),
    last_price: price.orNull(
      (row, { coinDecimals }) => priceWithDecimals({ base: row.decimals!, quote: coinDecimals })(lastPriceOf(row)),
      'Of the newest trade of the token for coins: a whole token in coins',
    ),
    day_volume: coins.orNull(
      ({ day_volume }) => day_volume ?? null,
      'The coins that it was traded for in the 24 hours up to the tip; null without `sort` or `state`',
    ),
  },
  { title: 'ExpandedFungibleToken' },
);

/** A row of an NFT, with its metadata decoded. */
type Decoded<Row> = Row & { readonly nft: NftMetadata };

const decoded = <Row extends { readonly metadata: Hex | null }>(row: Row): Decoded<Row> => ({
  ...row,
  nft: nftMetadataFromHex(row.metadata!),
});

const EXPANDED_NFT = defineEntry<Decoded<AnyTokenRow>>(
  {
    token_id: token(({ token_id }) => token_id),
    type: literal('nft'),
    ticker: utf8(({ nft }) => nft.ticker),
    name: utf8(({ nft }) => nft.name),
    decimals: NFT_DECIMALS,
    circulating_supply: CIRCULATING,
    holders: HOLDERS,
    owner: nftOwner(({ owner }) => owner),
    created: CREATED,
  },
  { title: 'ExpandedNft' },
);

export const EXPANDED_TOKEN_SCHEMA = oneOf([EXPANDED_FUNGIBLE.schema, EXPANDED_NFT.schema]);

/** A token or an NFT with all fields, the same in both profiles. */
export const presentExpandedToken = (network: Network, row: AnyTokenRow): string =>
  row.metadata === null ? EXPANDED_FUNGIBLE.json(network, row) : EXPANDED_NFT.json(network, decoded(row));

const creator = bech32.orNull<{ readonly nft: NftMetadata }>(
  ({ nft }, network) => nft.creator && publicKeyAddress(network, nft.creator),
);

export function nftEntry({ nftText, nftOptionalText, nftMediaHash }: ResponseProfile) {
  const entry = defineEntry<Decoded<NftRow>>({
    additional_metadata_uri: nftOptionalText(({ nft }) => nft.additionalMetadataUri),
    creator,
    description: nftText(({ nft }) => nft.description),
    icon_uri: nftOptionalText(({ nft }) => nft.iconUri),
    media_hash: nftMediaHash(({ nft }) => nft.mediaHash),
    media_uri: nftOptionalText(({ nft }) => nft.mediaUri),
    name: nftText(({ nft }) => nft.name),
    owner: nftOwner(({ owner }) => owner),
    ticker: nftText(({ nft }) => nft.ticker),
  });
  return { schema: entry.schema, json: (network: Network, row: NftRow) => entry.json(network, decoded(row)) };
}

/** An NFT in a list, the same in both profiles. */
const NFT = defineEntry<Decoded<ListedNftRow>>({
  token_id: token(({ token_id }) => token_id),
  ticker: utf8(({ nft }) => nft.ticker),
  decimals: NFT_DECIMALS,
  name: utf8(({ nft }) => nft.name),
  description: utf8.orNull(({ nft }) => nft.description || null),
  creator,
  icon_uri: utf8.orNull(({ nft }) => nft.iconUri || null),
  additional_metadata_uri: utf8.orNull(({ nft }) => nft.additionalMetadataUri || null),
  media_uri: utf8.orNull(({ nft }) => nft.mediaUri || null),
  media_hash: hexText.orNull(({ nft }) => nft.mediaHash || null),
  owner: nftOwner(({ owner }) => owner),
  created: CREATED,
});

export const LISTED_NFT = {
  schema: NFT.schema,
  json: (network: Network, row: ListedNftRow): string => NFT.json(network, decoded(row)),
};

/** An owner of an NFT, with the time of the transfer. */
export const NFT_OWNER = defineEntry<NftOwnerEntryRow>({
  owner: nftOwner(({ owner }) => owner),
  tx_id: hexId(({ tx_id }) => tx_id, 'The transaction that changed the owner'),
  tx_global_index: count(({ tx_index }) => tx_index),
  height: count(({ height }) => height),
  block_id: hexId(({ block_id }) => block_id),
  timestamp: time(({ timestamp }) => timestamp, 'Seconds since the epoch'),
});
