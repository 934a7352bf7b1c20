/**
 * The response profile `described`: the shapes of the API's published description, and those of mintlayer-core for what
 * it does not describe (docs/api.md#response-profiles).
 */

import Type from 'typebox';
import { delegationAddress, tokenAddress } from '../../chain/address.ts';
import { decimalText } from '../../chain/decimal-text.ts';
import { feeRate } from '../../chain/fee-rate.ts';
import { amountJson, optionalUtf8Json, utf8Json } from '../../render/common-values.ts';
import {
  arrayJson,
  booleanJson,
  moreFields,
  NULL_JSON,
  nullableJson,
  numberJson,
  objectJson,
  plainJson,
} from '../../render/compose-json.ts';
import { blockTargetFields } from '../../render/header.ts';
import { BLOCK_TARGET_PROPERTIES } from '../../render/schemas/block-header-and-genesis.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  describedRef,
  HEX_ID_SCHEMA,
  HEX_TEXT_SCHEMA,
  nullable,
  schemaRef,
  strictObject,
  unsignedInteger,
} from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { TICKER_IS_UNIQUE, tickerIsUnique } from '../../render/unique-ticker.ts';
import type { OutputRow, UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import { MINTLAYER_CORE_PROFILE } from './mintlayer-core-profile.ts';
import { jsonField, profileFields, type ResponseProfile, type ResponseProfileName } from './profile.ts';

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

export const DESCRIBED_PROFILE: ResponseProfile = {
  name: 'described',

  transactionTimestamp: jsonField(COUNT_SCHEMA, numberJson),
  transactionIndex: { listed: GLOBAL_INDEX, single: GLOBAL_INDEX },

  block: profileFields(BLOCK_TARGET_PROPERTIES, (target) => moreFields(blockTargetFields(target))),
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
    ...jsonField(Type.Array(BECH32_SCHEMA), (network, tokens) =>
      arrayJson(tokens.filter(({ isNft }) => !isNft).map(({ tokenId }) => plainJson(tokenAddress(network, tokenId)))),
    ),
    which: 'held',
  },
  addressDelegation: jsonField(BECH32_SCHEMA, (network, { delegation_id }) =>
    plainJson(delegationAddress(network, delegation_id)),
  ),
  noTokenAuthority: 'No token authority found',

  tokenTicker: jsonField(Type.String(), utf8Json),
  tokenMetadataUri: jsonField(strictObject({ hex: HEX_TEXT_SCHEMA }), (hex) => objectJson({ hex: plainJson(hex) })),
  isTokenFreezable: jsonField(Type.Boolean(), (token) => booleanJson(token.is_freezable && !token.is_frozen)),
  tokenTotalSupply: profileFields(
    {
      total_supply: schemaRef('Amount'),
      total_supply_type: Type.Enum(['Fixed', 'Lockable', 'Unlimited'], { type: 'string' }),
    },
    (token) =>
      moreFields({
        total_supply: amountJson(token.total_supply ?? token.circulating_supply, token.decimals),
        total_supply_type: plainJson(token.total_supply_type),
      }),
  ),
  tokenUniqueness: profileFields({ ticker_is_unique: TICKER_IS_UNIQUE }, (network, token) =>
    moreFields({ ticker_is_unique: booleanJson(tickerIsUnique(network, token)) }),
  ),
  tokenStatistics: profileFields({ total_supply: schemaRef('Amount') }, (statistics) => {
    const total = statistics.total_supply ?? statistics.token_circulating_supply ?? statistics.circulating_supply;
    return moreFields({ total_supply: amountJson(total, statistics.decimals ?? 0) });
  }),

  nftText: jsonField(nullable(Type.String()), optionalUtf8Json),
  nftOptionalText: jsonField(nullable(Type.String()), optionalUtf8Json),
  nftMediaHash: jsonField(nullable(HEX_TEXT_SCHEMA), (hex) => (hex === '' ? NULL_JSON : plainJson(hex))),

  missingHeight: 'null',
  servesGenesisByHeight: true,
  servesSpentOutputs: false,
  pagesPoolDelegations: true,
  tokenTransactionsOffset: 'from the newest',
  unknownTokenHasTransactions: false,
  malformedDelegationId: 'Invalid delegation Id',
  holder: profileFields(
    {
      locked: describedRef('Amount', 'Under a time lock'),
      total: describedRef('Amount', 'Both together'),
      share_per_million: unsignedInteger({
        description: '`amount` as a part of the circulating supply, rounded down',
      }),
    },
    ({ amount: spendable, locked, decimals, circulatingSupply }) =>
      moreFields({
        locked: amountJson(locked, decimals),
        total: amountJson(spendable + locked, decimals),
        share_per_million: numberJson(circulatingSupply === 0n ? 0n : (spendable * 1_000_000n) / circulatingSupply),
      }),
  ),
  holderSorts: ['amount', 'total'],
  priceLevel: profileFields({ order_count: COUNT_SCHEMA }, (orderCount) =>
    moreFields({ order_count: numberJson(orderCount) }),
  ),
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
