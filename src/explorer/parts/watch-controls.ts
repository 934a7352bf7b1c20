/** What the script of the watch list needs of a thing's page. The browser has the list, the server does not. */
import { MAX_SUBJECTS } from '../../serving/parse/parameters.ts';
import { type Html, html } from '../html.ts';
import type { WatchedKind } from '../read/watched-things.ts';
import type { Site } from '../site.ts';
import { thingPath } from './id-links.ts';

export const MAX_LABEL_LENGTH = 60;

/** Why the browser could not keep the list. */
export const watchProblems = (): Html =>
  html`<div role="alert" data-message="full" hidden>The watch list has room for ${MAX_SUBJECTS} entries: remove some first.</div><div role="alert" data-message="refused" hidden>This browser does not allow this site to store anything, so it cannot keep a watch list.</div>`;

/** Renders the main heading of a thing's page, and beside it the button that watches the thing, which the script shows: then, over the page, the form for its label. */
export function watchedHeading(site: Site, kind: WatchedKind, id: string, heading: Html): Html {
  const thing = thingPath(kind, id).slice(1);
  return html`<div class="heading watched">${heading}<details class="watch" data-thing="${thing}" hidden><summary><span class="off">☆ <span>Watch</span></span><span class="on">★ <span>Watched</span> <bdi class="label"></bdi></span></summary><form method="dialog"><label class="on">Label (only you see it) <input maxlength="${MAX_LABEL_LENGTH}" autocomplete="off" placeholder="Label"></label><button type="submit" class="on">Save</button><button type="submit" name="remove" class="on">Remove</button><span class="muted">See changes and set notifications: <a href="${site.href('/watch')}">Watch list</a></span>${watchProblems()}</form></details></div>`;
}
