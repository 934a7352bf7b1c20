/** `/reorganisations`: the reorganisations that this index has seen. */
import type { Id } from '../../chain/types.ts';
import { type BlockTransactionCountRow, countTransactionsOfBlocks } from '../../store/queries/blocks/removed-blocks.ts';
import {
  REORGANISATION_LIST,
  type ReorganisationBlock,
  type ReorganisationRow,
  readReorganisation,
} from '../../store/queries/blocks/reorganisations.ts';
import { requireSameTip } from '../../store/read/one-snapshot.ts';
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { Attributes, type Html, html } from '../html.ts';
import { countHtml, DASH_HTML, noneHtml } from '../parts/amount.ts';
import { blockLink, heightLink, poolLink } from '../parts/id-links.ts';
import { pagingLinks, parseListPage, readListPage } from '../parts/paging.ts';
import { column, numberColumn, table } from '../parts/table.ts';
import { timeHtml } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';

/** The most blocks shown for each side of a reorganisation, which may have a thousand. */
const MAX_BLOCKS = 10;

export function reorganisationsPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/reorganisations',
    parse: ({ query }) => ({ page: parseListPage(query, REORGANISATION_LIST, {}, '10') }),
    read: async (store, { page }) => {
      const { entries: rows, ...shown } = await readListPage(store, REORGANISATION_LIST, page, {});
      const reorganisations = rows.map(readReorganisation);
      const blocks = reorganisations.flatMap(({ added, removed }) => [
        ...added.slice(0, MAX_BLOCKS),
        ...removed.slice(0, MAX_BLOCKS),
      ]);
      const counts = await countTransactionsOfBlocks(
        store,
        blocks.map(({ blockId }) => blockId),
      );
      return {
        ...shown,
        tip: requireSameTip(shown, counts),
        reorganisations,
        known: new Map(counts.rows.map((row) => [row.block_id, row])),
      };
    },
    render: ({ reorganisations, known, ...shown }) => {
      const entries = reorganisations.map((row, i) => reorganisation(site, row, known, shown.isFirst && i === 0));
      return {
        title: 'Reorganisations',
        section: 'reorganisations',
        canonical: '/reorganisations',
        isUnlisted: !shown.isFirst,
        api: ['/chain/reorganisations', '/chain/reorganisations/deepest'],
        body: html`<h1>Reorganisations</h1>${
          entries.length === 0
            ? html`<p class="empty">This server has seen no reorganisation yet.</p>`
            : html`<p class="lead">Blocks replaced by a competing branch, as seen by this server.</p><p>Deepest reorganisation seen: ${textOf(site.deepestReorganisation === 1 ? 'one block' : say('{count} blocks', { count: site.deepestReorganisation }))}.</p>${entries}`
        }${pagingLinks(site, '/reorganisations', shown)}`,
      };
    },
  });
}

/** What is known of the shown blocks. A later reorganisation may have removed a block that an earlier one added. */
type KnownBlocks = ReadonlyMap<Id, BlockTransactionCountRow>;

function reorganisation(site: Site, row: ReorganisationRow, known: KnownBlocks, isOpen: boolean): Html {
  const { reorganisation_id: id, removed, added, ancestor_height, seen_at } = row;
  const name = `reorganisation-${id}`;
  const title =
    removed.length === 1
      ? say('1 block replaced after block {height}', { height: ancestor_height })
      : say('{count} blocks replaced after block {height}', { count: removed.length, height: ancestor_height });
  return html`<details class="fold reorganisation" aria-labelledby="${name}"${Attributes.of({ open: isOpen && '' })}><summary><h2 id="${name}">${title}</h2> <span class="count">${timeHtml(seen_at)}</span></summary><div class="columns">${branch(site, 'Removed blocks', `removed-${id}`, removed, known)}${branch(site, 'Added blocks', `added-${id}`, added, known)}</div></details>`;
}

/** Renders the blocks of one side. */
function branch(
  site: Site,
  caption: Words,
  id: string,
  blocks: ReorganisationRow['removed'],
  known: KnownBlocks,
): Html {
  const isOfChain = ({ blockId }: ReorganisationBlock) => known.get(blockId)?.is_on_main_chain === true;
  const more = blocks.length - MAX_BLOCKS;
  const [first, last] = [blocks[0]?.height, blocks.at(-1)?.height];
  const heights = first === last ? first : `${first}–${last}`;
  const list = table(blocks.slice(0, MAX_BLOCKS), {
    // Each with its heights: several reorganisations may be open.
    caption: heights === undefined ? caption : say('{name}: {value}', { name: textOf(caption), value: heights }),
    id,
    isCaptionShown: true,
    columns: [
      numberColumn('Height', (block) => (isOfChain(block) ? heightLink(site, block.height) : block.height)),
      column('Block', ({ blockId }) => blockLink(site, blockId)),
      column('Pool', ({ poolId }) => (poolId === null ? noneHtml() : poolLink(site, poolId))),
      numberColumn('Transactions', ({ blockId }) => transactionsHtml(known.get(blockId))),
    ],
    empty: 'The branch had no more blocks at that moment.',
  });
  return html`<div>${list}${more > 0 && html`<p class="muted">… and ${more} more, all in the JSON.</p>`}</div>`;
}

/** Says how many transactions a block has or had, and how many of them are not in any block now. */
function transactionsHtml(count: BlockTransactionCountRow | undefined): Html {
  if (count === undefined) return DASH_HTML;
  const { transactions, outside } = count;
  return html`${countHtml(transactions)}${outside > 0 && html`<span class="muted">, ${countHtml(outside)} no longer in any block</span>`}`;
}
