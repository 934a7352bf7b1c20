/** `/status`: what this server is, and how its index, its node, its mempool and its database are. */

import Type from 'typebox';
import type { Id } from '../../chain/types.ts';
import { thisBuild } from '../../config/this-build.ts';
import { ageSeconds } from '../../monitoring/monitor-server.ts';
import type { NodeClient } from '../../node/client.ts';
import { COUNT_SCHEMA, HEX_ID_SCHEMA, nullable, strictObject, unsignedInteger } from '../../render/schemas/common.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import type { NodeReport } from '../../serving/metrics/metrics.ts';
import type { ReadPool } from '../../serving/resources/read-pool.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { whyNotReady } from '../../serving/route/readiness.ts';
import { responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { getBlockIdAtHeight } from '../../store/queries/blocks/blocks.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import { STORAGE_VERSION } from '../../store/schema/database-identity.ts';
import type { ApiContext } from '../api-context.ts';

const MODES = ['waiting_for_database', 'waiting_for_index', 'syncing', 'building_indexes', 'following'] as const;
type Mode = (typeof MODES)[number];
/** Blocks that the node may get while indexes are built: a bulk sync ends at its tip, and passes so many in a moment. */
const BULK_SYNC_END = 100;

const STATUS_SCHEMA = strictObject({
  program: Type.Literal('web-server'),
  version: Type.String(),
  commit: nullable(Type.String({ description: 'Of the build; null if it is unknown' })),
  storage_version: Type.String({ description: 'Of the tables that this program reads' }),
  network: Type.String(),
  contract: Type.String({ description: 'The response profile' }),
  ready: Type.Boolean({ description: 'As in `/ready`' }),
  not_ready_because: nullable(Type.String({ description: 'What `/ready` says while it returns 503' })),
  mode: Type.Enum([...MODES], { type: 'string' }),
  adding: Type.Array(strictObject({ text: Type.String(), percent: COUNT_SCHEMA }), {
    description: 'What the scanner adds to the index in place, while this server follows. What needs it gets 503',
  }),
  index: nullable(
    strictObject({
      height: COUNT_SCHEMA,
      id: HEX_ID_SCHEMA,
      timestamp: COUNT_SCHEMA,
      age_seconds: COUNT_SCHEMA,
      lag_blocks: nullable(
        unsignedInteger({ description: 'Behind the node; null while it cannot be asked, or is below the index' }),
      ),
    }),
  ),
  node: nullable(
    strictObject({
      address: Type.String(),
      reachable: Type.Boolean(),
      on_our_chain: nullable(
        Type.Boolean({ description: 'Is its chain that of the index, up to the lower tip? Null while it is unknown' }),
      ),
      height: nullable(COUNT_SCHEMA),
      answer_age_seconds: nullable(Type.Number({ format: 'double', minimum: 0 })),
      problem: nullable(Type.String()),
    }),
  ),
  mempool: nullable(strictObject({ complete: Type.Boolean(), count: COUNT_SCHEMA })),
  database: strictObject({
    connected: Type.Boolean(),
    host: Type.String({ description: 'Host and port of the server that is read from' }),
    role: nullable(Type.Enum(['primary', 'replica'], { type: 'string' })),
    timeline: nullable(Type.String({ description: 'Of a primary; it grows with each promotion' })),
    lag_seconds: nullable(
      Type.Number({ format: 'double', minimum: 0, description: 'Of a replica, behind its primary' }),
    ),
  }),
});

export function statusRoute(routes: RouteGroup, context: ApiContext): void {
  const { network, profile, pending, tipWatch, reportNode } = context;

  function modeOf(height: number | null | undefined): Mode {
    const { tip } = tipWatch;
    if (!tipWatch.isFresh) return 'waiting_for_database';
    if (tip?.genesisId !== network.genesisId) return 'waiting_for_index';
    if (tip.isReady) return 'following';
    return height != null && height - tip.height < BULK_SYNC_END ? 'building_indexes' : 'syncing';
  }

  addGetRoute(routes, context, {
    path: '/status',
    tags: ['Service'],
    summary: 'The build of this server, and the state of its index, node, mempool and database',
    response: responsesWithoutEtag(STATUS_SCHEMA),
    isAlwaysReady: true,
    parse: () => null,
    read: async () => ({ tip: null, node: await reportNode() }),
    present: ({ node }) => {
      const { tip, replication } = tipWatch;
      const reason = whyNotReady(context);
      return JSON.stringify({
        program: 'web-server',
        ...thisBuild(),
        storage_version: STORAGE_VERSION,
        network: network.name,
        contract: profile.name,
        ready: reason === null,
        not_ready_because: reason?.message ?? null,
        mode: modeOf(node?.height),
        adding: [...(tipWatch.missingMigrations?.progress.values() ?? [])].map(({ text, percent }) => ({
          text,
          percent,
        })),
        index: tip && {
          height: tip.height,
          id: tip.id,
          timestamp: tip.timestamp,
          age_seconds: ageSeconds(tip.timestamp),
          lag_blocks: node?.lagBlocks ?? null,
        },
        node: node && {
          address: node.address,
          reachable: node.problem === null,
          on_our_chain: node.onOurChain,
          height: node.height,
          answer_age_seconds: node.answerAgeSeconds,
          problem: node.problem?.message ?? null,
        },
        mempool: pending?.pool.isAvailable ? { complete: pending.pool.isComplete, count: pending.pool.size } : null,
        database: {
          connected: tipWatch.isFresh,
          host: tipWatch.database,
          timeline: replication?.timeline ?? null,
          role: replication && (replication.isReplica ? 'replica' : 'primary'),
          lag_seconds: replication?.isReplica ? replication.lagSeconds : null,
        },
      });
    },
  });
}

/** The node is asked at most once in this time, however many requests come. */
const KEPT_MS = 1_000;
/** A scrape must not wait for a node that answers slowly. */
const MAX_CALL_MS = 800;

interface NodeReportOptions {
  readonly node: NodeClient | null;
  readonly store: ReadPool;
  readonly tipWatch: Pick<TipWatch, 'tip'>;
}

/** Returns the function that reports the state of the node in use; it resolves with null without a node. */
export function createNodeReports({ node, store, tipWatch }: NodeReportOptions): () => Promise<NodeReport | null> {
  let kept: { readonly report: Promise<NodeReport>; readonly at: number } | null = null;

  /** Returns the block of the index at this height; null if it cannot be read. */
  const ownBlock = ({ isReady }: ServedTip, height: number): Promise<Id | null> =>
    isReady
      ? getBlockIdAtHeight(store, height).then(
          ({ rows: [block] }) => block?.block_id ?? null,
          () => null,
        )
      : Promise.resolve(null);

  async function ask(asked: NodeClient): Promise<NodeReport> {
    const { tip } = tipWatch;
    const options = { signal: AbortSignal.timeout(MAX_CALL_MS) };
    const [best, idAtTip] = await Promise.all([
      asked.chainInfo(options).then(({ bestBlock }) => bestBlock),
      tip && asked.blockIdAtHeight(tip.height, options),
    ]).catch(() => [null, null]);
    const isBelow = best !== null && tip !== null && best.height < tip.height;
    const [ours, theirs] = isBelow ? [await ownBlock(tip, best.height), best.id] : [tip?.id ?? null, idAtTip];
    const { problem, answeredAt } = asked.connection.health;
    const height = problem === null && best !== null ? best.height : null;
    return {
      address: asked.nodes[asked.inUse.index]!,
      onOurChain: problem?.kind === 'other network' ? false : ours === null || theirs === null ? null : ours === theirs,
      height,
      lagBlocks: height === null || tip === null || isBelow ? null : height - tip.height,
      answerAgeSeconds: answeredAt === null ? null : Math.round(performance.now() - answeredAt) / 1_000,
      problem,
    };
  }

  return async () => {
    const now = performance.now();
    if (node === null) return null;
    if (kept === null || now - kept.at >= KEPT_MS) kept = { report: ask(node), at: now };
    return kept.report;
  };
}
