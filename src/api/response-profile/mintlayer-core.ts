/** The key sets, types, status codes and error texts of mintlayer-core 1.3 to 1.4.1. */
import Type from 'typebox';
import { delegationAddress, destinationAddress, poolAddress, tokenAddress } from '../../chain/address.ts';
import { fixedDecimalText } from '../../chain/amount.ts';
import type { RpcFailure } from '../../node/node-error.ts';
import { amountJson, stringOrHexJson } from '../../render/text.ts';
import { UTXO_LIST } from '../../store/queries/utxos.ts';
import { AtomsText, Bech32, nullable, schemaRef, strictObject } from '../schemas/common.ts';
import type { ResponseProfile } from './profile.ts';

/** The names that the JSON-RPC library of mintlayer-core has for codes. */
const ERROR_CODES: Readonly<Record<number, string>> = {
  [-32700]: 'ParseError',
  [-32701]: 'OversizedRequest',
  [-32600]: 'InvalidRequest',
  [-32601]: 'MethodNotFound',
  [-32602]: 'InvalidParams',
  [-32603]: 'InternalError',
};

/** A refusal as that library prints it. Wallets look for the `message: "…"` in it. */
function errorObject({ code, message, data }: RpcFailure): string {
  const name = ERROR_CODES[code] ?? `ServerError(${code})`;
  const more = data === undefined ? 'None' : `Some(RawValue(${JSON.stringify(data)}))`;
  return `ErrorObject { code: ${name}, message: ${JSON.stringify(message)}, data: ${more} }`;
}

export const MINTLAYER_CORE: ResponseProfile = {
  name: 'mintlayer-core',
  shapesVersion: 'm2',

  transactionTimestamp: { text: (seconds) => `"${seconds}"`, schema: AtomsText },
  transactionIndex: {
    listed: { text: (index) => `,"tx_global_index":"${index}"`, properties: { tx_global_index: AtomsText } },
    single: { text: () => '', properties: {} },
  },

  utxoEntry: {
    text: ({ entry }) => `${entry}}`,
    finishedList: UTXO_LIST,
    schema: strictObject({ outpoint: schemaRef('Outpoint'), utxo: schemaRef('Output') }),
  },
  allUtxos: { which: 'unspent' },
  refundWaitsForLock: false,

  addressTokens: {
    texts: (network, tokens) =>
      tokens.map(
        ({ tokenId, atoms, decimals }) =>
          `{"token_id":"${tokenAddress(network, tokenId)}","amount":${amountJson(atoms, decimals)}}`,
      ),
    schema: strictObject({ token_id: Bech32, amount: schemaRef('Amount') }),
  },
  addressDelegation: {
    text: (network, row) =>
      `{"delegation_id":"${delegationAddress(network, row.delegation_id)}","pool_id":"${poolAddress(network, row.pool_id)}","next_nonce":${row.next_nonce},"spend_destination":"${destinationAddress(network, row.spend_destination)}","balance":${amountJson(row.balance, network.coinDecimals)}}`,
    schema: strictObject({
      delegation_id: Bech32,
      pool_id: Bech32,
      next_nonce: Type.Integer({ minimum: 0 }),
      spend_destination: Bech32,
      balance: schemaRef('Amount'),
    }),
  },
  noTokenAuthority: null,

  tokenTicker: { text: stringOrHexJson, schema: schemaRef('StringOrHex') },
  tokenMetadataUri: { text: stringOrHexJson, schema: schemaRef('StringOrHex') },
  isTokenFreezable: {
    text: (token) => (token.is_frozen ? 'null' : String(token.is_freezable)),
    schema: nullable(Type.Boolean()),
  },
  tokenTotalSupply: {
    text: (token) =>
      token.total_supply_type === 'Fixed'
        ? `,"total_supply":{"Fixed":{"atoms":"${token.total_supply}"}}`
        : `,"total_supply":"${token.total_supply_type}"`,
    properties: {
      total_supply: Type.Union([
        Type.Literal('Lockable'),
        Type.Literal('Unlimited'),
        strictObject({ Fixed: strictObject({ atoms: AtomsText }) }),
      ]),
    },
  },
  tokenStatistics: { text: () => '', properties: {} },

  nftText: { text: stringOrHexJson, schema: schemaRef('StringOrHex') },
  nftOptionalText: {
    text: (hex) => (hex === '' ? 'null' : stringOrHexJson(hex)),
    schema: nullable(schemaRef('StringOrHex')),
  },
  nftMediaHash: { text: stringOrHexJson, schema: schemaRef('StringOrHex') },

  missingHeight: 'error',
  servesGenesisByHeight: false,
  servesSpentOutputs: true,
  pagesPoolDelegations: false,
  tokenTransactionsOffset: 'upper bound',
  unknownTokenHasTransactions: true,
  malformedDelegationId: 'Invalid pool Id',
  holder: { text: () => '', properties: {} },
  holderSorts: ['amount'],
  priceLevel: { text: () => '', properties: {} },
  priceDecimal: { text: fixedDecimalText, pattern: '^(0|[1-9][0-9]*)(\\.[0-9]+)?$' },
  bookOrders: ['worst'],
  events: {
    names: { tx_seen: 'TxSeen', block: 'Block', reorg: 'Reorg', lag: 'Lag' },
    origins: { local: 'Local', remote: 'Remote' },
    timestamp: { text: (seconds) => `{"timestamp":${seconds}}`, schema: schemaRef('Timestamp') },
    areDroppedTold: false,
  },
  saysWhyUnknown: false,
  nodeRefusal: (refusal) => `RPC error: Response error: ${errorObject(refusal)}`,
  longInvalidSubmission: 413,
};
