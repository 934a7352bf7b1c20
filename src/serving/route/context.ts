/** What the routes of the API and the pages depend on. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FeeRateCache } from '../../answers/fee-rate-cache.ts';
import type { CurrentMarks } from '../../answers/marks-file.ts';
import type { PendingTransactions, PendingTransactionTexts } from '../../answers/pending/pending-interface.ts';
import type { SubmissionRefusals } from '../../answers/pending/submit-transaction.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { NodeClient } from '../../node/client.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { HolderSnapshots } from '../cache/holder-snapshots.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { DecodingThread } from '../decoding/decoding-thread.ts';
import type { RouteGroup } from '../http/routes.ts';
import type { ApiLogger, ThrottledLog } from '../logging/throttled-log.ts';
import type { Metrics, NodeReport } from '../metrics/metrics.ts';
import type { OffsetAnchors } from '../pagination/offset-anchors.ts';
import type { WholeListReader } from '../pagination/whole-list-reader.ts';
import type { KnownParameters } from '../parse/parameters.ts';
import type { ReadPool } from '../resources/read-pool.ts';
import type { WebServerResources } from '../resources/resource-limits.ts';
import type { AnyGetRoute } from './get-route-stages.ts';
import type { MinTips } from './min-tip.ts';

export interface ServingContext {
  readonly network: Network;
  readonly profile: SubmissionRefusals & KnownParameters;
  /** Differs between builds and response profiles. It is part of every ETag: another build may write another response. */
  readonly responseVersion: string;
  readonly store: ReadPool;
  readonly tipWatch: TipWatch;
  readonly cache: ResponseCache;
  readonly offsetAnchors: OffsetAnchors;
  readonly wholeLists: WholeListReader;
  readonly holderSnapshots: HolderSnapshots;
  /** All GET routes by their path below the API's prefix. */
  readonly routes: Map<string, AnyGetRoute>;
  readonly node: NodeClient | null;
  /** Returns the state of the node in use, at most a second old; null without a node. */
  readonly reportNode: () => Promise<NodeReport | null>;
  /** The fee rates; null without a node. */
  readonly feeRates: FeeRateCache | null;
  /** The pending transactions; null without a node. */
  readonly pending: PendingTransactions | null;
  readonly pendingPresenter: PendingTransactionTexts;
  readonly decoding: DecodingThread;
  /** What the operator says of tokens, pools and addresses. */
  readonly marks: CurrentMarks;
  readonly enablePostRoutes: boolean;
  readonly metrics: Metrics;
  readonly logger: ApiLogger;
  /** The log for lines that may come with each request. */
  readonly throttledLog: ThrottledLog;
  /** How long the client of an export may keep the server waiting, in milliseconds; undefined: the usual time. */
  readonly exportPatienceMs: number | undefined;
  readonly minTips: MinTips;
  /** The resources that clients share. */
  readonly resources: WebServerResources;
  /** Do equal requests share a response? False only for measurements. */
  readonly sharesResponses: boolean;
  /** Is the server stopping? */
  readonly isStopping: () => boolean;
  /** The public URL of `/`, such as `https://example.org/indexer`; empty if it is unknown. */
  readonly publicUrl: string;
}

/** Pages for browsers beside the API. They are passed in at the start; nothing of the API depends on them. */
export interface BrowserPages {
  /**
   * Responds to a request for a page; false for any other request, which the API then handles. The URL is a path with a query,
   * none of the API's, and has no cached response.
   */
  take(request: IncomingMessage, response: ServerResponse): boolean;
  close(): void;
}

/** The events `status` of the stream, which the pages tell. */
export interface StatusEvents {
  /** Does a client of the stream want them? */
  areWanted(): boolean;
  /** Tells that the conditions, or something else of the node's state that pages show, have changed. */
  tell(conditions: readonly string[]): void;
}

/** Makes the pages at the start, and adds routes for forms that post. */
export type CreateBrowserPages = (
  routes: RouteGroup,
  context: ServingContext,
  statusEvents: StatusEvents,
) => BrowserPages;
