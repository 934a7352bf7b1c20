import { targetText } from '../chain/compact-target.ts';
import type { BlockHeader, ConsensusData, Genesis, Id, TxOutput } from '../chain/types.ts';
import { type RenderContext, timestampJson } from './json-pieces.ts';
import { renderOutput } from './output.ts';
import type {
  BlockHeader as BlockHeaderSchema,
  Genesis as GenesisSchema,
  ProofOfStake,
  ProofOfWork,
} from './schemas/block.ts';
import type { JsonTextOf, ValueOf } from './schemas/json-types.ts';
import type { Output } from './schemas/output.ts';
import { arrayJson, type Json, NULL_JSON, numberJson, objectJson, plainJson, textJson } from './typed-json.ts';

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
      return objectJson<ValueOf<typeof ProofOfWork>>({
        bits: numberJson(consensus.bits),
        nonce: numberJson(consensus.nonce),
      });
    case 'PoS':
      return objectJson<ValueOf<typeof ProofOfStake>>({ target: plainJson(targetText(consensus.data.compactTarget)) });
  }
}

/** Renders an array of outputs, such as a block's reward. */
export function renderOutputs(context: RenderContext, outputs: readonly TxOutput[]): Json<ValueOf<typeof Output>[]> {
  return arrayJson(outputs.map((output) => renderOutput(context, output)));
}

/** Renders the body of `/chain/genesis`. */
export function renderGenesis(context: RenderContext, genesis: Genesis, id: Id): JsonTextOf<typeof GenesisSchema> {
  return objectJson({
    block_id: plainJson(id),
    genesis_message: textJson(genesis.message),
    timestamp: timestampJson(genesis.timestamp),
    utxos: renderOutputs(context, genesis.outputs),
  });
}
