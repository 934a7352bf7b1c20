/** `/mempool`: the totals of pending transactions, their lists, each of them, and their effects on an address. */

import Type from 'typebox';
import { namePendingActors } from '../../answers/name-command-actors.ts';
import {
  currentPendingSet,
  MEMPOOL_SORTS,
  type MempoolSort,
  SORTED_MEMPOOL,
  whileMempoolIs,
} from '../../answers/pending/pending-interface.ts';
import type { Id } from '../../chain/types.ts';
import { mempoolTotals } from '../../mempool/mempool-totals.ts';
import { pendingChangesOfAddress, pendingOutputsOfAddress } from '../../mempool/pending-address-changes.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import { countedBytesOf, type PendingTransaction } from '../../mempool/pending-transaction.ts';
import type { RenderContext } from '../../render/common-values.ts';
import { schemaRef } from '../../render/schemas/common.ts';
import { summarizeTransactionText } from '../../render/transaction-summary.ts';
import { notFound } from '../../serving/errors/api-error.ts';
import { nodeUnavailable } from '../../serving/errors/causes-of-503.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { nextPageHeaders } from '../../serving/pagination/list-result.ts';
import { encodeCursor, type ListPage, NEXT_PAGE_HEADERS, OFFSET_OR_CURSOR } from '../../serving/pagination/paging.ts';
import {
  addressParameter,
  choiceParameter,
  EXPAND_TRANSACTIONS,
  parseTransactionId,
  type UrlQuery,
} from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import type { GetRoute, RouteReadResult } from '../../serving/route/get-route-stages.ts';
import {
  ADDRESS_PARAMETER,
  errorResponses,
  okResponseWithoutEtag,
  TRANSACTION_ID_PARAMETER,
} from '../../serving/schemas/parameters-and-responses.ts';
import type { SortFields } from '../../store/queries/lists/sort-key-text.ts';
import type { ApiContext } from '../api-context.ts';
import {
  MEMPOOL,
  MEMPOOL_ADDRESS,
  MEMPOOL_BLOCKS,
  MEMPOOL_IDS,
  MEMPOOL_PLACE,
  NEW_UTXO_SCHEMA,
  placeInMempool,
  presentNewUtxo,
} from '../present/mempool.ts';
import { withSummary } from '../present/transaction-summary.ts';

/** As encoded; the JSON has seven times as much. */
const BYTES_PER_UNIT = 8 * 1024;

const ORDER = choiceParameter('order', MEMPOOL_SORTS, {
  description: '`insertion`: as the node accepted them; `dependency`: parents before their children',
  message: 'Invalid transaction ordering',
});

/** The list in the order of arrival. Its cursors are valid for one copy of the mempool, whose name is part of the list's. */
const ARRIVALS = {
  name: (pool: PendingSet | undefined) => `mempool ${pool?.name}`,
  fields: { arrival: 'int53' } satisfies SortFields<ArrivalKey>,
};
interface ArrivalKey {
  readonly arrival: number;
}

/** `order`: of a page by offset; null for a page by cursor. */
type MempoolPage = ListPage<ArrivalKey> & { readonly order: MempoolSort | null; readonly isExpanded: boolean };

type ReadText = RouteReadResult & { readonly text: string };

/** Makes the schemas of responses that need the node and have no `ETag`. */
const response = (schema: object, statuses: readonly number[] = [], headers?: object) => ({
  200: okResponseWithoutEtag(schema, 'Success', headers),
  ...errorResponses(statuses, {
    503: 'Pending transactions are not known: the node, or the database, cannot be reached',
  }),
});

export function mempoolRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network, pendingPresenter } = context;
  const pagedRoute = {
    publicUrl: context.publicUrl,
    path: `${routes.prefix}/mempool/transactions`,
    queryNames: ['items', 'expand'],
  };

  function parsePage(query: UrlQuery): MempoolPage {
    const order = ORDER.parse(query);
    const page = OFFSET_OR_CURSOR.parse<PendingSet | undefined, ArrivalKey>(query, ARRIVALS, context.pending?.pool);
    return { ...page, order: page.shape === 'array' ? order : null, isExpanded: EXPAND_TRANSACTIONS.parse(query) };
  }

  /** The transactions of a page, and the sort key of the last one if there is a next page by cursor. */
  function listed(pool: PendingSet, { order, after, skip, limit }: MempoolPage) {
    if (order !== null) return { transactions: SORTED_MEMPOOL[order](pool).slice(skip, skip + limit), last: null };
    const arrived = pool.arrivedAfter(after?.arrival ?? 0, limit + 1);
    const shown = arrived.slice(0, limit);
    return {
      transactions: shown.map(({ transaction }) => transaction),
      last: arrived.length > limit ? shown.at(-1)! : null,
    };
  }

  function unitsOf(page: MempoolPage): number {
    if (context.pending === null) return 1;
    const { transactions } = listed(context.pending.pool, page);
    return 1 + Math.floor(transactions.reduce((sum, each) => sum + countedBytesOf(each), 0) / BYTES_PER_UNIT);
  }

  /** `isExpanded`: with what each did. */
  async function textsOf(pool: PendingSet, transactions: readonly PendingTransaction[], isExpanded: boolean) {
    const texts = await Promise.all(transactions.map((each) => pendingPresenter.text(pool, each)));
    if (!isExpanded) return texts;
    const told = texts.map((text, i) => {
      const transaction = transactions[i]!;
      return { text, transaction, summary: summarizeTransactionText(network, text, transaction.height) };
    });
    const whole = told.flatMap(({ transaction, summary }) => (summary === null ? [] : [{ ...summary, transaction }]));
    await namePendingActors(network, context.store, pool, whole);
    return told.map(({ text, summary }) => withSummary(network, text, summary));
  }

  /** Reads the bodies of the listed transactions. */
  async function readBodies(page: MempoolPage) {
    for (;;) {
      const pool = await currentPendingSet(context);
      const { revision } = pool;
      const { transactions, last } = listed(pool, page);
      const bodies = await textsOf(pool, transactions, page.isExpanded);
      // The pending set may have changed while decimals were read.
      if (pool.revision === revision) {
        return { tip: null, bodies, last, isCurrent: whileMempoolIs({ pool, revision }, context) };
      }
    }
  }

  async function readPool() {
    const pool = await currentPendingSet(context);
    return { tip: null, pool, isCurrent: whileMempoolIs({ pool, revision: pool.revision }, context) };
  }

  async function readTransaction(id: Id, client: string) {
    const pool = await currentPendingSet(context);
    const found = await context.pending!.find(id, client);
    if (found?.state === 'Unavailable') throw nodeUnavailable(context.pending!.nodeProblem, 'pending not known');
    if (found?.state !== 'Pending') throw notFound('Transaction not found');
    return { pool, transaction: found.transaction };
  }

  /** Makes a text from the pending set, with the decimals that it needs. */
  async function readRendered(make: (render: RenderContext, pool: PendingSet) => string) {
    for (;;) {
      const pool = await currentPendingSet(context);
      const attempt = pendingPresenter.attempt(pool, (render) => make(render, pool));
      if ('value' in attempt) return { tip: null, text: attempt.value };
      await pendingPresenter.read(attempt.missing);
    }
  }

  function listResponse(bodies: readonly string[], last: ArrivalKey | null, page: MempoolPage): PreparedResponse {
    const array = `[${bodies.join(',')}]`;
    const ordering = ['x-mempool-ordering', page.order ?? 'arrival'];
    if (page.shape === 'array') return new PreparedResponse(array, { headers: ordering });
    const cursor = last && encodeCursor(page.list, ARRIVALS.fields, last);
    const next =
      cursor === null
        ? []
        : nextPageHeaders(
            pagedRoute,
            {},
            { items: `${page.limit}`, ...(page.isExpanded && { expand: 'true' }) },
            cursor,
          );
    return new PreparedResponse(`{"items":${array},"next_cursor":${JSON.stringify(cursor)}}`, {
      headers: [...ordering, ...next],
    });
  }

  function add<Params, Data extends RouteReadResult>({ schema, ...route }: GetRoute<Params, Data>): void {
    addGetRoute(routes, context, { ...route, schema: { ...schema, tags: ['Mempool'] }, mayDependOnMempool: true });
  }

  /** Adds a route whose response `read` makes. */
  const addText = <Params>(route: Omit<GetRoute<Params, ReadText>, 'present'>): void =>
    add({ ...route, present: ({ text }) => text });

  add({
    path: '/mempool',
    schema: {
      summary: 'The pending transactions in figures',
      response: response(routes.addComponent('Mempool', MEMPOOL.schema)),
    },
    parse: () => null,
    read: readPool,
    present: ({ pool }) => MEMPOOL.json(network, { ...mempoolTotals(pool), isComplete: pool.isComplete }),
  });

  add({
    path: '/mempool/blocks',
    schema: {
      summary: 'The next blocks, as a node would make them now',
      description:
        'By fee rate, parents before their children, as many as fit. The rate of a transaction with pending ancestors is that of all ' +
        'of them together, if that is lower than its own. Time locks are not looked at.',
      response: response(routes.addComponent('MempoolBlocks', MEMPOOL_BLOCKS.schema)),
    },
    parse: () => null,
    read: readPool,
    present: ({ pool }) => MEMPOOL_BLOCKS.text(pool, network),
  });

  add({
    path: '/mempool/transactions',
    schema: {
      summary: 'The pending transactions',
      description:
        'As those of `/transaction/{id}`. With `cursor` they come in the order of their arrival at this process, whatever `order` ' +
        'says: a walk meets each transaction that stays pending once. A cursor is valid for the process that made it. By ' +
        '`offset`, a list that shrinks between two pages loses entries.',
      querystring: Type.Object({ ...ORDER.query, ...OFFSET_OR_CURSOR.parameters, ...EXPAND_TRANSACTIONS.query }),
      response: response(OFFSET_OR_CURSOR.schema(schemaRef('Transaction')), [400], {
        'x-mempool-ordering': {
          type: 'string',
          enum: [...MEMPOOL_SORTS, 'arrival'],
          description: 'The order of the list',
        },
        ...NEXT_PAGE_HEADERS,
      }),
    },
    unitsOf,
    parse: ({ query }) => parsePage(query),
    read: (_, page) => readBodies(page),
    present: ({ bodies, last }, page) => listResponse(bodies, last, page),
  });

  add({
    path: '/mempool/ids',
    schema: {
      summary: 'The ids of all pending transactions',
      response: response(routes.addComponent('MempoolIds', MEMPOOL_IDS.schema), [], {
        'x-mempool': {
          type: 'string',
          description: 'The process that answers, as in the header of `/stream`: `sequence` is its own',
        },
      }),
    },
    parse: () => null,
    read: readPool,
    present: ({ pool }) => new PreparedResponse(MEMPOOL_IDS.json(network, pool), { headers: ['x-mempool', pool.name] }),
  });

  addText({
    path: '/mempool/transaction/:id',
    schema: {
      summary: 'A pending transaction',
      description: 'As that of `/transaction/{id}`, which also finds confirmed ones.',
      params: TRANSACTION_ID_PARAMETER,
      querystring: Type.Object({ ...EXPAND_TRANSACTIONS.query }),
      response: response(schemaRef('Transaction'), [400, 404]),
    },
    parse: ({ params, query }) => ({
      isExpanded: EXPAND_TRANSACTIONS.parse(query),
      id: parseTransactionId(params.id!),
    }),
    read: async (_, { id, isExpanded }, { client }) => {
      const { pool, transaction } = await readTransaction(id, client);
      const [text] = await textsOf(pool, [transaction], isExpanded);
      return { tip: null, text: text! };
    },
  });

  addText({
    path: '/mempool/transaction/:id/place',
    schema: {
      summary: 'The place of a pending transaction in the next blocks',
      description: 'In those of `/mempool/blocks`, and the ones behind them.',
      params: TRANSACTION_ID_PARAMETER,
      response: response(routes.addComponent('MempoolPlace', MEMPOOL_PLACE.schema), [400, 404]),
    },
    parse: ({ params }) => parseTransactionId(params.id!),
    read: async (_, id, { client }) => {
      const { pool, transaction } = await readTransaction(id, client);
      return { tip: null, text: MEMPOOL_PLACE.json(network, placeInMempool(pool, transaction)) };
    },
  });

  addText({
    path: '/mempool/address/:address',
    schema: {
      summary: 'What pending transactions do to an address',
      description:
        'For wallets that must not spend an output twice. Amounts are gross: change is on both sides. Zeros for an ' +
        'address without pending transactions.',
      params: ADDRESS_PARAMETER,
      response: response(routes.addComponent('MempoolAddress', MEMPOOL_ADDRESS.schema), [400]),
    },
    parse: addressParameter(network),
    read: (_, owner) =>
      readRendered((render, pool) =>
        MEMPOOL_ADDRESS.json(network, {
          changes: pendingChangesOfAddress(pool, owner),
          context: render,
          isComplete: pool.isComplete,
        }),
      ),
  });

  addText({
    path: '/mempool/address/:address/all-utxos',
    schema: {
      summary: 'The outputs that an address gets from pending transactions',
      description: 'Without those that a pending transaction spends; under time locks, too.',
      params: ADDRESS_PARAMETER,
      response: response(Type.Array(routes.addComponent('MempoolUtxo', NEW_UTXO_SCHEMA)), [400]),
    },
    parse: addressParameter(network),
    read: (_, owner) =>
      readRendered(
        (render, pool) =>
          `[${pendingOutputsOfAddress(pool, owner)
            .filter(({ spentBy }) => spentBy === null)
            .map((output) => presentNewUtxo(render, output))
            .join()}]`,
      ),
  });
}
