/** `/`: the versions of the API. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { strictObject } from '../../render/schemas/common.ts';
import type { ApiContext } from '../route/context.ts';
import { getRoute } from '../route/get-route.ts';
import { errorResponses, okResponse } from '../schemas/route.ts';

export function versionsRoute(app: FastifyInstance, context: ApiContext): void {
  getRoute(app, context, {
    path: '/',
    schema: {
      tags: ['Service'],
      summary: 'The versions of the API that are served',
      response: {
        200: okResponse(strictObject({ versions: Type.Array(Type.String()) }), 'Success'),
        ...errorResponses([]),
      },
    },
    isAlwaysReady: true,
    parse: () => null,
    read: () => ({ tip: null }),
    present: () => '{"versions":["2.0.0"]}',
  });
}
