/** The schemas of block headers and of the genesis. */
import Type, { type TSchema } from 'typebox';
import type { ConsensusData } from '../../chain/types.ts';
import { Count, HexId, schemaRef, strictObject } from './common.ts';

export const ProofOfStake = strictObject(
  { target: Type.String({ pattern: '^0x[0-9a-f]{64}$' }) },
  { title: 'Proof of stake' },
);

export const ProofOfWork = strictObject({ nonce: Count, bits: Count }, { title: 'Proof of work' });

const CONSENSUS_DATA = {
  PoS: ProofOfStake,
  PoW: ProofOfWork,
  None: Type.Null(),
} satisfies Record<ConsensusData['type'], TSchema>;

export const BlockHeader = strictObject(
  {
    previous_block_id: HexId,
    timestamp: schemaRef('Timestamp'),
    merkle_root: HexId,
    witness_merkle_root: HexId,
    consensus_data: Type.Union([Type.Union([CONSENSUS_DATA.PoS, CONSENSUS_DATA.PoW]), CONSENSUS_DATA.None]),
  },
  { $id: 'BlockHeader', description: 'consensus_data: a target for PoS, nonce and bits for PoW, null for none' },
);

export const Genesis = strictObject({
  block_id: HexId,
  genesis_message: Type.String(),
  timestamp: schemaRef('Timestamp'),
  utxos: Type.Array(schemaRef('Output')),
});
