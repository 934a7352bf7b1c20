/** The page of a block that a reorganisation removed. */

import type { TransactionOutline } from '../../answers/transaction-outline.ts';
import type { Id } from '../../chain/types.ts';
import type { BlockRemoval } from '../../store/queries/blocks/removed-blocks.ts';
import type { PageContent } from '../define-page.ts';
import { html } from '../html.ts';
import { countHtml, DASH_HTML, noneHtml } from '../parts/amount.ts';
import { blockLink, heightLink, idHtml, poolLink, thingPath, transactionLink } from '../parts/id-links.ts';
import { badge, banner, propertyList } from '../parts/properties-and-badges.ts';
import { column, inCard, table } from '../parts/table.ts';
import { timeHtml } from '../parts/time.ts';
import type { SentenceNames } from '../parts/transaction-actors.ts';
import { sentenceHtml } from '../parts/transaction-sentence.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';

export interface RemovedBlock {
  readonly id: Id;
  readonly removal: BlockRemoval;
  readonly outlines: readonly TransactionOutline[];
  readonly names: SentenceNames;
}

export function removedBlockContent(site: Site, { id, removal, outlines, names }: RemovedBlock): PageContent {
  const { height, parent_id, pool_id, timestamp, removed_at, replaced_by, transaction_count, transactions } = removal;
  const told = new Map(outlines.map((outline) => [outline.id, outline.summary]));
  const list = table(transactions, {
    caption: 'Where its transactions are now',
    id: 'transactions',
    columns: [
      column('Transaction', ({ txId }) => transactionLink(site, txId)),
      inCard.line(
        column('Action', ({ txId }) =>
          told.has(txId)
            ? html`<span class="summary">${sentenceHtml(site, names, told.get(txId)!, true)}</span>`
            : DASH_HTML,
        ),
      ),
      inCard.top(
        column('Now', ({ place }) =>
          place === null
            ? html`<span class="bad">Not in any block</span>`
            : html`${html`block ${heightLink(site, place.height)}`} ${blockLink(site, place.blockId)}`,
        ),
      ),
    ],
    empty: 'The block had no transactions.',
  });
  const more = transaction_count - transactions.length;
  const reorganisation = html`<a href="${site.href('/reorganisations')}">A reorganisation</a>`;
  return {
    title: say('Removed block {height}', { height }),
    description: say('The block {id} is not on the main chain any more: a reorganisation removed it.', { id }),
    section: 'blocks',
    canonical: thingPath('block', id),
    isUnlisted: true,
    api: [`/block/${id}`, '/chain/reorganisations'],
    body: html`<h1 class="title">${textOf(say('Block {height}', { height }))} ${badge('removed', 'bad')}</h1><p class="title-id">${idHtml(id, { canCopy: true })}</p>${banner(
      html`${reorganisation} removed this block from the main chain, ${timeHtml(removed_at)}.`,
      'bad',
    )}${propertyList([
      timestamp !== null && ['Time', timeHtml(timestamp, 'both')],
      pool_id !== null && ['Pool', poolLink(site, pool_id)],
      ['Replaced by', replaced_by === null ? noneHtml() : blockLink(site, replaced_by)],
      ['Previous block', blockLink(site, parent_id)],
    ])}<section><h2>Transactions <span class="muted">${countHtml(transaction_count)}</span></h2>${list}${
      more > 0 && html`<p class="muted">… and ${more} more.</p>`
    }</section>`,
  };
}
