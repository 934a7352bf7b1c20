/** Sharing responses that are being made. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ResponsesInProgress } from '../../../src/serving/cache/response-cache.ts';
import { PreparedResponse } from '../../../src/serving/http/prepared-response.ts';
import { collectAll, collectYoung } from '../../support/garbage-collection.ts';

const RESPONSE_BYTES = 8_000;
const AT_A_TIME = 16;

it('a response says whether it was begun after a request came', () => {
  const shared = new ResponsesInProgress();
  const early = shared.now();
  shared.share('a', Promise.withResolvers<PreparedResponse>().promise, '');
  const late = shared.now();
  const { begunAt } = shared.get('a')!;
  assert.ok(early < begunAt && begunAt < late);
});

it('a response is shared until it is there', async () => {
  const shared = new ResponsesInProgress();
  const { promise, resolve } = Promise.withResolvers<PreparedResponse>();
  shared.share('a', promise, '');
  assert.equal(shared.get('a')?.result, promise);
  assert.equal(shared.get('b'), undefined);
  resolve(new PreparedResponse('{}'));
  await promise;
  assert.equal(shared.get('a'), undefined);
});

it('a response that ends after a change of the tip leaves the one that was begun since', async () => {
  const shared = new ResponsesInProgress();
  const old = Promise.withResolvers<PreparedResponse>();
  shared.share('a', old.promise, '');
  shared.clear();
  const { promise } = Promise.withResolvers<PreparedResponse>();
  shared.share('a', promise, '');
  old.resolve(new PreparedResponse('{}'));
  await old.promise;
  assert.equal(shared.get('a')?.result, promise);
});

it('responses that were made do not survive the collections of what was made lately', async () => {
  const shared = new ResponsesInProgress();
  let number = 0;
  /** Stands for a response: as many bytes. */
  const make = async () => {
    await turn();
    return Array(RESPONSE_BYTES / 8).fill(0);
  };
  const serve = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < AT_A_TIME; i++) shared.share(`/${number++}`, make() as Promise<never>, '');
      await turn();
      await turn();
      if (round % 5 === 0) collectYoung();
    }
  };
  collectAll();
  await serve(20);
  const before = process.memoryUsage().heapUsed;
  await serve(101);
  const kept = process.memoryUsage().heapUsed - before;
  assert.ok(kept < 0.2 * 101 * AT_A_TIME * RESPONSE_BYTES, `${kept} bytes are kept`);
});
