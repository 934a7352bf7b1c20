/** Measures the chain for all pages: how fast it goes, and how deep its reorganisations were. */
import { HOUR_SECONDS } from '../../chain/calendar.ts';
import { medianTime } from '../../chain/median-time.ts';
import { TARGET_BLOCK_SECONDS } from '../../chain/networks/network.ts';
import { BLOCK_LIST, type ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import { getDeepestReorganisation } from '../../store/queries/blocks/reorganisations.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { Site } from '../site.ts';

/** The newest blocks that are counted. */
const PACE_BLOCKS = 60;
/** With fewer in the last hour, chance would decide. */
const ENOUGH_BLOCKS = 10;

/** No block takes so many times the median by chance: the chain paused. */
const PAUSE = 20;

export const readNewestBlocks = (store: QueryRunner) => BLOCK_LIST.read(store, { after: null, limit: PACE_BLOCKS });

/** The last hour's blocks if these are enough; otherwise all. */
export function recentBlocks(all: readonly ListedBlockRow[]): readonly ListedBlockRow[] {
  const ofLastHour = all.filter(({ timestamp }) => all[0]!.timestamp - timestamp <= HOUR_SECONDS);
  return ofLastHour.length >= ENOUGH_BLOCKS ? ofLastHour : all;
}

/** The mean time between blocks, newest first, without {@link PAUSE pauses}; null for fewer than two. */
export function meanSeconds(blocks: readonly ListedBlockRow[]): number | null {
  const times = blocks.slice(1).map(({ timestamp }, i) => blocks[i]!.timestamp - timestamp);
  const median = medianOf(times);
  if (median === undefined) return null;
  const counted = median > 0 ? times.filter((time) => time <= PAUSE * median) : times;
  return Math.max(0, counted.reduce((sum, time) => sum + time, 0) / counted.length);
}

const medianOf = (numbers: readonly number[]): number | undefined =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** Measures what pages say of the whole chain, at the tip of a page that is to be rendered: once for all pages of the tip. */
export async function measureChain(site: Site, store: QueryRunner, tip: SnapshotTip): Promise<void> {
  if (site.pace.revision === tip.revision && site.pace.tipId === tip.id) return;
  const [blocks, deepest] = await Promise.all([readNewestBlocks(store), getDeepestReorganisation(store)]);
  requireSameTip({ tip }, blocks, deepest);
  site.pace = {
    revision: tip.revision,
    tipId: tip.id,
    tipTime: blocks.rows[0]?.timestamp ?? 0,
    medianTime: medianTime(blocks.rows.map(({ timestamp }) => timestamp).reverse()),
    secondsPerBlock: Math.max(1, Math.round(meanSeconds(recentBlocks(blocks.rows)) ?? TARGET_BLOCK_SECONDS)),
  };
  site.deepestReorganisation = deepest.rows[0]?.depth ?? 0;
}
