/** What a log line says of an error. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readableLogLine } from '../../src/config/logger.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const at = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

const SETTINGS = `{ 'log-level': 'info' }`;
const TIME = '2026-01-02T03:04:05.678Z';

/** The line that a program writes of an error, or a worker of it. */
const lineOf = (error: string, worker: number | null = null) =>
  linesOf(`createLogger('it', ${SETTINGS}, ${worker}).error({ err: ${error} }, 'failed');`);

async function linesOf(statements: string): Promise<string> {
  return (await promisify(execFile)(process.execPath, argumentsFor(statements))).stdout;
}

function argumentsFor(statements: string): string[] {
  const script = `
    import { createAccessLog, createLogger } from ${at('config/logger.ts')};
    import { OperatorError } from ${at('errors/operator-error.ts')};
    import { NodeError } from ${at('node/node-error.ts')};
    import { PostgresBlockedError, PostgresUnreachableError } from ${at('store/postgres/postgres-error.ts')};
    ${statements}`;
  return ['--input-type=module-typescript', '--eval', script];
}

test('what was foreseen has no stack', async () => {
  const cause = `{ cause: new Error('why') }`;
  for (const error of [
    `new NodeError('unreachable', 'away', ${cause})`,
    `new OperatorError('away', ${cause})`,
    `new PostgresBlockedError('away', ${cause})`,
    `new PostgresUnreachableError('away', ${cause})`,
  ]) {
    const line = await lineOf(error);
    assert.doesNotMatch(line, /stack/, error);
    assert.match(readableLogLine(line), /^\S+ it {9}ERROR failed \(away\)$/);
  }
});

test('what was not foreseen has its stack', async () => {
  const line = await lineOf(`new TypeError('oops')`);
  assert.match(readableLogLine(line), /^\S+ it {9}ERROR failed \nTypeError: oops\n {4}at /);
  assert.match(readableLogLine(await lineOf(`'a word'`)), /failed \(a word\)$/);
});

test('control characters of a message, a field, an error and a foreign line do not reach the terminal', async () => {
  const text = 'a\u001b]0;title\u0007\r\nb\u009b2J\u007f';
  const shown = 'a\\x1b]0;title\\x07\\x0d\\x0ab\\x9b2J\\x7f';
  assert.ok(readableLogLine(text).endsWith(shown));
  assert.ok(readableLogLine(text, { program: 'node' }).endsWith(shown));
  const line = (record: object) =>
    readableLogLine(JSON.stringify({ level: 'info', time: TIME, program: 'it', ...record }));
  assert.ok(line({ msg: text }).includes(` ${shown}`));
  assert.ok(line({ msg: 'm', reason: text }).endsWith(`reason=${shown}`));
  assert.ok(line({ msg: 'm', err: { message: text } }).endsWith(`(${shown})`));
  const stack = line({ level: 'error', msg: 'm', err: { message: 'x', stack: 'Error: \u001b[2J\n    at y' } });
  assert.ok(stack.endsWith('\nError: \\x1b[2J\n    at y\n '));
  assert.ok(readableLogLine('\tstatement: ä').endsWith('\tstatement: ä'));
});

test('a worker says in each line which one it is', async () => {
  const error = `new OperatorError('away')`;
  const line = await lineOf(error, 3);
  const { worker, pid } = JSON.parse(line);
  assert.equal(worker, 3);
  assert.ok(pid > 0 && pid !== process.pid);
  assert.match(readableLogLine(line), /failed \(away\) worker=3$/);
  assert.doesNotMatch(await lineOf(error), /worker|pid/);
});

test('a warning is logged once a second; the next one says how many were left out', async () => {
  const lines = await linesOf(`
    const logger = createLogger('it', ${SETTINGS});
    for (let attempt = 1; attempt <= 4; attempt++) {
      if (attempt === 4) await new Promise((resolve) => setTimeout(resolve, 1_000));
      logger.warn({ attempt }, 'away');
      logger.info({ attempt }, 'asked');
    }`);
  const [warnings, others] = ['away', 'asked'].map((text) => lines.split('\n').filter((line) => line.includes(text)));
  assert.equal(others!.length, 4);
  const told = warnings!.map((line) => JSON.parse(line)).map(({ attempt, omitted = 0 }) => `${attempt}, ${omitted}`);
  assert.deepEqual(told, ['1, 0', '4, 2']);
});

test('a line of the log has its level by name and an ISO time', async () => {
  const { level, time, hostname } = JSON.parse(await linesOf(`createLogger('it', ${SETTINGS}).warn({}, 'm');`));
  assert.equal(level, 'warn');
  assert.equal(new Date(time).toISOString(), time);
  assert.equal(hostname, undefined);
});

test('the log is text where --log-format says so, and where the output is the journal of systemd itself', async (t) => {
  const isText = (line: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z it {9}WARN m a=1\n$/.test(line);
  const line = (format?: string) =>
    `createLogger('it', { 'log-level': 'info', 'log-format': ${JSON.stringify(format)} }).warn({ a: 1 }, 'm');`;
  assert.ok(isText(await linesOf(line('text'))));
  const path = join(await temporaryDirectory(t), 'journal');
  const written = (format?: string) => {
    const journal = openSync(path, 'w');
    const { dev, ino } = fstatSync(journal, { bigint: true });
    const env = { ...process.env, JOURNAL_STREAM: `${dev}:${ino}` };
    spawnSync(process.execPath, argumentsFor(line(format)), { env, stdio: ['ignore', journal, 'inherit'] });
    closeSync(journal);
    // Redirected: the variable is inherited, but the output is not the journal.
    const { stdout } = spawnSync(process.execPath, argumentsFor(line(format)), { env, encoding: 'utf8' });
    return [isText(readFileSync(path, 'utf8')), isText(stdout)];
  };
  assert.deepEqual(written(), [true, false]);
  assert.deepEqual(written('json'), [false, false]);
});

test('the access log is written to its end, whatever the level of the log, and in its format', async () => {
  const lines = (format: string) =>
    linesOf(`
      const log = createAccessLog('it', { 'log-level': 'error', 'log-format': '${format}' }, 2);
      for (let i = 0; i < 1_000; i++) log({ method: 'GET', path: '/' + i });`);
  const json = (await lines('json')).trimEnd().split('\n');
  assert.deepEqual(
    json.map((line) => JSON.parse(line).path),
    Array.from({ length: 1_000 }, (_, i) => `/${i}`),
  );
  const { worker, level, msg } = JSON.parse(json[0]!);
  assert.deepEqual({ worker, level, msg }, { worker: 2, level: 'info', msg: 'request' });
  assert.match((await lines('text')).trimEnd().split('\n').at(-1)!, / request worker=2 method=GET path=\/999$/);
});

test('a line of JSON without a time and a level is readable, too', () => {
  assert.match(
    readableLogLine('{"msg":"devnet has stopped","height":7}', { program: 'devnet' }),
    /^\d\d:\d\d:\d\d devnet {5}devnet has stopped height=7$/,
  );
});
