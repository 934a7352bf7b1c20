/** The TypeScript types of the JSON that the schemas describe. What writes JSON is checked against them. */
import type { Static, TProperties, TSchema } from 'typebox';
import type { Json } from '../../render/json.ts';
import type { Amount, Currency, Lock, Outpoint, StringOrHex, Timestamp, Value } from './common.ts';
import type { BlockHeader } from './components.ts';
import type { Bytes, HashedTimelockContract, NftIssuance, Output, StakePoolData } from './output.ts';
import type { BaseTransaction, Input, InputEntry } from './transaction.ts';

/** What `schemaRef` can name inside of a schema that a presenter is typed by. */
interface ReferencedSchemas extends TProperties {
  'Amount#': typeof Amount;
  'BaseTransaction#': typeof BaseTransaction;
  'BlockHeader#': typeof BlockHeader;
  'Bytes#': typeof Bytes;
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

/** The values that a schema describes, with those that it refers to. */
export type ValueOf<Schema extends TSchema> = Static<Schema, ReferencedSchemas>;

/** JSON text of what a schema describes. */
export type JsonOf<Schema extends TSchema> = Json<ValueOf<Schema>>;
