/**
 * The response profile `described`: the shapes of the API's published description, and those of mintlayer-core for what
 * it does not describe (docs/api.md#response-profiles).
 */

import Type from 'typebox';
import type { BookLevel } from '../../answers/order-book.ts';
import { delegationAddress } from '../../chain/address.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { feeRate } from '../../chain/fee-rate.ts';
import type { Hex } from '../../chain/types.ts';
import { optionalUtf8Json } from '../../render/common-values.ts';
import {
  BECH32_SCHEMA,
  BLOCK_REFERENCE,
  DECIMAL_PATTERN,
  HEX_ID_SCHEMA,
  HEX_TEXT_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { OutputRow, UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import type { DelegationRow } from '../../store/queries/pools/delegations.ts';
import type { StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import type { TokenRow } from '../../store/queries/tokens/tokens.ts';
import { appendedFields, defineEntry, kind } from '../entry/define-entry.ts';
import {
  amountsIn,
  BLOCK_TARGET_FIELDS,
  choice,
  count,
  hexText,
  integerText,
  listOf,
  nested,
  SHARE_PER_MILLION,
  TICKER_IS_UNIQUE,
  token,
  utf8,
} from '../entry/kinds.ts';
import type { AddressToken, HolderBalance, ResponseProfile, TransactionSize } from './profile.ts';

const GLOBAL_INDEX = appendedFields<number>({ tx_global_index: count((index) => index) });

// The lists of outputs are the longest, so only the field names are added; the values are stored as JSON.
const UTXO_PROPERTIES = {
  outpoint: schemaRef('Outpoint'),
  utxo: schemaRef('Output'),
  block: Type.Optional(
    strictObject(BLOCK_REFERENCE, {
      title: 'OutputBlock',
      description: 'The block that made the output; absent for an output of a pending transaction',
    }),
  ),
};

const SPENT = strictObject({ transaction_id: nullable(HEX_ID_SCHEMA), ...BLOCK_REFERENCE });

function spentJson({ spent_block, spent_tx_id }: OutputRow): string {
  if (spent_block === null) return 'null';
  return `{"transaction_id":${spent_tx_id === null ? null : `"${spent_tx_id}"`},${spent_block}}`;
}

const LIST_OF_TOKENS = listOf(token);

const OPTIONAL_TEXT = kind<Hex>({ schema: nullable(Type.String()), json: optionalUtf8Json });

const holding = amountsIn<HolderBalance>(({ decimals }) => decimals);

export const DESCRIBED_PROFILE: ResponseProfile = {
  name: 'described',

  transactionTimestamp: count,
  transactionIndex: { listed: GLOBAL_INDEX, single: GLOBAL_INDEX },

  block: BLOCK_TARGET_FIELDS,
  transactionSize: appendedFields<TransactionSize>({
    size: count(({ size }) => size, 'With signatures, in bytes'),
    fee_rate: integerText.optional(
      ({ size, fee }) => (fee === null ? undefined : feeRate(fee, size)),
      'The fee in atoms per 1,000 bytes, rounded down; absent where the fee is not known',
    ),
  }),

  utxo: kind<UtxoRow>({
    schema: strictObject(UTXO_PROPERTIES),
    json: ({ entry, block_reference }) => `${entry},"block":{${block_reference}}}`,
  }),
  utxosHaveBlock: true,
  allUtxos: {
    which: 'ever',
    entry: kind<OutputRow>({
      schema: strictObject({ ...UTXO_PROPERTIES, spent: nullable(SPENT) }),
      json: (row) => `${row.entry},"block":{${row.block_reference}},"spent":${spentJson(row)}}`,
    }),
  },
  refundWaitsForLock: true,

  addressTokens: {
    kind: kind<readonly AddressToken[]>({
      schema: Type.Array(BECH32_SCHEMA),
      json: (tokens, network) =>
        LIST_OF_TOKENS.text(
          tokens.filter(({ isNft }) => !isNft).map(({ tokenId }) => tokenId),
          network,
        ),
    }),
    which: 'held',
  },
  addressDelegation: kind<DelegationRow>({
    schema: BECH32_SCHEMA,
    json: ({ delegation_id }, network) => delegationAddress(network, delegation_id),
    isQuoted: true,
  }),
  noTokenAuthority: 'No token authority found',

  tokenTicker: utf8,
  tokenMetadataUri: nested(defineEntry<Hex>({ hex: hexText((hex) => hex) })),
  isTokenFreezable: kind<TokenRow>({
    schema: Type.Boolean(),
    json: ({ is_freezable, is_frozen }) => is_freezable && !is_frozen,
  }),
  tokenTotalSupply: {
    total_supply: amountsIn<TokenRow>(({ decimals }) => decimals)(
      ({ total_supply, circulating_supply }) => total_supply ?? circulating_supply,
    ),
    total_supply_type: choice(['Fixed', 'Lockable', 'Unlimited'])(
      ({ total_supply_type }: TokenRow) => total_supply_type,
    ),
  },
  tokenUniqueness: { ticker_is_unique: TICKER_IS_UNIQUE },
  tokenStatistics: {
    total_supply: amountsIn<StatisticsRow>(({ decimals }) => decimals ?? 0)(
      ({ total_supply, token_circulating_supply, circulating_supply }) =>
        total_supply ?? token_circulating_supply ?? circulating_supply,
    ),
  },

  nftText: OPTIONAL_TEXT,
  nftOptionalText: OPTIONAL_TEXT,
  nftMediaHash: kind<Hex>({
    schema: nullable(HEX_TEXT_SCHEMA),
    json: (hex) => (hex === '' ? 'null' : `"${hex}"`),
  }),

  missingHeight: 'null',
  servesGenesisByHeight: true,
  servesSpentOutputs: false,
  pagesPoolDelegations: true,
  tokenTransactionsOffset: 'from the newest',
  unknownTokenHasTransactions: false,
  malformedDelegationId: 'Invalid delegation Id',
  holder: {
    locked: holding(({ locked }) => locked, 'Under a time lock'),
    total: holding(({ amount, locked }) => amount + locked, 'Both together'),
    share_per_million: SHARE_PER_MILLION,
  },
  holderSorts: ['amount', 'total'],
  priceLevel: { order_count: count(({ orderCount }: BookLevel) => orderCount) },
  priceDecimal: { text: decimalText, pattern: DECIMAL_PATTERN },
  bookOrders: ['worst', 'best'],
  events: {
    names: { tx_seen: 'tx_seen', block: 'block', reorg: 'reorg', lag: 'lag' },
    origins: { local: 'local', remote: 'remote' },
    timestamp: String,
    areDroppedTold: true,
    explainsRefusals: true,
    haveSequence: true,
  },
  knownParameters: null,
  saysWhyUnknown: true,
  nodeRefusal: ({ message }) => `RPC error: ${message}`,
  longInvalidSubmission: 400,
};
