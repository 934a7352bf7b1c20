/** The TypeScript types of the JSON that schemas describe. The compiler checks presenters against them. */
import type { Static, TArray, TIntersect, TObject, TOptional, TRef, TSchema, TUnion } from 'typebox';
import type { Json } from '../compose-json.ts';
import type { BLOCK_HEADER_SCHEMA } from './block-header-and-genesis.ts';
import type {
  AMOUNT_SCHEMA,
  CREATION_BLOCK_SCHEMA,
  CURRENCY_SCHEMA,
  LOCK_SCHEMA,
  OUTPOINT_SCHEMA,
  STRING_OR_HEX_SCHEMA,
  TIMESTAMP_SCHEMA,
  VALUE_SCHEMA,
} from './common.ts';
import type {
  BYTE_ARRAY_SCHEMA,
  HASHED_TIMELOCK_CONTRACT_SCHEMA,
  NFT_ISSUANCE_SCHEMA,
  OUTPUT_SCHEMA,
  STAKE_POOL_DATA_SCHEMA,
} from './output.ts';
import type { INPUT_ENTRY_SCHEMA, INPUT_SCHEMA } from './transaction.ts';
import type { ACTION_SCHEMA } from './transaction-summary.ts';

/** The schemas that `schemaRef` refers to, by reference: see {@link ValueOf}. */
interface ReferencedSchemas {
  'Action#': typeof ACTION_SCHEMA;
  'Amount#': typeof AMOUNT_SCHEMA;
  'BlockHeader#': typeof BLOCK_HEADER_SCHEMA;
  'Bytes#': typeof BYTE_ARRAY_SCHEMA;
  'Created#': typeof CREATION_BLOCK_SCHEMA;
  'Currency#': typeof CURRENCY_SCHEMA;
  'HashedTimelockContract#': typeof HASHED_TIMELOCK_CONTRACT_SCHEMA;
  'Input#': typeof INPUT_SCHEMA;
  'InputEntry#': typeof INPUT_ENTRY_SCHEMA;
  'Lock#': typeof LOCK_SCHEMA;
  'NftIssuance#': typeof NFT_ISSUANCE_SCHEMA;
  'Outpoint#': typeof OUTPOINT_SCHEMA;
  'Output#': typeof OUTPUT_SCHEMA;
  'StakePoolData#': typeof STAKE_POOL_DATA_SCHEMA;
  'StringOrHex#': typeof STRING_OR_HEX_SCHEMA;
  'UnixTime#': typeof TIMESTAMP_SCHEMA;
  'Value#': typeof VALUE_SCHEMA;
}

/** The type of the values that a schema describes, with references resolved. */
export type ValueOf<Schema> =
  Schema extends TRef<infer Name extends keyof ReferencedSchemas>
    ? ValueOf<ReferencedSchemas[Name]>
    : Schema extends TIntersect<[infer Described extends TSchema]>
      ? ValueOf<Described>
      : Schema extends TArray<infer Element>
        ? ValueOf<Element>[]
        : Schema extends TUnion<infer Members>
          ? ValueOf<Members[number]>
          : Schema extends TObject<infer Properties>
            ? ObjectOf<Properties>
            : Schema extends TSchema
              ? Static<Schema>
              : never;

type OptionalOf<Properties> = {
  [Name in keyof Properties]: Properties[Name] extends TOptional<TSchema> ? Name : never;
}[keyof Properties];

type ObjectOf<Properties> = Flat<
  { [Name in Exclude<keyof Properties, OptionalOf<Properties>>]: ValueOf<Properties[Name]> } & {
    [Name in OptionalOf<Properties>]?: ValueOf<Properties[Name]>;
  }
>;

type Flat<Value> = { [Name in keyof Value]: Value[Name] };

/** JSON text of a value that a schema describes. */
export type JsonTextOf<Schema extends TSchema> = Json<ValueOf<Schema>>;
