/** Error pages with advice: not found, a wrong id, not ready. */

import type { ApiError } from '../../serving/errors/api-error.ts';
import type { ServedTip } from '../../store/read/tip-watch.ts';
import type { ExplorerContext, PageContent } from '../define-page.ts';
import { Attributes, type Html, html } from '../html.ts';
import { mayBeMistyped, wordsOfError } from '../page-error.ts';
import { countHtml } from '../parts/amount.ts';
import { searchForm } from '../parts/layout.ts';
import { propertyList } from '../parts/properties-and-badges.ts';
import { timeHtml } from '../parts/time.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { durationText } from '../words/formats.ts';
import type { Language } from '../words/language.ts';

/** The shortest time after which a page is read again while the server is unavailable or refuses it. */
const MIN_RETRY_SECONDS = 2;

/** What an error page knows of the request. */
export interface FailedRequest {
  /** The path, with the query. */
  readonly url: string;
  /** The path of the page, such as `/tx/:id`; null if no page has the path of the request. */
  readonly pagePath: string | null;
  /** Only the query is wrong: an entry of a form, or a cursor. */
  readonly isOfQuery?: boolean;
  /** The request came from a form, so the script cannot repeat it. */
  readonly isPosted?: boolean;
  readonly language: Language;
}

export function errorPage(
  { site, answers, status }: ExplorerContext,
  error: ApiError,
  { url, pagePath, isOfQuery = false, isPosted = false }: FailedRequest,
): PageContent {
  const path = url.replace(/\?.*$/s, '');
  const searched = isOfQuery ? '' : searchedText(path, pagePath);
  const [title, advice] = adviceFor(
    error.status,
    isOfQuery ? backTo(site, path) : searched === '' ? null : checkAddress(),
  );
  const tip = answers.tipWatch.tip;
  const isTemporary = error.status === 429 || error.status === 503;
  const isSyncing = error.status === 503 && tip !== null && !tip.isReady;
  if (isSyncing) status.look();
  const body = html`<h1>${textOf(isSyncing ? 'The index is being built' : title)}</h1><p class="lead">${textOf(isSyncing ? syncing(tip) : wordsOfError(error))}</p>${
    isSyncing && syncProgress(tip, status.sync)
  }${mayBeMistyped(error) && advice}${isTemporary && html`<p><a class="button" href="${site.href(url)}">Try again</a></p>`}${searchForm(site, { text: isTemporary ? '' : searched, isLarge: true })}`;
  return {
    title,
    description: wordsOfError(error),
    body,
    api: [],
    isUnlisted: true,
    hasOwnSearch: true,
    live: null,
    ...(isTemporary && !isPosted && { refreshSeconds: Math.max(MIN_RETRY_SECONDS, error.retryAfter ?? 0) }),
  };
}

const checkAddress = () => html`<p>Check that it was copied completely, or search for it.</p>`;

/** The form that was filled in wrongly is on the page without a query. */
function backTo(site: Site, path: string): Html {
  return html`<p><a class="button" href="${site.href(path)}">Back to the page</a></p>`;
}

/** `adviceFor400`: what a visitor can do about an invalid request. */
function adviceFor(status: number, adviceFor400: Html | null): readonly [title: Words, advice: Html | null] {
  switch (status) {
    case 404:
      return [
        'Not found',
        html`<p>It may be mistyped, belong to another network, or no longer be in the chain: a reorganisation can remove the newest blocks.</p>`,
      ];
    case 413:
      return ['Request too large', html`<p>It was not processed.</p>`];
    case 429:
      return ['Too many requests at a time', html`<p>Visitors behind the same address count as one.</p>`];
    case 503:
      return [
        'Temporarily unavailable',
        html`<p>The chain itself is not affected. With JavaScript, this page is updated automatically.</p>`,
      ];
    default:
      return status >= 500
        ? ['Internal error', html`<p>The reason is in the log of this server.</p>`]
        : ['Invalid request', adviceFor400];
  }
}

/** Returns the text for the search form: the first parameter of the path, or the end of a path that no page has. */
function searchedText(path: string, pagePath: string | null): string {
  const index = pagePath === null ? -1 : pagePath.split('/').findIndex((part) => part.startsWith(':'));
  const text = pagePath !== null && index < 0 ? '' : (path.split('/').at(index) ?? '');
  try {
    return decodeURIComponent(text).slice(0, 200);
  } catch {
    return '';
  }
}

const syncing = ({ height }: Pick<ServedTip, 'height'>) =>
  say('The index is being built: the scanner has reached height {height} and is not at the chain’s tip yet.', {
    height,
  });

/** Renders the progress of a sync. `nodeHeight` and `secondsLeft` are null while they are unknown. */
function syncProgress(
  tip: Pick<ServedTip, 'height' | 'timestamp' | 'transactionCount'>,
  { nodeHeight, secondsLeft }: { readonly nodeHeight: number | null; readonly secondsLeft: number | null },
): Html {
  const isKnown = nodeHeight !== null && nodeHeight > 0;
  const { height: value } = tip;
  // The node's height is some seconds old.
  const max = Math.max(value, nodeHeight ?? 0);
  const bar =
    isKnown &&
    html`<progress${Attributes.of({ max, value, 'aria-label': 'Blocks indexed' })}>${value} of ${max}</progress>`;
  return html`${bar}${propertyList([
    ['Blocks indexed', html`${tip.height}`],
    isKnown && ['Blocks of the node', countHtml(max)],
    secondsLeft !== null && ['Time left', html`about ${durationText(secondsLeft)}`],
    ['Transactions indexed', countHtml(tip.transactionCount)],
    ['Newest indexed block', timeHtml(tip.timestamp, 'absolute')],
  ])}`;
}
