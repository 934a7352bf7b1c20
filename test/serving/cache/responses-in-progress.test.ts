/** Sharing responses that are being made. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ResponsesInProgress } from '../../../src/serving/cache/response-cache.ts';
import { collectAll, collectYoung } from '../../support/garbage-collection.ts';

const RESPONSE_BYTES = 8_000;
const AT_A_TIME = 16;

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
