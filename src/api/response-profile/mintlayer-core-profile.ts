/** The response profile `mintlayer-core`: the fields, types, status codes and error texts of mintlayer-core 1.3 to 1.4.1. */
import Type from 'typebox';
import { delegationAddress, destinationAddress, poolAddress, tokenAddress } from '../../chain/address.ts';
import { fixedDecimalText } from '../../chain/decimal-text.ts';
import type { RpcFailure } from '../../node/node-error.ts';
import { amountJson, stringOrHexJson, timestampJson } from '../../render/common-values.ts';
import {
  arrayJson,
  booleanJson,
  moreFields,
  NULL_JSON,
  numberJson,
  objectJson,
  plainJson,
} from '../../render/compose-json.ts';
import {
  ATOMS_TEXT_SCHEMA,
  BECH32_SCHEMA,
  COUNT_SCHEMA,
  nullable,
  oneOf,
  schemaRef,
  strictObject,
} from '../../render/schemas/common.ts';
import type { JsonTextOf, ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import type { TokenRow } from '../../store/queries/tokens/tokens.ts';
import { jsonField, NO_EXTRA_FIELDS, profileFields, type ResponseProfile } from './profile.ts';

/** Error codes with the names that the JSON-RPC library of mintlayer-core prints. */
const ERROR_CODES: Readonly<Record<number, string>> = {
  [-32700]: 'ParseError',
  [-32701]: 'OversizedRequest',
  [-32600]: 'InvalidRequest',
  [-32601]: 'MethodNotFound',
  [-32602]: 'InvalidParams',
  [-32603]: 'InternalError',
};

/** Prints a node's error as that library does. Wallets search it for `message: "…"`. */
function errorObject({ code, message, data }: RpcFailure): string {
  const name = ERROR_CODES[code] ?? `ServerError(${code})`;
  const more = data === undefined ? 'None' : `Some(RawValue(${JSON.stringify(data)}))`;
  return `ErrorObject { code: ${name}, message: ${JSON.stringify(message)}, data: ${more} }`;
}

const UTXO_SCHEMA = strictObject({ outpoint: schemaRef('Outpoint'), utxo: schemaRef('Output') });

function presentUtxo({ entry }: UtxoRow): JsonTextOf<typeof UTXO_SCHEMA> {
  return `${entry}}` as JsonTextOf<typeof UTXO_SCHEMA>;
}

const FIXED_SUPPLY = strictObject({ Fixed: strictObject({ atoms: ATOMS_TEXT_SCHEMA }) }, { title: 'FixedSupply' });
const TOTAL_SUPPLY = oneOf([Type.Enum(['Lockable', 'Unlimited'], { type: 'string' }), FIXED_SUPPLY]);

function presentTotalSupply({ total_supply_type, total_supply }: TokenRow): JsonTextOf<typeof TOTAL_SUPPLY> {
  if (total_supply_type !== 'Fixed') return plainJson(total_supply_type);
  return objectJson<ValueOf<typeof FIXED_SUPPLY>>({
    Fixed: objectJson({ atoms: plainJson(`${total_supply}`) }),
  });
}

const PAGED = ['offset', 'items', 'cursor'];
const OUTPUTS = ['items', 'cursor', 'pending', 'with_mempool'];

/** The query parameters of mintlayer-core 1.4.1 by path; paths that it does not have are absent. */
const KNOWN_PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  '/block/:id': [],
  '/transaction': [...PAGED, 'offset_mode'],
  '/transaction/:id': [],
  '/transaction/:id/output/:index': ['with_mempool'],
  '/address/:address': [],
  '/address/:address/all-utxos': OUTPUTS,
  '/address/:address/spendable-utxos': OUTPUTS,
  '/pool': [...PAGED, 'sort'],
  '/pool/:id': [],
  '/token': PAGED,
  '/token/ticker/:ticker': PAGED,
  '/token/:id/transactions': PAGED,
  '/order': PAGED,
  '/order/pair/:pair': PAGED,
  '/order/pair/:pair/book': [...PAGED, 'side'],
  '/statistics/coin': [],
  '/statistics/token/:id': [],
  '/statistics/coin/holders': PAGED,
  '/statistics/token/:id/holders': PAGED,
  '/mempool/transactions': [...PAGED, 'order'],
  '/mempool/transaction/:id': [],
};

export const MINTLAYER_CORE_PROFILE: ResponseProfile = {
  name: 'mintlayer-core',

  transactionTimestamp: jsonField(ATOMS_TEXT_SCHEMA, (seconds) => plainJson(`${seconds}`)),
  transactionIndex: {
    listed: profileFields({ tx_global_index: ATOMS_TEXT_SCHEMA }, (index) =>
      moreFields({ tx_global_index: plainJson(`${index}`) }),
    ),
    single: NO_EXTRA_FIELDS,
  },

  block: NO_EXTRA_FIELDS,
  transactionSize: NO_EXTRA_FIELDS,

  utxoEntry: { ...jsonField(UTXO_SCHEMA, presentUtxo), hasBlock: false },
  allUtxos: { which: 'unspent' },
  refundWaitsForLock: false,

  addressTokens: {
    ...jsonField(
      Type.Array(strictObject({ amount: schemaRef('Amount'), token_id: BECH32_SCHEMA })),
      (network, tokens) =>
        arrayJson(
          tokens.map(({ tokenId, atoms, decimals }) =>
            objectJson({
              amount: amountJson(atoms, decimals),
              token_id: plainJson(tokenAddress(network, tokenId)),
            }),
          ),
        ),
    ),
    which: 'ever held',
  },
  addressDelegation: jsonField(
    strictObject(
      {
        delegation_id: BECH32_SCHEMA,
        pool_id: BECH32_SCHEMA,
        next_nonce: COUNT_SCHEMA,
        spend_destination: BECH32_SCHEMA,
        balance: schemaRef('Amount'),
      },
      { title: 'AddressDelegation' },
    ),
    (network, row) =>
      objectJson({
        balance: amountJson(row.balance, network.coinDecimals),
        delegation_id: plainJson(delegationAddress(network, row.delegation_id)),
        next_nonce: numberJson(row.next_nonce),
        pool_id: plainJson(poolAddress(network, row.pool_id)),
        spend_destination: plainJson(destinationAddress(network, row.spend_destination)),
      }),
  ),
  noTokenAuthority: null,

  tokenTicker: jsonField(schemaRef('StringOrHex'), stringOrHexJson),
  tokenMetadataUri: jsonField(schemaRef('StringOrHex'), stringOrHexJson),
  isTokenFreezable: jsonField(nullable(Type.Boolean()), (token) =>
    token.is_frozen ? NULL_JSON : booleanJson(token.is_freezable),
  ),
  tokenTotalSupply: profileFields({ total_supply: TOTAL_SUPPLY }, (token) =>
    moreFields({ total_supply: presentTotalSupply(token) }),
  ),
  tokenUniqueness: NO_EXTRA_FIELDS,
  tokenStatistics: NO_EXTRA_FIELDS,

  nftText: jsonField(schemaRef('StringOrHex'), stringOrHexJson),
  nftOptionalText: jsonField(nullable(schemaRef('StringOrHex')), (hex) =>
    hex === '' ? NULL_JSON : stringOrHexJson(hex),
  ),
  nftMediaHash: jsonField(schemaRef('StringOrHex'), stringOrHexJson),

  missingHeight: 'error',
  servesGenesisByHeight: false,
  servesSpentOutputs: true,
  pagesPoolDelegations: false,
  tokenTransactionsOffset: 'upper bound',
  unknownTokenHasTransactions: true,
  malformedDelegationId: 'Invalid pool Id',
  holder: NO_EXTRA_FIELDS,
  holderSorts: ['amount'],
  priceLevel: NO_EXTRA_FIELDS,
  priceDecimal: { text: fixedDecimalText, pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$' },
  bookOrders: ['worst'],
  events: {
    names: { tx_seen: 'TxSeen', block: 'Block', reorg: 'Reorg', lag: 'Lag' },
    origins: { local: 'Local', remote: 'Remote' },
    timestamp: jsonField(schemaRef('UnixTime'), timestampJson),
    areDroppedTold: false,
    explainsRefusals: false,
    haveSequence: false,
  },
  knownParameters: KNOWN_PARAMETERS,
  saysWhyUnknown: false,
  nodeRefusal: (refusal) => `RPC error: Response error: ${errorObject(refusal)}`,
  longInvalidSubmission: 413,
};
