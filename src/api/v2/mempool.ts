/** `/mempool`: the totals of pending transactions, their lists, each of them, and their effects on an address. */

import Type from 'typebox';
import {
  currentPendingSet,
  MEMPOOL_SORTS,
  whileMempoolIs,
} from '../../answers/pending/pending-transactions-interface.ts';
import type { Id } from '../../chain/types.ts';
import { mempoolTotals } from '../../mempool/mempool-totals.ts';
import { pendingChangesOfAddress, pendingOutputsOfAddress } from '../../mempool/pending-address-changes.ts';
import type { PendingSet } from '../../mempool/pending-set.ts';
import type { RenderContext } from '../../render/common-values.ts';
import { schemaRef } from '../../render/schemas/common.ts';
import { notFound } from '../../serving/errors/api-error.ts';
import { nodeUnavailable } from '../../serving/errors/causes-of-503.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { NEXT_PAGE_HEADERS, OFFSET_OR_CURSOR } from '../../serving/pagination/paging.ts';
import { addressParameter, EXPAND_TRANSACTIONS, parseTransactionId } from '../../serving/parse/parameters.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import type { GetRoute, RouteReadResult } from '../../serving/route/get-route-stages.ts';
import {
  ADDRESS_PARAMETER,
  errorResponses,
  okResponseWithoutEtag,
  TRANSACTION_ID_PARAMETER,
} from '../../serving/schemas/parameters-and-responses.ts';
import type { ApiContext } from '../api-context.ts';
import {
  MEMPOOL_ORDER,
  parseMempoolPage,
  pendingTexts,
  presentMempoolPage,
  readMempoolPage,
  unitsOfMempoolPage,
} from '../pending/mempool-list.ts';
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

type ReadText = RouteReadResult & { readonly text: string };

/** Makes the schemas of responses that need the node and have no `ETag`. */
const response = (schema: object, statuses: readonly number[] = [], headers?: object) => ({
  200: okResponseWithoutEtag(schema, 'Success', headers),
  ...errorResponses(statuses, {
    503: 'Pending transactions are not known: the node, or the database, cannot be reached',
  }),
});

/** The pending set, for responses that `present` makes of it. */
async function readPool(context: ApiContext) {
  const pool = await currentPendingSet(context);
  return { tip: null, pool, isCurrent: whileMempoolIs({ pool, revision: pool.revision }, context) };
}

async function readTransaction(context: ApiContext, id: Id, client: string) {
  const pool = await currentPendingSet(context);
  const found = await context.pending!.find(id, client);
  if (found?.state === 'Unavailable') throw nodeUnavailable(context.pending!.nodeProblem, 'pending not known');
  if (found?.state !== 'Pending') throw notFound('Transaction not found');
  return { pool, transaction: found.transaction };
}

/** Makes a text from the pending set, with the decimals that it needs. */
async function readRendered(
  context: ApiContext,
  make: (render: RenderContext, pool: PendingSet) => string,
): Promise<ReadText> {
  for (;;) {
    const pool = await currentPendingSet(context);
    const attempt = context.pendingPresenter.attempt(pool, (render) => make(render, pool));
    if ('value' in attempt) return { tip: null, text: attempt.value };
    await context.pendingPresenter.read(attempt.missing);
  }
}

function addMempoolRoute<Params, Data extends RouteReadResult>(
  routes: RouteGroup,
  context: ApiContext,
  route: GetRoute<Params, Data>,
): void {
  addGetRoute(routes, context, { ...route, tags: ['Mempool'], mayDependOnMempool: true });
}

/** Adds a route whose response `read` makes. */
function addTextRoute<Params>(
  routes: RouteGroup,
  context: ApiContext,
  route: Omit<GetRoute<Params, ReadText>, 'present'>,
): void {
  addMempoolRoute(routes, context, { ...route, present: ({ text }) => text });
}

/** The whole mempool: its totals, the next blocks, all ids. */
export function mempoolRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;

  addMempoolRoute(routes, context, {
    path: '/mempool',
    summary: 'Statistics of pending transactions',
    response: response(routes.addComponent('Mempool', MEMPOOL.schema)),
    parse: () => null,
    read: () => readPool(context),
    present: ({ pool }) => MEMPOOL.json(network, { ...mempoolTotals(pool), isComplete: pool.isComplete }),
  });

  addMempoolRoute(routes, context, {
    path: '/mempool/blocks',
    summary: 'The next blocks, projected from pending transactions',
    description:
      'By fee rate, parents before their children, as many as fit. The rate of a transaction with pending ancestors is that of all ' +
      'of them together, if that is lower than its own. Time locks are not looked at.',
    response: response(routes.addComponent('MempoolBlocks', MEMPOOL_BLOCKS.schema)),
    parse: () => null,
    read: () => readPool(context),
    present: ({ pool }) => MEMPOOL_BLOCKS.text(pool, network),
  });

  addMempoolRoute(routes, context, {
    path: '/mempool/ids',
    summary: 'The ids of all pending transactions',
    response: response(routes.addComponent('MempoolIds', MEMPOOL_IDS.schema), [], {
      'x-mempool': {
        type: 'string',
        description: 'The process that answers, as in the header of `/stream`: `sequence` is its own',
      },
    }),
    parse: () => null,
    read: () => readPool(context),
    present: ({ pool }) => ({ text: MEMPOOL_IDS.json(network, pool), headers: ['x-mempool', pool.name] }),
  });
}

/** The pending transactions: their list, one of them, its place in the next blocks. */
export function pendingTransactionRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;

  addMempoolRoute(routes, context, {
    path: '/mempool/transactions',
    summary: 'The pending transactions',
    description:
      'As those of `/transaction/{id}`. With `cursor` they come in the order of their arrival at this process, whatever `order` ' +
      'says: a walk meets each transaction that stays pending once. A cursor is valid for the process that made it. By ' +
      '`offset`, a list that shrinks between two pages loses entries.',
    querystring: Type.Object({
      ...MEMPOOL_ORDER.query,
      ...OFFSET_OR_CURSOR.parameters,
      ...EXPAND_TRANSACTIONS.query,
    }),
    response: response(OFFSET_OR_CURSOR.schema(schemaRef('Transaction')), [400], {
      'x-mempool-ordering': {
        type: 'string',
        enum: [...MEMPOOL_SORTS, 'arrival'],
        description: 'The order of the list',
      },
      ...NEXT_PAGE_HEADERS,
    }),
    parse: ({ query }) => parseMempoolPage(context, query),
    unitsOf: (page) => unitsOfMempoolPage(context, page),
    read: (_, page) => readMempoolPage(context, page),
    present: (data, page) => presentMempoolPage(data, page),
  });

  addTextRoute(routes, context, {
    path: '/mempool/transaction/:id',
    summary: 'A pending transaction',
    description: 'As that of `/transaction/{id}`, which also finds confirmed ones.',
    params: TRANSACTION_ID_PARAMETER,
    querystring: Type.Object({ ...EXPAND_TRANSACTIONS.query }),
    response: response(schemaRef('Transaction'), [400, 404]),
    parse: ({ params, query }) => ({
      isExpanded: EXPAND_TRANSACTIONS.parse(query),
      id: parseTransactionId(params.id!),
    }),
    read: async (_, { id, isExpanded }, { client }) => {
      const { pool, transaction } = await readTransaction(context, id, client);
      const [text] = await pendingTexts(context, pool, [transaction], isExpanded);
      return { tip: null, text: text! };
    },
  });

  addTextRoute(routes, context, {
    path: '/mempool/transaction/:id/place',
    summary: 'The place of a pending transaction in the next blocks',
    description: 'In those of `/mempool/blocks`, and the ones behind them.',
    params: TRANSACTION_ID_PARAMETER,
    response: response(routes.addComponent('MempoolPlace', MEMPOOL_PLACE.schema), [400, 404]),
    parse: ({ params }) => parseTransactionId(params.id!),
    read: async (_, id, { client }) => {
      const { pool, transaction } = await readTransaction(context, id, client);
      return { tip: null, text: MEMPOOL_PLACE.json(network, placeInMempool(pool, transaction)) };
    },
  });
}

/** What pending transactions do to an address. */
export function pendingAddressRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;

  addTextRoute(routes, context, {
    path: '/mempool/address/:address',
    summary: 'The effect of pending transactions on an address',
    description:
      'For wallets that must not spend an output twice. Amounts are gross: change is on both sides. Zeros for an ' +
      'address without pending transactions.',
    params: ADDRESS_PARAMETER,
    response: response(routes.addComponent('MempoolAddress', MEMPOOL_ADDRESS.schema), [400]),
    parse: addressParameter(network),
    read: (_, owner) =>
      readRendered(context, (render, pool) =>
        MEMPOOL_ADDRESS.json(network, {
          changes: pendingChangesOfAddress(pool, owner),
          context: render,
          isComplete: pool.isComplete,
        }),
      ),
  });

  addTextRoute(routes, context, {
    path: '/mempool/address/:address/all-utxos',
    summary: 'The outputs of pending transactions to an address',
    description: 'Without those that a pending transaction spends; under time locks, too.',
    params: ADDRESS_PARAMETER,
    response: response(Type.Array(routes.addComponent('MempoolUtxo', NEW_UTXO_SCHEMA)), [400]),
    parse: addressParameter(network),
    read: (_, owner) =>
      readRendered(
        context,
        (render, pool) =>
          `[${pendingOutputsOfAddress(pool, owner)
            .filter(({ spentBy }) => spentBy === null)
            .map((output) => presentNewUtxo(render, output))
            .join()}]`,
      ),
  });
}
