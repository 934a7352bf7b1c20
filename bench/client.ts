/** Clients that behave: each asks one thing after the other, in a process of its own, and remembers what came when. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AttackRequest } from './attack.ts';
import { nextMessage } from './next-message.ts';

const NAME = 'a client';

export interface ClientRequest extends AttackRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The response has no end: the client leaves after the first event. */
  readonly isStream?: boolean;
}

export interface ClientPlan {
  readonly port: number;
  /** The address that it comes from. */
  readonly localAddress: string;
  /** Asked in turn, again and again. */
  readonly requests: readonly ClientRequest[];
  /** From each response to the next request. */
  readonly pauseMs: number;
}

export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  /** 0: the connection broke, or there was no response in time; null: there is none so far. */
  readonly status: number | null;
}

/** One process, with any number of clients, which disturb each other little. */
export class Clients<Name extends string> {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start<Name extends string>(plans: Readonly<Record<Name, ClientPlan>>): Promise<Clients<Name>> {
    const child = fork(fileURLToPath(new URL('./client-process.ts', import.meta.url)));
    child.send(plans);
    await nextMessage(child, NAME);
    return new Clients<Name>(child);
  }

  /** What each has seen since the last time. The request that waits for its response is the last one, and told again. */
  async take(): Promise<Record<Name, Sample[]>> {
    const taken = nextMessage(this.#child, NAME);
    this.#child.send('take');
    return (await taken) as Record<Name, Sample[]>;
  }

  close(): void {
    this.#child.kill();
  }
}
