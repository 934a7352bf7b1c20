/** COPY in its text format: fields, lines, and the stream into a table. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

export const NULL = '\\N';

/** A `bytea` field from hex. */
export function bytes(hex: string | null): string {
  return hex === null ? NULL : `\\\\x${hex}`;
}

/** A `text` field; the text holds no control characters (as finished JSON never does). */
export function text(value: string): string {
  return value.includes('\\') ? value.replaceAll('\\', '\\\\') : value;
}

export function bool(value: boolean): string {
  return value ? 't' : 'f';
}

/** A number, or null. */
export function numeric(value: number | bigint | null): string {
  return value === null ? NULL : `${value}`;
}

/**
 * A column of fields as the text of an array. Fields escape backslashes as array elements do; what else COPY escapes
 * (tabs, line ends) no field of ours holds.
 */
export function arrayOf(fields: Iterable<string>): string {
  const elements: string[] = [];
  for (const field of fields) {
    if (field === NULL) elements.push('NULL');
    else elements.push(field.includes('"') ? `"${field.replaceAll('"', '\\"')}"` : `"${field}"`);
  }
  return `{${elements.join(',')}}`;
}

/** Lines become bytes whenever they amount to so many characters: texts that die young cost the least. */
const CHUNK = 1 << 16;
const encoder = new TextEncoder();

/** Lines on their way into a table, gathered as bytes. */
export class CopyLines {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #pending = '';

  /** Adds a line, given without its line end. */
  add(line: string): void {
    this.#pending += `${line}\n`;
    if (this.#pending.length >= CHUNK) this.#close();
  }

  /** All lines so far, each with its line end. */
  chunks(): readonly Uint8Array<ArrayBuffer>[] {
    if (this.#pending !== '') this.#close();
    return this.#chunks;
  }

  #close(): void {
    this.#chunks.push(encoder.encode(this.#pending));
    this.#pending = '';
  }
}

/** Writes lines into a table, within the client's transaction. */
export async function copyInto(
  client: pg.Client,
  table: string,
  columns: readonly string[],
  chunks: readonly Uint8Array[],
): Promise<void> {
  const stream = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(chunks.map(asBuffer), { objectMode: true }), stream);
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
