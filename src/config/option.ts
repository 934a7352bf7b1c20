/** Options of a program: one table says name, meaning and default; values come from the command line or the environment. */
import { parseArgs } from 'node:util';
import { OperatorError } from '../errors/operator-error.ts';
import { type HostPort, parseHostPort } from '../node/host-port.ts';

export interface Option<T> {
  /** The placeholder of the value in the help text; a flag has none. */
  readonly placeholder: string | undefined;
  readonly help: string;
  /** The default value. */
  readonly fallback: T;
  /** The default in the help text; undefined: none is shown. */
  readonly fallbackText?: string | undefined;
  /**
   * Parses the value. Throws a `RangeError` with the expected form, as in "must be a whole number", or an `OperatorError`
   * that says all about the value itself.
   */
  readonly read: (text: string) => T;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;
export type OptionValues<T extends OptionTable> = { readonly [K in keyof T]: T[K]['fallback'] };

/** `--name` without a value; in the environment `1`, `true`, `yes` and `on` set it, `0`, `false`, `no` and `off` do not. */
export function flagOption(help: string): Option<boolean> {
  return { placeholder: undefined, help, fallback: false, read: readFlag };
}

export function textOption<Fallback extends string | undefined = undefined>(
  placeholder: string,
  help: string,
  fallback?: Fallback,
): Option<string | Fallback> {
  return { placeholder, help, fallback: fallback as Fallback, fallbackText: fallback, read: (value) => value };
}

/** A whole number between `least` and `most`. */
export function wholeNumberOption<Fallback extends number | undefined = undefined>(
  help: string,
  [least, most]: readonly [least: number, most: number],
  fallback?: Fallback,
): Option<number | Fallback> {
  return {
    placeholder: 'N',
    help,
    fallback: fallback as Fallback,
    fallbackText: fallback?.toString(),
    read(value) {
      const number = Number(value);
      if (/^\d{1,15}$/.test(value) && number >= least && number <= most) return number;
      throw new RangeError(`must be a whole number from ${least} to ${most}`);
    },
  };
}

/** A number between 0 and 1. */
export function probabilityOption(help: string, fallback: number): Option<number> {
  return {
    placeholder: 'X',
    help,
    fallback,
    fallbackText: String(fallback),
    read(value) {
      const number = Number(value);
      if (/^(0|1|[01]?\.\d+)$/.test(value) && number >= 0 && number <= 1) return number;
      throw new RangeError('must be a number from 0 to 1');
    },
  };
}

/** An option with a few allowed words. */
export function choiceOption<const T extends string, Fallback extends T | undefined = undefined>(
  help: string,
  words: readonly T[],
  fallback?: Fallback,
): Option<T | Fallback> {
  return {
    placeholder: words.join('|'),
    help,
    fallback: fallback as Fallback,
    fallbackText: fallback,
    read(value) {
      const word = words.find((known) => known === value);
      if (word === undefined) throw new RangeError(`must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);
      return word;
    },
  };
}

/** An option with the address to listen on, `HOST:PORT`; port 0 takes a free one. */
export function bindAddressOption(help: string): Option<HostPort | undefined>;
export function bindAddressOption(help: string, fallback: string): Option<HostPort>;
export function bindAddressOption(help: string, fallback?: string): Option<HostPort | undefined> {
  return {
    placeholder: 'HOST:PORT',
    help,
    fallback: fallback === undefined ? undefined : readBindAddress(fallback),
    fallbackText: fallback,
    read: readBindAddress,
  };
}

function readBindAddress(value: string): HostPort {
  const address = parseHostPort(value);
  if (address === null) throw new RangeError('must be HOST:PORT, for example 127.0.0.1:3000');
  return address;
}

function readFlag(value: string): boolean {
  if (/^(1|true|yes|on|y|t)$/i.test(value)) return true;
  if (/^(0|false|no|off|n|f)$/i.test(value)) return false;
  throw new RangeError('must be true or false');
}

/** Returns the environment name of an option: the program's prefix and the option in capitals. */
export function environmentName(prefix: string, option: string): string {
  return `${prefix}${option.toUpperCase().replaceAll('-', '_')}`;
}

/** Returns the environment names of all options of a table. */
export function environmentNames(prefix: string, table: OptionTable): string[] {
  return Object.keys(table).map((option) => environmentName(prefix, option));
}

/** Returns the values given for `part` of a program's options, as texts. Throws as `readOptions` does. */
export function givenOptionTexts(
  part: OptionTable,
  table: OptionTable,
  prefix: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const { given } = parseArguments(table, argv);
  const texts = Object.keys(part).map((name) => [name, given.get(name) ?? env[environmentName(prefix, name)]]);
  return Object.fromEntries(texts.filter(([, value]) => value));
}

/**
 * Returns the values of all options. The command line (`--name value` or `--name=value`) overrides the environment; an
 * empty environment variable counts as missing. Throws an `OperatorError` with one line for each mistake.
 */
export function readOptions<T extends OptionTable>(
  table: T,
  prefix: string,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): OptionValues<T> {
  const { given, mistakes } = parseArguments(table, argv);
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(table)) {
    const variable = environmentName(prefix, name);
    const fromEnvironment = env[variable] === '' ? undefined : env[variable];
    const value = given.get(name) ?? fromEnvironment;
    values[name] = option.fallback;
    if (value === undefined) continue;
    try {
      values[name] = option.read(value);
    } catch (error) {
      const source = given.has(name) ? `--${name}` : variable;
      mistakes.push(mistakeText(source, value, error));
    }
  }
  if (mistakes.length > 0)
    throw new OperatorError(
      mistakes.map((mistake) => `${mistake}${mistake.endsWith('?') ? '' : '.'} See --help.`).join('\n'),
    );
  return values as OptionValues<T>;
}

/** Returns the text for a value that an option does not take, without a full stop. `source`: the option or variable. */
function mistakeText(source: string, value: string, error: unknown): string {
  if (error instanceof OperatorError) return `${source}: ${error.message}`;
  if (error instanceof RangeError) return `${source} ${error.message}, not "${value}"`;
  throw error;
}

function unknownOptionText(table: OptionTable, name: string): string {
  const [closest] = Object.keys(table)
    .map((known) => ({ known, distance: editDistance(name, known) }))
    .filter(({ distance }) => distance <= MAX_TYPING_ERRORS)
    .sort((a, b) => a.distance - b.distance);
  return `There is no option --${name}${closest === undefined ? '' : `; did you mean --${closest.known}?`}`;
}

/** Letters that are missing, too many or others; two that are swapped count twice. */
const MAX_TYPING_ERRORS = 2;

/** Returns the least number of letters to add, remove and replace that makes `b` of `a`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++)
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + Number(a[i] !== b[j])));
    row = next;
  }
  return row[b.length]!;
}

function parseArguments(table: OptionTable, argv: readonly string[]) {
  const given = new Map<string, string>();
  const mistakes = new Set<string>();
  const options = Object.entries(table).map(
    ([name, { placeholder }]) => [name, { type: placeholder === undefined ? 'boolean' : 'string' }] as const,
  );
  const { tokens } = parseArgs({ args: [...argv], options: Object.fromEntries(options), strict: false, tokens: true });
  let unknown = Number.NaN;
  for (const token of tokens) {
    const argument = argv[token.index]!;
    if (token.kind !== 'option' || !token.rawName.startsWith('--')) {
      // The value of an unknown option is not a separate mistake.
      if (token.index !== unknown + 1) mistakes.add(`"${argument}" is not an option`);
      continue;
    }
    const { name, value, inlineValue } = token;
    const option = Object.hasOwn(table, name) ? table[name] : undefined;
    if (option === undefined) {
      mistakes.add(unknownOptionText(table, name));
      if (value === undefined) unknown = token.index;
      continue;
    }
    if (given.has(name)) mistakes.add(`--${name} is given twice`);
    if (option.placeholder === undefined) given.set(name, value ?? 'true');
    else if (value !== undefined && (inlineValue || !isOption(value))) given.set(name, value);
    else mistakes.add(`--${name} needs a value: --${name} ${option.placeholder}`);
  }
  return { given, mistakes: [...mistakes] };
}

const isOption = (argument: string) => argument.startsWith('--');

/** Returns the table as text: one option per line, with its default in brackets and its environment name below. */
export function optionsHelp(table: OptionTable, prefix: string): string {
  const rows = Object.entries(table).map(([name, { placeholder, help, fallbackText }]) => ({
    usage: `--${name}${placeholder === undefined ? '' : ` ${placeholder}`}`,
    help: fallbackText === undefined ? help : `${help} [default: ${fallbackText}]`,
    variable: environmentName(prefix, name),
  }));
  const help = { usage: '--help', help: 'Print this text', variable: undefined };
  const version = { usage: '--version', help: 'Print the version', variable: undefined };
  const texts = [...rows, help, version].map(({ usage, help, variable }) => {
    return `  ${usage}\n      ${help}${variable === undefined ? '' : `\n      [env: ${variable}]`}`;
  });
  return texts.join('\n');
}
