/** `GET /stream`: events of the chain and of the mempool as server-sent events. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { COMMON_HEADERS, VARY } from '../http/prepared-response.ts';
import { lastValue, type Query } from '../parse/parameters.ts';
import { ApiError, badRequest, unavailable } from '../route/api-error.ts';
import { type ApiContext, errorResponse, requireReady } from '../route/context.ts';
import { errorResponses } from '../schemas/route.ts';
import { EVENT_TYPES, type Filter, parseFilter } from './filter.ts';
import { RETRY_FRAME } from './frames.ts';
import { type ChainPoint, parseEventId } from './point.ts';
import type { Streams } from './streams.ts';
import { MOST_SUBJECTS } from './subject.ts';

const HEADERS: readonly string[] = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
  ...COMMON_HEADERS,
  'vary',
  VARY,
];

/** A point that does not exist: a client that names it gets `lag`. */
const UNKNOWN_POINT: ChainPoint = { height: 2 ** 31 - 1, id: '0'.repeat(64) };

export interface StreamRequest {
  readonly filter: Filter;
  /** The last block that the client got; null for its first connection. */
  readonly from: ChainPoint | null;
}

/** Adds the route. `clientOf` names the client of a request by its address. */
export function streamRoute(
  app: FastifyInstance,
  context: ApiContext,
  streams: Streams,
  clientOf: (request: IncomingMessage) => string,
): void {
  const { hub, replays } = streams;
  const route = `${app.prefix}/stream`;

  app.get('/stream', { schema: SCHEMA }, (request, reply) => {
    reply.hijack();
    const { raw } = request;
    const began = context.metrics.begin();
    try {
      const asked = parseRequest(context, request.query as Query, raw);
      if (hub.isEnding) throw unavailable('The server is stopping.');
      requireReady(context);
      const address = clientOf(raw);
      if (!hub.hasPlaceFor(address)) throw new ApiError(429, 'Too many concurrent stream connections', 5);
      // A stream that is open is no request in flight.
      context.metrics.end(route, 200, began);
      open(raw, reply.raw, address, asked);
    } catch (error) {
      const finished = errorResponse(context, error);
      context.metrics.end(route, finished.status, began);
      finished.send(raw, reply.raw);
    }
  });

  function open(request: IncomingMessage, response: ServerResponse, address: string, { filter, from }: StreamRequest) {
    // Its end is the connection's: nothing is written around each event.
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, [...HEADERS]);
    if (request.method === 'HEAD' || response.destroyed) {
      response.end();
      return;
    }
    request.socket.setTimeout(0);
    const client = hub.add(response, address, filter);
    client.write(RETRY_FRAME);
    void replays.resume(client, from);
  }
}

/** Throws an ApiError. */
function parseRequest({ network, profile }: ApiContext, query: Query, request: IncomingMessage): StreamRequest {
  const filter = parseFilter(network, profile, query);
  // Browsers send the header with the URL of the first time.
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') return { filter, from: parseEventId(header) ?? UNKNOWN_POINT };
  const text = lastValue(query, 'last_event_id') ?? '';
  const from = text === '' ? null : parseEventId(text);
  if (from === null && text !== '') throw badRequest('Bad request');
  return { filter, from };
}

const subjects = (format: string, description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, format }), { maxItems: MOST_SUBJECTS, description }));

const SCHEMA = {
  tags: ['Events'],
  summary: 'New blocks, reorganisations and pending transactions as they come',
  description: `Server-sent events, until the client closes the connection. An event has a name, and \`data\` in one line of JSON.
\`block\` and \`reorg\` have an \`id\`: a client that comes back with it in \`Last-Event-ID\` (browsers do so by themselves) gets what
it missed, in order. \`lag\` says that events were lost.

With \`address\`, \`token\`, \`pool\`, \`order\` or \`pair\` (up to ${MOST_SUBJECTS} in all, each as often as one likes) there are \`activity\` events
for what touches one of them: with the transaction's id once when it is seen pending, and once more, with the block's id, when it
is confirmed. \`block\` and \`tx_seen\` then come only when \`types\` names them.`,
  querystring: Type.Object({
    types: Type.Optional(
      Type.String({
        minLength: 1,
        pattern: `^\\s*(${EVENT_TYPES.join('|')})\\s*(,\\s*(${EVENT_TYPES.join('|')})\\s*)*$`,
        format: 'event-types',
        description: `Which events, separated by commas: ${EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}`,
      }),
    ),
    last_event_id: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,10}-[0-9a-f]{64}$',
        format: 'event-id',
        description: 'For clients that cannot set the header `Last-Event-ID`, which goes before it',
      }),
    ),
    address: subjects(
      'address',
      'Addresses: what becomes part of their history, and rewards of their pools and delegations',
    ),
    token: subjects('token-id', 'Tokens and NFTs'),
    pool: subjects('pool-id', 'Pools: their creation, their end, their delegations and their blocks'),
    order: subjects('order-id', 'Orders'),
    pair: subjects('pair', 'Trading pairs, `FIRST_SECOND`: all orders between the two'),
  }),
  response: {
    200: {
      description: 'The stream',
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    ...errorResponses([400, 429], { 429: 'There are too many streams, in all or of this client' }),
  },
};
