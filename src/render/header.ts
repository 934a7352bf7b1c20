/** Block headers as JSON. */
import { compactTargetHex } from '../chain/compact-target.ts';
import type { BlockHeader, ConsensusData } from '../chain/types.ts';
import { timestampJson } from './common-values.ts';
import { type Json, NULL_JSON, numberJson, objectJson, plainJson } from './compose-json.ts';
import type {
  BLOCK_HEADER_SCHEMA as BlockHeaderSchema,
  PROOF_OF_STAKE_SCHEMA,
  PROOF_OF_WORK_SCHEMA,
} from './schemas/block-header-and-genesis.ts';
import type { JsonTextOf, ValueOf } from './schemas/value-of-schema.ts';

/** Renders the header object of `/block/{id}/header`. */
export function renderHeader(header: BlockHeader): JsonTextOf<typeof BlockHeaderSchema> {
  return objectJson({
    consensus_data: consensusData(header.consensus),
    merkle_root: plainJson(header.txMerkleRoot),
    previous_block_id: plainJson(header.prevBlockId),
    timestamp: timestampJson(header.timestamp),
    witness_merkle_root: plainJson(header.witnessMerkleRoot),
  });
}

function consensusData(consensus: ConsensusData): Json<ValueOf<typeof BlockHeaderSchema>['consensus_data']> {
  switch (consensus.type) {
    case 'None':
      return NULL_JSON;
    case 'PoW':
      return objectJson<ValueOf<typeof PROOF_OF_WORK_SCHEMA>>({
        bits: numberJson(consensus.bits),
        nonce: numberJson(consensus.nonce),
      });
    case 'PoS':
      return objectJson<ValueOf<typeof PROOF_OF_STAKE_SCHEMA>>({
        target: plainJson(compactTargetHex(consensus.data.compactTarget)),
      });
  }
}
