import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FeeRateCache, readLeastFeeRate } from '../../src/answers/fee-rate-cache.ts';
import type { FeeRatePoint } from '../../src/chain/fee-rate.ts';
import { Notebook, SILENT } from '../support/web-server.ts';

const MEGABYTE = 1_000_000;
const POINTS = [
  { sizeBytes: 1, atomsPerKilobyte: 900n },
  { sizeBytes: MEGABYTE, atomsPerKilobyte: 500n },
  { sizeBytes: 4 * MEGABYTE, atomsPerKilobyte: 100n },
];

/** A node that answers when it is told to. */
class SlowNode {
  calls = 0;
  #answers: { resolve(points: FeeRatePoint[]): void; reject(error: Error): void }[] = [];

  feeRatePoints(): Promise<FeeRatePoint[]> {
    this.calls++;
    return new Promise((resolve, reject) => this.#answers.push({ resolve, reject }));
  }

  /** Null: the node does not say it. */
  least: bigint | null = 50n;

  leastRelayFeeRate(): Promise<bigint> {
    return this.least === null ? Promise.reject(new Error('no such method')) : Promise.resolve(this.least);
  }

  answer(points: FeeRatePoint[]): void {
    this.#answers.shift()!.resolve(points);
  }

  fail(): void {
    this.#answers.shift()!.reject(new Error('away'));
  }
}

/** A cache that has just got the points of its node. */
async function withPoints() {
  const node = new SlowNode();
  const rates = new FeeRateCache(node, SILENT);
  const first = rates.points.read();
  node.answer(POINTS);
  await first;
  return { node, rates };
}

it('concurrent requests for the fee rate send one request to the node', async () => {
  const node = new SlowNode();
  const rates = new FeeRateCache(node, SILENT);
  const asked = Promise.all([rates.points.read(), rates.points.read(), rates.points.read()]);
  node.answer(POINTS);
  assert.equal((await asked).length, 3);
  await rates.points.read();
  assert.equal(node.calls, 1);
});

it('the fee rates are requested again after 30 seconds', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { node, rates } = await withPoints();
  now = 29_999;
  await rates.points.read();
  assert.equal(node.calls, 1);
  now = 30_001;
  const second = rates.points.read();
  node.answer([POINTS[0]!]);
  assert.equal((await second).length, 1);
  assert.equal(node.calls, 2);
});

it('the fee rates are the last good ones while the node cannot be reached', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { node, rates } = await withPoints();
  now = 60_000;
  const second = rates.points.read();
  node.fail();
  assert.deepEqual(await second, POINTS);
});

it('the fee rates are an error when the node never gave any, and the node is left alone for three seconds', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const node = new SlowNode();
  const log = new Notebook();
  const rates = new FeeRateCache(node, log);
  const asked = rates.points.read();
  node.fail();
  await assert.rejects(asked, /away/);
  now = 2_999;
  for (let i = 0; i < 100; i++) await assert.rejects(rates.points.read(), /away/);
  assert.equal(node.calls, 1);
  now = 3_001;
  const again = rates.points.read();
  node.answer([]);
  await assert.rejects(again, /no fee-rate points/);
  now = 9_000;
  const last = rates.points.read();
  node.answer(POINTS);
  await last;
  // A line for each change, not for each question.
  assert.equal(log.lines.length, 2);
  assert.match(log.lines[0]!, /^warn The node gives no fee rates/);
  assert.match(log.lines[1]!, /^info The node gives fee rates again.*"seconds":9/);
});

it('the least fee rate is the node’s, and the lowest of its points if it does not say it', async () => {
  const { node, rates } = await withPoints();
  node.least = null;
  assert.equal(await readLeastFeeRate(rates, POINTS), 100n);
  const told = await withPoints();
  assert.equal(await readLeastFeeRate(told.rates, POINTS), 50n);
});
