/**
 * Puts a block together: roots, ids, the stake that makes it (docs/protocol.md#blocks, docs/protocol.md#merkle-trees).
 */

import { encodeReward } from '../../chain/codec/block.ts';
import { writeHeader, writeHeaderSignature } from '../../chain/codec/header.ts';
import { encodeTransaction } from '../../chain/codec/transaction.ts';
import { writeWitness } from '../../chain/codec/witness.ts';
import { hash } from '../../chain/hash.ts';
import type { SpendableOutput } from '../../chain/input-and-output-kinds.ts';
import { merkleRoot } from '../../chain/merkle.ts';
import { ScaleWriter } from '../../chain/scale/writer.ts';
import type { Atoms, BlockHeader, Hex, Id, Outpoint, SignedTransaction } from '../../chain/types.ts';
import type { Random } from './random.ts';
import { addUnspentOutput } from './rules/apply-outputs.ts';
import { payReward } from './rules/reward.ts';
import { vrfData } from './user-keys.ts';
import { type BlockStakers, type SimulatedWorld, worldOutpointKey } from './world.ts';

/** A transaction in the form that a block has it. */
export interface SealedTransaction {
  readonly id: Id;
  readonly signed: SignedTransaction;
  readonly bytes: Buffer;
  readonly witnessHash: Hex;
}

export interface SimulatedBlock {
  readonly id: Id;
  readonly height: number;
  readonly prev: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly bytes: Buffer;
  readonly transactionIds: readonly Id[];
}

function encoded(write: (writer: ScaleWriter) => void): Buffer {
  const writer = new ScaleWriter(128);
  write(writer);
  return writer.finish();
}

export function sealTransaction(signed: SignedTransaction): SealedTransaction {
  const unsigned = encodeTransaction(signed.transaction);
  const bytes = Buffer.concat([unsigned, encoded((writer) => writer.vector(signed.signatures, writeWitness))]);
  return { id: hash(unsigned), signed, bytes, witnessHash: hash(bytes) };
}

/** Ends the block that was begun in the world: pays its maker and gives its bytes. */
export function sealBlock(
  world: SimulatedWorld,
  stakers: BlockStakers,
  transactions: readonly SealedTransaction[],
  fees: Atoms,
  compactTarget: number,
  random: Random,
): SimulatedBlock {
  const { userKeys } = world;
  const { producer, kernelPool } = stakers;
  const { id: poolId, staker: destination } = kernelPool;
  const kernel = world.utxos.get(kernelPool.outputKey);
  if (kernel === undefined) throw new Error(`Stake pool ${poolId} has no output to stake`);
  const output: SpendableOutput = { type: 'ProduceBlockFromStake', destination, poolId };
  const reward = encodeReward([output]);
  const rewardHash = hash(reward);
  const transactionIds = transactions.map(({ id }) => id);
  const header: BlockHeader = {
    prevBlockId: world.tipId,
    txMerkleRoot: merkleRoot([rewardHash, ...transactionIds]),
    witnessMerkleRoot: merkleRoot([rewardHash, ...transactions.map(({ witnessHash }) => witnessHash)]),
    timestamp: world.timestamp,
    consensus: {
      type: 'PoS',
      data: {
        kernelInputs: [{ type: 'Utxo', outpoint: kernel.outpoint }],
        kernelWitness: [userKeys.witness(destination)],
        stakePoolId: producer.id,
        vrfData: vrfData(random),
        compactTarget,
      },
    },
  };
  const headerBytes = encoded((writer) => writeHeader(writer, header));
  const signature = encoded((writer) => writeHeaderSignature(writer, userKeys.schnorr()));
  const count = encoded((writer) => writer.compact(transactions.length));
  const bytes = Buffer.concat([headerBytes, signature, reward, count, ...transactions.map((each) => each.bytes)]);
  const id = hash(headerBytes);
  const prev = world.tipId;
  payRewardAndEndBlock(world, stakers, id, output, fees);
  return { id, height: world.height, prev, timestamp: world.timestamp, bytes, transactionIds };
}

/** The output of the kernel's pool moves into the block's reward, and the producer's reward is shared. */
export function payRewardAndEndBlock(
  world: SimulatedWorld,
  { producer, kernelPool }: BlockStakers,
  blockId: Id,
  output: SpendableOutput,
  fees: Atoms,
): void {
  const spent = world.utxos.get(kernelPool.outputKey);
  if (spent !== undefined) world.removeUtxo(spent);
  const outpoint: Outpoint = { sourceType: 'BlockReward', sourceId: blockId, index: 0 };
  addUnspentOutput(world, outpoint, output, { owner: kernelPool.decommissionKey });
  world.journal.set(kernelPool, 'outputKey', worldOutpointKey(outpoint));
  payReward(world, producer, fees);
  world.endBlock(blockId);
}
