/** `/mempool`: the transactions that wait for a block, in figures, as a list, and what they mean for an address. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { delegationAddress, tokenAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { Destination } from '../../chain/types.ts';
import { viewOfAddress } from '../../mempool/address-view.ts';
import { inDependencyOrder } from '../../mempool/dependency-order.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import { totalsOf } from '../../mempool/totals.ts';
import type { PendingTransaction } from '../../mempool/transaction.ts';
import { renderOutput } from '../../render/output.ts';
import { amountJson, outpointJson, type RenderContext } from '../../render/text.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { lastValue, parseAddress, parsePage, type Query } from '../parse/parameters.ts';
import { availablePool } from '../pending/pending.ts';
import { shownDecimals } from '../pending/texts.ts';
import { badRequest } from '../route/api-error.ts';
import { type ApiContext, getRoute, type RouteResult } from '../route/context.ts';
import { AtomsText, Bech32, Count, HexId, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { ADDRESS_PARAMETER, errorResponses, ITEMS, OFFSET, okResponse } from '../schemas/route.ts';

const ORDERS = ['insertion', 'dependency'] as const;
type Order = (typeof ORDERS)[number];

/** Lists with other offsets and lengths are made anew each time. */
const MOST_KEPT_LISTS = 64;
/** In bytes. */
const LARGEST_KEPT_LIST = 256 * 1024;
const FARTHEST_OFFSET = 1_000_000n;

interface List {
  readonly order: Order;
  readonly offset: number;
  readonly items: number;
}

/** What was made of a pool, and holds until that changes or the tip does. */
class PoolAnswers {
  readonly pool: PendingPool;
  readonly revision: number;
  readonly tipRevision: number;
  readonly lists = new Map<string, PreparedResponse>();
  readonly #inOrder: Partial<Record<Order, readonly PendingTransaction[]>> = {};
  #totals: PreparedResponse | undefined;

  constructor(pool: PendingPool, tipRevision: number) {
    this.pool = pool;
    this.revision = pool.revision;
    this.tipRevision = tipRevision;
  }

  isOf(pool: PendingPool, tipRevision: number): boolean {
    return this.pool === pool && this.revision === pool.revision && this.tipRevision === tipRevision;
  }

  inOrder(order: Order): readonly PendingTransaction[] {
    const all = this.pool.transactions();
    this.#inOrder[order] ??= order === 'insertion' ? [...all] : inDependencyOrder(all);
    return this.#inOrder[order];
  }

  totals(coinDecimals: number): PreparedResponse {
    this.#totals ??= new PreparedResponse(totalsText(this.pool, coinDecimals));
    return this.#totals;
  }
}

function totalsText(pool: PendingPool, coinDecimals: number): string {
  const { count, bytes, totalFee, feeHistogram } = totalsOf(pool);
  const steps = feeHistogram.map((step) => `["${step.atomsPerKilobyte}",${step.bytes}]`);
  return `{"count":${count},"bytes":${bytes},"total_fee":${amountJson(totalFee, coinDecimals)},"fee_histogram":[${steps.join(',')}],"complete":${pool.isComplete}}`;
}

function addressText(context: RenderContext, pool: PendingPool, owner: Destination): string {
  const { network, decimalsOf } = context;
  const { flows, spentOutpoints, newUtxos, nextNonces, transactions } = viewOfAddress(pool, owner);
  let coin = '';
  const tokens: string[] = [];
  for (const [currency, { incoming, outgoing }] of flows) {
    const decimals = currency === COIN ? network.coinDecimals : (decimalsOf(currency) ?? 0);
    const flow = `"incoming":${amountJson(incoming, decimals)},"outgoing":${amountJson(outgoing, decimals)}}`;
    if (currency === COIN) coin = `{${flow}`;
    else tokens.push(`{"token_id":"${tokenAddress(network, currency)}",${flow}`);
  }
  const utxos = newUtxos.map(
    (utxo) => `{"outpoint":${outpointJson(utxo.outpoint)},"utxo":${shownDecimals(renderOutput(context, utxo.output))}}`,
  );
  const nonces = nextNonces.map(({ account, id, nonce }) => {
    const whose =
      account === 'delegation'
        ? `"delegation_id":"${delegationAddress(network, id)}"`
        : `"token_id":"${tokenAddress(network, id)}"`;
    return `{${whose},"nonce":${nonce}}`;
  });
  const ids = transactions.map((id) => `"${id}"`);
  return `{"coin":${coin},"tokens":[${tokens}],"spent_outpoints":[${spentOutpoints.map(outpointJson)}],"new_utxos":[${utxos}],"next_nonces":[${nonces}],"transactions":[${ids}]}`;
}

function parseList(query: Query): List {
  const order = lastValue(query, 'order') ?? 'insertion';
  if (!ORDERS.includes(order as Order)) throw badRequest('Invalid transaction ordering');
  const { offset, items } = parsePage(query);
  return { order: order as Order, offset: Number(offset > FARTHEST_OFFSET ? FARTHEST_OFFSET : offset), items };
}

const Flow = { incoming: schemaRef('Amount'), outgoing: schemaRef('Amount') };
const Nonce = Type.Integer({ minimum: 0 });
const MempoolAddress = strictObject({
  coin: strictObject(Flow),
  tokens: Type.Array(strictObject({ token_id: Bech32, ...Flow })),
  spent_outpoints: Type.Array(schemaRef('Outpoint'), {
    description: 'Outputs of the address that pending transactions spend, those of other pending ones included',
  }),
  new_utxos: Type.Array(strictObject({ outpoint: schemaRef('Outpoint'), utxo: schemaRef('Output') }), {
    description: 'Outputs that it will have, without those that are spent again',
  }),
  next_nonces: Type.Array(
    Type.Union([
      strictObject({ delegation_id: Bech32, nonce: Nonce }),
      strictObject({ token_id: Bech32, nonce: Nonce }),
    ]),
    {
      description: 'Of its delegations and tokens that pending transactions use: the nonces for the transactions after',
    },
  ),
  transactions: Type.Array(HexId, { description: 'Those that have to do with it, in the order of their acceptance' }),
});
// As JSON Schema 2020-12, which OpenAPI 3.1 is based on, writes a tuple.
const FeeStep = Type.Unsafe({
  type: 'array',
  prefixItems: [AtomsText, Count],
  items: false,
  minItems: 2,
  maxItems: 2,
});
const Mempool = strictObject({
  count: Count,
  bytes: { ...Count, description: 'Of the encoded transactions' },
  total_fee: { ...schemaRef('Amount'), description: 'Of those whose fee is known' },
  fee_histogram: Type.Array(FeeStep, {
    description: 'Atoms per 1,000 bytes, and the bytes of the transactions that pay so much; dearest first',
  }),
  complete: Type.Boolean({ description: 'False while there may be pending transactions that are not known here' }),
});

/** These answers need the node, and have no `ETag`. */
const response = (schema: object, statuses: readonly number[] = [], headers?: object) => ({
  200: okResponse(schema, 'Success', headers),
  ...errorResponses(statuses, {
    503: 'Pending transactions are not known: the node, or the database, cannot be reached',
  }),
});

export function mempoolRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network, pending, pendingTexts, tipWatch } = context;
  const tags = ['Mempool'];
  let answers: PoolAnswers | undefined;

  /** What is pending at the tip that clients know. */
  async function currentPool(): Promise<PendingPool> {
    availablePool(pending);
    while (pending!.revision < tipWatch.advertisedRevision) await pending!.reached(tipWatch.advertisedRevision);
    return availablePool(pending);
  }

  function answersOf(pool: PendingPool): PoolAnswers {
    const tipRevision = tipWatch.tip?.revision ?? 0;
    if (!answers?.isOf(pool, tipRevision)) answers = new PoolAnswers(pool, tipRevision);
    return answers;
  }

  const live = (finished: PreparedResponse): RouteResult => ({
    text: '',
    finished: context.pendingResponses.holds(finished),
    isLive: true,
  });

  getRoute(app, context, {
    path: '/mempool',
    schema: {
      tags,
      summary: 'The pending transactions in figures',
      response: response(component(app, 'Mempool', Mempool)),
    },
    isLive: true,
    parse: () => null,
    answer: async () => live(answersOf(await currentPool()).totals(network.coinDecimals)),
  });

  getRoute(app, context, {
    path: '/mempool/transactions',
    schema: {
      tags,
      summary: 'The pending transactions',
      description: 'As those of `/transaction/{id}`. There are no pages by cursor: the list changes all the time.',
      querystring: Type.Object({
        order: Type.Optional(
          Type.Enum([...ORDERS], {
            type: 'string',
            default: 'insertion',
            description: '`insertion`: as the node accepted them; `dependency`: parents before their children',
          }),
        ),
        offset: OFFSET,
        items: ITEMS,
      }),
      response: response(Type.Array(schemaRef('Transaction')), [400], {
        'x-mempool-ordering': { type: 'string', enum: [...ORDERS], description: 'The order of the list' },
      }),
    },
    isLive: true,
    parse: ({ query }) => parseList(query),
    answer: async ({ order, offset, items }) => {
      const key = `${order} ${offset} ${items}`;
      for (;;) {
        const pool = await currentPool();
        const current = answersOf(pool);
        const kept = current.lists.get(key);
        if (kept !== undefined) return live(kept);
        const listed = current.inOrder(order).slice(offset, offset + items);
        const texts = listed.flatMap((transaction) => pendingTexts.get(pool, transaction) ?? []);
        if (texts.length === listed.length) {
          const finished = new PreparedResponse(`[${texts.join(',')}]`, { headers: ['x-mempool-ordering', order] });
          if (current.lists.size < MOST_KEPT_LISTS && finished.size <= LARGEST_KEPT_LIST)
            current.lists.set(key, finished);
          return live(finished);
        }
        await pendingTexts.prepare(pool, listed);
      }
    },
  });

  getRoute(app, context, {
    path: '/mempool/address/:address',
    schema: {
      tags,
      summary: 'What pending transactions do to an address',
      description:
        'So that its wallet spends nothing twice. Amounts are gross: change is on both sides. Zeros for an address that ' +
        'no pending transaction has to do with.',
      params: ADDRESS_PARAMETER,
      response: response(component(app, 'MempoolAddress', MempoolAddress), [400]),
    },
    isLive: true,
    parse: ({ params }) => parseAddress(network, params.address!),
    answer: async (owner) => {
      for (;;) {
        const pool = await currentPool();
        const attempt = pendingTexts.attempt(pool, (render) => addressText(render, pool, owner));
        if ('value' in attempt) return { text: attempt.value, isLive: true };
        await pendingTexts.read(attempt.missing);
      }
    },
  });
}
