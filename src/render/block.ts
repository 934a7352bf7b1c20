import { targetText } from '../chain/target.ts';
import type { BlockHeader, ConsensusData, Genesis, Id, TxOutput } from '../chain/types.ts';
import { renderOutput } from './output.ts';
import type { RenderContext } from './text.ts';

/** The header object of `/block/{id}/header`. */
export function renderHeader(header: BlockHeader): string {
  return `{"consensus_data":${consensusData(header.consensus)},"merkle_root":"${header.txMerkleRoot}","previous_block_id":"${header.prevBlockId}","timestamp":{"timestamp":${header.timestamp}},"witness_merkle_root":"${header.witnessMerkleRoot}"}`;
}

function consensusData(consensus: ConsensusData): string {
  switch (consensus.type) {
    case 'None':
      return 'null';
    case 'PoW':
      return `{"bits":${consensus.bits},"nonce":${consensus.nonce}}`;
    case 'PoS':
      return `{"target":"${targetText(consensus.data.compactTarget)}"}`;
  }
}

/** An array of outputs: a block's reward. */
export function renderOutputs(context: RenderContext, outputs: readonly TxOutput[]): string {
  return `[${outputs.map((output) => renderOutput(context, output)).join(',')}]`;
}

/** The body of `/chain/genesis`. */
export function renderGenesis(context: RenderContext, genesis: Genesis, id: Id): string {
  return `{"block_id":"${id}","genesis_message":${JSON.stringify(genesis.message)},"timestamp":{"timestamp":${genesis.timestamp}},"utxos":${renderOutputs(context, genesis.outputs)}}`;
}
