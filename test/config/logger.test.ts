/** What a log line says of an error. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readableLogLine } from '../../src/config/logger.ts';

const at = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

/** The line that a program writes of an error, or a worker of it. */
const lineOf = (error: string, worker: number | null = null) =>
  linesOf(`createLogger('it', 'info', ${worker}).error({ err: ${error} }, 'failed');`);

async function linesOf(statements: string): Promise<string> {
  const script = `
    import { createLogger } from ${at('config/logger.ts')};
    import { OperatorError } from ${at('errors/operator-error.ts')};
    import { NodeError } from ${at('node/node-error.ts')};
    import { PostgresUnreachableError } from ${at('store/postgres/postgres-error.ts')};
    ${statements}`;
  const args = ['--input-type=module-typescript', '--eval', script];
  return (await promisify(execFile)(process.execPath, args)).stdout;
}

test('what was foreseen has no stack', async () => {
  const cause = `{ cause: new Error('why') }`;
  for (const error of [
    `new NodeError('unreachable', 'away', ${cause})`,
    `new OperatorError('away', ${cause})`,
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
  assert.ok(readableLogLine(text, 'node').endsWith(shown));
  const line = (record: object) => readableLogLine(JSON.stringify({ level: 30, program: 'it', ...record }));
  assert.ok(line({ msg: text }).includes(` ${shown}`));
  assert.ok(line({ msg: 'm', reason: text }).endsWith(`reason=${shown}`));
  assert.ok(line({ msg: 'm', err: { message: text } }).endsWith(`(${shown})`));
  const stack = line({ level: 50, msg: 'm', err: { message: 'x', stack: 'Error: \u001b[2J\n    at y' } });
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
    const logger = createLogger('it', 'info');
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
