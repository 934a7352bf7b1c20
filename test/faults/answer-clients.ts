/** Clients that ask the web server for everything all the time, and keep what they were answered, to be compared. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../bench/seeded-random.ts';

const CLIENTS = 6;
const MAX_PAUSE_MS = 30;
/** Longer than any limit of the web server. */
const TIMEOUT_MS = 30_000;

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

/** Begins to ask; `end` resolves when all have their last answer. `isKept`: which answers to compare. */
export function startAnswerClients(
  port: number,
  urls: readonly string[],
  random: SeededRandom,
  isKept: (answer: Answer) => boolean = () => true,
) {
  /** Each once. */
  const answers = new Map<string, Answer>();
  const problems = new Set<string>();
  const counts = { answered: 0, broken: 0, unavailable: 0 };
  let isOver = false;

  const askOnce = async (url: string) => {
    try {
      const answer = await ask(port, url);
      const { status, etag, text } = answer;
      counts.answered++;
      // 404: what is not there yet, or any more; 503: something is away.
      if (![200, 404, 503].includes(status)) problems.add(`${url} was answered with ${status}: ${text.slice(0, 200)}`);
      else if (status === 503) counts.unavailable++;
      else if (isKept(answer)) answers.set(`${status} ${etag} ${url} ${text}`, answer);
    } catch (error) {
      // The program was killed, or the answer was cut off with it.
      counts.broken++;
      if ((error as Error).name === 'TimeoutError') problems.add(`${url} was not answered in ${TIMEOUT_MS} ms`);
    }
  };
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!isOver) {
      await askOnce(random.pick(urls));
      await sleep(random.whole(0, MAX_PAUSE_MS));
    }
  });
  const end = async () => {
    isOver = true;
    await Promise.all(clients);
  };
  return { answers, problems, counts, end };
}
