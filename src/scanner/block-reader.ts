/** Turns the node's answers into identified blocks. */
import { identifyBlock } from '../chain/block.ts';
import type { IdentifiedBlock } from '../chain/types.ts';
import { parseMainchainBlocks } from '../node/answers.ts';

export interface BlockReader {
  read(bodies: Buffer[]): Promise<IdentifiedBlock[]>;
  close(): Promise<void>;
}

/** Reads in the calling thread. */
export function inlineBlockReader(): BlockReader {
  return {
    read: async (bodies) => bodies.flatMap((body) => parseMainchainBlocks(body).map(identifyBlock)),
    close: async () => {},
  };
}
