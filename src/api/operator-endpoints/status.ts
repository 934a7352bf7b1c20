/** `/status`: what this server is, and how its index, its node, its mempool and its database are. */

import Type from 'typebox';
import type { Network } from '../../chain/networks/network.ts';
import type { Id } from '../../chain/types.ts';
import { thisBuild } from '../../config/this-build.ts';
import { ageSeconds } from '../../monitoring/monitor-server.ts';
import type { NodeClient } from '../../node/client.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import type { NodeReport } from '../../serving/metrics/metrics.ts';
import type { ReadPool } from '../../serving/resources/read-pool.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import { whyNotReady } from '../../serving/route/readiness.ts';
import { responsesWithoutEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { getBlockIdAtHeight } from '../../store/queries/blocks/blocks.ts';
import type { ServedTip, TipWatch } from '../../store/read/tip-watch.ts';
import { STORAGE_VERSION } from '../../store/schema/database-identity.ts';
import type { MigrationProgress } from '../../store/schema/in-place-migrations.ts';
import type { ApiContext } from '../api-context.ts';
import { defineEntry, kind } from '../entry/define-entry.ts';
import { choice, count, flag, hexId, listOf, literal, nested, text } from '../entry/kinds.ts';

const MODES = ['waiting_for_database', 'waiting_for_index', 'syncing', 'building_indexes', 'following'] as const;
type Mode = (typeof MODES)[number];
/** Blocks that the node may get while indexes are built: a bulk sync ends at its tip, and passes so many in a moment. */
const BULK_SYNC_END = 100;

interface State extends Pick<ApiContext, 'profile' | 'pending' | 'tipWatch'> {
  readonly node: NodeReport | null;
  readonly whyNotReady: Error | null;
}

const doubleNumber = kind<number>({ schema: Type.Number({ format: 'double', minimum: 0 }) });

const ADDITION = defineEntry<MigrationProgress>({
  text: text((addition) => addition.text),
  percent: count(({ percent }) => percent),
});

const INDEX = defineEntry<{ readonly tip: ServedTip; readonly node: NodeReport | null }>({
  height: count(({ tip }) => tip.height),
  id: hexId(({ tip }) => tip.id),
  timestamp: count(({ tip }) => tip.timestamp),
  age_seconds: count(({ tip }) => ageSeconds(tip.timestamp)),
  lag_blocks: count.orNull(
    ({ node }) => node?.lagBlocks ?? null,
    'Behind the node; null while it cannot be asked, or is below the index',
  ),
});

const NODE = defineEntry<NodeReport>({
  address: text(({ address }) => address),
  reachable: flag(({ problem }) => problem === null),
  on_our_chain: flag.orNull(
    ({ onOurChain }) => onOurChain,
    'Is its chain that of the index, up to the lower tip? Null while it is unknown',
  ),
  height: count.orNull(({ height }) => height),
  answer_age_seconds: doubleNumber.orNull(({ answerAgeSeconds }) => answerAgeSeconds),
  problem: text.orNull(({ problem }) => problem?.message ?? null),
});

const MEMPOOL = defineEntry<{ readonly isComplete: boolean; readonly size: number }>({
  complete: flag(({ isComplete }) => isComplete),
  count: count(({ size }) => size),
});

const DATABASE = defineEntry<TipWatch>({
  connected: flag(({ isFresh }) => isFresh),
  host: text(({ database }) => database, 'Host and port of the server that is read from'),
  timeline: text.orNull(
    ({ replication }) => replication?.timeline ?? null,
    'Of a primary; it grows with each promotion',
  ),
  role: choice(['primary', 'replica']).orNull(
    ({ replication }) => replication && (replication.isReplica ? 'replica' : 'primary'),
  ),
  lag_seconds: doubleNumber.orNull(
    ({ replication }) => (replication?.isReplica ? replication.lagSeconds : null),
    'Of a replica, behind its primary',
  ),
});

const STATUS = defineEntry<State>({
  program: literal('web-server'),
  version: text(() => thisBuild().version),
  commit: text.orNull(() => thisBuild().commit, 'Of the build; null if it is unknown'),
  storage_version: text(() => STORAGE_VERSION, 'Of the tables that this program reads'),
  network: text((_, { name }) => name),
  contract: text(({ profile }) => profile.name, 'The response profile'),
  ready: flag((state) => state.whyNotReady === null, 'As in `/ready`'),
  not_ready_because: text.orNull(
    (state) => state.whyNotReady?.message ?? null,
    'What `/ready` says while it returns 503',
  ),
  mode: choice(MODES)(modeOf),
  adding: listOf(nested(ADDITION))(
    ({ tipWatch }) => [...(tipWatch.missingMigrations?.progress.values() ?? [])],
    'What the scanner adds to the index in place, while this server follows. What needs it gets 503',
  ),
  index: nested(INDEX).orNull(({ tipWatch: { tip }, node }) => tip && { tip, node }),
  node: nested(NODE).orNull(({ node }) => node),
  mempool: nested(MEMPOOL).orNull(({ pending }) => (pending?.pool.isAvailable ? pending.pool : null)),
  database: nested(DATABASE)(({ tipWatch }) => tipWatch),
});

function modeOf({ tipWatch, node }: State, network: Network): Mode {
  const { tip } = tipWatch;
  if (!tipWatch.isFresh) return 'waiting_for_database';
  if (tip?.genesisId !== network.genesisId) return 'waiting_for_index';
  if (tip.isReady) return 'following';
  return node?.height != null && node.height - tip.height < BULK_SYNC_END ? 'building_indexes' : 'syncing';
}

export function statusRoute(routes: RouteGroup, context: ApiContext): void {
  const { network, profile, pending, tipWatch, reportNode } = context;
  addGetRoute(routes, context, {
    path: '/status',
    tags: ['Service'],
    summary: 'The build of this server, and the state of its index, node, mempool and database',
    response: responsesWithoutEtag(STATUS.schema),
    isAlwaysReady: true,
    parse: () => null,
    read: async () => ({ tip: null, node: await reportNode() }),
    present: ({ node }) =>
      STATUS.json(network, { profile, pending, tipWatch, node, whyNotReady: whyNotReady(context) }),
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
export function createNodeReporter({ node, store, tipWatch }: NodeReportOptions): () => Promise<NodeReport | null> {
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
