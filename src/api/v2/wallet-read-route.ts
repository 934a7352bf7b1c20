/** `POST` routes that read what is known of several addresses as one wallet. */

import Type, { type TProperties, type TSchema } from 'typebox';
import type { Destination } from '../../chain/types.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { EXPORT_PARAMETERS, parseExportFormat, withExports } from '../../serving/parse/export-format.ts';
import type { UrlQuery } from '../../serving/parse/parameters.ts';
import {
  parseWalletBody,
  WALLET_ADDRESSES_PER_UNIT,
  WALLET_ADDRESSES_SCHEMA,
} from '../../serving/parse/wallet-body.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import type { AnyListExport } from '../../serving/route/get-route-stages.ts';
import { addPostRoute } from '../../serving/route/post-route.ts';
import { requireReady, withChainTip } from '../../serving/route/readiness.ts';
import { ITEMS_PARAMETER, jsonContent, responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { readOneSnapshot } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';

/** Three times what the most addresses of the longest kind take, so that the JSON may be indented. */
const MAX_WALLET_READ_BODY_BYTES = 128 * 1024;

/** The fields of a body that name a page of a list. */
export const PAGE_FIELDS = {
  items: ITEMS_PARAMETER,
  cursor: Type.Optional(Type.String()),
};

export interface WalletReadRequest {
  /** The owners of the addresses, each once. */
  readonly owners: readonly Destination[];
  /** The other fields of the body, as parameters of a query. */
  readonly query: UrlQuery;
}

interface WalletRoute {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** The fields of the body besides the addresses. */
  readonly fields: TProperties;
  /** Of the response. */
  readonly schema: TSchema;
  /** The statuses of errors besides 400 and 413. */
  readonly errors?: readonly number[];
  /** Makes the export. Throws an ApiError or a StoreError. */
  readonly exported?: (request: WalletReadRequest, store: QueryRunner) => AnyListExport | Promise<AnyListExport>;
  /** Returns the body of the response, and the tip that it is of. Throws an ApiError, a StoreError or {@link SnapshotChanged}. */
  readonly respond: (
    store: QueryRunner,
    request: WalletReadRequest,
  ) => Promise<readonly [body: string, tip: SnapshotTip]>;
}

export function addWalletRoute(routes: RouteGroup, context: ApiContext, route: WalletRoute): void {
  const { path, summary, description, schema, errors = [], exported, respond } = route;
  const fields = { ...route.fields, ...(exported && EXPORT_PARAMETERS) };
  const responses = responsesWithoutEtag(schema, [400, 413, ...errors]);
  const body = Type.Object({ addresses: WALLET_ADDRESSES_SCHEMA, ...fields });
  addPostRoute(routes, context, {
    path,
    summary,
    description,
    body: jsonContent(body),
    response: exported ? withExports(responses) : responses,
    bodyLimit: MAX_WALLET_READ_BODY_BYTES,
    ...(exported && {
      exported: (body: Buffer, accept: string | undefined) => {
        const request = parseRequest(context, body, Object.keys(fields));
        const format = parseExportFormat(request.query, accept);
        if (format === null) return null;
        return { format, prepare: (caller: Caller) => exported(request, context.store.for(caller)) };
      },
    }),
    respond: async (bytes: Buffer, caller: Caller) => {
      context.tipWatch.noteRequest();
      const request = parseRequest(context, bytes, Object.keys(fields));
      requireReady(context);
      const units = 1 + Math.ceil(request.owners.length / WALLET_ADDRESSES_PER_UNIT);
      return context.resources.requests.run(caller, units, async (held) => {
        const store = context.store.for(caller, held);
        const [text, tip] = await readOneSnapshot(() => respond(store, request));
        return withChainTip(context, tip, new PreparedResponse(text));
      });
    },
  });
}

/** Parses a body; throws the error 400. `names`: the fields that a query has elsewhere. */
function parseRequest({ network }: ApiContext, body: Buffer, names: readonly string[]): WalletReadRequest {
  const { owners, fields } = parseWalletBody(network, body);
  const query: Record<string, string> = {};
  for (const name of names) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'string' && typeof value !== 'boolean' && !Number.isSafeInteger(value)) {
      throw badRequest(`Invalid ${name}: a text or a whole number is expected`);
    }
    query[name] = String(value);
  }
  return { owners, query };
}
