/** What every route works with. */
import type { Network } from '../../chain/networks/network.ts';
import type { NodeClient } from '../../node/client.ts';
import type { QueryBatcher } from '../../store/read/query-batcher.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { Connections } from '../http/connections.ts';
import type { ApiLogger } from '../operations/api-logger.ts';
import type { Metrics } from '../operations/metrics.ts';
import type { ThrottledLog } from '../operations/throttled-log.ts';
import type { OffsetAnchors } from '../pagination/offset-anchors.ts';
import type { UnpagedLists } from '../pagination/unpaged-lists.ts';
import type { PendingResponseCache } from '../pending/pending-response-cache.ts';
import type { PendingTransactionJson } from '../pending/pending-transaction-json.ts';
import type { PendingTransactions } from '../pending/pending-transactions.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import type { AnyGetRoute } from './get-route.ts';

export interface ApiContext {
  readonly network: Network;
  readonly profile: ResponseProfile;
  /** Of all answers, part of every ETag: see `response-profile/shapes-version.ts`. Empty until all routes are registered. */
  shapesVersion: string;
  readonly store: QueryBatcher;
  readonly tipWatch: TipWatch;
  readonly cache: ResponseCache;
  readonly offsetAnchors: OffsetAnchors;
  readonly unpagedLists: UnpagedLists;
  /** Everything that is served, by its path below the API's prefix. */
  readonly routes: Map<string, AnyGetRoute>;
  readonly node: NodeClient | null;
  /** Transactions that wait for a block; null without a node. */
  readonly pending: PendingTransactions | null;
  readonly pendingJson: PendingTransactionJson;
  readonly pendingResponses: PendingResponseCache;
  readonly enablePostRoutes: boolean;
  readonly metrics: Metrics;
  readonly logger: ApiLogger;
  /** For what may happen with each request. */
  readonly throttledLog: ThrottledLog;
  readonly connections: Connections;
  /** Requests whose answers may be in the making at a time. */
  readonly maxRequestsInFlight: number;
  readonly isProxyTrusted: boolean;
  /** Is one answer given to all who ask the same? Only where reading itself is measured it is not. */
  readonly sharesResponses: boolean;
  /** Was the server told to end? */
  readonly isStopping: () => boolean;
  /** What clients see before our paths, as in `https://example.org/indexer`; empty: nothing is known of it. */
  readonly publicUrl: string;
}
