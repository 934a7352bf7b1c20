/** The objects of the Mesh API, version 1.5.1 of its specification, as far as this server has them. */
import Type, { type TSchema } from 'typebox';
import {
  COUNT_SCHEMA,
  HEX_ID_SCHEMA,
  strictObject as object,
  patternString,
  unsignedInteger,
} from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';

const Text = Type.String({ minLength: 1 });
const Metadata = Type.Object({}, { additionalProperties: true, description: 'Fields of Mintlayer' });
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const ACCOUNT_IDENTIFIER = object(
  { address: Text, sub_account: optional(object({ address: Type.Literal('locked') })) },
  { description: 'An address, what is time-locked on it, a pool, a delegation, an order, or an HTLC (`TX_ID:INDEX`)' },
);
export type AccountIdentifier = ValueOf<typeof ACCOUNT_IDENTIFIER>;
const BLOCK_IDENTIFIER = object({ index: COUNT_SCHEMA, hash: HEX_ID_SCHEMA });
const TRANSACTION_IDENTIFIER = object({ hash: HEX_ID_SCHEMA }, { description: 'A block id for what the block does' });
const COIN_IDENTIFIER = object({ identifier: patternString({ pattern: '^[0-9a-f]{64}:[0-9]+$' }) });

const CURRENCY = object(
  { symbol: Text, decimals: COUNT_SCHEMA, metadata: optional(object({ token_id: Text })) },
  { description: 'The symbol is the ticker; of a token whose ticker could mislead, its id' },
);
export type MeshCurrency = ValueOf<typeof CURRENCY>;
const AMOUNT = object({ value: patternString({ pattern: '^-?[0-9]+$', description: 'Atoms' }), currency: CURRENCY });

const COIN_ACTION = Type.Enum(['coin_created', 'coin_spent'], { type: 'string' });
const OPERATION = object({
  operation_identifier: object({ index: COUNT_SCHEMA }),
  type: Text,
  status: optional(Text),
  account: optional(ACCOUNT_IDENTIFIER),
  amount: optional(AMOUNT),
  coin_change: optional(object({ coin_identifier: COIN_IDENTIFIER, coin_action: COIN_ACTION })),
  metadata: optional(Metadata),
});
export type MeshOperation = ValueOf<typeof OPERATION>;

const TRANSACTION = object({
  transaction_identifier: TRANSACTION_IDENTIFIER,
  operations: Type.Array(OPERATION),
  metadata: optional(Metadata),
});
export type MeshTransaction = ValueOf<typeof TRANSACTION>;

const ERROR = { code: COUNT_SCHEMA, message: Text, retriable: Type.Boolean() };
export const ERROR_RESPONSE = object({ ...ERROR, details: object({ message: Type.String() }) });

export const NETWORK_LIST = object({ network_identifiers: Type.Array(object({ blockchain: Text, network: Text })) });
export const NETWORK_OPTIONS = object({
  version: object({ rosetta_version: Text, node_version: Text, middleware_version: Text }),
  allow: object({
    operation_statuses: Type.Array(object({ status: Text, successful: Type.Boolean() })),
    operation_types: Type.Array(Text),
    errors: Type.Array(object(ERROR)),
    historical_balance_lookup: Type.Boolean(),
    call_methods: Type.Array(Text),
    balance_exemptions: Type.Array(Metadata),
    mempool_coins: Type.Boolean(),
    block_hash_case: Text,
    transaction_hash_case: Text,
  }),
});
export const NETWORK_STATUS = object({
  current_block_identifier: BLOCK_IDENTIFIER,
  current_block_timestamp: COUNT_SCHEMA,
  genesis_block_identifier: BLOCK_IDENTIFIER,
  oldest_block_identifier: BLOCK_IDENTIFIER,
  sync_status: object({ current_index: COUNT_SCHEMA, synced: Type.Boolean() }),
  peers: Type.Array(object({ peer_id: Text })),
});
export const BLOCK_RESPONSE = object({
  block: object({
    block_identifier: BLOCK_IDENTIFIER,
    parent_block_identifier: BLOCK_IDENTIFIER,
    timestamp: COUNT_SCHEMA,
    transactions: Type.Array(TRANSACTION),
  }),
});
export const TRANSACTION_RESPONSE = object({ transaction: TRANSACTION });
export const BALANCE_RESPONSE = object({ block_identifier: BLOCK_IDENTIFIER, balances: Type.Array(AMOUNT) });
export const COINS_RESPONSE = object({
  block_identifier: BLOCK_IDENTIFIER,
  coins: Type.Array(object({ coin_identifier: COIN_IDENTIFIER, amount: AMOUNT })),
});
export const MEMPOOL_RESPONSE = object({ transaction_identifiers: Type.Array(TRANSACTION_IDENTIFIER) });
export const SEARCH_RESPONSE = object({
  transactions: Type.Array(object({ block_identifier: BLOCK_IDENTIFIER, transaction: TRANSACTION })),
  total_count: COUNT_SCHEMA,
  next_offset: optional(COUNT_SCHEMA),
});
const EVENT_TYPE = Type.Enum(['block_added', 'block_removed'], { type: 'string' });
export const EVENTS_RESPONSE = object({
  max_sequence: COUNT_SCHEMA,
  events: Type.Array(object({ sequence: COUNT_SCHEMA, block_identifier: BLOCK_IDENTIFIER, type: EVENT_TYPE })),
});
export const DERIVE_RESPONSE = object({ account_identifier: ACCOUNT_IDENTIFIER });
export const IDENTIFIER_RESPONSE = object({ transaction_identifier: TRANSACTION_IDENTIFIER });

/** Parts of requests: unknown fields in them are ignored. */
export const ACCOUNT = Type.Object({ address: Text, sub_account: optional(Type.Object({ address: Text })) });
export const TRANSACTION_ID = Type.Object({ hash: Type.String({ pattern: '^[0-9a-f]{64}$' }) });
export const PARTIAL_BLOCK = Type.Object({
  index: optional(unsignedInteger({ maximum: 0x7fff_ffff })),
  hash: optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
});
export type PartialBlockIdentifier = ValueOf<typeof PARTIAL_BLOCK>;
const REQUESTED_CURRENCY = Type.Object({
  symbol: Text,
  decimals: COUNT_SCHEMA,
  metadata: optional(Type.Object({ token_id: Text })),
});
export type RequestedCurrency = ValueOf<typeof REQUESTED_CURRENCY>;
export const CURRENCIES = optional(Type.Array(REQUESTED_CURRENCY, { maxItems: 100 }));
/** A signed transaction. */
export const HEX_TEXT = Type.String({ pattern: '^[0-9a-fA-F]+$' });
