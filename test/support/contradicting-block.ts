/** A block that a node would refuse: it is whole, but contradicts the ledger. */

import { decodeBlock, encodeReward } from '../../src/chain/codec/block.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { hash } from '../../src/chain/hash.ts';
import { merkleRoot } from '../../src/chain/merkle.ts';
import { encodeBlock } from './encode-blocks.ts';
import { blockId, signedTransactionHash } from './hashes.ts';
import type { NodeBlock } from './scripted-node.ts';

/** The block's transactions on top of another block, the first of them spending an output that does not exist. */
export function spendingNothing({ bytes }: Pick<NodeBlock, 'bytes'>, parent: NodeBlock): NodeBlock {
  const block = decodeBlock(bytes);
  const transactions = block.transactions.map((signed, i) => {
    if (i > 0) return signed;
    const outpoint = { sourceType: 'Transaction', sourceId: '77'.repeat(32), index: 3 } as const;
    const inputs = signed.transaction.inputs.map(() => ({ type: 'Utxo', outpoint }) as const);
    return { ...signed, transaction: { ...signed.transaction, inputs } };
  });
  const rewardHash = hash(encodeReward(block.reward));
  const header = {
    ...block.header,
    prevBlockId: parent.id,
    timestamp: parent.timestamp + 60,
    txMerkleRoot: merkleRoot([rewardHash, ...transactions.map(({ transaction }) => transactionId(transaction))]),
    witnessMerkleRoot: merkleRoot([rewardHash, ...transactions.map(signedTransactionHash)]),
  };
  const encoded = encodeBlock({ ...block, header, transactions });
  return { id: blockId(header), prev: parent.id, timestamp: header.timestamp, bytes: encoded };
}
