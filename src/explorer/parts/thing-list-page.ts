/** Makes the page of a list that belongs to one thing, such as the blocks of a pool. */
import type { NavigationSection, PageContent } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import type { ThingKind } from '../things.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { shortId, thingPath, wholeIdLink } from './id-links.ts';
import { pagingLinks, type ShownPage } from './paging.ts';

interface ListOfThing {
  readonly kind: ThingKind;
  readonly id: string;
  /** The end of the page's path. */
  readonly name: string;
  readonly title: Words;
  readonly shown: Pick<ShownPage<unknown>, 'isFirst' | 'cursor' | 'nextCursor'>;
  readonly list: Html;
  /** The path of the API. */
  readonly api: string;
  readonly section?: NavigationSection;
  /** What stands below the list. */
  readonly after?: Html;
}

export function listOfThing(
  site: Site,
  { kind, id, name, title, shown, list, api, section, after }: ListOfThing,
): PageContent {
  const path = `${thingPath(kind, id)}/${name}`;
  return {
    title: say('{title} of {address}', { title: textOf(title), address: shortId(id) }),
    ...(section !== undefined && { section }),
    canonical: path,
    isUnlisted: !shown.isFirst,
    api: [api],
    body: html`<h1>${textOf(title)}</h1><p class="title-id">${wholeIdLink(site, kind, id)}</p>${list}${pagingLinks(site, path, shown)}${after}`,
  };
}
