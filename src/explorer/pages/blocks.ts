/** `/blocks`: the blocks of the main chain, newest first. */
import { shownEntries } from '../../api/pagination/list-result.ts';
import { rowRange } from '../../api/pagination/paging.ts';
import { BLOCK_LIST, type ListedBlockRow } from '../../store/queries/block-lists.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage } from '../page.ts';
import { AMOUNT_COLUMN, amount, count, exactAmount, fractionLength } from '../parts/amount.ts';
import { blockLink, heightLink, poolLink } from '../parts/ids.ts';
import { paging, parseListPage } from '../parts/paging.ts';
import { table } from '../parts/table.ts';
import { time } from '../parts/time.ts';
import type { Site } from '../site.ts';

export function blocksPage({ site }: Explorer): AnyPage {
  return definePage({
    path: '/blocks',
    parse: ({ query }) => ({ page: parseListPage(query, BLOCK_LIST, {}) }),
    read: (store, { page }) => BLOCK_LIST.read(store, rowRange(page)),
    render: ({ tip, rows }, { page }) => {
      const { entries: blocks, nextCursor } = shownEntries(BLOCK_LIST, page, rows);
      const isFirst = page.after === null;
      return {
        title: 'Blocks',
        description: `The blocks of Mintlayer ${site.network.name}, newest first; the tip is block ${tip.height}.`,
        section: 'blocks',
        canonical: '/blocks',
        isUnlisted: !isFirst,
        api: ['/block'],
        body: html`<h1>Blocks</h1>${blockTable(site, blocks, 'Blocks, newest first')}${paging(site, '/blocks', { isFirst, nextCursor })}`,
      };
    },
  });
}

/** A list of blocks. */
export function blockTable(site: Site, blocks: readonly ListedBlockRow[], caption: string): Html {
  const { coinDecimals, coinTicker } = site.network;
  const rewards = blocks.map((block) => exactAmount(block.staker_reward + block.delegations_reward, coinDecimals));
  const fees = blocks.map((block) => exactAmount(block.fees, coinDecimals));
  const rewardFraction = fractionLength(rewards);
  const feeFraction = fractionLength(fees);
  return table({
    caption,
    isCaptionHidden: true,
    columns: [
      { label: 'Height', kind: AMOUNT_COLUMN },
      { label: 'Time' },
      { label: 'Block' },
      { label: 'Transactions', kind: AMOUNT_COLUMN },
      { label: 'Bytes', kind: AMOUNT_COLUMN },
      { label: `Fees, ${coinTicker}`, kind: AMOUNT_COLUMN },
      { label: `Reward, ${coinTicker}`, kind: AMOUNT_COLUMN },
      { label: 'Pool' },
    ],
    rows: blocks.map((block, i) => [
      heightLink(site, block.height),
      time(block.timestamp),
      blockLink(site, block.block_id),
      count(block.tx_count),
      count(block.size),
      amount(fees[i]!, { fraction: feeFraction }),
      amount(rewards[i]!, { fraction: rewardFraction }),
      block.pool_id === null ? html`<span class="muted">none</span>` : poolLink(site, block.pool_id),
    ]),
    empty: 'There are no blocks after the genesis yet.',
  });
}
