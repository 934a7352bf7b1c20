/**
 * What is known of one node: does it answer, and may it be used? The clients of a process share it, and all programs log in the
 * same words why it cannot be used (docs/operation.md#a-node-that-cannot-be-used).
 */
import { LastingCondition } from '../errors/lasting-condition.ts';
import { type NodeLogger, silentLogger } from './logger-interface.ts';
import { NodeError } from './node-error.ts';

/** A node that is asked and sends nothing for so long, while a call ends by its timeout, is silent. */
const SILENT_MS = 1_500;
/** One answer that cannot be used is no problem of a node that has given others within this time: it is asked every two seconds. */
const USABLE_MS = 3_000;

export class NodeHealth {
  /** The time of its last answer, of `performance.now()`; null before the first. */
  answeredAt: number | null = null;
  readonly #node: string;
  #problem: NodeError | null = null;
  readonly #unusable = new LastingCondition(silentLogger, {
    holds: 'the node cannot be used',
    ended: 'the node can be used again',
  });
  /** Since when it has been asked without sending anything. */
  #waitingSince: number | null = null;
  #silence: NodeError | null = null;
  readonly #onSilence: ((error: NodeError) => void)[] = [];
  readonly #onChange: (() => void)[] = [];

  /** `node`: its address, for the log. */
  constructor(node: string) {
    this.#node = node;
  }

  /** Logs for all clients of the node. */
  set logger(logger: NodeLogger) {
    this.#unusable.logger = logger;
  }

  /** Why it cannot be used; null if its last call was answered, and before the first call. */
  get problem(): NodeError | null {
    return this.#problem;
  }

  /** The error with which calls end at once, because the node is silent; null if it may be called. */
  get silence(): NodeError | null {
    return this.#silence;
  }

  /** Calls back when `problem` is another one, or none. */
  onChange(listener: () => void): void {
    this.#onChange.push(listener);
  }

  /** Calls back with the error for all calls in progress when the node turns out to be silent. */
  onSilence(listener: (error: NodeError) => void): void {
    this.#onSilence.push(listener);
  }

  /** Notes that something was sent to it. */
  asked(): void {
    this.#waitingSince ??= performance.now();
  }

  /** Notes that it has sent something. */
  heard(): void {
    this.#waitingSince = null;
  }

  /** Notes an answer that can be used. */
  answered(): void {
    this.answeredAt = performance.now();
    if (this.#problem === null) return;
    this.#problem = null;
    for (const listener of this.#onChange) listener();
    this.#unusable.ended({ node: this.#node });
  }

  /** Notes a failed call. */
  failed(error: NodeError): void {
    // Whatever failed, it was not silence.
    if (error.kind !== 'timeout') this.heard();
    if (error.kind === 'rpc') return this.answered();
    if (error.kind === 'malformed' && performance.now() - (this.answeredAt ?? Number.NEGATIVE_INFINITY) < USABLE_MS)
      return;
    const isNew = this.#problem?.kind !== error.kind;
    this.#problem = error;
    if (isNew) for (const listener of this.#onChange) listener();
    this.#unusable.holds({ node: this.#node, reason: error.message }, error.kind);
  }

  /**
   * Notes that a call ended by its timeout. If the node has sent nothing at all, all calls fail at once from then on, until one
   * call of `probe`, repeated as long as it is not answered, has another result.
   */
  timedOut(error: NodeError, probe: () => Promise<unknown>): void {
    this.failed(error);
    if (this.#silence !== null || this.#waitingSince === null) return;
    if (performance.now() - this.#waitingSince < SILENT_MS) return;
    this.#silence = error;
    for (const listener of this.#onSilence) listener(error);
    void this.#probe(probe);
  }

  async #probe(probe: () => Promise<unknown>): Promise<void> {
    for (let isSilent = true; isSilent; ) {
      isSilent = await probe().then(
        () => false,
        (error: unknown) => error instanceof NodeError && error.kind === 'timeout',
      );
      if (isSilent && this.#silence !== null) this.failed(this.#silence);
    }
    this.#silence = null;
  }
}
