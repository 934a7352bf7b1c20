/** What the stages of a request depend on. */

import type { Network } from '../../chain/networks/network.ts';
import type { NodeClient } from '../../node/client.ts';
import type { TipWatch } from '../../store/read/tip-watch.ts';
import type { HolderSnapshots } from '../cache/holder-snapshots.ts';
import type { ResponseCache } from '../cache/response-cache.ts';
import type { DecodingThread } from '../decoding/decoding-thread.ts';
import type { ApiLogger, ThrottledLog } from '../logging/throttled-log.ts';
import type { Metrics, NodeReport } from '../metrics/metrics.ts';
import type { OffsetAnchors } from '../pagination/offset-anchors.ts';
import type { WholeListReader } from '../pagination/whole-list-reader.ts';
import type { UnknownParameterRule } from '../parse/parameters.ts';
import type { WebServerResources } from '../resources/create-resources.ts';
import type { ReadPool } from '../resources/read-pool.ts';
import type { AnyGetRoute } from './get-route-stages.ts';
import type { MinTips } from './min-tip.ts';

export interface ServingContext {
  readonly network: Network;
  readonly profile: UnknownParameterRule;
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
  readonly decoding: DecodingThread;
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
