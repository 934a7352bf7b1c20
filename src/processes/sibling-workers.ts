/**
 * Lets the workers of a program ask each other. The primary process only forwards: it keeps nothing, and does not write
 * to a worker that does not read.
 */
import type { Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';

export interface SiblingResponse {
  /** The number of the worker. */
  readonly worker: number;
  /** Undefined if the worker does not run, did not respond in time, or failed. */
  readonly content: string | undefined;
}

/** The other workers, from the view of one of them. */
export interface SiblingWorkers {
  /** The worker's own number. */
  readonly worker: number;
  /** Resolves with the responses of the other workers, after a second at the latest. Never rejects. */
  ask(topic: string, content: string): Promise<readonly SiblingResponse[]>;
  /** Sets the function that responds to the others' questions about a topic. */
  onQuestion(topic: string, respond: (content: string) => Promise<string>): void;
}

type Message =
  /** A worker can be asked from now on. */
  | { readonly siblings: 'joined' }
  | { readonly siblings: 'question'; readonly id: string; readonly topic: string; readonly content: string }
  /** `from`: the worker that asks or responds; set by the primary. */
  | { readonly siblings: 'forwarded'; readonly from: number; readonly question: Question }
  | { readonly siblings: 'response'; readonly id: string; readonly to: number; readonly content: string | null }
  | { readonly siblings: 'responded'; readonly id: string; readonly from: number; readonly content: string | null };

type Question = Extract<Message, { siblings: 'question' }>;

const MAX_WAIT_MS = 1_000;
/** Maximum unread bytes of a worker that is still asked. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

interface Member {
  readonly worker: Worker;
  hasJoined: boolean;
  unread: number;
}

/** Forwards messages between workers. It runs in the primary process. */
export class SiblingMessageForwarder {
  readonly #members = new Map<number, Member>();
  /** The configured number of workers. */
  readonly #numbers: readonly number[];

  constructor(count: number) {
    this.#numbers = Array.from({ length: count }, (_, i) => i + 1);
  }

  add(worker: Worker, number: number): void {
    const member: Member = { worker, hasJoined: false, unread: 0 };
    this.#members.set(number, member);
    worker.once('exit', () => this.#members.delete(number));
    worker.on('message', (message: unknown) => {
      if (!isMessage(message)) return;
      if (message.siblings === 'joined') member.hasJoined = true;
      else if (message.siblings === 'question') this.#forward(message, number);
      else if (message.siblings === 'response') {
        const { id, to, content } = message;
        this.#send(to, { siblings: 'responded', id, from: number, content }, content?.length);
      }
    });
  }

  #forward(question: Question, from: number): void {
    for (const number of this.#numbers.filter((each) => each !== from)) {
      const member = this.#members.get(number);
      if (member?.hasJoined && member.unread < MAX_UNREAD_BYTES) {
        this.#send(number, { siblings: 'forwarded', from, question }, question.content.length);
      } else this.#send(from, { siblings: 'responded', id: question.id, from: number, content: null });
    }
  }

  #send(to: number, message: Message, length = 0): void {
    const member = this.#members.get(to);
    if (member === undefined) return;
    member.unread += length;
    send(member.worker.process, message, () => {
      member.unread -= length;
    });
  }
}

/** A question that waits for responses. */
interface Open {
  readonly responses: Map<number, string | null>;
  readonly end: () => void;
}

/** The worker's side. Handlers must be registered in the same tick in which the object is created. */
export class IpcSiblingWorkers implements SiblingWorkers {
  readonly worker: number;
  readonly #others: readonly number[];
  readonly #respond = new Map<string, (content: string) => Promise<string>>();
  readonly #open = new Map<string, Open>();

  /** `count`: the number of all workers. */
  constructor(worker: number, count: number) {
    this.worker = worker;
    this.#others = Array.from({ length: count }, (_, i) => i + 1).filter((number) => number !== worker);
    process.on('message', (message: unknown) => {
      if (isMessage(message)) this.#take(message);
    });
    send(process, { siblings: 'joined' });
  }

  onQuestion(topic: string, respond: (content: string) => Promise<string>): void {
    this.#respond.set(topic, respond);
  }

  async ask(topic: string, content: string): Promise<readonly SiblingResponse[]> {
    const id = randomUUID();
    const ended = Promise.withResolvers<void>();
    const open: Open = { responses: new Map(), end: ended.resolve };
    this.#open.set(id, open);
    const timer = setTimeout(ended.resolve, MAX_WAIT_MS);
    send(process, { siblings: 'question', id, topic, content });
    await ended.promise;
    clearTimeout(timer);
    this.#open.delete(id);
    return this.#others.map((worker) => ({ worker, content: open.responses.get(worker) ?? undefined }));
  }

  #take(message: Message): void {
    switch (message.siblings) {
      case 'forwarded':
        void this.#answer(message.question, message.from);
        return;
      case 'responded': {
        const open = this.#open.get(message.id);
        if (open?.responses.set(message.from, message.content).size === this.#others.length) open.end();
        return;
      }
      case 'joined':
      case 'question':
      case 'response':
    }
  }

  async #answer({ id, topic, content }: Question, to: number): Promise<void> {
    const said = await this.#respond
      .get(topic)?.(content)
      .catch(() => undefined);
    send(process, { siblings: 'response', id, to, content: said ?? null });
  }
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'siblings' in message;
}

/** Sends to a process that may have ended. */
function send(to: Pick<NodeJS.Process, 'send'> | Worker['process'], message: Message, done = () => {}): void {
  if (to.send === undefined) return done();
  to.send(message, undefined, undefined, done);
}
