/** Which errors of an id are its result, and which fail the batch. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { notFound } from '../../../src/api/errors/api-error.ts';
import { readBatchResponses } from '../../../src/api/route/batch-responses.ts';
import type { ApiContext } from '../../../src/api/route/context.ts';
import type { AnyGetRoute } from '../../../src/api/route/get-route.ts';
import { internalCaller, ResourceRefusal } from '../../../src/resources/shared-resources.ts';

/** Reads two ids of a route of which each read fails like this. */
function readFailing(error: Error) {
  const context = { store: { for: () => ({}) }, tipWatch: { noteAdvertised: () => {} } } as unknown as ApiContext;
  const route = { parse: () => null, read: () => Promise.reject(error), present: () => '' } as unknown as AnyGetRoute;
  return readBatchResponses(context, {
    route,
    ids: ['a', 'b'],
    requestFor: () => ({ params: {}, query: {} }),
    maxBytes: 1_000,
    caller: internalCaller(),
    runStep: (_units, work) => work(),
  });
}

it('an error of an id is its result where the id is at fault', async () => {
  const results = await readFailing(notFound('Token not found'));
  assert.deepEqual(results.get('b'), { text: '{"error":"Token not found"}', tip: null, isError: true });
});

it('an error of an id fails the batch where its client was refused a shared resource', async () => {
  await assert.rejects(readFailing(new ResourceRefusal('statements', true)), { status: 429 });
  await assert.rejects(readFailing(new ResourceRefusal('statements', false)), { status: 503 });
});
