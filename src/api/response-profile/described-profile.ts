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
import { moreFields, NULL_JSON, nullableJson, numberJson, plainJson } from '../../render/compose-json.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  HEX_TEXT_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import type { OutputRow, UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import type { DelegationRow } from '../../store/queries/pools/delegations.ts';
import type { StatisticsRow } from '../../store/queries/tokens/currency-statistics.ts';
import type { TokenRow } from '../../store/queries/tokens/tokens.ts';
import { defineEntry, kind } from '../entry/define-entry.ts';
import {
  amountsIn,
  BLOCK_TARGET_FIELDS,
  choice,
  count,
  hexText,
  listOf,
  nested,
  SHARE_PER_MILLION,
  TICKER_IS_UNIQUE,
  token,
  utf8,
} from '../entry/kinds.ts';
import { MINTLAYER_CORE_PROFILE } from './mintlayer-core-profile.ts';
import {
  type AddressToken,
  type HolderBalance,
  jsonField,
  profileFields,
  type ResponseProfile,
  type ResponseProfileName,
} from './profile.ts';

const GLOBAL_INDEX = profileFields({ tx_global_index: COUNT_SCHEMA }, (index: number) =>
  moreFields({ tx_global_index: numberJson(index) }),
);

const UTXO_ENTRY = {
  outpoint: schemaRef('Outpoint'),
  utxo: schemaRef('Output'),
  block: Type.Optional(
    strictObject(
      { block_id: HEX_ID_SCHEMA, height: COUNT_SCHEMA, timestamp: COUNT_SCHEMA },
      {
        title: 'OutputBlock',
        description: 'The block that made the output; absent for an output of a pending transaction',
      },
    ),
  ),
};

const SPENT = strictObject({
  transaction_id: nullable(HEX_ID_SCHEMA),
  block_id: HEX_ID_SCHEMA,
  height: COUNT_SCHEMA,
  timestamp: COUNT_SCHEMA,
});

const UTXO_SCHEMA = strictObject(UTXO_ENTRY);
const PAID_OUTPUT_SCHEMA = strictObject({ ...UTXO_ENTRY, spent: nullable(SPENT) });

// These lists are the longest, so only the field names are added; the values are stored as JSON.
function presentUtxo({ entry, block_reference }: UtxoRow): JsonTextOf<typeof UTXO_SCHEMA> {
  return `${entry},"block":{${block_reference}}}` as JsonTextOf<typeof UTXO_SCHEMA>;
}

function presentPaidOutput(row: OutputRow): JsonTextOf<typeof PAID_OUTPUT_SCHEMA> {
  const { entry, block_reference } = row;
  return `${entry},"block":{${block_reference}},"spent":${presentSpent(row)}}` as JsonTextOf<typeof PAID_OUTPUT_SCHEMA>;
}

function presentSpent({ spent_block, spent_tx_id }: OutputRow): JsonTextOf<typeof SPENT> | typeof NULL_JSON {
  if (spent_block === null) return NULL_JSON;
  return `{"transaction_id":${nullableJson(spent_tx_id, plainJson)},${spent_block}}` as JsonTextOf<typeof SPENT>;
}

const LIST_OF_TOKENS = listOf(token);

const OPTIONAL_TEXT = kind<Hex>({ schema: nullable(Type.String()), json: optionalUtf8Json });

const holding = amountsIn<HolderBalance>(({ decimals }) => decimals);

export const DESCRIBED_PROFILE: ResponseProfile = {
  name: 'described',

  transactionTimestamp: jsonField(COUNT_SCHEMA, numberJson),
  transactionIndex: { listed: GLOBAL_INDEX, single: GLOBAL_INDEX },

  block: BLOCK_TARGET_FIELDS,
  transactionSize: profileFields(
    {
      size: { ...COUNT_SCHEMA, description: 'With signatures, in bytes' },
      fee_rate: Type.Optional({
        ...ATOMS_TEXT_SCHEMA,
        description: 'The fee in atoms per 1,000 bytes, rounded down; absent where the fee is not known',
      }),
    },
    (size, fee) =>
      moreFields({
        size: numberJson(size),
        fee_rate: fee === null ? undefined : plainJson(`${feeRate(fee, size)}`),
      }),
  ),

  utxoEntry: { ...jsonField(UTXO_SCHEMA, presentUtxo), hasBlock: true },
  allUtxos: { which: 'ever', entry: jsonField(PAID_OUTPUT_SCHEMA, presentPaidOutput) },
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
  priceDecimal: { text: decimalText, pattern: '^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$' },
  bookOrders: ['worst', 'best'],
  events: {
    names: { tx_seen: 'tx_seen', block: 'block', reorg: 'reorg', lag: 'lag' },
    origins: { local: 'local', remote: 'remote' },
    timestamp: jsonField(COUNT_SCHEMA, numberJson),
    areDroppedTold: true,
    explainsRefusals: true,
    haveSequence: true,
  },
  knownParameters: null,
  saysWhyUnknown: true,
  nodeRefusal: ({ message }) => `RPC error: ${message}`,
  longInvalidSubmission: 400,
};

/** Returns the response profile that the option `--contract` names. */
export function responseProfileByName(name: ResponseProfileName): ResponseProfile {
  switch (name) {
    case 'described':
      return DESCRIBED_PROFILE;
    case 'mintlayer-core':
      return MINTLAYER_CORE_PROFILE;
    default:
      return name satisfies never;
  }
}
