import assert from 'node:assert/strict';
import { it } from 'node:test';
import { jitteredBackoffPause, withRetry } from '../../src/errors/retry.ts';

/** What passes by itself. */
class Away extends Error {}

const away = () => new Away('away');
const retryable = (error: unknown) => error instanceof Away;
const quick = { firstMs: 1, maxMs: 2, retryable };

/** Fails with each of the errors in turn, then gives 'done'. */
function failing(...errors: unknown[]): { call: () => Promise<string>; calls: () => number } {
  let calls = 0;
  const call = async () => {
    const error = errors[calls++];
    if (error !== undefined) throw error;
    return 'done';
  };
  return { call, calls: () => calls };
}

it('retrying goes on until the call succeeds, and tells of each failure', async () => {
  const { call } = failing(away(), away());
  const told: number[] = [];
  assert.equal(await withRetry(call, { ...quick, onRetry: (_error, attempt) => told.push(attempt) }), 'done');
  assert.deepEqual(told, [1, 2]);
});

it('retrying ends at a failure that does not pass by itself', async () => {
  const error = new TypeError('a defect');
  const { call, calls } = failing(away(), error);
  await assert.rejects(withRetry(call, quick), error);
  assert.equal(calls(), 2);
});

it('retrying ends after as many attempts as allowed', async () => {
  const { call, calls } = failing(away(), away(), away());
  await assert.rejects(withRetry(call, { ...quick, attempts: 2 }), /away/);
  assert.equal(calls(), 2);
});

it('retrying ends at once when it is aborted, with the reason', async () => {
  const abort = new AbortController();
  const start = performance.now();
  const waiting = withRetry(() => Promise.reject(away()), {
    firstMs: 60_000,
    maxMs: 60_000,
    signal: abort.signal,
    retryable,
  });
  setTimeout(() => abort.abort(new Error('stopping')), 10);
  await assert.rejects(waiting, /stopping/);
  assert.ok(performance.now() - start < 30_000);
  await assert.rejects(
    withRetry(() => Promise.resolve(1), { signal: abort.signal, retryable }),
    /stopping/,
  );
});

it('retrying pauses longer each time, up to a limit, never twice the same for all', () => {
  const pauses = { firstMs: 100, maxMs: 1_000 };
  for (const [failures, full] of [
    [1, 100],
    [2, 200],
    [3, 400],
    [5, 1_000],
    [5_000, 1_000],
  ] as const)
    for (let i = 0; i < 20; i++) {
      const ms = jitteredBackoffPause(failures, pauses);
      assert.ok(ms >= full / 2 && ms <= full, `${ms} after ${failures}`);
    }
  assert.ok(new Set(Array.from({ length: 20 }, () => jitteredBackoffPause(3, pauses))).size > 1);
});
