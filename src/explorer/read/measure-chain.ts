/** Measures the chain for all pages: how fast it goes, and how deep its reorganisations were. */
import { meanSeconds, readNewestBlocks, recentBlocks } from '../../answers/block-time.ts';
import { medianTime } from '../../chain/median-time.ts';
import { TARGET_BLOCK_SECONDS } from '../../chain/networks/network.ts';
import { getDeepestReorganisation } from '../../store/queries/blocks/reorganisations.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner, SnapshotTip } from '../../store/read/query.ts';
import type { Site } from '../site.ts';

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
