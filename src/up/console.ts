/** The terminal output of `up`: permanent lines, and one status line that is overwritten. */

interface ConsoleStream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** Interval of status lines if there is no terminal, in milliseconds. */
const STATUS_LINE_EVERY_MS = 30_000;
const CLEAR_LINE = '\r\x1b[K';

export class StatusConsole {
  readonly #stream: ConsoleStream;
  readonly #now: () => number;
  #status = '';
  #statusAt = Number.NEGATIVE_INFINITY;

  constructor(stream: ConsoleStream, now: () => number = Date.now) {
    this.#stream = stream;
    this.#now = now;
  }

  /** Prints a permanent line. */
  line(text: string): void {
    if (!this.#stream.isTTY) this.#stream.write(`${text}\n`);
    else this.#stream.write(`${this.#status === '' ? '' : CLEAR_LINE}${text}\n${this.#status}`);
  }

  /** Replaces the last status. */
  status(text: string): void {
    if (this.#stream.isTTY) {
      this.#status = fitted(text, (this.#stream.columns ?? 80) - 1);
      this.#stream.write(CLEAR_LINE + this.#status);
    } else if (this.#now() - this.#statusAt >= STATUS_LINE_EVERY_MS) {
      this.#statusAt = this.#now();
      this.#stream.write(`${text}\n`);
    }
  }

  /** Ends the status line; the last status stays visible. */
  end(): void {
    if (this.#status !== '') this.#stream.write('\n');
    this.#status = '';
  }
}

/** Returns whole words of a text: a number without its last digits would be another number. */
function fitted(text: string, columns: number): string {
  return text.length <= columns ? text : text.slice(0, columns + 1).replace(/\s*\S*$/, '');
}
