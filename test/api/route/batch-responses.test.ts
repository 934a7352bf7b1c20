/** What a batch reads, in which steps, and how much of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LongListError } from '../../../src/api/pagination/unpaged-lists.ts';
import { type Batch, readBatchResponses } from '../../../src/api/route/batch-responses.ts';
import type { ApiContext } from '../../../src/api/route/context.ts';
import type { RouteRequest } from '../../../src/api/route/get-route.ts';
import { type Caller, internalCaller } from '../../../src/resources/caller.ts';
import { ClientGone } from '../../../src/resources/refusal.ts';

const STORE = {};
const MIB = 1024 * 1024;
const context = { store: { for: (_: Caller) => STORE }, tipWatch: { noteAdvertised() {} } } as unknown as ApiContext;

/** A batch of bodies that are all the same, with the units of each step. */
function world(ids: readonly string[], body: string, caller: Caller = internalCaller()) {
  const steps: number[] = [];
  let bodies = 0;
  const read = async (store: { queryUnbatched?: unknown }, id: string) => {
    if (id.startsWith('long') && store !== STORE) throw new LongListError('some list');
    return { tip: { height: 1, id: 'ab', revision: 1 } };
  };
  const present = () => {
    bodies++;
    return body;
  };
  const runStep: Batch['runStep'] = async (units, work) => {
    steps.push(units);
    return work();
  };
  const route = { path: '/x', schema: {}, parse: ({ params }: RouteRequest) => params.id, read, present };
  const requestFor = (id: string) => ({ params: { id }, query: {} });
  const batch = { route, ids, requestFor, maxBytes: 32 * MIB, caller, runStep } as unknown as Batch;
  return { batch, steps, bodies: () => bodies };
}

const numbered = (count: number, prefix = '') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('the responses of a batch', () => {
  it('equal ids of a batch are read once, and each copy of a response counts before any is made: 500 of 100 kB are refused', async () => {
    const refusal = {
      status: 400,
      message: 'The answers have more than 32 MiB in all: ask for fewer ids at once',
    };
    for (const ids of [Array(500).fill('a'), numbered(500)]) {
      const { batch, bodies } = world(ids, 'x'.repeat(100_000));
      await assert.rejects(readBatchResponses(context, batch), refusal);
      assert.ok(bodies() <= 400, `${bodies()} were made`);
    }
    const { batch, bodies } = world(Array(300).fill('a'), 'x'.repeat(100_000));
    assert.deepEqual([...(await readBatchResponses(context, batch)).keys()], ['a']);
    assert.equal(bodies(), 1);
  });

  it('the responses of a batch are counted in bytes', async () => {
    const { batch } = world(Array(200).fill('a'), '💥'.repeat(50_000));
    await assert.rejects(readBatchResponses(context, batch), { status: 400 });
  });

  it('the responses of a batch are read in steps of a hundred, then the long lists one by one', async () => {
    const { batch, steps } = world([...numbered(231), ...numbered(2, 'long')], '{}');
    assert.equal((await readBatchResponses(context, batch)).size, 233);
    assert.deepEqual(steps, [32, 32, 11, 1, 1]);
  });

  it('the responses of a batch are read no further when its client has gone', async () => {
    const caller = { ...internalCaller('a'), isGone: false };
    const { batch, steps } = world(numbered(500), '{}', caller);
    const runStep: Batch['runStep'] = async (units, work) => {
      const result = await batch.runStep(units, work);
      if (steps.length === 2) caller.isGone = true;
      return result;
    };
    await assert.rejects(readBatchResponses(context, { ...batch, runStep }), ClientGone);
    assert.deepEqual(steps, [32, 32]);
  });
});
