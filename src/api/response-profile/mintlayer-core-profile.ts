/** The response profile `mintlayer-core`: the fields, types, status codes and error texts of mintlayer-core 1.3 to 1.4.1. */
import Type from 'typebox';
import { delegationAddress, poolAddress } from '../../chain/address.ts';
import { fixedDecimalText } from '../../chain/decimal-text.ts';
import type { Hex } from '../../chain/types.ts';
import type { RpcFailure } from '../../node/node-error.ts';
import { stringOrHexJson, timestampJson } from '../../render/common-values.ts';
import { nullable, oneOf, schemaRef, strictObject } from '../../render/schemas/common.ts';
import type { UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import type { DelegationRow } from '../../store/queries/pools/delegations.ts';
import type { TokenRow } from '../../store/queries/tokens/tokens.ts';
import { appendedFields, defineEntry, kind } from '../entry/define-entry.ts';
import {
  amountsIn,
  bech32,
  coins,
  count,
  destination,
  integerText,
  listOf,
  nested,
  stringOrHex,
  token,
} from '../entry/kinds.ts';
import type { AddressToken, ResponseProfile } from './profile.ts';

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

const FIXED_SUPPLY = defineEntry<TokenRow>(
  {
    Fixed: nested(defineEntry<TokenRow>({ atoms: integerText(({ total_supply }) => total_supply!) }))((token) => token),
  },
  { title: 'FixedSupply' },
);

const TOTAL_SUPPLY = kind<TokenRow>({
  schema: oneOf([Type.Enum(['Lockable', 'Unlimited'], { type: 'string' }), FIXED_SUPPLY.schema]),
  json: (token, network) =>
    token.total_supply_type === 'Fixed' ? FIXED_SUPPLY.json(network, token) : `"${token.total_supply_type}"`,
})((token: TokenRow) => token);

const ADDRESS_TOKEN = defineEntry<AddressToken>({
  amount: amountsIn<AddressToken>(({ decimals }) => decimals)(({ atoms }) => atoms),
  token_id: token(({ tokenId }) => tokenId),
});

const ADDRESS_DELEGATION = defineEntry<DelegationRow>(
  {
    balance: coins(({ balance }) => balance),
    delegation_id: bech32(({ delegation_id }, network) => delegationAddress(network, delegation_id)),
    next_nonce: count(({ next_nonce }) => next_nonce),
    pool_id: bech32(({ pool_id }, network) => poolAddress(network, pool_id)),
    spend_destination: destination(({ spend_destination }) => spend_destination),
  },
  { title: 'AddressDelegation' },
);

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

  transactionTimestamp: integerText,
  transactionIndex: {
    listed: appendedFields<number>({ tx_global_index: integerText((index) => index) }),
    single: appendedFields({}),
  },

  block: {},
  transactionSize: appendedFields({}),

  utxo: kind<UtxoRow>({
    schema: strictObject({ outpoint: schemaRef('Outpoint'), utxo: schemaRef('Output') }),
    json: ({ entry }) => `${entry}}`,
  }),
  utxosHaveBlock: false,
  allUtxos: { which: 'unspent' },
  refundWaitsForLock: false,

  addressTokens: { kind: listOf(nested(ADDRESS_TOKEN)), which: 'ever held' },
  addressDelegation: nested(ADDRESS_DELEGATION),
  noTokenAuthority: null,

  tokenTicker: stringOrHex,
  tokenMetadataUri: stringOrHex,
  isTokenFreezable: kind<TokenRow>({
    schema: nullable(Type.Boolean()),
    json: ({ is_frozen, is_freezable }) => (is_frozen ? 'null' : is_freezable),
  }),
  tokenTotalSupply: { total_supply: TOTAL_SUPPLY },
  tokenUniqueness: {},
  tokenStatistics: {},

  nftText: stringOrHex,
  nftOptionalText: kind<Hex>({
    schema: nullable(schemaRef('StringOrHex')),
    json: (hex) => (hex === '' ? 'null' : stringOrHexJson(hex)),
  }),
  nftMediaHash: stringOrHex,

  missingHeight: 'error',
  servesGenesisByHeight: false,
  servesSpentOutputs: true,
  pagesPoolDelegations: false,
  tokenTransactionsOffset: 'upper bound',
  unknownTokenHasTransactions: true,
  malformedDelegationId: 'Invalid pool Id',
  holder: {},
  holderSorts: ['amount'],
  priceLevel: {},
  priceDecimal: { text: fixedDecimalText, pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$' },
  bookOrders: ['worst'],
  events: {
    names: { tx_seen: 'TxSeen', block: 'Block', reorg: 'Reorg', lag: 'Lag' },
    origins: { local: 'Local', remote: 'Remote' },
    timestamp: timestampJson,
    areDroppedTold: false,
    explainsRefusals: false,
    haveSequence: false,
  },
  knownParameters: KNOWN_PARAMETERS,
  saysWhyUnknown: false,
  nodeRefusal: (refusal) => `RPC error: Response error: ${errorObject(refusal)}`,
  longInvalidSubmission: 413,
};
