/** `/token/{id}/events`: what happened to a token. */
import type { FastifyInstance } from 'fastify';
import { tokenAddress } from '../../chain/address.ts';
import { TOKEN_EVENT_LIST } from '../../store/queries/tokens/token-events.ts';
import { requireFound } from '../errors/api-error.ts';
import { CURSOR_ONLY } from '../pagination/paging.ts';
import { parseTokenIdParameter } from '../parse/parameters.ts';
import { presentTokenEvent, TOKEN_EVENT_SCHEMA, tokenEventCsv } from '../present/token-event.ts';
import type { ApiContext } from '../route/context.ts';
import { addExportedListRoute } from '../route/list-route.ts';
import { EXTENSION_TAG, registerComponent, TOKEN_ID_PARAMETER } from '../schemas/parameters-and-responses.ts';

export function tokenEventRoutes(app: FastifyInstance, context: ApiContext): void {
  const { network } = context;

  addExportedListRoute(app, context, {
    path: '/token/:id/events',
    schema: {
      tags: [EXTENSION_TAG],
      summary: 'What happened to a token or NFT, newest first',
      description: 'Its issuance, and every command of its authority.',
      params: TOKEN_ID_PARAMETER,
    },
    entry: registerComponent(app, 'TokenEvent', TOKEN_EVENT_SCHEMA),
    errors: [404],
    paging: CURSOR_ONLY,
    list: TOKEN_EVENT_LIST,
    parse: ({ params, query }, paged) => paged(query, { tokenId: parseTokenIdParameter(network, params.id!) }),
    check: ([row]) => void requireFound(row, 'Token not found'),
    json: (row) => presentTokenEvent(network, row),
    exportAs: (params) => ({
      fileName: `events-${tokenAddress(network, params.tokenId)}`,
      csv: tokenEventCsv(network),
    }),
  });
}
