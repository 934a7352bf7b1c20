/** Shows the progress of a sync: as one updated line on a terminal, otherwise as log lines. */
import type { Logger } from 'pino';

const LOG_EVERY_MS = 10_000;
const DRAW_EVERY_MS = 250;

interface ProgressOptions {
  readonly logger: Logger;
  /** A terminal to draw on; null to log instead. */
  readonly terminal: NodeJS.WriteStream | null;
  /** The milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

export class SyncProgress {
  readonly #options: ProgressOptions;
  readonly #now: () => number;
  #phase = '';
  #target = 0;
  #start = { height: 0, transactions: 0, at: 0 };
  #lastReport = Number.NEGATIVE_INFINITY;
  #drawn = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Starts a phase that leads from a tip to the height `target`. */
  begin(phase: string, from: { height: number; transactionCount: number }, target: number): void {
    this.#phase = phase;
    this.#target = target;
    this.#start = { height: from.height, transactions: from.transactionCount, at: this.#now() };
    // The log gets no line at once: a rate from the first block or two, and from the start, would mislead.
    this.#lastReport = this.#options.terminal ? Number.NEGATIVE_INFINITY : this.#start.at;
  }

  report(tip: { readonly height: number; readonly transactionCount: number }): void {
    const now = this.#now();
    const { terminal, logger } = this.#options;
    if (now - this.#lastReport < (terminal ? DRAW_EVERY_MS : LOG_EVERY_MS) && tip.height < this.#target) return;
    this.#lastReport = now;
    const seconds = Math.max((now - this.#start.at) / 1000, 0.001);
    const blocksPerSecond = (tip.height - this.#start.height) / seconds;
    const transactionsPerSecond = (tip.transactionCount - this.#start.transactions) / seconds;
    const percent = this.#target === 0 ? 100 : (100 * tip.height) / this.#target;
    const secondsLeft = blocksPerSecond > 0 ? (this.#target - tip.height) / blocksPerSecond : Number.NaN;
    if (terminal === null) {
      logger.info(
        {
          phase: this.#phase,
          height: tip.height,
          target: this.#target,
          percent: Number(percent.toFixed(1)),
          blocksPerSecond: Math.round(blocksPerSecond),
          transactionsPerSecond: Math.round(transactionsPerSecond),
          secondsLeft: Number.isNaN(secondsLeft) ? null : Math.round(secondsLeft),
        },
        'sync progress',
      );
      return;
    }
    this.#drawn = true;
    terminal.write(
      `\r\x1b[K${this.#phase}  ${tip.height} of ${this.#target}  ${percent.toFixed(1)} %  ` +
        `${Math.round(blocksPerSecond)} blocks/s  ${Math.round(transactionsPerSecond)} tx/s  ${timeLeft(secondsLeft)}`,
    );
  }

  /** Logs a phase that has no heights. */
  phase(text: string): void {
    this.end();
    this.#lastReport = this.#now();
    this.#options.logger.info({ phase: text }, 'sync phase');
  }

  /** Logs how far a phase has come: now and then, and at its end. */
  part(text: string, done: number, all: number): void {
    if (done === all || this.#now() - this.#lastReport >= LOG_EVERY_MS) this.phase(`${text} ${done} of ${all}`);
  }

  /** Ends the updated line. */
  end(): void {
    if (this.#drawn) this.#options.terminal?.write('\n');
    this.#drawn = false;
  }
}

function timeLeft(seconds: number): string {
  if (Number.isNaN(seconds)) return '';
  if (seconds < 60) return `${Math.ceil(seconds)} s left`;
  if (seconds < 3600) return `${Math.ceil(seconds / 60)} min left`;
  return `${(seconds / 3600).toFixed(1)} h left`;
}
