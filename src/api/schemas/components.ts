/** The schemas that routes share: the components of the OpenAPI document. */
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { BlockHeader } from '../../render/schemas/block.ts';
import {
  Amount,
  Created,
  Currency,
  ErrorBody,
  Lock,
  Outpoint,
  StringOrHex,
  schemaRef,
  Timestamp,
  Value,
} from '../../render/schemas/common.ts';
import { Bytes, HashedTimelockContract, NftIssuance, Output, StakePoolData } from '../../render/schemas/output.ts';
import { BaseTransaction, Input, InputEntry } from '../../render/schemas/transaction.ts';

/** Registers a schema as a component of the OpenAPI document; gives the reference to it. */
export function component(app: FastifyInstance, name: string, schema: TSchema): TSchema {
  app.addSchema({ ...schema, $id: name });
  return schemaRef(name);
}

export const COMPONENTS: readonly TSchema[] = [
  Amount,
  BaseTransaction,
  BlockHeader,
  Bytes,
  Created,
  Currency,
  ErrorBody,
  HashedTimelockContract,
  Input,
  InputEntry,
  Lock,
  NftIssuance,
  Outpoint,
  Output,
  StakePoolData,
  StringOrHex,
  Timestamp,
  Value,
];
