/** What an operator sees of a sync. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { pino } from 'pino';
import { SyncProgress } from '../../../src/scanner/monitor/progress.ts';

function watched(isTerminal: boolean) {
  const lines: Record<string, unknown>[] = [];
  let drawn = '';
  const logger = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const terminal = { write: (text: string) => (drawn += text) } as unknown as NodeJS.WriteStream;
  let now = 0;
  const progress = new SyncProgress({ logger, terminal: isTerminal ? terminal : null, now: () => now });
  const passes = (seconds: number) => {
    now += 1_000 * seconds;
  };
  return { progress, lines, passes, drawn: () => drawn };
}

it('the progress of a sync is one line on a terminal, with height, rates, percent, time left and phase', () => {
  const { progress, lines, drawn } = watched(true);
  progress.begin('bulk sync', { height: 0, transactionCount: 0 }, 1_000);
  progress.report({ height: 500, transactionCount: 1_500 });
  progress.report({ height: 501, transactionCount: 1_503 });
  progress.end();
  assert.ok(drawn().startsWith('\r\u001b[K'));
  assert.match(drawn().slice(4), /^bulk sync {2}500 of 1000 {2}50\.0 % {2}\d+ blocks\/s {2}\d+ tx\/s {2}\d+ s left\n$/);
  assert.deepEqual(lines, []);
});

it('the progress of a sync is a line of the log elsewhere, the last height included', () => {
  const { progress, lines, passes } = watched(false);
  progress.begin('bulk sync', { height: 100, transactionCount: 10 }, 300);
  passes(10);
  progress.report({ height: 200, transactionCount: 20 });
  passes(5);
  progress.report({ height: 250, transactionCount: 25 });
  progress.report({ height: 300, transactionCount: 30 });
  assert.deepEqual(
    lines.map(({ msg, phase, height, target, percent }) => ({ msg, phase, height, target, percent })),
    [200, 300].map((height) => ({
      msg: 'sync progress',
      phase: 'bulk sync',
      height,
      target: 300,
      percent: Number(((100 * height) / 300).toFixed(1)),
    })),
  );
  const secondsLeft = lines.map(({ secondsLeft }) => secondsLeft);
  assert.deepEqual(secondsLeft, [10, 0]);
});

it('the progress of a sync is one line of the log when it is soon done', () => {
  const { progress, lines, passes } = watched(false);
  progress.begin('bulk sync', { height: 0, transactionCount: 0 }, 2_000);
  for (const height of [1, 500, 1_000, 2_000]) {
    passes(1);
    progress.report({ height, transactionCount: height });
  }
  const speeds = lines.map(({ height, blocksPerSecond }) => ({ height, blocksPerSecond }));
  assert.deepEqual(speeds, [{ height: 2_000, blocksPerSecond: 500 }]);
});

it('the progress of a sync says nothing of time that it does not know', () => {
  const { progress, lines, passes } = watched(false);
  progress.begin('bulk sync', { height: 0, transactionCount: 0 }, 1_000);
  passes(10);
  progress.report({ height: 0, transactionCount: 0 });
  assert.equal(lines[0]?.secondsLeft, null);
});

it('the progress of a phase of many parts is a line every ten seconds, and one for the last part', () => {
  const { progress, lines, passes } = watched(false);
  progress.phase('building indexes');
  for (let built = 1; built <= 5; built++) {
    passes(built === 3 ? 10 : 1);
    progress.part('built index', built, 5);
  }
  assert.deepEqual(
    lines.map(({ phase }) => phase),
    ['building indexes', 'built index 3 of 5', 'built index 5 of 5'],
  );
});
