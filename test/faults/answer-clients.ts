/** Clients that ask the web server for everything all the time, and keep what they were answered, to be compared. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../bench/seeded-random.ts';

const CLIENTS = 6;
const MAX_PAUSE_MS = 30;
/** Longer than any limit of the web server. */
const TIMEOUT_MS = 30_000;
/** Of what is not there yet, or any more; and while something is away. */
const STATUSES = [200, 404, 503];

export interface Answer {
  readonly url: string;
  readonly status: number;
  /** Of what belongs to one tip, whose id begins it. */
  readonly etag: string | null;
  readonly text: string;
}

/** What was asked, as an API client or, for a page, as a browser does. */
export async function ask(port: number, url: string): Promise<Answer> {
  const headers = { accept: url.startsWith('/api/') ? 'application/json' : 'text/html' };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(`http://127.0.0.1:${port}${url}`, { headers, signal, redirect: 'manual' });
  return { url, status: response.status, etag: response.headers.get('etag'), text: await response.text() };
}

export class AnswerClients {
  /** Each once. */
  readonly answers = new Map<string, Answer>();
  readonly problems = new Set<string>();
  readonly counts: Record<string, number> = {};
  readonly #port: number;
  readonly #urls: readonly string[];
  readonly #random: SeededRandom;
  readonly #clients: Promise<void>[];
  #isOver = false;

  constructor(port: number, urls: readonly string[], random: SeededRandom) {
    this.#port = port;
    this.#urls = urls;
    this.#random = random;
    this.#clients = Array.from({ length: CLIENTS }, () => this.#run());
  }

  /** Resolves when all have their last answer. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
  }

  async #run(): Promise<void> {
    while (!this.#isOver) {
      await this.#ask(this.#random.pick(this.#urls));
      await sleep(this.#random.whole(0, MAX_PAUSE_MS));
    }
  }

  async #ask(url: string): Promise<void> {
    try {
      const answer = await ask(this.#port, url);
      const { status, etag, text } = answer;
      this.#count(`${status}`);
      if (!STATUSES.includes(status)) this.problems.add(`${url} was answered with ${status}: ${text.slice(0, 200)}`);
      else if (status !== 503) this.answers.set(`${status} ${etag} ${url} ${text}`, answer);
    } catch (error) {
      // The program was killed, or the answer was cut off with it.
      this.#count('broken');
      if ((error as Error).name === 'TimeoutError') this.problems.add(`${url} was not answered in ${TIMEOUT_MS} ms`);
    }
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}
