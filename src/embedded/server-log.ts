/** The log of an embedded PostgreSQL: limited in size, and searched for the reason of a failure. */
import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';

export interface LogLimits {
  /** A larger file is moved aside; the one moved before is dropped. */
  readonly bytes: number;
  /** The interval of checks of its size. */
  readonly everyMs: number;
}

const LIMITS: LogLimits = { bytes: 16_000_000, everyMs: 10_000 };
/** The end of the log that is searched for a reason. */
const LAST_WORDS_BYTES = 256 * 1024;

/**
 * The log in `file`, with the older lines in `file.1`. PostgreSQL writes the file itself, so that it can keep logging
 * if this program has died. Every write is at the end of the file, so it may be truncated at any time.
 */
export class BoundedServerLog {
  /** The descriptor to use for the server's output. */
  readonly descriptor: number;
  readonly #file: string;
  readonly #limits: LogLimits;
  readonly #timer: NodeJS.Timeout;
  /** Offset in the file at which this start's output begins. */
  #start: number;

  /** Throws the error of the operating system. */
  constructor(file: string, limits: LogLimits = LIMITS) {
    this.#file = file;
    this.#limits = limits;
    this.descriptor = openSync(file, 'a+', 0o640);
    this.#shorten();
    this.#start = fstatSync(this.descriptor).size;
    this.#timer = setInterval(() => {
      // PostgreSQL reports errors such as a full disk.
      try {
        this.#shorten();
      } catch {}
    }, limits.everyMs);
    this.#timer.unref();
  }

  /** Returns the end of the output since this start. */
  lastWords(): string {
    const { size } = fstatSync(this.descriptor);
    const bytes = Buffer.alloc(Math.min(size - this.#start, LAST_WORDS_BYTES));
    return bytes.toString('utf8', 0, readSync(this.descriptor, bytes, 0, bytes.length, size - bytes.length));
  }

  close(): void {
    clearInterval(this.#timer);
    closeSync(this.descriptor);
  }

  /** Moves the lines aside if there are too many. Those of the milliseconds between the copy and the cut are lost. */
  #shorten(): void {
    if (fstatSync(this.descriptor).size <= this.#limits.bytes) return;
    copyFileSync(this.#file, `${this.#file}.1`);
    ftruncateSync(this.descriptor, 0);
    this.#start = 0;
  }
}

/** The prefix of the server's log lines: time, process id, and the kind of process. */
export const LOG_LINE_PREFIX = '%m [%p] %b: ';
const LOG_LINE = /^[\d-]+ [\d:.]+ \S+ \[\d+\] ([\w ]+): ([A-Z]+\d?):\s+(.*)$/;
const NO_SPACE = /No space left on device|Disk quota exceeded/;
/** Log lines of every start and stop, which do not explain a failure. */
const NO_REASON =
  /^(starting PostgreSQL|listening on|database system (is|was) |.* terminated by signal|aborting startup)/;

/** Returns the line of a PostgreSQL program's output, such as initdb's, that says why it failed. */
export function initdbFailureReason(output: string): string {
  if (NO_SPACE.test(output)) return 'no space left on the device';
  const lines = output.split('\n').map((line) => line.trim());
  const complaint =
    lines.findLast((line) => /(?:FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.findLast((line) => line !== '');
  return withoutStop(complaint?.replace(/^.*?(?:FATAL|PANIC|ERROR|error):\s*/, '')) ?? 'it said nothing';
}

/**
 * Returns the reason why the server ended, from its log since its start. Errors of clients are in the log, too, but do
 * not explain it. `undefined` if there is no reason, as when it was killed.
 */
export function postgresEndReason(log: string): string | undefined {
  const said: { level: string; text: string }[] = [];
  for (const line of log.split('\n')) {
    const [, process, level = '', text = ''] = LOG_LINE.exec(line) ?? [];
    if (process !== undefined && !isOfServer(process)) continue;
    if (process !== undefined) said.push({ level, text });
    // A line from before the server knows its log format. Continuation lines begin with a tab.
    else if (/^\S/.test(line)) said.push({ level: /(FATAL|PANIC):/.exec(line)?.[1] ?? '', text: line });
  }
  const grave = said.findLast(({ level }) => level === 'PANIC' || level === 'FATAL');
  if (grave !== undefined && NO_SPACE.test(grave.text)) return 'no space left on the device';
  const last = grave ?? said.findLast(({ text }) => !NO_REASON.test(text));
  return withoutStop(last?.text.replace(/^.*?(?:FATAL|PANIC|ERROR|error):\s*/, ''));
}

/** Is this a process of the server itself, not a backend or another worker? */
const isOfServer = (process: string) => !/^(client backend|.*worker|standalone backend)$/.test(process);

const withoutStop = (text: string | undefined) => text?.replace(/\.$/, '');
