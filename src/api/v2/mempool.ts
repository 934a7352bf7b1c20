/** `/mempool`: the transactions that wait for a block, in figures, as a list, and what they mean for an address. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { delegationAddress, tokenAddress } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { Destination } from '../../chain/types.ts';
import { viewOfAddress } from '../../mempool/address-view.ts';
import type { PendingPool } from '../../mempool/pool.ts';
import { totalsOf } from '../../mempool/totals.ts';
import { renderOutput } from '../../render/output.ts';
import { amountJson, outpointJson, type RenderContext } from '../../render/text.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { parsePageParameters } from '../pagination/page.ts';
import { lastValue, parseAddress, type Query } from '../parse/parameters.ts';
import { availablePool } from '../pending/pending.ts';
import { POOL_ORDERS, type PoolList, type PoolOrder, PoolResponses } from '../pending/pool-responses.ts';
import { shownDecimals } from '../pending/texts.ts';
import { badRequest } from '../route/api-error.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { AtomsText, Bech32, Count, HexId, schemaRef, strictObject } from '../schemas/common.ts';
import { component } from '../schemas/components.ts';
import { ADDRESS_PARAMETER, errorResponses, ITEMS, OFFSET, okResponse } from '../schemas/route.ts';

/** No mempool has more transactions. */
const FARTHEST_OFFSET = 1_000_000n;

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

function listResponse(bodies: readonly string[], { order }: PoolList): PreparedResponse {
  return new PreparedResponse(`[${bodies.join(',')}]`, { headers: ['x-mempool-ordering', order] });
}

function parseList(query: Query): PoolList {
  const order = lastValue(query, 'order') ?? 'insertion';
  if (!POOL_ORDERS.includes(order as PoolOrder)) throw badRequest('Invalid transaction ordering');
  const { offset, items } = parsePageParameters(query);
  return { order: order as PoolOrder, offset: Number(offset > FARTHEST_OFFSET ? FARTHEST_OFFSET : offset), items };
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
  const { network, pending, pendingResponses, pendingTexts, tipWatch } = context;
  const tags = ['Mempool'];
  let responses: PoolResponses | undefined;

  /** What is pending at the tip that clients know. */
  async function currentPool(): Promise<PendingPool> {
    availablePool(pending);
    while (pending!.revision < tipWatch.toldRevision) await pending!.reached(tipWatch.toldRevision);
    return availablePool(pending);
  }

  async function currentResponses(): Promise<PoolResponses> {
    const pool = await currentPool();
    const tipRevision = tipWatch.tip?.revision ?? 0;
    if (!responses?.isOf(pool, tipRevision)) responses = new PoolResponses(pool, tipRevision);
    return responses;
  }

  /** The bodies of the listed transactions; null where the list is there as a response. */
  async function readBodies(list: PoolList): Promise<{ current: PoolResponses; bodies: readonly string[] | null }> {
    for (;;) {
      const current = await currentResponses();
      if (current.list(list) !== undefined) return { current, bodies: null };
      const listed = current.inOrder(list.order).slice(list.offset, list.offset + list.items);
      const bodies = listed.flatMap((transaction) => pendingTexts.get(current.pool, transaction) ?? []);
      if (bodies.length === listed.length) return { current, bodies };
      await pendingTexts.prepare(current.pool, listed);
    }
  }

  getRoute(app, context, {
    path: '/mempool',
    schema: {
      tags,
      summary: 'The pending transactions in figures',
      response: response(component(app, 'Mempool', Mempool)),
    },
    mayDependOnMempool: true,
    parse: () => null,
    read: async () => ({ tip: null, current: await currentResponses() }),
    present: ({ current }) => {
      current.totals ??= new PreparedResponse(totalsText(current.pool, network.coinDecimals));
      return pendingResponses.validFor(current, current.totals);
    },
  });

  getRoute(app, context, {
    path: '/mempool/transactions',
    schema: {
      tags,
      summary: 'The pending transactions',
      description: 'As those of `/transaction/{id}`. There are no pages by cursor: the list changes all the time.',
      querystring: Type.Object({
        order: Type.Optional(
          Type.Enum([...POOL_ORDERS], {
            type: 'string',
            default: 'insertion',
            description: '`insertion`: as the node accepted them; `dependency`: parents before their children',
          }),
        ),
        offset: OFFSET,
        items: ITEMS,
      }),
      response: response(Type.Array(schemaRef('Transaction')), [400], {
        'x-mempool-ordering': { type: 'string', enum: [...POOL_ORDERS], description: 'The order of the list' },
      }),
    },
    mayDependOnMempool: true,
    parse: ({ query }) => parseList(query),
    read: async (_, list) => ({ tip: null, ...(await readBodies(list)) }),
    present: ({ current, bodies }, list) => {
      const response = bodies === null ? current.list(list)! : listResponse(bodies, list);
      current.keepList(list, response);
      return pendingResponses.validFor(current, response);
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
    mayDependOnMempool: true,
    parse: ({ params }) => parseAddress(network, params.address!),
    read: async (_, owner) => {
      for (;;) {
        const pool = await currentPool();
        const attempt = pendingTexts.attempt(pool, (render) => addressText(render, pool, owner));
        if ('value' in attempt) return { tip: null, text: attempt.value };
        await pendingTexts.read(attempt.missing);
      }
    },
    present: ({ text }) => text,
  });
}
