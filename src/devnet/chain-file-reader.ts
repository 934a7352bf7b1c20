/** Reads chain files: a genesis, and recorded or simulated blocks, a line each. */
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { decodeGenesis } from '../chain/codec/genesis.ts';
import { readHeader } from '../chain/codec/header.ts';
import { hash } from '../chain/hash.ts';
import { ScaleReader } from '../chain/scale/reader.ts';
import type { Hex, Id } from '../chain/types.ts';
import type { BlockBytesOrReader, BlockTree } from './block-tree.ts';

/** A chain file that cannot be used; the message names the file, the line and what is wrong there, without a full stop. */
export class ChainFileError extends Error {
  override readonly name = 'ChainFileError';
}

/** The first line of a chain file. */
export interface ChainFileHead {
  readonly genesis: Hex;
  readonly id: Id;
  /** Timestamp of the genesis, in seconds since the epoch. */
  readonly timestamp: number;
  /** The line as it was parsed, with the `network` object if it has one. */
  readonly line: Readonly<Record<string, unknown>>;
}

/** One block of a chain file; its id and parent are those that its bytes say. */
export interface ChainFileBlock {
  readonly line: number;
  readonly id: Id;
  readonly prev: Id;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly bytes: Buffer;
  /** The height; undefined if the file does not have it. */
  readonly height: number | undefined;
  /** Is this block the node's best one after this line? */
  readonly tip: boolean;
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
/** The largest block is about 2 MiB, as hex 4 MiB. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const NEWLINE = 10;

/**
 * A chain in a file, read as a stream: the genesis in the first line, then one block a line in the order in which a
 * node receives them; recorded requests and responses (lines with a `url`) are skipped. Plain or gzip.
 */
export class ChainFile implements AsyncDisposable {
  readonly head: ChainFileHead;
  readonly #path: string;
  readonly #lines: AsyncGenerator<Line>;

  private constructor(path: string, head: ChainFileHead, lines: AsyncGenerator<Line>) {
    this.head = head;
    this.#path = path;
    this.#lines = lines;
  }

  /** Opens the file and reads its first line; lines after number `upto` are ignored. Rejects with a ChainFileError. */
  static async open(path: string, upto = Number.POSITIVE_INFINITY): Promise<ChainFile> {
    const lines = readLines(path, upto);
    try {
      const first = await lines.next();
      if (first.done) throw wrong(path, 1, 'the file is empty');
      return new ChainFile(path, readHead(path, first.value), lines);
    } catch (error) {
      await lines.return(undefined);
      throw error;
    }
  }

  /** The next block, undefined at the end. Rejects with a ChainFileError. */
  async next(): Promise<ChainFileBlock | undefined> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done) return undefined;
      const block = readBlock(this.#path, value);
      if (block !== undefined) return block;
    }
  }

  /** Makes an error for a block that the caller refuses. */
  error(block: ChainFileBlock, reason: string): ChainFileError {
    return wrong(this.#path, block.line, reason);
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Adds a block of a file to a tree, on top of one that came before it. `bytes` is where to find it later on. Throws a
 * ChainFileError where the file is no chain.
 */
export function addRecordedBlock(
  tree: BlockTree,
  file: ChainFile,
  block: ChainFileBlock,
  bytes: BlockBytesOrReader = block.bytes,
): void {
  const parentHeight = tree.height(block.prev);
  if (parentHeight === undefined) throw file.error(block, `the parent ${block.prev} has not come before`);
  if (block.height !== undefined && block.height !== parentHeight + 1)
    throw file.error(block, `"height" is ${block.height}, but the parent's is ${parentHeight}`);
  tree.add({ ...block, bytes });
}

interface Line {
  readonly number: number;
  readonly text: string;
}

function wrong(path: string, line: number, reason: string): ChainFileError {
  return new ChainFileError(`${path}, line ${line}: ${printable(reason)}`);
}

/** Contents of a damaged file must not reach a terminal unescaped. */
function printable(text: string): string {
  return text.replace(/\p{C}/gu, '�');
}

function readHead(path: string, { number, text }: Line): ChainFileHead {
  const line = parseObject(path, number, text);
  const { genesis, id } = line;
  if (typeof genesis !== 'string' || typeof id !== 'string')
    throw wrong(path, number, 'this is not a chain file: its first line must be {"genesis": HEX, "id": HEX}');
  const bytes = fromHex(genesis);
  if (bytes === undefined) throw wrong(path, number, '"genesis" is not hex');
  if (hash(bytes) !== id) throw wrong(path, number, `"id" is not that of the genesis, which is ${hash(bytes)}`);
  try {
    return { genesis, id, timestamp: decodeGenesis(bytes).timestamp, line };
  } catch (error) {
    throw wrong(path, number, `"genesis" is not an encoded genesis: ${textOf(error)}`);
  }
}

function readBlock(path: string, { number, text }: Line): ChainFileBlock | undefined {
  const line = parseObject(path, number, text);
  const { block: hex, id, prev, height, tip } = line;
  if (hex === undefined && 'url' in line) return undefined;
  const bytes = typeof hex === 'string' ? fromHex(hex) : undefined;
  if (bytes === undefined) throw wrong(path, number, '"block" is not the hex of a block');
  if (typeof tip !== 'boolean') throw wrong(path, number, '"tip" must be true or false');
  if (height !== undefined && !(Number.isSafeInteger(height) && (height as number) > 0))
    throw wrong(path, number, '"height" must be a whole number from 1 on');
  const head = readBlockHead(path, number, bytes);
  if (id !== head.id) throw wrong(path, number, `"id" is not that of the block, which is ${head.id}`);
  if (prev !== undefined && prev !== head.prev)
    throw wrong(path, number, `"prev" is not what the block says, which is ${head.prev}`);
  return { line: number, ...head, bytes, height: height as number | undefined, tip };
}

/** Reads only the header, which identifies a block much faster than decoding all of it. */
function readBlockHead(path: string, line: number, bytes: Buffer): { id: Id; prev: Id; timestamp: number } {
  try {
    const reader = new ScaleReader(bytes);
    const { prevBlockId, timestamp } = readHeader(reader);
    return { id: hash(bytes.subarray(0, reader.position)), prev: prevBlockId, timestamp };
  } catch (error) {
    throw wrong(path, line, `"block" is not an encoded block: ${textOf(error)}`);
  }
}

function parseObject(path: string, line: number, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong(path, line, `not JSON: ${text.slice(0, 60)}${text.length > 60 ? '...' : ''}`);
  }
  if (typeof value !== 'object' || value === null) throw wrong(path, line, 'not a JSON object');
  return value as Record<string, unknown>;
}

function fromHex(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'hex');
  return text.length > 0 && bytes.length * 2 === text.length ? bytes : undefined;
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The lines that are not blank, numbered from 1. */
async function* readLines(path: string, upto: number): AsyncGenerator<Line> {
  let number = 0;
  let unfinished: Buffer[] = [];
  let unfinishedBytes = 0;
  const line = (end: Buffer): Line => {
    const text = (unfinished.length === 0 ? end : Buffer.concat([...unfinished, end])).toString('utf8');
    unfinished = [];
    unfinishedBytes = 0;
    return { number: ++number, text };
  };
  const isBlank = ({ text }: Line) => text.trim() === '';
  try {
    for await (const chunk of readChunks(path)) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        if (number >= upto) return;
        const next = line(chunk.subarray(start, end));
        start = end + 1;
        if (!isBlank(next)) yield next;
      }
      unfinished.push(chunk.subarray(start));
      unfinishedBytes += chunk.length - start;
      if (unfinishedBytes > MAX_LINE_BYTES) throw wrong(path, number + 1, `longer than ${MAX_LINE_BYTES} bytes`);
    }
  } catch (error) {
    throw error instanceof ChainFileError ? error : readError(path, number + 1, error);
  }
  if (number < upto && unfinishedBytes > 0) {
    const last = line(Buffer.alloc(0));
    if (!isBlank(last)) yield last;
  }
}

async function* readChunks(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    const magic = Buffer.alloc(2);
    await file.read(magic, 0, 2, 0);
    const bytes = file.createReadStream({ start: 0, highWaterMark: 1024 * 1024, autoClose: false });
    if (!magic.equals(GZIP_MAGIC)) return yield* bytes;
    const gunzip = createGunzip({ chunkSize: 256 * 1024 });
    bytes.on('error', (error) => gunzip.destroy(error));
    yield* bytes.pipe(gunzip);
  } finally {
    await file.close();
  }
}

function readError(path: string, line: number, error: unknown): ChainFileError {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ENOENT':
      return new ChainFileError(`There is no chain file ${path}`);
    case 'EACCES':
      return new ChainFileError(`The chain file ${path} may not be read by this user`);
    case 'EISDIR':
      return new ChainFileError(`${path} is a directory, not a chain file`);
    case 'Z_BUF_ERROR':
    case 'Z_DATA_ERROR':
      return wrong(path, line, 'the compressed file is damaged or incomplete, fetch it again');
    default:
      return wrong(path, line, `the file cannot be read: ${textOf(error)}`);
  }
}
