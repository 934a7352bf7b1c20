/** `/blocks`: the blocks of the main chain, newest first. */

import { DIFFICULTY_DECIMALS } from '../../chain/compact-target.ts';
import { BY_HEIGHT, rangedList } from '../../serving/pagination/ranged-list.ts';
import { BLOCK_LIST, type ListedBlockRow } from '../../store/queries/blocks/block-lists.ts';
import { targetOfHeader } from '../../store/queries/blocks/block-targets.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { amountColumn, coinColumn, countHtml, type ExactAmount, exactAmount, noneHtml } from '../parts/amount.ts';
import { filterForm } from '../parts/filter-form.ts';
import { blockLink, heightLink, poolLink } from '../parts/id-links.ts';
import { parseListStart, startField, startProblemBanner, startQuery, timesOf } from '../parts/list-start-field.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { column, inCard, numberColumn, table } from '../parts/table.ts';
import { type ShownTime, timeHtml } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { newestFirst, type Words } from '../words/catalogue.ts';

export function blocksPage({ site, answers }: ExplorerContext): AnyPage {
  return definePage({
    path: '/blocks',
    parse: ({ query: { at, ...query } }) => ({
      start: parseListStart(answers, { at }),
      page: parseListPage(query, BLOCK_LIST, {}),
    }),
    read: (store, { start, page }) => readListPage(store, rangedList(BLOCK_LIST, start, BY_HEIGHT), page, {}),
    render: (shown, { start }) => {
      const range = new URLSearchParams(startQuery(start));
      const isBeforeAll = shown.entries.length === 0 && start.range !== null;
      const list = isBeforeAll
        ? html`<p>There are none up to then.</p>`
        : blockTable(site, shown.entries, newestFirst('Blocks'), { times: timesOf(start) });
      return {
        title: 'Blocks',
        section: 'blocks',
        canonical: '/blocks',
        isUnlisted: !shown.isFirst || start.text !== '',
        api: [range.size === 0 ? '/block' : `/block?${range}`],
        ...(start.problem !== null && { status: 400 }),
        body: html`<h1>Blocks</h1>${startProblemBanner(start)}${filterForm(site, '/blocks', [startField(start)])}${list}${pagingLinks(site, '/blocks', shown, { query: { at: start.text || undefined } })}`,
      };
    },
  });
}

/** The difficulty of a block, for numbers with the same decimals; null without proof of stake. */
function difficultyOf({ target_field }: ListedBlockRow): ExactAmount | null {
  const difficulty = targetOfHeader(target_field)?.difficulty;
  return typeof difficulty === 'bigint' ? exactAmount(difficulty, DIFFICULTY_DECIMALS) : null;
}

/** Renders a table of blocks. */
export function blockTable(
  site: Site,
  blocks: readonly ListedBlockRow[],
  caption: Words,
  { hasPool = true, times }: { readonly hasPool?: boolean; readonly times?: ShownTime } = {},
): Html {
  return table(blocks, {
    caption,
    isSteady: true,
    columns: [
      numberColumn('Height', ({ height }) => heightLink(site, height)),
      inCard.top(column('Time', ({ timestamp }) => timeHtml(timestamp, times))),
      inCard.off(column('Block', ({ block_id }) => blockLink(site, block_id))),
      numberColumn('Transactions', ({ tx_count }) => countHtml(tx_count)),
      inCard.off(numberColumn('Size, bytes', ({ size }) => countHtml(size))),
      inCard.off(amountColumn('Difficulty', difficultyOf)),
      coinColumn(site, 'Fees', ({ fees }) => fees),
      inCard.off(
        coinColumn(site, 'Reward', ({ staker_reward, delegations_reward }) => staker_reward + delegations_reward),
      ),
      hasPool &&
        inCard.line(column('Pool', ({ pool_id }) => (pool_id === null ? noneHtml() : poolLink(site, pool_id)))),
    ],
    empty: 'There are no blocks after the genesis yet.',
  });
}
