/** The programs' log: JSON lines, or readable lines if the output is a terminal. */
import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { choiceOption } from './option.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

export const logLevelOption = choiceOption('Minimum log level', LOG_LEVELS, 'info');

/**
 * Creates a logger to the standard output. Each line begins with `program` and, if the program has several processes,
 * the number of its `worker`.
 */
export function createLogger(program: string, level: LogLevel, worker: number | null = null): Logger {
  const base = worker === null ? { program } : { program, worker, pid: process.pid };
  const options = { level, base, serializers: { err: errorFields }, hooks: { logMethod: repeatedWarningFilter() } };
  if (!process.stdout.isTTY) return pino(options);
  const terminal: DestinationStream = { write: (line) => void process.stdout.write(`${readableLogLine(line)}\n`) };
  return pino(options, terminal);
}

/** The shortest time between two warnings with the same message, in milliseconds. */
const REPEATED_WARNING_MS = 1_000;
const MAX_MESSAGES = 1_000;

/** Leaves out a warning or error whose message was logged just before. The next line with it has the number `omitted`. */
function repeatedWarningFilter(): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
  const logged = new Map<string, { readonly at: number; omitted: number }>();
  return function (args, write, level) {
    const message: unknown = args.at(-1);
    if (level < WARNING || typeof message !== 'string') return write.apply(this, args);
    const last = logged.get(message);
    const at = performance.now();
    if (last !== undefined && at - last.at < REPEATED_WARNING_MS) {
      last.omitted++;
      return;
    }
    // A message may have data in it: what was logged long ago is forgotten.
    if (logged.size >= MAX_MESSAGES) logged.clear();
    logged.set(message, { at, omitted: 0 });
    if (last === undefined || last.omitted === 0) return write.apply(this, args);
    const fields = typeof args[0] === 'object' ? args[0] : {};
    write.call(this, { ...fields, omitted: last.omitted }, message);
  };
}

/** Errors that are temporary or that the operator can fix: their message is enough; a stack would suggest a defect. */
const FORESEEN = new Set(['NodeError', 'OperatorError', 'PostgresUnreachableError']);

function errorFields(error: Error): object {
  const fields = stdSerializers.err(error);
  return FORESEEN.has(error?.name) ? { ...fields, message: error.message, stack: undefined } : fields;
}

const WARNING = 40;
const LEVEL_NAMES: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
/** Fields that the readable line shows elsewhere or leaves out. */
const LEFT_OUT = new Set(['level', 'time', 'msg', 'err', 'program', 'pid', 'hostname', 'v']);

/**
 * Returns a line of a JSON log in readable form: time, program, level unless it is `info`, message, fields. Other lines
 * stay as they are. Control characters become visible, because text from a node could otherwise control the terminal.
 */
export function readableLogLine(line: string, program?: string): string {
  const record = parseRecord(line.trimEnd());
  if (record === undefined) {
    const text = visible(line.trimEnd());
    return program === undefined ? text : `${now()} ${program.padEnd(10)} ${text}`;
  }
  const level = LEVEL_NAMES[Number(record.level)];
  const name = String(program ?? record.program ?? '');
  const fields = Object.entries(record)
    .filter(([key, value]) => !LEFT_OUT.has(key) && value !== undefined)
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const parts = [
    now(typeof record.time === 'number' ? record.time : undefined),
    visible(name).padEnd(10),
    ...(level === undefined || level === 'info' ? [] : [level]),
    visible(String(record.msg ?? '')),
    ...errorText(record.err, Number(record.level)),
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
function errorText(error: unknown, level: number): string[] {
  if (typeof error !== 'object' || error === null) return error === undefined ? [] : [visible(`(${String(error)})`)];
  const { message, stack } = error as { message?: unknown; stack?: unknown };
  if (level < 50 || typeof stack !== 'string') return [visible(`(${String(message)})`)];
  return [`\n${stack.split('\n').map(visible).join('\n')}\n `];
}

/** Returns a text with its control characters as `\x1b`; tabs stay. */
function visible(text: string): string {
  return text.replace(/[^\P{Cc}\t]/gu, (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

const now = (time = Date.now()) => new Date(time).toTimeString().slice(0, 8);
