/** `/watch`: the watch list, which only the browser has. Its script posts the ids, without labels, and shows the page that comes. */
import type { TokenLabels } from '../../answers/token-label.ts';
import { requireReady } from '../../serving/route/readiness.ts';
import { readOneSnapshot } from '../../store/read/one-snapshot.ts';
import {
  type AnyPage,
  definePage,
  type ExplorerContext,
  type PageContent,
  type PostPage,
  type PostPageContent,
  REQUEST_UNITS_OF_PAGE,
} from '../define-page.ts';
import { Attributes, type Html, html } from '../html.ts';
import { banner } from '../parts/properties-and-badges.ts';
import { watchProblems } from '../parts/watch-controls.ts';
import { shownThings, watchedTable } from '../parts/watched-table.ts';
import { MAX_WATCH_LIST_BYTES, parseWatchList, readWatchedThings, type WatchedThing } from '../read/watched-things.ts';
import type { Site } from '../site.ts';
import { say } from '../words/catalogue.ts';

const PATH = '/watch';
/** The things that cost as much to look up as a small response. */
const THINGS_PER_UNIT = 8;

export function watchPage(): AnyPage {
  return definePage({
    path: PATH,
    isAlwaysReady: true,
    parse: () => null,
    // What the script shows is newer than the page.
    read: () => ({ tip: null }),
    render: () => ({
      ...contentOf(0, html`${needsScript()}<div id="watch-list"></div>`),
      live: null,
    }),
  });
}

/** Renders a list. It changes nothing, and nobody keeps it. */
export function watchPostPage({ site, answers }: ExplorerContext): PostPage {
  return {
    path: PATH,
    bodyLimit: MAX_WATCH_LIST_BYTES,
    isRepeated: true,
    respond: async (body, caller): Promise<PostPageContent> => {
      answers.tipWatch.noteRequest();
      const asked = parseWatchList(site.network, body);
      requireReady(answers);
      const units = REQUEST_UNITS_OF_PAGE + Math.ceil(asked.length / THINGS_PER_UNIT);
      const { tip, things, labels } = await answers.resources.requests.run(caller, units, (held) => {
        const store = answers.store.for(caller, held);
        return readOneSnapshot(() => readWatchedThings(store, asked, answers.tipWatch.tip!));
      });
      return { tip, content: () => listContent(site, labels, things) };
    },
  };
}

function contentOf(changed: number, body: Html): PageContent {
  return {
    title: changed === 0 ? 'Watch list' : say('({changed}) Watch list', { changed }),
    section: 'watch',
    canonical: PATH,
    api: [],
    scripts: ['watch.js', 'watch-form.js', 'live.js', 'reconcile.js', 'stream.js'],
    body: html`<h1>Watch list</h1>${body}`,
  };
}

const needsScript = () =>
  html`<div class="needs-script">${banner(
    html`The watch list needs JavaScript: only your browser stores it, so this server has no copy to show.`,
  )}</div>`;

function listContent(site: Site, labels: TokenLabels, things: readonly WatchedThing[]): PageContent {
  const { network } = site;
  const shown = shownThings(site, labels, things);
  const changed = shown.filter(({ changes }) => changes.length > 0).length;
  const { poolId, delegationId, tokenId, publicKeyHash, publicKey, scriptHash, classicMultisig } = network.prefixes;
  const addresses = [publicKeyHash, publicKey, scriptHash, classicMultisig, network.prefixes.anyoneCanSpend];
  const kinds = {
    ...Object.fromEntries(addresses.map((prefix) => [prefix, 'address'])),
    ...{ [poolId]: 'pool', [delegationId]: 'delegation', [tokenId]: 'token' },
  };
  const list = Attributes.of({ id: 'watch-list', 'data-network': network.name, 'data-kinds': JSON.stringify(kinds) });
  return contentOf(
    changed,
    html`<div${list}>${watchedTable(site, labels, shown)}${addForm(things.length === 0)}${listForm(site)}<p class="muted">Only this browser stores the list and its labels: the server sees the ids, never your labels. Export the list before you clear this site’s data. Notifications arrive only while this page is open in a background tab.</p></div>`,
  );
}

const addForm = (isOpen: boolean): Html =>
  html`<details class="add fold"${Attributes.of({ open: isOpen })}><summary><h2>Add</h2></summary><form class="filter" name="add"><label class="wide">Addresses, pools, delegations, tokens or markets <textarea name="ids" required rows="2" placeholder="One id per line, with a label if you like" autocomplete="off" autocapitalize="off" spellcheck="false"></textarea></label><button type="submit">Watch</button></form></details>`;

/** The list as a file, and what the script may have to say. */
const listForm = (site: Site): Html =>
  html`<form class="actions"><button type="button" name="export">Export</button><label class="button">Import<input type="file" name="import" class="sr" accept=".json,application/json"></label><button type="button" name="notify" aria-pressed="false" hidden>Notifications</button>${watchProblems()}${messages(site)}</form>`;

function messages({ network }: Site): Html[] {
  const detail = html`<span class="detail"></span>`;
  const message = (role: 'status' | 'alert', name: string, text: Html) =>
    html`<div role="${role}" data-message="${name}" hidden>${text}</div>`;
  return [
    message('status', 'added', html`${detail} added.`),
    message('status', 'known', html`Everything is on the list already.`),
    message('alert', 'unknown', html`Not an id: ${detail}`),
    message('alert', 'mistyped', detail),
    message('alert', 'damaged', html`This file is not a watch list. Nothing was changed.`),
    message('alert', 'entry', html`Entry ${detail} of this file cannot be watched. Nothing was changed.`),
    message('alert', 'network', html`This file is for ${detail}, not for ${network.name}. Nothing was changed.`),
    message('alert', 'denied', html`This browser does not allow notifications from this site.`),
  ];
}
