/** `/mempool`: the totals of pending transactions, their list, and their effects on an address. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { pendingChangesOfAddress } from '../../mempool/address-changes.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import { mempoolTotals } from '../../mempool/totals.ts';
import { countedBytesOf } from '../../mempool/transaction.ts';
import { schemaRef } from '../../render/schemas/common.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { parsePageParameters } from '../pagination/paging.ts';
import { addressParameter, choiceParameter, type UrlQuery } from '../parse/parameters.ts';
import { currentPendingSet, MEMPOOL_SORTS, type MempoolSort, SortedMempool } from '../pending/pending-interface.ts';
import { MEMPOOL_ADDRESS_SCHEMA, MEMPOOL_SCHEMA, presentMempool, presentMempoolAddress } from '../present/mempool.ts';
import type { ApiContext } from '../route/context.ts';
import { addGetRoute } from '../route/get-route.ts';
import {
  ADDRESS_PARAMETER,
  errorResponses,
  ITEMS_PARAMETER,
  OFFSET_PARAMETER,
  okResponse,
  registerComponent,
} from '../schemas/parameters-and-responses.ts';

/** As encoded; the JSON has seven times as much. */
const BYTES_PER_UNIT = 8 * 1024;

/** The largest offset: no mempool has more transactions. */
const FARTHEST_OFFSET = 1_000_000n;

function listResponse(bodies: readonly string[], { order }: PoolList): PreparedResponse {
  return new PreparedResponse(`[${bodies.join(',')}]`, { headers: ['x-mempool-ordering', order] });
}

const ORDER = choiceParameter('order', MEMPOOL_SORTS, {
  description: '`insertion`: as the node accepted them; `dependency`: parents before their children',
  message: 'Invalid transaction ordering',
});

function parseList(query: UrlQuery): PoolList {
  const order = ORDER.parse(query);
  const { offset, items } = parsePageParameters(query);
  return { order, offset: Number(offset > FARTHEST_OFFSET ? FARTHEST_OFFSET : offset), items };
}

/** Makes the schemas of responses that need the node and have no `ETag`. */
const response = (schema: object, statuses: readonly number[] = [], headers?: object) => ({
  200: okResponse(schema, 'Success', headers),
  ...errorResponses(statuses, {
    503: 'Pending transactions are not known: the node, or the database, cannot be reached',
  }),
});

/** The selection of a list of pending transactions. */
interface PoolList {
  readonly order: MempoolSort;
  readonly offset: number;
  readonly items: number;
}

export function mempoolRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, pendingResponses, pendingPresenter } = context;
  const tags = ['Mempool'];
  const orders = new SortedMempool();

  const listed = (pool: PendingSet, { order, offset, items }: PoolList) =>
    orders.of(pool, order).slice(offset, offset + items);

  function unitsOf(list: PoolList): number {
    if (context.pending === null) return 1;
    const bytes = listed(context.pending.pool, list).reduce((sum, each) => sum + countedBytesOf(each), 0);
    return 1 + Math.floor(bytes / BYTES_PER_UNIT);
  }

  /** Reads the bodies of the listed transactions, and the state of the pending set that they belong to. */
  async function readBodies(list: PoolList) {
    for (;;) {
      const pool = await currentPendingSet(context);
      const { revision } = pool;
      const bodies = await Promise.all(
        listed(pool, list).map((transaction) => pendingPresenter.text(pool, transaction)),
      );
      // The pending set may have changed while decimals were read.
      if (pool.revision === revision) return { state: { pool, revision }, bodies };
    }
  }

  addGetRoute(app, context, {
    path: '/mempool',
    schema: {
      tags,
      summary: 'The pending transactions in figures',
      response: response(registerComponent(app, 'Mempool', MEMPOOL_SCHEMA)),
    },
    mayDependOnMempool: true,
    parse: () => null,
    read: async () => ({ tip: null, pool: await currentPendingSet(context) }),
    present: ({ pool }) => {
      const response = new PreparedResponse(presentMempool(network, mempoolTotals(pool), pool.isComplete));
      return pendingResponses.validFor({ pool, revision: pool.revision }, response);
    },
  });

  addGetRoute(app, context, {
    path: '/mempool/transactions',
    schema: {
      tags,
      summary: 'The pending transactions',
      description: 'As those of `/transaction/{id}`. There are no pages by cursor: the list changes all the time.',
      querystring: Type.Object({
        ...ORDER.query,
        offset: OFFSET_PARAMETER,
        items: ITEMS_PARAMETER,
      }),
      response: response(Type.Array(schemaRef('Transaction')), [400], {
        'x-mempool-ordering': { type: 'string', enum: [...MEMPOOL_SORTS], description: 'The order of the list' },
      }),
    },
    mayDependOnMempool: true,
    unitsOf,
    parse: ({ query }) => parseList(query),
    read: async (_, list) => ({ tip: null, ...(await readBodies(list)) }),
    present: ({ state, bodies }, list) => pendingResponses.validFor(state, listResponse(bodies, list)),
  });

  addGetRoute(app, context, {
    path: '/mempool/address/:address',
    schema: {
      tags,
      summary: 'What pending transactions do to an address',
      description:
        'For wallets that must not spend an output twice. Amounts are gross: change is on both sides. Zeros for an ' +
        'address without pending transactions.',
      params: ADDRESS_PARAMETER,
      response: response(registerComponent(app, 'MempoolAddress', MEMPOOL_ADDRESS_SCHEMA), [400]),
    },
    mayDependOnMempool: true,
    parse: addressParameter(network),
    read: async (_, owner) => {
      for (;;) {
        const pool = await currentPendingSet(context);
        const attempt = pendingPresenter.attempt(pool, (render) =>
          presentMempoolAddress(render, pendingChangesOfAddress(pool, owner), pool.isComplete),
        );
        if ('value' in attempt) return { tip: null, text: attempt.value };
        await pendingPresenter.read(attempt.missing);
      }
    },
    present: ({ text }) => text,
  });
}
