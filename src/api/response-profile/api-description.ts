/**
 * The response profile `described`: the shapes of the API's published description; where that has none,
 * mintlayer-core's (docs/api.md#response-profiles).
 */
import Type from 'typebox';
import { delegationAddress, tokenAddress } from '../../chain/address.ts';
import { decimalText } from '../../chain/amount.ts';
import type { Hex } from '../../chain/types.ts';
import { amountJson } from '../../render/text.ts';
import { UTXO_LIST_WITH_BLOCKS, type UtxoRow } from '../../store/queries/utxos.ts';
import { Bech32, Count, HexId, HexText, nullable, schemaRef, strictObject } from '../schemas/common.ts';
import type { ResponseProfile } from './profile.ts';

const INDEX = { text: (index: number) => `,"tx_global_index":${index}`, properties: { tx_global_index: Count } };

const UTXO_ENTRY = {
  outpoint: schemaRef('Outpoint'),
  utxo: schemaRef('Output'),
  block: strictObject({ block_id: HexId, height: Count, timestamp: Count }),
};

const SPENT = strictObject({ transaction_id: nullable(HexId), block_id: HexId, height: Count, timestamp: Count });

/** The entry with the confirming block, its last brace left away. */
function openEntry({ entry, place }: UtxoRow): string {
  return `${entry},"block":{${place}}`;
}

/** Bytes as text; what is not UTF-8 shows as replacement characters. */
function utf8(hex: Hex): string {
  return JSON.stringify(Buffer.from(hex, 'hex').toString('utf8'));
}

function utf8OrNull(hex: Hex): string {
  return hex === '' ? 'null' : utf8(hex);
}

export const API_DESCRIPTION: ResponseProfile = {
  name: 'described',
  shapesVersion: 'd2',

  transactionTimestamp: { text: String, schema: Count },
  transactionIndex: { listed: INDEX, single: INDEX },

  utxoEntry: {
    text: (row) => `${openEntry(row)}}`,
    finishedList: UTXO_LIST_WITH_BLOCKS,
    schema: strictObject(UTXO_ENTRY),
  },
  allUtxos: {
    which: 'ever',
    entry: {
      text: (row) => {
        if (row.spent_place === null) return `${openEntry(row)},"spent":null}`;
        const transactionId = row.spent_tx_id === null ? 'null' : `"${row.spent_tx_id}"`;
        return `${openEntry(row)},"spent":{"transaction_id":${transactionId},${row.spent_place}}}`;
      },
      schema: strictObject({ ...UTXO_ENTRY, spent: nullable(SPENT) }),
    },
  },
  refundWaitsForLock: true,

  addressTokens: {
    texts: (network, tokens) =>
      tokens.filter(({ isNft }) => !isNft).map(({ tokenId }) => `"${tokenAddress(network, tokenId)}"`),
    schema: Bech32,
  },
  addressDelegation: {
    text: (network, { delegation_id }) => `"${delegationAddress(network, delegation_id)}"`,
    schema: Bech32,
  },
  noTokenAuthority: 'No token authority found',

  tokenTicker: { text: utf8, schema: Type.String() },
  tokenMetadataUri: { text: (hex) => `{"hex":"${hex}"}`, schema: strictObject({ hex: HexText }) },
  isTokenFreezable: { text: (token) => String(token.is_freezable && !token.is_frozen), schema: Type.Boolean() },
  tokenTotalSupply: {
    text: (token) =>
      `,"total_supply":${amountJson(token.total_supply ?? token.circulating_supply, token.decimals)},"total_supply_type":"${token.total_supply_type}"`,
    properties: { total_supply: schemaRef('Amount'), total_supply_type: Type.Enum(['Fixed', 'Lockable', 'Unlimited']) },
  },
  tokenStatistics: {
    text: (statistics) => {
      const total = statistics.total_supply ?? statistics.token_circulating_supply ?? statistics.circulating_supply;
      return `,"total_supply":${amountJson(total, statistics.decimals ?? 0)}`;
    },
    properties: { total_supply: schemaRef('Amount') },
  },

  nftText: { text: utf8OrNull, schema: nullable(Type.String()) },
  nftOptionalText: { text: utf8OrNull, schema: nullable(Type.String()) },
  nftMediaHash: { text: (hex) => (hex === '' ? 'null' : `"${hex}"`), schema: nullable(HexText) },

  missingHeight: 'null',
  servesGenesisByHeight: true,
  servesSpentOutputs: false,
  pagesPoolDelegations: true,
  tokenTransactionsOffset: 'from the newest',
  unknownTokenHasTransactions: false,
  malformedDelegationId: 'Invalid delegation Id',
  holder: {
    text: ({ amount: spendable, locked, decimals, circulatingSupply }) => {
      const share = circulatingSupply === 0n ? 0n : (spendable * 1_000_000n) / circulatingSupply;
      return `,"locked":${amountJson(locked, decimals)},"total":${amountJson(spendable + locked, decimals)},"share_per_million":${share}`;
    },
    properties: {
      locked: { ...schemaRef('Amount'), description: 'Under a time lock' },
      total: { ...schemaRef('Amount'), description: 'Both together' },
      share_per_million: Type.Integer({
        minimum: 0,
        description: '`amount` as a part of the circulating supply, rounded down',
      }),
    },
  },
  holderSorts: ['amount', 'total'],
  priceLevel: { text: ({ orderCount }) => `,"order_count":${orderCount}`, properties: { order_count: Count } },
  priceDecimal: { text: decimalText, pattern: '^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$' },
  bookOrders: ['worst', 'best'],
  events: {
    names: { tx_seen: 'tx_seen', block: 'block', reorg: 'reorg', lag: 'lag' },
    origins: { local: 'local', remote: 'remote' },
    timestamp: { text: String, schema: Count },
    areDroppedTold: true,
  },
  saysWhyUnknown: true,
  nodeRefusal: ({ message }) => `RPC error: ${message}`,
  longInvalidSubmission: 400,
};
