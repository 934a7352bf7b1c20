/** Renders what the operator says of tokens, pools and addresses, with who says so. */

import { MARK_ICON_PATH, type Mark } from '../../answers/marks-file.ts';
import { externalUrl, type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf } from '../words/catalogue.ts';
import { badge, banner } from './properties-and-badges.ts';

const MARKED = {
  named: 'named by {source}',
  verified: 'verified by {source}',
  warning: 'warning by {source}',
} as const;

/** Renders the icon, name and status for a place beside a link; null for nearly all ids. `id`: in the form of the API. */
export function markBeside(site: Site, id: string): Html | null {
  const mark = site.marks.byId.get(id);
  if (mark === undefined) return null;
  const { name, status, text } = mark;
  const by = textOf(say(MARKED[status ?? 'named'], { source: site.marks.source ?? '' }));
  const title = text === null ? by : `${by}: ${text}`;
  return html` <span class="mark-beside" title="${title}">${markIcon(site, id)}${name}${statusBadge(mark)}</span>`;
}

/** Renders the icon alone; null if there is none. */
export function markIcon(site: Site, id: string): Html | null {
  const icon = site.marks.byId.get(id)?.icon ?? null;
  if (icon === null) return null;
  return html`<img class="icon" src="${site.api(`${MARK_ICON_PATH}/${icon}`)}" alt="" width="16" height="16" loading="lazy">`;
}

/** Renders a warning, if there is one. */
export function markWarning(site: Site, id: string): Html | null {
  const mark = site.marks.byId.get(id);
  return mark?.status === 'warning' ? statusBadge(mark) : null;
}

/** Renders all that is said, for the page of the marked; null for nearly all ids. */
export function markNotice(site: Site, id: string): Html | null {
  const mark = site.marks.byId.get(id);
  if (mark === undefined) return null;
  const { source, sourceUrl } = site.marks;
  const { name, status, text, url } = mark;
  return banner(
    html`${markIcon(site, id)}${name !== null && html`<strong>${name}</strong>`}${statusBadge(mark)} ${text} ${url !== null && outside(url)} <span class="muted">Marked by ${source}${sourceUrl !== null && html` (${outside(sourceUrl)})`}, not by the chain.</span>`,
    status === 'warning' ? 'warning' : 'plain',
  );
}

function statusBadge({ status }: Mark): Html | null {
  return status === null ? null : html` ${badge(status, status === 'verified' ? 'good' : 'warning')}`;
}

function outside(url: string): Html {
  return html`<a class="outside" href="${externalUrl(url)}" rel="noopener noreferrer nofollow" target="_blank">${new URL(url).host}<span class="sr"> in a new tab</span></a>`;
}
