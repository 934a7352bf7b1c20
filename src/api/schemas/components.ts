/** The schemas that the document names in its components. */
import type { FastifyInstance } from 'fastify';
import Type, { type TSchema } from 'typebox';
import {
  Amount,
  Currency,
  ErrorBody,
  HexId,
  Lock,
  nullable,
  Outpoint,
  StringOrHex,
  schemaRef,
  strictObject,
  Timestamp,
  Value,
} from './common.ts';
import { Bytes, HashedTimelockContract, NftIssuance, Output, StakePoolData } from './output.ts';
import { BaseTransaction, Input, InputEntry } from './transaction.ts';

/** Gives a schema a name in the document, and the reference to it. */
export function component(app: FastifyInstance, name: string, schema: TSchema): TSchema {
  app.addSchema({ ...schema, $id: name });
  return schemaRef(name);
}

const BlockHeader = strictObject(
  {
    previous_block_id: HexId,
    timestamp: schemaRef('Timestamp'),
    merkle_root: HexId,
    witness_merkle_root: HexId,
    consensus_data: nullable(
      Type.Union([
        strictObject({ target: Type.String({ pattern: '^0x[0-9a-f]{64}$' }) }, { title: 'Proof of stake' }),
        strictObject(
          { nonce: Type.Integer({ minimum: 0 }), bits: Type.Integer({ minimum: 0 }) },
          { title: 'Proof of work' },
        ),
      ]),
    ),
  },
  { $id: 'BlockHeader', description: 'consensus_data: a target for PoS, nonce and bits for PoW, null for none' },
);

export const COMPONENTS: readonly TSchema[] = [
  Amount,
  BaseTransaction,
  BlockHeader,
  Bytes,
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
