/** The schemas that the document names in its components. */
import type { FastifyInstance } from 'fastify';
import Type, { type TSchema } from 'typebox';
import {
  Amount,
  Currency,
  ErrorAnswer,
  HexId,
  Lock,
  named,
  nullable,
  Outpoint,
  object,
  StringOrHex,
  Timestamp,
  Value,
} from './common.ts';
import { Bytes, HashedTimelockContract, NftIssuance, Output, StakePoolData } from './output.ts';
import { BaseTransaction, Input, InputEntry } from './transaction.ts';

/** Gives a schema a name in the document, and the reference to it. */
export function component(app: FastifyInstance, name: string, schema: TSchema): TSchema {
  app.addSchema({ ...schema, $id: name });
  return named(name);
}

const BlockHeader = object(
  {
    previous_block_id: HexId,
    timestamp: named('Timestamp'),
    merkle_root: HexId,
    witness_merkle_root: HexId,
    consensus_data: nullable(
      Type.Union([
        object({ target: Type.String({ pattern: '^0x[0-9a-f]{64}$' }) }, { title: 'Proof of stake' }),
        object({ nonce: Type.Integer({ minimum: 0 }), bits: Type.Integer({ minimum: 0 }) }, { title: 'Proof of work' }),
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
  ErrorAnswer,
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
