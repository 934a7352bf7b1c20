/** What a web server is composed of, and its limits. */
import type { Network } from '../chain/networks/network.ts';
import type { NodeClient } from '../node/client.ts';
import type { Siblings } from '../processes/siblings.ts';
import type { WebServerResources } from '../resources/web-server-resources.ts';
import type { QueryDispatcher } from '../store/read/query-dispatcher.ts';
import type { TipWatch } from '../store/read/tip-watch.ts';
import type { ApiLogger } from './logging/logger-interface.ts';
import type { PendingTransactions } from './pending/pending-transactions.ts';
import type { ContractName } from './response-profile/profile.ts';
import type { CreatePages } from './route/page-handler.ts';
import type { MempoolEvents } from './stream/mempool-source.ts';
import type { StreamLimits } from './stream/streams.ts';

export interface AppOptions {
  readonly network: Network;
  readonly contract: ContractName;
  readonly store: QueryDispatcher;
  readonly tipWatch: TipWatch;
  /** For fee rates and submissions; null: both respond with 503. */
  readonly node: NodeClient | null;
  /** Null: the mempool is not known. */
  readonly pending: PendingTransactions | null;
  readonly enablePostRoutes: boolean;
  readonly logger: ApiLogger;
  /** What the clients share. */
  readonly resources: WebServerResources;
  /** Requests per second and client; 0, the default: no limit. */
  readonly rateLimit?: number;
  /** The number of proxies through which clients come, each of which appends an address to `x-forwarded-for`; 0 by default. */
  readonly trustedProxies?: number;
  /** The public URL of `/`, without a slash at its end. */
  readonly publicUrl?: string;
  /** False to make each response anew, for measurements. */
  readonly sharesResponses?: boolean;
  /** Does `/metrics` have an address of its own? */
  readonly hasMetricsAddress?: boolean;
  /** Limits of event streams that differ from the defaults. */
  readonly streams?: Partial<StreamLimits>;
  /** Events of the mempool instead of those of `pending`; for tests. */
  readonly pendingEvents?: MempoolEvents | null;
  /** Adds pages for browsers to what is served. */
  readonly pages?: CreatePages | undefined;
  /** The other workers, when this process is one of several. */
  readonly siblings?: Siblings;
}
