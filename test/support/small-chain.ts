/** Small chains of real, encodable blocks for tests of everything that only passes blocks on. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeReward } from '../../src/chain/codec/block.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { hash } from '../../src/chain/hash.ts';
import { merkleRoot } from '../../src/chain/merkle.ts';
import type { Id, SignedTransaction } from '../../src/chain/types.ts';
import { encodeBlock, encodeGenesis } from './encode-blocks.ts';
import { blockId, genesisId, signedTransactionHash } from './hashes.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface SmallBlock {
  readonly id: Id;
  readonly prev: Id;
  readonly height: number;
  readonly timestamp: number;
  readonly bytes: Buffer;
}

export const GENESIS_TIMESTAMP = 1_700_000_000;
export const SECONDS_PER_BLOCK = 120;

/** A chain file in the making; each block is the node's best one unless `tip` says otherwise. */
export class SmallChain {
  readonly genesis = { message: 'small', timestamp: GENESIS_TIMESTAMP, outputs: [] };
  readonly genesisId = genesisId(this.genesis);
  readonly blocks: SmallBlock[] = [];
  readonly #lines = [JSON.stringify({ genesis: encodeGenesis(this.genesis).toString('hex'), id: this.genesisId })];

  /** Adds a block on top of `parent`, by default of the one added last. */
  block(
    options: {
      parent?: SmallBlock;
      tip?: boolean;
      dataBytes?: number;
      transactions?: readonly SignedTransaction[];
    } = {},
  ): SmallBlock {
    const parent = options.parent ?? this.blocks.at(-1);
    const height = (parent?.height ?? 0) + 1;
    const block = encode(parent?.id ?? this.genesisId, height, this.blocks.length, [
      ...(options.transactions ?? []),
      ...(options.dataBytes === undefined ? [] : [deposit(options.dataBytes, this.blocks.length)]),
    ]);
    this.blocks.push(block);
    const { id, prev, bytes } = block;
    this.#lines.push(JSON.stringify({ height, id, prev, tip: options.tip ?? true, block: bytes.toString('hex') }));
    return block;
  }

  /** Adds `count` blocks, each on top of the one before. */
  grow(count: number, options: { dataBytes?: number } = {}): this {
    for (let i = 0; i < count; i++) this.block(options);
    return this;
  }

  text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

/** A transaction that carries `dataBytes` bytes; different for each `salt`. It spends an output that is in no block. */
export function deposit(dataBytes: number, salt = 0): SignedTransaction {
  const data = Buffer.alloc(dataBytes, salt + 1).toString('hex');
  const outpoint = { sourceType: 'Transaction', sourceId: hash(Buffer.from(data)), index: 0 } as const;
  return {
    transaction: { flags: 0n, inputs: [{ type: 'Utxo', outpoint }], outputs: [{ type: 'DataDeposit', data }] },
    signatures: [{ type: 'NoSignature', data: null }],
  };
}

function encode(prev: Id, height: number, salt: number, transactions: readonly SignedTransaction[]): SmallBlock {
  const rewardHash = hash(encodeReward([]));
  // Blocks of equal height differ by a second.
  const timestamp = GENESIS_TIMESTAMP + height * SECONDS_PER_BLOCK + (salt % SECONDS_PER_BLOCK);
  const header = {
    prevBlockId: prev,
    txMerkleRoot: merkleRoot([rewardHash, ...transactions.map((signed) => transactionId(signed.transaction))]),
    witnessMerkleRoot: merkleRoot([rewardHash, ...transactions.map(signedTransactionHash)]),
    timestamp,
    consensus: { type: 'None' },
  } as const;
  const bytes = encodeBlock({ header, signature: null, reward: [], transactions });
  return { id: blockId(header), prev, height, timestamp, bytes };
}

/** The chain as a file; gives its path. */
export async function chainFile(
  t: { after(end: () => Promise<void>): void },
  content: SmallChain | string | Buffer,
): Promise<string> {
  const path = join(await temporaryDirectory(t), 'chain.ndjson');
  await writeFile(path, content instanceof SmallChain ? content.text() : content);
  return path;
}
