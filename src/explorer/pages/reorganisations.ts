/** `/reorganisations`: those that this index followed. */
import { shownEntries } from '../../api/pagination/list-result.ts';
import { rowRange } from '../../api/pagination/paging.ts';
import { REORGANISATION_LIST, type Reorganisation, readReorganisation } from '../../store/queries/reorganisations.ts';
import type { Explorer } from '../explorer-context.ts';
import { type Html, html } from '../html.ts';
import { type AnyPage, definePage } from '../page.ts';
import { AMOUNT_COLUMN } from '../parts/amount.ts';
import { blockLink, heightLink, idText, poolLink } from '../parts/ids.ts';
import { paging, parseListPage } from '../parts/paging.ts';
import { slug, table } from '../parts/table.ts';
import { time } from '../parts/time.ts';
import type { Site } from '../site.ts';

/** Of each side of one reorganisation: there may be a thousand. */
const MOST_BLOCKS = 25;

export function reorganisationsPage({ site }: Explorer): AnyPage {
  return definePage({
    path: '/reorganisations',
    parse: ({ query }) => ({ page: parseListPage(query, REORGANISATION_LIST, {}, '10') }),
    read: (store, { page }) => REORGANISATION_LIST.read(store, rowRange(page)),
    render: ({ rows }, { page }) => {
      const shown = shownEntries(REORGANISATION_LIST, page, rows);
      const isFirst = page.after === null;
      const entries = shown.entries.map((row) => reorganisation(site, readReorganisation(row)));
      return {
        title: 'Reorganisations',
        description: `The reorganisations of Mintlayer ${site.network.name} that this index followed, newest first.`,
        section: 'reorganisations',
        canonical: '/reorganisations',
        isUnlisted: !isFirst,
        api: ['/chain/reorganisations'],
        body: html`<h1>Reorganisations</h1><p class="lead">Blocks that were on the main chain until a better branch came, as this index saw it. One that was built later, or stood still, knows fewer.</p>${
          entries.length === 0
            ? html`<p class="empty">This index has followed no reorganisation: no block that it showed was ever taken back.</p>`
            : entries
        }${paging(site, '/reorganisations', { isFirst, nextCursor: shown.nextCursor })}`,
      };
    },
  });
}

function reorganisation(site: Site, row: Reorganisation): Html {
  const { removed, added, ancestor_height, seen_at } = row;
  const name = `reorganisation-${row.reorganisation_id}`;
  const blocks = removed.length === 1 ? 'One block' : `${removed.length} blocks`;
  return html`<section class="reorganisation" aria-labelledby="${name}"><h2 id="${name}">${blocks} replaced after block ${heightLink(site, ancestor_height)}</h2><p class="muted">Seen ${time(seen_at)}</p><div class="columns">${branch(site, `Left, ${name}`, removed, false)}${branch(site, `Came instead, ${name}`, added, true)}</div></section>`;
}

/** The blocks of one side. Those that were left have no page any more. */
function branch(site: Site, name: string, blocks: Reorganisation['removed'], isOfChain: boolean): Html {
  const more = blocks.length - MOST_BLOCKS;
  const list = table({
    caption: isOfChain ? 'Came instead' : 'Left',
    id: slug(name),
    columns: [{ label: 'Height', kind: AMOUNT_COLUMN }, { label: 'Block' }, { label: 'Pool' }],
    rows: blocks
      .slice(0, MOST_BLOCKS)
      .map(({ height, blockId, poolId }) => [
        isOfChain ? heightLink(site, height) : html`${height}`,
        isOfChain ? blockLink(site, blockId) : idText(blockId, { isShort: true }),
        poolId === null ? html`<span class="muted">none</span>` : poolLink(site, poolId),
      ]),
    empty: 'The branch had no more blocks at that moment.',
  });
  return html`<div>${list}${more > 0 && html`<p class="muted">… and ${more} more: the JSON has all of them.</p>`}</div>`;
}
