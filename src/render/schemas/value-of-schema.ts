/** The TypeScript types of the JSON that schemas describe. The compiler checks presenters against them. */
import type { Static, TArray, TObject, TOptional, TRef, TSchema, TUnion } from 'typebox';
import type { Json } from '../typed-json.ts';
import type { BlockHeader } from './block.ts';
import type { Amount, Created, Currency, Lock, Outpoint, StringOrHex, Timestamp, Value } from './common.ts';
import type { Bytes, HashedTimelockContract, NftIssuance, Output, StakePoolData } from './output.ts';
import type { BaseTransaction, Input, InputEntry } from './transaction.ts';

/** The schemas that `schemaRef` refers to, by reference: see {@link ValueOf}. */
interface ReferencedSchemas {
  'Amount#': typeof Amount;
  'BaseTransaction#': typeof BaseTransaction;
  'BlockHeader#': typeof BlockHeader;
  'Bytes#': typeof Bytes;
  'Created#': typeof Created;
  'Currency#': typeof Currency;
  'HashedTimelockContract#': typeof HashedTimelockContract;
  'Input#': typeof Input;
  'InputEntry#': typeof InputEntry;
  'Lock#': typeof Lock;
  'NftIssuance#': typeof NftIssuance;
  'Outpoint#': typeof Outpoint;
  'Output#': typeof Output;
  'StakePoolData#': typeof StakePoolData;
  'StringOrHex#': typeof StringOrHex;
  'Timestamp#': typeof Timestamp;
  'Value#': typeof Value;
}

/** The type of the values that a schema describes, with references resolved. */
export type ValueOf<Schema> =
  Schema extends TRef<infer Name extends keyof ReferencedSchemas>
    ? ValueOf<ReferencedSchemas[Name]>
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
