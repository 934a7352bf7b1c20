/**
 * Well-behaved clients: each sends one request after the other, in its own process, and records when responses came.
 */
import type { AttackRequest } from './attack-definition.ts';
import { HelperProcess } from './helper-process.ts';

export interface ClientRequest extends AttackRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** The response has no end: the client leaves after the first event. */
  readonly isStream?: boolean;
}

export interface ClientPlan {
  readonly port: number;
  /** The address that it comes from. */
  readonly localAddress: string;
  /** The requests, sent in turn, repeatedly. */
  readonly requests: readonly ClientRequest[];
  /** The pause between a response and the next request. */
  readonly pauseMs: number;
}

export interface Sample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly ms: number;
  /** 0: the connection broke, or there was no response in time; null: there is none so far. */
  readonly status: number | null;
  /** The body is large enough to be compressed as requested, and was not. */
  readonly isUncompressed?: boolean;
}

/** A process with any number of clients, which hardly disturb each other. */
export class Clients<Name extends string> {
  readonly #process = new HelperProcess('well-behaved-client-process.ts', 'a client');

  static async start<Name extends string>(plans: Readonly<Record<Name, ClientPlan>>): Promise<Clients<Name>> {
    const clients = new Clients<Name>();
    await clients.#process.ask(plans);
    return clients;
  }

  /**
   * Takes the samples of each client since the last call. A request that waits for its response is the last one, and is
   * reported again.
   */
  take(): Promise<Record<Name, Sample[]>> {
    return this.#process.ask('take');
  }

  close(): void {
    this.#process.close();
  }
}
