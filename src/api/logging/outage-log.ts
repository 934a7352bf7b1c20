/** Logs the outages of something outside, such as the node: one line when it fails first, one when it works again. */
import type { ApiLogger } from './logger-interface.ts';

export class OutageLog {
  readonly #logger: ApiLogger;
  readonly #texts: { readonly failed: string; readonly works: string };
  #since: number | null = null;
  #failures = 0;

  constructor(logger: ApiLogger, texts: { readonly failed: string; readonly works: string }) {
    this.#logger = logger;
    this.#texts = texts;
  }

  failed(error: unknown): void {
    this.#failures++;
    if (this.#since !== null) return;
    this.#since = performance.now();
    this.#logger.warn({ err: error }, this.#texts.failed);
  }

  works(): void {
    if (this.#since === null) return;
    const seconds = Math.round((performance.now() - this.#since) / 1_000);
    this.#logger.info({ failures: this.#failures, seconds }, this.#texts.works);
    this.#since = null;
    this.#failures = 0;
  }
}
