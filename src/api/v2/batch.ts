/** `POST /batch`: the responses to the same request for many ids. */

import Type from 'typebox';
import { nullable, oneOf, strictObject, unsignedInteger } from '../../render/schemas/common.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import { joinBodyTexts, PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { parseJsonObject } from '../../serving/parse/json-object.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { type BatchResult, type IdBatch, readBatchResponses } from '../../serving/route/batch-responses.ts';
import { addPostRoute } from '../../serving/route/post-route.ts';
import { requireReady } from '../../serving/route/readiness.ts';
import { jsonContent, responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import type { ApiContext } from '../api-context.ts';

/** The path of the route for each `type`, below the API's prefix. The id is its parameter, in the path or in the query. */
const PATHS: Readonly<Record<string, string>> = {
  '/address/:address': '/address/:address',
  '/address/:address/all-utxos': '/address/:address/all-utxos',
  '/address/:address/spendable-utxos': '/address/:address/spendable-utxos',
  '/address/:address/delegations': '/address/:address/delegations',
  '/address/:address/orders': '/address/:address/orders',
  '/address/:address/pools': '/address/:address/pools',
  '/address/:address/nfts': '/address/:address/nfts',
  '/address/:address/htlcs': '/address/:address/htlcs',
  '/address/:address/unlocks': '/address/:address/unlocks',
  '/transaction/:txid': '/transaction/:id',
  '/transaction/:txid/outspends': '/transaction/:id/outspends',
  '/token/:token': '/token/:id',
  '/token?offset=:offset': '/token?offset',
  '/nft/:token': '/nft/:id',
  '/nft/:token/owners': '/nft/:id/owners',
  '/pool/:pool/blocks': '/pool/:id/blocks',
  '/htlc/:hash': '/htlc/:hash',
  '/chain/at?time=:time': '/chain/at?time',
  '/search?q=:q': '/search?q',
  // The wallets' names; the parameter is not an address.
  '/delegation/:address': '/delegation/:id',
  '/chain/:address': '/chain/:height',
  '/block/:address': '/block/:id',
  '/pool/:address': '/pool/:id',
  // The name of Mintlayer's explorer.
  '/token?offset=:address': '/token?offset',
};
/** The route of transactions. Its objects already contain `id`. */
const WITH_OWN_ID = '/transaction/:txid';

/** An id, as sent. */
type BatchId = string | number;

interface BatchRequest extends Pick<IdBatch, 'route' | 'requestFor'> {
  readonly type: string;
  readonly ids: readonly BatchId[];
}

export const MAX_BATCH_IDS = 500;
/** The size of the most ids of the longest kind, with room for the JSON around them. */
const MAX_BATCH_BODY_BYTES = 256 * 1024;
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** The values of `network` in requests: the numbers of the wallets' service. */
const NETWORKS: Readonly<Record<number, string>> = { 0: 'mainnet', 1: 'testnet' };

export function batchRoute(routes: RouteGroup, context: ApiContext): void {
  async function respond(body: Buffer, caller: Caller): Promise<PreparedResponse> {
    context.tipWatch.noteRequest();
    const { type, ids, ...request } = parseBatch(context, body);
    requireReady(context);
    const { batches, totals } = context.resources;
    return batches.run(caller, 1, async () => {
      const results = await readBatchResponses(context, {
        ...request,
        ids: ids.map(String),
        maxBytes: Math.min(MAX_RESPONSE_BYTES, Math.floor(totals.unsent_bytes / 8)),
        caller,
      });
      const texts = ids.flatMap((id, i) => [
        i === 0 ? '{"results":[' : ',',
        presentResult(type, id, results.get(String(id))!),
      ]);
      const response = new PreparedResponse(joinBodyTexts([...texts, ']}']));
      const tip = [...results.values()].find((result) => result.tip !== null)?.tip;
      return tip ? response.withTip(tip) : response;
    });
  }

  addPostRoute(routes, context, {
    path: '/batch',
    tags: ['Batches'],
    summary: 'Many responses of one kind in one request',
    description:
      'A read: it needs no permission of the operator. All responses are of one tip. Each result is the body that the ' +
      'single request would get, those of errors included, with `id` added to objects.',
    body: jsonContent(
      Type.Object({
        type: Type.Enum(Object.keys(PATHS), { type: 'string', description: 'The request' }),
        ids: Type.Array(oneOf([Type.String(), unsignedInteger()]), {
          minItems: 1,
          maxItems: MAX_BATCH_IDS,
          description: 'What stands in its place after the colon',
        }),
        network: Type.Optional({
          ...nullable(unsignedInteger({ format: 'int32', maximum: 1 })),
          description: '0: mainnet, 1: testnet; that of this server. Null is as if absent',
        }),
      }),
    ),
    response: responsesWithoutEtag(
      strictObject({ results: Type.Array(Type.Unknown(), { description: 'In the order of the ids' }) }),
      [400, 413],
    ),
    bodyLimit: MAX_BATCH_BODY_BYTES,
    respond,
  });
}

function parseBatch(context: ApiContext, body: Buffer): BatchRequest {
  const { type, ids, network } = parseJsonObject('batch', body);
  const path = typeof type === 'string' && Object.hasOwn(PATHS, type) ? PATHS[type]! : '';
  const [routePath, queryParameter] = path.split('?');
  const route = context.routes.get(routePath!);
  if (!route) throw badRequest('Unknown type');
  // As in the wallets' service, null is no network.
  if (
    network !== undefined &&
    network !== null &&
    (typeof network !== 'number' || NETWORKS[network] !== context.network.name)
  ) {
    throw badRequest(`Invalid network: this server is for ${context.network.name}`);
  }
  const isList = Array.isArray(ids) && ids.length >= 1 && ids.length <= MAX_BATCH_IDS;
  if (!isList || !ids.every((id): id is BatchId => typeof id === 'string' || Number.isSafeInteger(id))) {
    throw badRequest(`Invalid ids: an array of 1 to ${MAX_BATCH_IDS} texts or whole numbers is expected`);
  }
  const pathParameter = /:([a-z]+)/.exec(path)?.[1];
  return {
    type: type as string,
    route,
    ids,
    requestFor: (id) => ({
      params: pathParameter === undefined ? {} : { [pathParameter]: id },
      query: queryParameter === undefined ? {} : { [queryParameter]: id },
    }),
  };
}

function presentResult(type: string, id: BatchId, { text, isError }: BatchResult): string {
  if (!text.startsWith('{') || (type === WITH_OWN_ID && !isError)) return text;
  return `${text.slice(0, -1)},"id":${JSON.stringify(id)}}`;
}
