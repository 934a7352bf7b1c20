/** `/network/list`, `/network/options` and `/network/status`. */

import { buildText } from '../../config/this-build.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { requireTip } from '../../serving/route/readiness.ts';
import type { ApiContext } from '../api-context.ts';
import { MESH_ERROR_LIST } from './errors.ts';
import { addMeshRoute, networkIdentifier } from './mesh-route.ts';
import { OPERATION_TYPES, SUCCESS } from './operations.ts';
import { NETWORK_LIST, NETWORK_OPTIONS, NETWORK_STATUS } from './schemas.ts';

export function networkRoutes(routes: RouteGroup, context: ApiContext): void {
  addMeshRoute(routes, context, {
    path: '/network/list',
    summary: 'The network of this server',
    fields: {},
    response: NETWORK_LIST,
    respond: async () => ({ network_identifiers: [networkIdentifier(context.network)] }),
  });

  addMeshRoute(routes, context, {
    path: '/network/options',
    summary: 'What this server has of the Mesh API',
    fields: {},
    response: NETWORK_OPTIONS,
    respond: async () => ({
      // The specification has its old name here.
      version: { rosetta_version: '1.5.1', node_version: buildText(), middleware_version: buildText() },
      allow: {
        operation_statuses: [{ status: SUCCESS, successful: true }],
        operation_types: [...OPERATION_TYPES],
        errors: [...MESH_ERROR_LIST],
        historical_balance_lookup: true,
        call_methods: [],
        balance_exemptions: [],
        mempool_coins: false,
        block_hash_case: 'lower_case',
        transaction_hash_case: 'lower_case',
      },
    }),
  });

  addMeshRoute(routes, context, {
    path: '/network/status',
    summary: 'The tip and the genesis',
    fields: {},
    response: NETWORK_STATUS,
    respond: async () => {
      const { height, id, timestamp, isReady, genesisId } = requireTip(context);
      const genesis = { index: 0, hash: genesisId };
      return {
        current_block_identifier: { index: height, hash: id },
        current_block_timestamp: timestamp * 1_000,
        genesis_block_identifier: genesis,
        oldest_block_identifier: genesis,
        sync_status: { current_index: height, synced: isReady },
        peers: [],
      };
    },
  });
}
