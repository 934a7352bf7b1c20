/** The page of a block that a reorganisation removed. */
import type { Id } from '../../chain/types.ts';
import type { BlockRemoval } from '../../store/queries/blocks/removed-blocks.ts';
import type { PageContent } from '../define-page.ts';
import { html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { say } from '../words/catalogue.ts';
import { countHtml, noneHtml } from './amount.ts';
import { blockLink, entityPath, heightLink, idHtml, transactionLink } from './id-links.ts';
import { banner, propertyList } from './properties-and-badges.ts';
import { column, table } from './table.ts';
import { timeHtml } from './time.ts';

export function removedBlockContent(site: Site, id: Id, removal: BlockRemoval): PageContent {
  const { height, parent_id, removed_at, replaced_by, transaction_count, transactions } = removal;
  const list = table(transactions, {
    caption: 'Where its transactions are now',
    id: 'transactions',
    columns: [
      column('Transaction', ({ txId }) => transactionLink(site, txId)),
      column('Now in block', ({ place }) => (place === null ? html`no block` : heightLink(site, place.height))),
    ],
    empty: 'The block had no transactions.',
  });
  const more = transaction_count - transactions.length;
  return {
    title: say('Removed block {height}', { height }),
    description: say('The block {id} is not on the main chain any more: a reorganisation removed it.', { id }),
    section: 'blocks',
    canonical: entityPath('block', id),
    isUnlisted: true,
    api: [`/block/${id}`, '/chain/reorganisations'],
    body: html`<h1>Block ${height}</h1><p class="title-id">${idHtml(id, { canCopy: true })}</p>${banner(
      html`A reorganisation removed this block from the main chain, ${timeHtml(removed_at)}.`,
      'bad',
    )}<p><a href="${site.href('/reorganisations')}">Reorganisations</a></p>${propertyList([
      ['Replaced by', replaced_by === null ? noneHtml() : blockLink(site, replaced_by)],
      ['Previous block', blockLink(site, parent_id)],
    ])}<h2>Transactions <span class="muted">${countHtml(transaction_count)}</span></h2>${list}${
      more > 0 && html`<p class="muted">… and ${more} more.</p>`
    }`,
  };
}
