/** `GET /stream`: events of the chain and of the mempool as server-sent events. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import Type from 'typebox';
import { ApiError, badRequest } from '../../serving/errors/api-error.ts';
import { unavailable } from '../../serving/errors/causes-of-503.ts';
import { callerOf, connectionOf } from '../../serving/http/connection.ts';
import { COMMON_HEADERS, parseChainPosition, VARY } from '../../serving/http/headers.ts';
import type { RoutedRequest, RouteGroup } from '../../serving/http/routes.ts';
import { lastQueryValue, MAX_SUBJECTS, type UrlQuery } from '../../serving/parse/parameters.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { errorResponse } from '../../serving/route/error-response.ts';
import { requireReady } from '../../serving/route/readiness.ts';
import { errorResponses } from '../../serving/schemas/parameters-and-responses.ts';
import type { ChainPosition } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { EVENT_TYPES, type EventFilter, parseEventFilter } from '../stream/event-filter.ts';
import { RETRY_FRAME } from '../stream/event-frames.ts';
import type { StreamService } from '../stream/stream-service.ts';

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

/** A block that does not exist. A client that names it gets a `lag` event. */
const UNKNOWN_POINT: ChainPosition = { height: 2 ** 31 - 1, id: '0'.repeat(64) };

interface StreamRequest {
  readonly filter: EventFilter;
  /** The client's last block; null for a new client. */
  readonly from: ChainPosition | null;
}

export function streamRoute(routes: RouteGroup, context: ApiContext, streams: StreamService): void {
  const { hub, missedEvents } = streams;
  const route = `${routes.prefix}/stream`;

  const handle = ({ raw, reply, query }: RoutedRequest): void => {
    const began = context.metrics.begin();
    try {
      const streamRequest = parseRequest(context, query, raw);
      if (hub.isEnding) throw unavailable('stopping');
      requireReady(context);
      const caller = callerOf(raw);
      if (!hub.hasRoomFor(caller)) throw new ApiError(429, 'Too many concurrent stream connections', { retryAfter: 5 });
      // An open stream is not a request in flight.
      context.metrics.end(route, 200, began);
      open(raw, reply, caller, streamRequest);
    } catch (error) {
      const response = errorResponse(context, error);
      context.metrics.end(route, response.status, began);
      response.send(raw, reply);
    }
  };
  routes.add({ method: 'GET', path: '/stream', schema: SCHEMA, handle });

  function open(request: IncomingMessage, response: ServerResponse, caller: Caller, { filter, from }: StreamRequest) {
    // The response ends with the connection, so events need no chunk headers.
    response.useChunkedEncodingByDefault = false;
    const { pending } = context;
    response.writeHead(200, pending === null ? [...HEADERS] : [...HEADERS, 'x-mempool', pending.pool.name]);
    if (request.method === 'HEAD' || response.destroyed) {
      response.end();
      return;
    }
    request.socket.setTimeout(0);
    connectionOf(request.socket)?.becomeStream();
    const client = hub.add(response, caller, filter);
    client.write(RETRY_FRAME);
    void missedEvents.resume(client, from);
  }
}

/** Parses a request. Throws an ApiError. */
function parseRequest({ network, profile }: ApiContext, query: UrlQuery, request: IncomingMessage): StreamRequest {
  const filter = parseEventFilter(network, profile, query);
  // Browsers send the header with the URL of the first request, so the header is newer.
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') return { filter, from: parseChainPosition(header) ?? UNKNOWN_POINT };
  const text = lastQueryValue(query, 'last_event_id') ?? '';
  const from = text === '' ? null : parseChainPosition(text);
  if (from === null && text !== '') throw badRequest('Bad request');
  return { filter, from };
}

const subjects = (format: string, description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, format }), { maxItems: MAX_SUBJECTS, description }));

const SCHEMA = {
  tags: ['Events'],
  summary: 'Events as they happen: blocks, reorganisations and pending transactions',
  description: `Server-sent events, until the client closes the connection. An event has a name, and \`data\` in one line of JSON.
\`block\` and \`reorg\` have an \`id\`: a client that comes back with it in \`Last-Event-ID\` (browsers do so by themselves) gets what
it missed, in order. \`lag\` says that events were lost.

With \`address\`, \`token\`, \`pool\`, \`delegation\`, \`order\` or \`pair\` (up to ${MAX_SUBJECTS} in all, each as often as one likes) there are \`activity\` events
for what touches one of them: with the transaction's id once when it is seen pending, and once more, with the block's id, when it
is confirmed. \`block\` and \`tx_seen\` then come only when \`types\` names them. \`status\` comes only when \`types\` names it,
with or without subjects, from servers with pages for browsers.`,
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
    delegation: subjects('delegation-id', 'Delegations: their creation, deposits, withdrawals and rewards'),
    order: subjects('order-id', 'Orders'),
    pair: subjects('pair', 'Trading pairs, `FIRST_SECOND`: all orders between the two'),
  }),
  response: {
    200: {
      description: 'The stream',
      headers: {
        'x-mempool': { type: 'string', description: 'The process that the `mempool_sequence` of events belongs to' },
      },
      content: { 'text/event-stream': { schema: Type.String() } },
    },
    ...errorResponses([400, 429], { 429: 'There are too many streams, in all or of this client' }),
  },
};
