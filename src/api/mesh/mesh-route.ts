/** A route of the Mesh API: a `POST` whose body names the network. */

import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import Value from 'typebox/value';
import type { Network } from '../../chain/networks/network.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import { PreparedResponse } from '../../serving/http/prepared-response.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { parseJsonObject } from '../../serving/parse/json-object.ts';
import type { Caller } from '../../serving/resources/caller.ts';
import { addPostRoute } from '../../serving/route/post-route.ts';
import { requireReady, withChainTip } from '../../serving/route/readiness.ts';
import { jsonContent } from '../../serving/schemas/parameters-and-responses.ts';
import { readOneSnapshot, requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotRows, SnapshotTip } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { MeshError, meshErrorResponse } from './errors.ts';
import { ERROR_RESPONSE } from './schemas.ts';

const MAX_MESH_BODY_BYTES = 64 * 1024;

export const networkIdentifier = ({ name }: Network) => ({ blockchain: 'Mintlayer', network: name }) as const;

/** Queries whose rows are all of one tip. */
export class MeshSnapshot {
  readonly store: QueryRunner;
  readonly network: Network;
  /** Null before the first query. */
  tip: SnapshotTip | null = null;

  constructor(store: QueryRunner, network: Network) {
    this.store = store;
    this.network = network;
  }

  /** Runs a query and returns its rows. Throws SnapshotChanged if they are of another tip than those before. */
  async read<P extends unknown[], Row>(
    query: (store: QueryRunner, ...parameters: P) => Promise<SnapshotRows<Row>>,
    ...parameters: P
  ): Promise<Row[]> {
    const { tip, rows } = await query(this.store, ...parameters);
    this.tip = requireSameTip({ tip: this.tip ?? tip }, { tip });
    return rows;
  }
}

/** A route that makes its response either without the index or from the index. */
type MeshRoute<Fields extends TProperties, Response extends TSchema> = {
  readonly path: string;
  readonly summary: string;
  /** The fields of the body besides the network. */
  readonly fields: Fields;
  readonly response: Response;
  readonly bodyLimit?: number;
} & (
  | {
      /** Makes the response without the index. Throws a MeshError or an ApiError. */
      readonly respond: (body: Static<TObject<Fields>>, caller: Caller) => Promise<ValueOf<Response>>;
      readonly read?: undefined;
    }
  | {
      /** The units of the resource `requests` that `read` needs; 1 by default. */
      readonly units?: number;
      /** Makes the response from the index. Throws a MeshError, an ApiError or a StoreError. */
      readonly read: (
        snapshot: MeshSnapshot,
        body: Static<TObject<Fields>>,
        caller: Caller,
      ) => Promise<ValueOf<Response>>;
    }
);

export function addMeshRoute<Fields extends TProperties, Response extends TSchema>(
  routes: RouteGroup,
  context: ApiContext,
  route: MeshRoute<Fields, Response>,
): void {
  const { path, summary, fields, response, bodyLimit = MAX_MESH_BODY_BYTES } = route;
  const network = Type.Object({ blockchain: Type.String(), network: Type.String() });
  const schema = Type.Object({ ...(path !== '/network/list' && { network_identifier: network }), ...fields });

  addPostRoute(routes, context, {
    path,
    tags: ['Mesh'],
    summary,
    body: jsonContent(schema),
    response: {
      200: { description: 'Success', ...jsonContent(response) },
      500: { description: 'Any error', ...jsonContent(ERROR_RESPONSE) },
    },
    bodyLimit,
    fail: (error) => meshErrorResponse(context, error),
    respond: async (bytes, caller) => {
      context.tipWatch.noteRequest();
      const body = parseBody(context, schema, bytes) as Static<TObject<Fields>>;
      if (route.read === undefined) return new PreparedResponse(JSON.stringify(await route.respond(body, caller)));
      const { read, units = 1 } = route;
      requireReady(context);
      return context.resources.requests.run(caller, units, (held) =>
        readOneSnapshot(async () => {
          const snapshot = new MeshSnapshot(context.store.for(caller, held), context.network);
          const text = JSON.stringify(await read(snapshot, body, caller));
          return withChainTip(context, snapshot.tip!, new PreparedResponse(text));
        }),
      );
    },
  });
}

function parseBody({ network }: ApiContext, schema: TObject, bytes: Buffer): object {
  const body = parseJsonObject('request', bytes);
  if (!Value.Check(schema, body)) {
    const [error] = Value.Errors(schema, body);
    throw new MeshError('invalid request', `${error?.instancePath || 'The body'} ${error?.message}`);
  }
  const own = networkIdentifier(network);
  const { network_identifier: of = own } = body as { network_identifier?: { blockchain: string; network: string } };
  if (of.blockchain === own.blockchain && of.network === own.network) return body;
  throw new MeshError('unknown network', `This server is for ${own.blockchain} ${own.network}`);
}
