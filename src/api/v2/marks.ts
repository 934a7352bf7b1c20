/** `/marks`: the names, icons, verifications and warnings of the operator. */

import { MARK_ICON_PATH } from '../../answers/marks-file.ts';
import { notFound } from '../../serving/errors/api-error.ts';
import { CACHE_CONTROL_FOREVER, etagOfText } from '../../serving/http/headers.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { responsesWithEtag } from '../../serving/schemas/parameters-and-responses.ts';
import type { ApiContext } from '../api-context.ts';
import { MARK, MARKS } from '../present/mark.ts';

/** An SVG that is opened as a document runs nothing and loads nothing. */
const ICON_HEADERS = ['content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox"];

export function marksRoutes(routes: RouteGroup, context: ApiContext): void {
  const { marks } = context;
  routes.addComponent('Mark', MARK.schema);

  addGetRoute(routes, context, {
    path: '/marks',
    summary: 'Names and warnings that the operator of this server gives to tokens, pools and addresses',
    description: 'The source says so, not the chain.',
    response: responsesWithEtag(MARKS.schema),
    isAlwaysReady: true,
    parse: () => null,
    read: () => ({ tip: null }),
    present: () => {
      const text = MARKS.json(context.network, marks.current);
      return new PreparedResponse(text, { etag: etagOfText(text + marks.current.version) });
    },
  });

  addGetRoute(routes, context, {
    path: `${MARK_ICON_PATH}/:key`,
    isAlwaysReady: true,
    parse: ({ params }) => params.key!,
    read: () => ({ tip: null }),
    present: (_, key) => {
      const icon = marks.current.icons.get(key);
      if (icon === undefined) throw notFound('Icon not found');
      const { contentType, bytes } = icon;
      return new PreparedResponse(bytes, { contentType, cacheControl: CACHE_CONTROL_FOREVER, headers: ICON_HEADERS });
    },
  });
}
