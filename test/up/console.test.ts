import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusConsole } from '../../src/up/console.ts';

function recorder(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 20, write: (text: string) => written.push(text) };
}

test('on a terminal the status is overwritten, and stays below the lines', () => {
  const stream = recorder(true);
  const output = new StatusConsole(stream);
  output.line('one');
  output.status('height 1');
  output.status('height 2');
  output.line('two');
  output.end();
  assert.equal(stream.written.join(''), 'one\n\r\x1b[Kheight 1\r\x1b[Kheight 2\r\x1b[Ktwo\nheight 2\n');
});

test('a status that is wider than the terminal is cut between words, so that a number is never another one', () => {
  const stream = recorder(true);
  new StatusConsole(stream).status('following  blocks=100  transactions=5');
  assert.equal(stream.written.join(''), '\r\x1b[Kfollowing');
  const fits = recorder(true);
  new StatusConsole(fits).status('blocks=100 lag=12345');
  assert.equal(fits.written.join(''), '\r\x1b[Kblocks=100');
});

test('without a terminal the status is a line from time to time', () => {
  const stream = recorder(false);
  let now = 0;
  const output = new StatusConsole(stream, () => now);
  for (; now <= 60_000; now += 1_000) output.status(`at ${now}`);
  output.line('end');
  output.end();
  assert.equal(stream.written.join(''), 'at 0\nat 30000\nat 60000\nend\n');
});
