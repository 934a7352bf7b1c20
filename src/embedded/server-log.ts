/** The log of an embedded PostgreSQL: limited in size, and searched for the reason if the server ends. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

export interface LogLimits {
  /** A larger file is moved aside; the one moved before is dropped. */
  readonly bytes: number;
  /** The interval of checks of its size. */
  readonly everyMs: number;
}

const LIMITS: LogLimits = { bytes: 16_000_000, everyMs: 10_000 };
const CHUNK_BYTES = 256 * 1024;
/** The end of the log that is searched for a reason. */
const LAST_WORDS_BYTES = 256 * 1024;

/**
 * The log in `file`, with the older lines in `file.1`. PostgreSQL writes the file itself, so that it can keep logging
 * if this program has died. Every write is at the end of the file, so it may be truncated at any time.
 */
export class BoundedServerLog {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #limits: LogLimits;
  readonly #timer: NodeJS.Timeout;
  /** Offset in the file at which this start's output begins. */
  #start: number;
  #wasPutAside = false;

  /** Throws the error of the operating system. */
  constructor(file: string, limits: LogLimits = LIMITS) {
    this.#file = file;
    this.#limits = limits;
    this.#descriptor = openSync(file, 'a+', 0o640);
    this.#shorten();
    this.#start = fstatSync(this.#descriptor).size;
    this.#wasPutAside = false;
    this.#timer = setInterval(() => {
      // PostgreSQL reports errors such as a full disk.
      try {
        this.#shorten();
      } catch {}
    }, limits.everyMs);
    this.#timer.unref();
  }

  /** The descriptor to use for the server's output. */
  get descriptor(): number {
    return this.#descriptor;
  }

  /** Returns the output since this start, at least its end. */
  lastWords(): string {
    const now = end(this.#descriptor, this.#start);
    if (!this.#wasPutAside) return now;
    const aside = openSync(`${this.#file}.1`, 'r');
    try {
      return end(aside, 0) + now;
    } finally {
      closeSync(aside);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    closeSync(this.#descriptor);
  }

  /** Moves the lines aside if there are too many; the last ones stay available for the search. */
  #shorten(): void {
    const { size } = fstatSync(this.#descriptor);
    if (size <= this.#limits.bytes) return;
    const aside = openSync(`${this.#file}.1`, 'w', 0o640);
    try {
      // Lines written meanwhile are copied, too; only in the instant between the last check and the cut can one be
      // lost.
      for (let at = 0; at < fstatSync(this.#descriptor).size; ) {
        const chunk = read(this.#descriptor, at, CHUNK_BYTES);
        writeSync(aside, chunk);
        at += chunk.length;
      }
      ftruncateSync(this.#descriptor, 0);
      this.#start = 0;
      this.#wasPutAside = true;
    } finally {
      closeSync(aside);
    }
  }
}

function end(file: number, start: number): string {
  const { size } = fstatSync(file);
  const from = Math.max(start, size - LAST_WORDS_BYTES);
  return read(file, from, Math.max(0, size - from)).toString('utf8');
}

function read(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}
