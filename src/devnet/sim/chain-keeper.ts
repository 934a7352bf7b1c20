/** The file in which a simulated node keeps its chain, so that it goes on after a restart. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import type { Network } from '../../chain/networks/network.ts';
import type { SimulatedBlock } from './block.ts';
import { blockLine, genesisLine } from './chain-lines.ts';

const NEWLINE = 10;
const CHUNK_BYTES = 64 * 1024;

export class ChainKeeper {
  readonly #path: string;

  /** Starts the file, or cuts an existing one after its last whole line. Throws when it cannot be written. */
  constructor(path: string, network: Network) {
    this.#path = path;
    if (!existsSync(path) || !cutToWholeLines(path)) writeFileSync(path, `${genesisLine(network)}\n`);
  }

  /** Blocks as they arrive, the last of them being the tip. Throws when the file cannot be written. */
  append(blocks: readonly SimulatedBlock[]): void {
    const lines = blocks.map((block, index) => `${blockLine(block, index === blocks.length - 1)}\n`);
    appendFileSync(this.#path, lines.join(''));
  }
}

/** False when no whole line is left: a program that was killed while it wrote leaves half a line. */
function cutToWholeLines(path: string): boolean {
  const file = openSync(path, 'r+');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let end = fstatSync(file).size; end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const length = readSync(file, chunk, 0, end - start, start);
      const newline = chunk.subarray(0, length).lastIndexOf(NEWLINE);
      if (newline >= 0) {
        ftruncateSync(file, start + newline + 1);
        return true;
      }
      end = start;
    }
    return false;
  } finally {
    closeSync(file);
  }
}
