/** The schemas of block headers and of the genesis. */
import Type, { type TSchema } from 'typebox';
import type { ConsensusData } from '../../chain/types.ts';
import { COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, oneOf, schemaRef, strictObject } from './common.ts';

const TARGET = Type.String({ pattern: '^0x[0-9a-f]{64}$' });

export const PROOF_OF_STAKE_SCHEMA = strictObject({ target: TARGET }, { title: 'ProofOfStake' });

export const PROOF_OF_WORK_SCHEMA = strictObject({ nonce: COUNT_SCHEMA, bits: COUNT_SCHEMA }, { title: 'ProofOfWork' });

const CONSENSUS_DATA = {
  PoS: PROOF_OF_STAKE_SCHEMA,
  PoW: PROOF_OF_WORK_SCHEMA,
  None: Type.Null(),
} satisfies Record<ConsensusData['type'], TSchema>;

export const BLOCK_HEADER_SCHEMA = strictObject(
  {
    previous_block_id: HEX_ID_SCHEMA,
    timestamp: schemaRef('UnixTime'),
    merkle_root: HEX_ID_SCHEMA,
    witness_merkle_root: HEX_ID_SCHEMA,
    consensus_data: nullable(oneOf([CONSENSUS_DATA.PoS, CONSENSUS_DATA.PoW], { title: 'ConsensusData' })),
  },
  { description: 'consensus_data: a target for PoS, nonce and bits for PoW, null for none' },
);

export const GENESIS_SCHEMA = strictObject({
  block_id: HEX_ID_SCHEMA,
  genesis_message: Type.String(),
  timestamp: schemaRef('UnixTime'),
  utxos: Type.Array(schemaRef('Output')),
});
