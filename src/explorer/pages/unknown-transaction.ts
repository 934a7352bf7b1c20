/** The page of a transaction that neither the chain nor the mempool has: a reorganisation may have removed its block. */
import type { Id } from '../../chain/types.ts';
import type { TransactionRemovalRow } from '../../store/queries/blocks/removed-blocks.ts';
import type { LiveScope, PageContent } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { blockLink, idHtml, shortId, thingPath } from '../parts/id-links.ts';
import { searchForm } from '../parts/layout.ts';
import { badge, banner } from '../parts/properties-and-badges.ts';
import { timeHtml } from '../parts/time.ts';
import type { UnknownTransactionData } from '../read/transaction-page-data.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';

/** Says that a reorganisation removed the block of a transaction. */
export function removalHtml(site: Site, { height, block_id, removed_at }: TransactionRemovalRow): Html {
  const block = html`block ${height}, ${blockLink(site, block_id)},`;
  return html`This transaction was in ${block} until <a href="${site.href('/reorganisations')}">a reorganisation</a> removed the block, ${timeHtml(removed_at)}.`;
}

/** The status is 404 if nothing is known about the transaction. `content`: what it did; null if this is unknown. */
export function unknownTransactionContent(
  site: Site,
  { removal, droppedAt, isMempoolKnown }: UnknownTransactionData,
  id: Id,
  content: Html | null,
): PageContent {
  const isKnown = removal !== undefined || droppedAt !== undefined;
  const nowhere = isMempoolKnown
    ? 'There is no transaction with this id in the chain or in the mempool.'
    : 'There is no transaction with this id in the chain; pending transactions are not known here.';
  const common: Pick<PageContent, 'title' | 'canonical' | 'isUnlisted' | 'api'> = {
    title: isKnown ? say('Transaction {shortId}', { shortId: shortId(id) }) : 'Not found',
    canonical: thingPath('tx', id),
    isUnlisted: true,
    api: [`/transaction/${id}`],
  };
  if (!isKnown) {
    const live: LiveScope = `awaited=${id}`;
    const body = html`<h1>Not found</h1><p class="title-id">${idHtml(id)}</p><p class="lead">${textOf(nowhere)}</p><p>It may be mistyped, belong to another network, or not have reached this server yet.</p>${searchForm(site, { text: id, isLarge: true })}`;
    return { ...common, description: nowhere, status: 404, hasOwnSearch: true, live, body };
  }
  const story = [
    removal !== undefined && html`${removalHtml(site, removal)} It is no longer in any block, so it has no effect. `,
    droppedAt !== undefined &&
      (removal === undefined
        ? html`It left the mempool without being confirmed, ${timeHtml(droppedAt)}.`
        : html`It left this server’s mempool ${timeHtml(droppedAt)}.`),
  ];
  return {
    ...common,
    description: say('The transaction {id} is not in the chain any more, or never was.', { id }),
    live: `transaction=${id}`,
    body: html`<h1 class="title">Transaction ${badge('not in the chain', 'bad')}</h1><p class="title-id">${idHtml(id, { canCopy: true })}</p>${banner(html`${story}`, 'bad')}<p>${!isMempoolKnown && html`Pending transactions are not known here. `}It can be broadcast again while its inputs are unspent.</p>${content}`,
  };
}
