/** A part of a page with the first entries of a list, and the link to the page of all. */
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { slug } from './table.ts';

interface ListSection {
  readonly title: string;
  /** Of the page with all of it. */
  readonly path: string;
  /** Are there more entries than the table shows? */
  readonly hasMore: boolean;
  readonly table: Html;
}

export function listSection(site: Site, { title, path, hasMore, table }: ListSection): Html {
  const name = `${slug(title)}-list`;
  const all = hasMore && html`<a href="${site.href(path)}">All<span class="sr">: ${title}</span></a>`;
  return html`<section aria-labelledby="${name}"><div class="heading"><h2 id="${name}">${title}</h2>${all}</div>${table}</section>`;
}
