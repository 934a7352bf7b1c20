/**
 * The process of `load-generator.ts`. HTTP clients of general use need more processor time for a request than our server does for
 * the answer, and would be what is measured; this one only finds the end of each answer.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerMessages } from './helper-process.ts';
import type { Load, LoadResult } from './load-generator.ts';
import { percentile } from './report.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = 'content-length: ';
const STATUS_AT = 'HTTP/1.1 '.length;
/** An answer's head is shorter than this. */
const MAX_HEAD_BYTES = 8_192;

let runs = 0;

class Run {
  readonly #load: Load;
  readonly #run = runs++;
  readonly #headers: string;
  readonly #latencies: number[] = [];
  #next = 0;
  #bytes = 0;
  #answers = 0;
  #isRecording = false;
  #wrong: string | null = null;

  constructor(load: Load) {
    this.#load = load;
    const headers = { host: `127.0.0.1:${load.port}`, ...load.headers };
    this.#headers = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
  }

  async run(): Promise<LoadResult> {
    const { connections, warmUpSeconds, seconds } = this.#load;
    const failed = Promise.withResolvers<never>();
    const sockets = Array.from({ length: connections }, () => this.#client(failed.reject));
    try {
      await Promise.race([sleep(warmUpSeconds * 1_000), failed.promise]);
      this.#isRecording = true;
      const start = performance.now();
      await Promise.race([sleep(seconds * 1_000), failed.promise]);
      this.#isRecording = false;
      return this.#result((performance.now() - start) / 1000);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }

  #result(seconds: number): LoadResult {
    const sorted = Float64Array.from(this.#latencies).sort();
    return {
      answers: this.#answers,
      perSecond: sorted.length / seconds,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
      bytesPerAnswer: this.#bytes / Math.max(sorted.length, 1),
      wrong: this.#wrong,
    };
  }

  /** Opens a connection that always has one request in progress. */
  #client(fail: (error: Error) => void): Socket {
    const socket = connect({ port: this.#load.port, host: '127.0.0.1', noDelay: true });
    let path = '';
    let sentAt = 0;
    let head: Buffer | null = null;
    let missing = 0;
    let bodyBytes = 0;
    const send = () => {
      path = this.#path();
      sentAt = performance.now();
      socket.write(`GET ${path} HTTP/1.1\r\n${this.#headers}\r\n`, 'latin1');
    };
    const begin = (chunk: Buffer) => {
      const bytes = head ? Buffer.concat([head, chunk]) : chunk;
      const end = bytes.indexOf(HEAD_END);
      if (end < 0) {
        head = bytes;
        if (bytes.length > MAX_HEAD_BYTES) fail(new Error(`the answer to ${path} has no end of its head`));
        return;
      }
      head = null;
      const text = bytes.toString('latin1', 0, end).toLowerCase();
      const status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
      if (status !== this.#load.status) this.#wrong ??= `${status} for ${path}`;
      const lengthAt = text.indexOf(CONTENT_LENGTH);
      if (lengthAt < 0 && status !== 304) fail(new Error(`the answer to ${path} does not tell its length`));
      bodyBytes = lengthAt < 0 ? 0 : Number.parseInt(text.slice(lengthAt + CONTENT_LENGTH.length), 10);
      missing = end + HEAD_END.length + bodyBytes - bytes.length;
      if (missing <= 0) finish();
    };
    const finish = () => {
      missing = 0;
      this.#answers++;
      if (this.#isRecording) {
        this.#latencies.push(performance.now() - sentAt);
        this.#bytes += bodyBytes;
      }
      send();
    };
    socket.on('connect', send);
    socket.on('error', fail);
    socket.on('close', () => fail(new Error(`the server closed a connection at ${path}`)));
    socket.on('data', (chunk: Buffer) => {
      if (missing === 0) {
        begin(chunk);
        return;
      }
      missing -= chunk.length;
      if (missing <= 0) finish();
    });
    return socket;
  }

  #path(): string {
    const { paths, unique } = this.#load;
    const n = this.#next++;
    const path = paths[n % paths.length]!;
    return unique ? `${path}${path.includes('?') ? '&' : '?'}bench=${this.#run}.${n}` : path;
  }
}

answerMessages((load: Load) => new Run(load).run());
