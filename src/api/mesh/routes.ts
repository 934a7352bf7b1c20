/** The routes of the Mesh Data API, and those of construction that need no signing: docs/mesh.md. */
import type { RouteGroup } from '../../serving/http/routes.ts';
import type { ApiContext } from '../api-context.ts';
import { accountRoutes } from './account-routes.ts';
import { meshBlockRoutes } from './block-routes.ts';
import { constructionRoutes } from './construction-routes.ts';
import { networkRoutes } from './network-routes.ts';
import { meshTransactionRoutes } from './transaction-routes.ts';

export function meshRoutes(routes: RouteGroup, context: ApiContext): void {
  const groups = [networkRoutes, meshBlockRoutes, accountRoutes, meshTransactionRoutes, constructionRoutes];
  for (const add of groups) add(routes, context);
}
