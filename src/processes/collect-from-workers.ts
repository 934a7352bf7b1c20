/**
 * Combines values of all workers of a program. A worker requests them from the primary process, which requests them
 * from all workers, combines them into one text and sends it back. A worker that does not answer within a second counts
 * with its last values, so that sums do not fall and rise again, and one that has ended with what must be kept of it.
 */
import type { Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';

export interface WorkerReport<Figures> {
  /** The worker's number. */
  readonly worker: number;
  /** Undefined when it has not said anything yet. */
  readonly figures: Figures | undefined;
  /** It did not answer this time. */
  readonly isSilent: boolean;
}

export interface Combined<Figures> {
  readonly text: string;
  /** What counts from now on instead of those that have ended. */
  readonly ended: Figures;
}

/** `ended`: the last values of workers that have ended, combined with those of earlier ones. */
export type Combine<Figures> = (
  said: readonly WorkerReport<Figures>[],
  ended: readonly Figures[],
) => Promise<Combined<Figures>>;

/** What goes between the processes. */
type Message =
  | { readonly gathering: 'wanted' }
  | { readonly gathering: 'question' }
  | { readonly gathering: 'answer'; readonly figures: unknown }
  | { readonly gathering: 'combined'; readonly text: string }
  | { readonly gathering: 'failed'; readonly reason: string };

const LONGEST_WAIT_MS = 1_000;
/** The primary waits for the others, and has some time to combine what they said. */
const LONGEST_WAIT_FOR_PRIMARY_MS = 3 * LONGEST_WAIT_MS;

interface Member<Figures> {
  readonly worker: Worker;
  readonly number: number;
  figures: Figures | undefined;
  /** Set while it has not answered the last request. */
  question: PromiseWithResolvers<void> | undefined;
}

/** In the primary process. */
export class WorkerCollector<Figures> {
  readonly #combine: Combine<Figures>;
  readonly #members = new Set<Member<Figures>>();
  #ended: Figures[] = [];
  /** Concurrent callers share one result, so requests of many clients do not multiply. */
  #round: Promise<string> | undefined;

  constructor(combine: Combine<Figures>) {
    this.#combine = combine;
  }

  /** From now on the worker is asked, and may ask. */
  add(worker: Worker, number: number): void {
    const member: Member<Figures> = { worker, number, figures: undefined, question: undefined };
    this.#members.add(member);
    worker.on('message', (message: unknown) => {
      if (!isMessage(message)) return;
      if (message.gathering === 'wanted') void this.#answer(worker);
      if (message.gathering !== 'answer') return;
      member.figures = (message.figures as Figures) ?? member.figures;
      member.question?.resolve();
      member.question = undefined;
    });
    worker.once('exit', () => {
      this.#members.delete(member);
      member.question?.resolve();
      if (member.figures !== undefined) this.#ended.push(member.figures);
    });
  }

  async #answer(worker: Worker): Promise<void> {
    this.#round ??= this.#gather().finally(() => {
      this.#round = undefined;
    });
    try {
      send(worker.process, { gathering: 'combined', text: await this.#round });
    } catch (error) {
      send(worker.process, { gathering: 'failed', reason: String(error) });
    }
  }

  async #gather(): Promise<string> {
    // Who owes an answer is not asked again, nor waited for once more.
    const asked = [...this.#members].filter((member) => member.question === undefined);
    const answers = asked.map((member) => {
      member.question = Promise.withResolvers();
      send(member.worker.process, { gathering: 'question' });
      return member.question.promise;
    });
    const patience = new AbortController();
    const { signal } = patience;
    await Promise.race([Promise.all(answers), sleep(LONGEST_WAIT_MS, undefined, { signal }).catch(() => undefined)]);
    patience.abort();
    const said = [...this.#members]
      .map(({ number, figures, question }) => ({ worker: number, figures, isSilent: question !== undefined }))
      .sort((a, b) => a.worker - b.worker);
    const gone = [...this.#ended];
    const { text, ended } = await this.#combine(said, gone);
    this.#ended = [ended, ...this.#ended.slice(gone.length)];
    return text;
  }
}

/** In a worker: answers requests with `own` from now on, and returns the function that requests the combined values. */
export function collectFromWorkers(own: () => Promise<unknown>): () => Promise<string> {
  let wanted: PromiseWithResolvers<string> | undefined;
  process.on('message', (message: unknown) => {
    if (!isMessage(message)) return;
    if (message.gathering === 'question') {
      const answer = (figures: unknown) => send(process, { gathering: 'answer', figures });
      own().then(answer, () => answer(undefined));
    } else if (message.gathering === 'combined') wanted?.resolve(message.text);
    else if (message.gathering === 'failed') wanted?.reject(new Error(message.reason));
  });
  return () => {
    if (wanted !== undefined) return wanted.promise;
    const asking = Promise.withResolvers<string>();
    wanted = asking;
    const tooLate = () => asking.reject(new Error('The primary process does not answer.'));
    const timer = setTimeout(tooLate, LONGEST_WAIT_FOR_PRIMARY_MS);
    send(process, { gathering: 'wanted' });
    return asking.promise.finally(() => {
      clearTimeout(timer);
      wanted = undefined;
    });
  };
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'gathering' in message;
}

/** To a process that may have ended. */
function send(to: Pick<NodeJS.Process, 'send'> | Worker['process'], message: Message): void {
  to.send?.(message, undefined, undefined, () => undefined);
}
