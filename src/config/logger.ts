/** The programs' log: JSON lines, or text for a terminal and the journal of systemd. */
import { fstatSync } from 'node:fs';
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers, stdTimeFunctions } from 'pino';
import { RepeatedLines } from '../errors/repeated-log-lines.ts';
import { choiceOption, type Option, type OptionValues } from './option.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

export const logLevelOption = choiceOption('Minimum log level', LOG_LEVELS, 'info');

const logFormatOption: Option<'json' | 'text' | undefined> = {
  ...choiceOption(
    'Lines of the log [default: text on a terminal and in the journal of systemd, else json]',
    ['json', 'text'],
    'json',
  ),
  fallback: undefined,
  fallbackText: undefined,
};

export const logOptions = { 'log-level': logLevelOption, 'log-format': logFormatOption };
type LogSettings = OptionValues<typeof logOptions>;

/**
 * Creates a logger to the standard output. Each line begins with `program` and, if the program has several processes,
 * the number of its `worker`.
 */
export function createLogger(program: string, settings: LogSettings, worker: number | null = null): Logger {
  const hooks = { logMethod: repeatedWarningFilter() };
  return pino({ ...commonOptions(program, worker), level: settings['log-level'], hooks }, streamOf(settings));
}

/** The most bytes that wait to be written, and the most milliseconds. */
const BUFFERED = { minLength: 4_096, periodicFlush: 1_000, sync: false };

/** Creates the log of requests. Its lines are written together, at most a second later, and at the end of the process. */
export function createAccessLog(
  program: string,
  settings: LogSettings,
  worker: number | null,
): (fields: object) => void {
  const logger = pino(commonOptions(program, worker), streamOf(settings, pino.destination(BUFFERED)));
  return (fields) => logger.info(fields, 'request');
}

function commonOptions(program: string, worker: number | null) {
  return {
    base: worker === null ? { program } : { program, worker, pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    serializers: { err: errorFields },
  };
}

function streamOf(
  { 'log-format': format }: LogSettings,
  destination: DestinationStream = pino.destination(),
): DestinationStream {
  const { isTTY } = process.stdout;
  if ((format ?? (isTTY || isJournal() ? 'text' : 'json')) === 'json') return destination;
  return { write: (line) => destination.write(`${readableLogLine(line, { isDated: !isTTY })}\n`) };
}

/** Is the standard output the journal of systemd? A program whose output was redirected inherits the variable as well. */
function isJournal(): boolean {
  const { JOURNAL_STREAM } = process.env;
  if (!JOURNAL_STREAM) return false;
  const { dev, ino } = fstatSync(1, { bigint: true });
  return JOURNAL_STREAM === `${dev}:${ino}`;
}

/** The shortest time between two warnings with the same message, in milliseconds. */
const REPEATED_WARNING_MS = 1_000;

/** Leaves out a warning or error whose message was logged just before. The next line with it has the number `omitted`. */
function repeatedWarningFilter(): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const repeated = new RepeatedLines(REPEATED_WARNING_MS);
  return function (args, write, level) {
    const message: unknown = args.at(-1);
    const omitted = level < WARNING || typeof message !== 'string' ? 0 : repeated.take(message);
    if (omitted === 0) write.apply(this, args);
    else if (omitted !== null)
      write.call(this, { ...(typeof args[0] === 'object' && args[0]), omitted }, String(message));
  };
}

/** Errors that are temporary or that the operator can fix: their message is enough; a stack would suggest a defect. */
const FORESEEN = new Set(['NodeError', 'OperatorError', 'PostgresBlockedError', 'PostgresUnreachableError']);

function errorFields(error: Error): object {
  const fields = stdSerializers.err(error);
  return FORESEEN.has(error?.name) ? { ...fields, message: error.message, stack: undefined } : fields;
}

const WARNING = 40;
const LOUD_LEVELS = ['warn', 'error', 'fatal'];
/** Fields that the readable line shows elsewhere or leaves out. */
const LEFT_OUT = new Set(['level', 'time', 'msg', 'err', 'program', 'pid', 'hostname', 'v']);

/**
 * Returns a line of a JSON log in readable form: time, program, level unless it is `info`, message, fields. Other lines
 * stay as they are. Control characters become visible, because text from a node could otherwise control the terminal.
 * `isDated`: the time is the whole ISO time, not that of the day.
 */
export function readableLogLine(
  line: string,
  { program, isDated = false }: { program?: string; isDated?: boolean } = {},
): string {
  const record = parseRecord(line.trimEnd());
  if (record === undefined) {
    const text = visible(line.trimEnd());
    return program === undefined ? text : `${timeOfDay()} ${program.padEnd(10)} ${text}`;
  }
  // The lines of the devnet have neither.
  const level = String(record.level ?? 'info');
  const isLoud = LOUD_LEVELS.includes(level);
  const time = String(record.time ?? new Date().toISOString());
  const name = String(program ?? record.program ?? '');
  const fields = Object.entries(record)
    .filter(([key, value]) => !LEFT_OUT.has(key) && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const parts = [
    isDated ? visible(time) : timeOfDay(time),
    visible(name).padEnd(10),
    ...(level === 'info' ? [] : [isLoud ? level.toUpperCase() : visible(level)]),
    visible(String(record.msg ?? '')),
    ...errorText(record.err, level),
    ...fields.map(visible),
  ];
  return parts.join(' ');
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Returns the error's message, or the stack of an unexpected error. */
function errorText(error: unknown, level: string): string[] {
  if (typeof error !== 'object' || error === null) return error === undefined ? [] : [visible(`(${String(error)})`)];
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  if (level === 'warn' || !LOUD_LEVELS.includes(level) || typeof stack !== 'string')
    return [visible(`(${String(message)})`)];
  return [`\n${stack.split('\n').map(visible).join('\n')}\n `];
}

/** Returns a text with its control characters as `\x1b`; tabs stay. */
function visible(text: string): string {
  return text.replace(/[^\P{Cc}\t]/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

const timeOfDay = (time: string | number = Date.now()) => new Date(time).toTimeString().slice(0, 8);
