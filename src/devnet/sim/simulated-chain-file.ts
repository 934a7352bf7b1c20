/**
 * The file in which a simulated node keeps its chain, so that it continues after a restart and needs no memory for it.
 */
import { closeSync, existsSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import type { Network } from '../../chain/networks/network.ts';
import { blockLine, type FileBlock, genesisLine } from './chain-file-writer.ts';

const NEWLINE = 10;
const CHUNK_BYTES = 256 * 1024;

export class SimulatedChainFile {
  readonly #file: number;
  /** The positions of the lines in the file, and of the next one. */
  readonly #starts: number[];

  /** Starts the file, or cuts an existing one after its last whole line. Throws when it cannot be written. */
  constructor(path: string, network: Network) {
    this.#file = openSync(path, existsSync(path) ? 'r+' : 'w+');
    this.#starts = lineStarts(this.#file);
    // A program that was killed while it wrote leaves half a line.
    ftruncateSync(this.#file, this.#starts.at(-1)!);
    if (this.lines === 0) this.#write(genesisLine(network));
  }

  /** The number of lines; the first is the genesis. */
  get lines(): number {
    return this.#starts.length - 1;
  }

  /** Writes a block as it arrives; gives the number of its line. Throws when the file cannot be written. */
  append(block: FileBlock, isTip: boolean): number {
    this.#write(blockLine(block, isTip));
    return this.lines;
  }

  /** The encoded block in a line (1 is the genesis). */
  readBlock(line: number): Buffer {
    const start = this.#starts[line - 1]!;
    const bytes = Buffer.alloc(this.#starts[line]! - start);
    if (readSync(this.#file, bytes, 0, bytes.length, start) !== bytes.length) {
      throw new Error('The file of the chain was cut while it was in use');
    }
    return Buffer.from((JSON.parse(bytes.toString('latin1')) as { block: string }).block, 'hex');
  }

  close(): void {
    closeSync(this.#file);
  }

  /** A whole line at once: a reader never finds the blocks of two programs mixed. */
  #write(line: string): void {
    const start = this.#starts.at(-1)!;
    const bytes = Buffer.from(`${line}\n`, 'latin1');
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.#file, bytes, written, bytes.length - written, start + written);
    }
    this.#starts.push(start + bytes.length);
  }
}

/** The positions behind the line ends, and the start. */
function lineStarts(file: number): number[] {
  const starts = [0];
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const { size } = fstatSync(file);
  for (let position = 0; position < size; ) {
    const length = readSync(file, chunk, 0, chunk.length, position);
    const read = chunk.subarray(0, length);
    for (let at = read.indexOf(NEWLINE); at >= 0; at = read.indexOf(NEWLINE, at + 1)) starts.push(position + at + 1);
    position += length;
  }
  return starts;
}
