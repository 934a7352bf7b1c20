/** `POST /batch`: the answers of one kind of request for many ids at once. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { SnapshotTip } from '../../store/read/batched-query.ts';
import { runAsClient } from '../../store/read/current-client.ts';
import { clientOf } from '../http/client-address.ts';
import { PreparedResponse } from '../http/prepared-response.ts';
import { bodyBytes, ignoreContentType } from '../http/raw-body.ts';
import { LongListError } from '../pagination/unpaged-lists.ts';
import { badRequest, unavailable } from '../route/api-error.ts';
import {
  type ApiContext,
  errorResponse,
  type GetRoute,
  type RouteRequest,
  requireCapacity,
  requireReady,
  toApiError,
} from '../route/context.ts';
import { strictObject } from '../schemas/common.ts';
import { errorResponses, okResponse } from '../schemas/route.ts';

function ofPath(params: RouteRequest['params']): RouteRequest {
  return { params, query: {} };
}

/** What may be asked for: the request that a type stands for. */
interface Template {
  readonly path: string;
  readonly asked: (id: string) => RouteRequest;
  /** Does the answer say the id itself? */
  readonly hasId?: boolean;
}

const TEMPLATES: Readonly<Record<string, Template>> = {
  '/address/:address': { path: '/address/:address', asked: (address) => ofPath({ address }) },
  '/address/:address/spendable-utxos': {
    path: '/address/:address/spendable-utxos',
    asked: (address) => ofPath({ address }),
  },
  '/address/:address/delegations': { path: '/address/:address/delegations', asked: (address) => ofPath({ address }) },
  '/transaction/:txid': { path: '/transaction/:id', asked: (id) => ofPath({ id }), hasId: true },
  '/token/:token': { path: '/token/:id', asked: (id) => ofPath({ id }) },
  '/token?offset=:offset': { path: '/token', asked: (offset) => ({ params: {}, query: { offset } }) },
  '/nft/:token': { path: '/nft/:id', asked: (id) => ofPath({ id }) },
};

const MOST_IDS = 500;
/** 500 of the longest ids, and room for the JSON around them. */
const LONGEST_BODY_BYTES = 256 * 1024;
/** The answers of a batch together; one more may come on top. */
const MOST_BYTES = 32 * 1024 * 1024;
/** So many at a time are answered by a process. */
const MOST_BATCHES = 4;
/** So many ids are asked for together: as many as one statement answers. */
const IDS_AT_ONCE = 100;
/** How often a batch is read anew because the tip changed in the middle of it. */
const MOST_TRIES = 5;
/** The `network` of requests: what the wallets' service calls its networks. */
const NETWORKS: Readonly<Record<number, string>> = { 0: 'mainnet', 1: 'testnet' };

interface Batch {
  readonly resource: GetRoute<unknown>;
  readonly template: Template;
  readonly ids: readonly string[];
  /** Who asks. */
  readonly client: string;
}

/** An answer's body, and the snapshot that it is of: none where nothing had to be read. */
interface Body {
  readonly text: string;
  readonly isError: boolean;
  readonly tip: SnapshotTip | undefined;
}

export function batchRoute(app: FastifyInstance, context: ApiContext): void {
  let underWay = 0;

  async function answer(body: Buffer, client: string): Promise<PreparedResponse> {
    const batch = { ...parseBatch(context, body), client };
    requireReady(context);
    requireCapacity(context);
    if (underWay >= MOST_BATCHES) throw unavailable('Too many batches are being answered. Try again soon.');
    underWay++;
    try {
      const results = await read(context, batch);
      return new PreparedResponse(`{"results":[${results.join(',')}]}`);
    } finally {
      underWay--;
    }
  }

  app.post(
    '/batch',
    {
      onRequest: (request, _reply, done) => {
        ignoreContentType(request);
        done();
      },
      bodyLimit: LONGEST_BODY_BYTES,
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
                type: Type.Enum(Object.keys(TEMPLATES), { type: 'string', description: 'Which request' }),
                ids: Type.Array(Type.String(), {
                  minItems: 1,
                  maxItems: MOST_IDS,
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
    },
    async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      const began = context.metrics.begin();
      context.tipWatch.noteRequest();
      const client = clientOf(request.raw, context.isProxyTrusted);
      const finished = await answer(bodyBytes(request), client).catch((error: unknown) =>
        errorResponse(context, error),
      );
      context.metrics.end('POST /api/v2/batch', finished.status, began);
      finished.send(request.raw, reply.raw);
    },
  );
}

function parseBatch(context: ApiContext, body: Buffer): Omit<Batch, 'client'> {
  const { type, ids, network } = jsonObject(body);
  const template = typeof type === 'string' && Object.hasOwn(TEMPLATES, type) ? TEMPLATES[type] : undefined;
  const resource = template && context.routes.get(template.path);
  if (!template || !resource) throw badRequest('Unknown type');
  if (network !== undefined && (typeof network !== 'number' || NETWORKS[network] !== context.network.name)) {
    throw badRequest(`Invalid network: this server is for ${context.network.name}`);
  }
  const isList = Array.isArray(ids) && ids.length >= 1 && ids.length <= MOST_IDS;
  if (!isList || !ids.every((id) => typeof id === 'string')) {
    throw badRequest(`Invalid ids: an array of 1 to ${MOST_IDS} texts is expected`);
  }
  return { resource, template, ids };
}

function jsonObject(body: Buffer): { type?: unknown; ids?: unknown; network?: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw badRequest('Invalid batch: the body is no JSON object');
}

/** The results in the order of the ids, all of one tip. */
async function read(context: ApiContext, batch: Batch): Promise<string[]> {
  const ids = [...new Set(batch.ids)];
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const bodies = await readOnce(context, batch, ids);
    const tips = new Set([...bodies.values()].flatMap(({ tip }) => (tip ? [`${tip.revision} ${tip.id}`] : [])));
    for (const { tip } of bodies.values()) if (tip) context.tipWatch.noteAdvertised(tip.revision);
    if (tips.size <= 1) return batch.ids.map((id) => withId(batch.template, id, bodies.get(id)!));
  }
  throw unavailable('The chain moves on faster than this batch can be read. Try again, or ask for fewer ids.');
}

/** The short answers together, so that few statements give them; then the long ones, one after the other. */
async function readOnce(context: ApiContext, batch: Batch, ids: readonly string[]): Promise<Map<string, Body>> {
  const bodies = new Map<string, Body>();
  let bytes = 0;
  const keep = (id: string, body: Body): void => {
    bytes += body.text.length;
    if (bytes > MOST_BYTES) {
      throw badRequest(`The answers have more than ${MOST_BYTES >> 20} MiB in all: ask for fewer ids at once`);
    }
    bodies.set(id, body);
  };
  const ask = (from: number) => {
    const some = ids.slice(from, from + IDS_AT_ONCE);
    const asked = Promise.all(some.map(async (id) => [id, await bodyOf(context, batch, id, true)] as const));
    // It may fail while the ones before it are waited for.
    asked.catch(() => {});
    return asked;
  };
  // PostgreSQL works on the next ones while these are presented; more at a time would only take memory.
  let next = ask(0);
  for (let i = 0; i < ids.length; i += IDS_AT_ONCE) {
    const current = next;
    if (i + IDS_AT_ONCE < ids.length) next = ask(i + IDS_AT_ONCE);
    for (const [id, body] of await current) if (body !== null) keep(id, body);
  }
  for (const id of ids) if (!bodies.has(id)) keep(id, (await bodyOf(context, batch, id, false))!);
  return bodies;
}

/** The body for one id; null for a list that is too long to be read with those of others. What is our fault is thrown. */
async function bodyOf(context: ApiContext, batch: Batch, id: string, onlyShort: boolean): Promise<Body | null> {
  try {
    const parsed = batch.resource.parse({ ...batch.template.asked(id), onlyShort });
    const { text, tip } = await runAsClient(batch.client, () => batch.resource.answer(parsed));
    return { text, tip, isError: false };
  } catch (error) {
    if (error instanceof LongListError) return null;
    const refusal = toApiError(context, error);
    if (refusal.status >= 500) throw refusal;
    return { text: refusal.body, tip: refusal.tip, isError: true };
  }
}

function withId(template: Template, id: string, { text, isError }: Body): string {
  if (!text.startsWith('{') || (template.hasId && !isError)) return text;
  return `${text.slice(0, -1)},"id":${JSON.stringify(id)}}`;
}
