/** Requests for the same at the same time: who reads, who waits, and in whose turn; which errors fail a batch. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiContext } from '../../../src/api/api-context.ts';
import { ResponsesInProgress } from '../../../src/serving/cache/response-cache.ts';
import { type ApiError, notFound } from '../../../src/serving/errors/api-error.ts';
import { Connection, type Connections } from '../../../src/serving/http/connection.ts';
import { PreparedResponse } from '../../../src/serving/http/prepared-response.ts';
import { ClientGone, internalCaller } from '../../../src/serving/resources/caller.ts';
import { createResources, createSlots, resourceTotals } from '../../../src/serving/resources/create-resources.ts';
import { ResourceRefusal } from '../../../src/serving/resources/shared-resources.ts';
import { readBatchResponses } from '../../../src/serving/route/batch-responses.ts';
import { Responder } from '../../../src/serving/route/get-route.ts';
import type { AnyGetRoute, RouteReadResult } from '../../../src/serving/route/get-route-stages.ts';
import type { SnapshotTip } from '../../../src/store/read/query.ts';

const FIRST_TIP: SnapshotTip = { revision: 1, height: 1, id: 'first' };

interface World {
  /** Begins a request of a client; resolves with the status of its response when that is sent. */
  ask(key: string, address?: string): Promise<number>;
  /** Reads that have begun. */
  readonly reads: string[];
  /** Ends all reads that have begun. */
  release(): Promise<void>;
  /** The keys of the responses that were given to the cache. */
  readonly kept: string[];
  /** Another tip is served from now on. */
  moveTip(): void;
}

/** `errors`: of the first reads. `tip`: of all reads. */
function world({
  mayDependOnMempool = false,
  tip = null as SnapshotTip | null,
  requests = 128,
  errors = [] as readonly Error[],
  fail = (_: unknown): number => 404,
} = {}): World {
  const totals = { ...resourceTotals(2 ** 30, { connections: 1, streams: 1 }), requests };
  const tipWatch = {
    isFresh: true,
    lacksPrivileges: false,
    tip: { isReady: true, genesisId: 'g', ...FIRST_TIP },
    onChange: () => {},
    noteRequest: () => {},
    noteAdvertised: () => {},
  };
  const kept: string[] = [];
  const context = {
    sharesResponses: true,
    resources: createResources(totals),
    cache: {
      inProgress: new ResponsesInProgress(),
      find: () => undefined,
      put: (key: string) => kept.push(key),
    },
    tipWatch,
    metrics: { begin: () => 0, end: () => {} },
    store: { for: () => null },
    network: { genesisId: 'g' },
  } as unknown as ApiContext;
  const reads: string[] = [];
  let gates: (() => void)[] = [];
  const responder = new Responder<string, RouteReadResult, null>(context, {
    name: '/x',
    isAlwaysReady: false,
    mayDependOnMempool,
    slots: context.resources.requests,
    version: () => '',
    read: async (_, key) => {
      reads.push(key);
      await new Promise<void>((resolve) => gates.push(resolve));
      const error = errors[reads.length - 1];
      if (error !== undefined) throw error;
      if (key === 'failing') throw new Error('as asked');
      return { tip, dependsOnMempool: mayDependOnMempool, isCurrent: mayDependOnMempool ? () => true : undefined };
    },
    present: (_, { params }) => new PreparedResponse(JSON.stringify(params)),
    fail: (error) => new PreparedResponse('{}', { status: fail(error) }),
  });
  return {
    reads,
    kept,
    moveTip: () => {
      tipWatch.tip = { ...tipWatch.tip, revision: 2, height: 2, id: 'second' };
    },
    ask: (key, address = '192.0.2.1') =>
      new Promise((resolve) => {
        const socket = Object.assign(new EventEmitter(), { remoteAddress: address }) as unknown as Socket;
        new Connection(socket, {
          options: { resources: { connections: { add: () => {} } }, trustedProxies: 0 },
          open: new Set(),
        } as unknown as Connections);
        const raw = { socket, rawHeaders: [], url: key } as unknown as IncomingMessage;
        const reply = { writeHead: resolve, end: () => {} } as unknown as ServerResponse;
        void responder.respond({ raw, reply, params: key, units: 1, source: null });
      }),
    release: async () => {
      const open = gates;
      gates = [];
      for (const resolve of open) resolve();
      await nextTurn();
    },
  };
}

it('requests for the same are answered by one read', async () => {
  const { ask, reads, release } = world();
  const asked = Array.from({ length: 50 }, () => ask('a'));
  await release();
  await Promise.all(asked);
  assert.deepEqual(reads, ['a']);
});

it('requests for the same that depend on the mempool wait for one more read, which was begun after they came, and not for one each', async () => {
  const { ask, reads, release } = world({ mayDependOnMempool: true });
  const asked = Array.from({ length: 50 }, () => ask('a'));
  await release();
  assert.equal(reads.length, 2);
  await release();
  await Promise.all(asked);
  assert.equal(reads.length, 2);
});

it('requests for the same share an error of the server, and read once more what is unknown', async () => {
  const unavailable = world({ mayDependOnMempool: true, fail: () => 503 });
  const failing = Array.from({ length: 50 }, () => unavailable.ask('failing'));
  await unavailable.release();
  for (const status of await Promise.all(failing)) assert.equal(status, 503);
  assert.equal(unavailable.reads.length, 1);
  const unknown = world({ mayDependOnMempool: true });
  const asked = Array.from({ length: 50 }, () => unknown.ask('failing'));
  await unknown.release();
  await unknown.release();
  for (const status of await Promise.all(asked)) assert.equal(status, 404);
  assert.equal(unknown.reads.length, 2);
});

for (const [what, error] of [
  ['a client that leaves', new ClientGone()],
  ['a client that is refused a shared resource for its share', new ResourceRefusal('statements', true)],
  ['a client that has waited too long for a shared resource', new ResourceRefusal('statements', false)],
] as const) {
  it(`${what} takes no response from those that request the same: one of them reads for all`, async () => {
    for (const mayDependOnMempool of [false, true]) {
      const { ask, reads, release } = world({ mayDependOnMempool, errors: [error], fail: () => 503 });
      const asked = Array.from({ length: 50 }, (_, i) => ask('a', i === 0 ? '192.0.2.1' : '192.0.2.2'));
      await release();
      await release();
      const [first, ...others] = await Promise.all(asked);
      assert.equal(first, 503);
      assert.deepEqual(others, Array(49).fill(200));
      assert.equal(reads.length, 2);
    }
  });
}

it('a client that is refused a shared resource is refused it for all of its requests for the same', async () => {
  const { ask, reads, release } = world({ errors: [new ResourceRefusal('statements', true)], fail: () => 429 });
  const asked = Array.from({ length: 50 }, () => ask('a'));
  await release();
  assert.equal(reads.length, 1);
  assert.deepEqual(await Promise.all(asked), Array(50).fill(429));
});

it('a client that has waited for two others that were refused is answered as busy, and waits for no third', async () => {
  const refusal = new ResourceRefusal('statements', true);
  const fail = (error: unknown) => (error === refusal ? 429 : (error as ApiError).status);
  const { ask, reads, release } = world({ errors: [refusal, refusal], fail });
  const asked = Array.from({ length: 5 }, (_, i) => ask('a', `192.0.2.${i + 1}`));
  await release();
  await release();
  assert.equal(reads.length, 2);
  assert.deepEqual(await Promise.all(asked), [429, 429, 503, 503, 503]);
});

it('a response about the mempool is kept only if its tip is still the one that is served', async () => {
  const { ask, kept, moveTip, release } = world({ mayDependOnMempool: true, tip: FIRST_TIP });
  const early = ask('early');
  await release();
  const late = ask('late');
  moveTip();
  await release();
  await Promise.all([early, late]);
  assert.deepEqual(kept, ['/x early']);
});

it('requests for the same that waited for their turn share what was begun meanwhile', async () => {
  const { ask, reads, release } = world({ requests: 3 });
  const asked = ['a', 'b', 'c', 'c', 'c'].map((key) => ask(key));
  await nextTurn();
  assert.deepEqual(reads, ['a', 'b']);
  await release();
  assert.deepEqual(reads, ['a', 'b', 'c']);
  await release();
  await Promise.all(asked);
  assert.deepEqual(reads, ['a', 'b', 'c']);
});

/** Reads two ids of a route of which each read fails like this. */
function readFailing(error: Error) {
  const resources = { requests: createSlots('requests') };
  const tipWatch = { noteAdvertised: () => {} };
  const context = { store: { for: () => ({}) }, tipWatch, resources } as unknown as ApiContext;
  const route = { parse: () => null, read: () => Promise.reject(error), present: () => '' } as unknown as AnyGetRoute;
  return readBatchResponses(context, {
    route,
    ids: ['a', 'b'],
    requestFor: () => ({ params: {}, query: {} }),
    maxBytes: 1_000,
    caller: internalCaller(),
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
