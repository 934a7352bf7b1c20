/** `POST /batch`: the responses to one kind of request for many ids at once. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { strictObject } from '../../render/schemas/common.ts';
import type { Caller } from '../../resources/caller.ts';
import { badRequest } from '../errors/api-error.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { requireReady } from '../route/admission.ts';
import { type Batch, type BatchResult, readBatchResponses } from '../route/batch-responses.ts';
import type { ApiContext } from '../route/context.ts';
import type { RouteRequest } from '../route/get-route.ts';
import { postRoute } from '../route/post-route.ts';
import { errorResponses, okResponse } from '../schemas/route.ts';

/** What a `type` of batches stands for. */
interface BatchType {
  /** Of the route, below the API's prefix. */
  readonly path: string;
  readonly requestFor: (id: string) => RouteRequest;
  /** Does the body say the id itself? */
  readonly hasOwnId?: boolean;
}

const TYPES: Readonly<Record<string, BatchType>> = {
  '/address/:address': { path: '/address/:address', requestFor: (address) => pathRequest({ address }) },
  '/address/:address/spendable-utxos': {
    path: '/address/:address/spendable-utxos',
    requestFor: (address) => pathRequest({ address }),
  },
  '/address/:address/delegations': {
    path: '/address/:address/delegations',
    requestFor: (address) => pathRequest({ address }),
  },
  '/transaction/:txid': { path: '/transaction/:id', requestFor: (id) => pathRequest({ id }), hasOwnId: true },
  '/token/:token': { path: '/token/:id', requestFor: (id) => pathRequest({ id }) },
  '/token?offset=:offset': { path: '/token', requestFor: (offset) => ({ params: {}, query: { offset } }) },
  ...Object.fromEntries(
    ['orders', 'pools', 'nfts', 'htlcs', 'unlocks'].map((list): [string, BatchType] => {
      const path = `/address/:address/${list}`;
      return [path, { path, requestFor: (address) => pathRequest({ address }) }];
    }),
  ),
  '/pool/:pool/blocks': { path: '/pool/:id/blocks', requestFor: (id) => pathRequest({ id }) },
  '/nft/:token/owners': { path: '/nft/:id/owners', requestFor: (id) => pathRequest({ id }) },
  '/transaction/:txid/outspends': { path: '/transaction/:id/outspends', requestFor: (id) => pathRequest({ id }) },
  '/htlc/:hash': { path: '/htlc/:hash', requestFor: (hash) => pathRequest({ hash }) },
  '/chain/at?time=:time': { path: '/chain/at', requestFor: (time) => ({ params: {}, query: { time } }) },
  '/search?q=:q': { path: '/search', requestFor: (q) => ({ params: {}, query: { q } }) },
  '/nft/:token': { path: '/nft/:id', requestFor: (id) => pathRequest({ id }) },
};

function pathRequest(params: RouteRequest['params']): RouteRequest {
  return { params, query: {} };
}

const MAX_IDS = 500;
/** The maximum number of the longest ids, and room for the JSON around them. */
const MAX_BODY_BYTES = 256 * 1024;
/** The values of `network` in requests, as the wallets' service numbers its networks. */
const NETWORKS: Readonly<Record<number, string>> = { 0: 'mainnet', 1: 'testnet' };

export function batchRoute(app: FastifyInstance, context: ApiContext): void {
  async function respond(body: Buffer, caller: Caller): Promise<PreparedResponse> {
    context.tipWatch.noteRequest();
    const { type, ...batch } = parseBatch(context, body);
    requireReady(context);
    return context.resources.batches.run(caller, 1, async () => {
      const results = await readBatchResponses(context, { ...batch, caller });
      const texts = batch.ids.map((id) => presentResult(type, id, results.get(id)!));
      return new PreparedResponse(`{"results":[${texts.join(',')}]}`);
    });
  }

  postRoute(app, context, {
    path: '/batch',
    schema: {
      tags: ['Batches'],
      summary: 'The answers of one kind of request for many ids',
      description:
        'A read: it needs no permission of the operator. All answers are of one tip. Each result is the body that the ' +
        'single request would get, those of errors included, with `id` added to objects.',
      body: {
        content: {
          'application/json': {
            schema: Type.Object({
              type: Type.Enum(Object.keys(TYPES), { type: 'string', description: 'Which request' }),
              ids: Type.Array(Type.String(), {
                minItems: 1,
                maxItems: MAX_IDS,
                description: 'What stands in its place after the colon',
              }),
              network: Type.Optional(
                Type.Enum([0, 1], { type: 'integer', description: '0: mainnet, 1: testnet; that of this server' }),
              ),
            }),
          },
        },
      },
      response: {
        200: okResponse(
          strictObject({
            results: Type.Array(Type.Unknown(), { description: 'In the order of the ids' }),
          }),
          'Success',
        ),
        ...errorResponses([400, 413]),
      },
    },
    bodyLimit: MAX_BODY_BYTES,
    respond,
  });
}

function parseBatch(context: ApiContext, body: Buffer): Omit<Batch, 'caller'> & { readonly type: BatchType } {
  const { type: typeName, ids, network } = parseObject(body);
  const type = typeof typeName === 'string' && Object.hasOwn(TYPES, typeName) ? TYPES[typeName] : undefined;
  const route = type && context.routes.get(type.path);
  if (!type || !route) throw badRequest('Unknown type');
  if (network !== undefined && (typeof network !== 'number' || NETWORKS[network] !== context.network.name)) {
    throw badRequest(`Invalid network: this server is for ${context.network.name}`);
  }
  const isList = Array.isArray(ids) && ids.length >= 1 && ids.length <= MAX_IDS;
  if (!isList || !ids.every((id) => typeof id === 'string')) {
    throw badRequest(`Invalid ids: an array of 1 to ${MAX_IDS} texts is expected`);
  }
  return { type, route, ids, requestFor: type.requestFor };
}

function parseObject(body: Buffer): { type?: unknown; ids?: unknown; network?: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The same error as for any other JSON.
  }
  throw badRequest('Invalid batch: the body is no JSON object');
}

function presentResult({ hasOwnId }: BatchType, id: string, { text, isError }: BatchResult): string {
  if (!text.startsWith('{') || (hasOwnId && !isError)) return text;
  return `${text.slice(0, -1)},"id":${JSON.stringify(id)}}`;
}
