/** `/watch`: the frame of the watch list, which the script fills: only the browser has the list. */
import { type AnyPage, definePage, type ExplorerContext } from '../define-page.ts';
import { type Html, html } from '../html.ts';
import { banner } from '../parts/properties-and-badges.ts';
import { column, inCard, table } from '../parts/table.ts';
import { MAX_LABEL_LENGTH, watchProblems } from '../parts/watch-controls.ts';
import type { Site } from '../site-urls.ts';
import { say, textOf } from '../words/catalogue.ts';

export function watchPage({ site }: ExplorerContext): AnyPage {
  return definePage({
    path: '/watch',
    isAlwaysReady: true,
    parse: () => null,
    // What the page shows is newer than the page.
    read: () => ({ tip: null }),
    render: () => ({
      title: 'Watch list',
      description: say('Your watch list of Mintlayer {network}, which only your browser has.', {
        network: site.network.name,
      }),
      section: 'watch',
      canonical: '/watch',
      api: [],
      // The script reads what is watched, not the page.
      live: null,
      scripts: ['watch.js', 'watch-rows.js', 'watch-values.js', 'watch-form.js', 'stream.js'],
      body: html`<h1>Watch list</h1>${needsScript()}${listOf(site)}`,
    }),
  });
}

const needsScript = () =>
  html`<div class="needs-script">${banner(
    html`The watch list needs JavaScript: your browser alone keeps it, with your private labels, and this server has no copy that it could show.`,
  )}</div>`;

/** The parts that the script shows and fills. All its words are here. */
function listOf({ network }: Site): Html {
  const { poolId, delegationId, tokenId, publicKeyHash, publicKey, scriptHash, classicMultisig } = network.prefixes;
  const addresses = [publicKeyHash, publicKey, scriptHash, classicMultisig, network.prefixes.anyoneCanSpend];
  const kinds = {
    ...Object.fromEntries(addresses.map((prefix) => [prefix, 'address'])),
    ...{ [poolId]: 'pool', [delegationId]: 'delegation', [tokenId]: 'token' },
  };
  const detail = html`<span class="detail"></span>`;
  return html`<div id="watch-list" data-coin="${network.coinTicker}" data-network="${network.name}" data-kinds="${JSON.stringify(kinds)}" hidden><form class="filter" name="add"><label class="wide">Addresses, pools, delegations, tokens or markets <textarea name="ids" required rows="2" autocomplete="off" autocapitalize="off" spellcheck="false"></textarea></label><button type="submit">Watch</button></form>${tableOf(network.name)}<div class="empty" hidden>Nothing is watched yet. Paste ids here, or press “Watch” on the page of an address, pool, delegation, token or market.</div><div class="actions"><button type="button" name="export">Export</button><label class="button">Import<input type="file" name="import" class="sr" accept=".json,application/json"></label><button type="button" name="notify" aria-pressed="false" hidden>Notifications</button></div>${watchProblems()}<div role="status" data-message="imported" hidden>Imported: ${detail} new. What was on the list has stayed.</div><div role="status" data-message="added" hidden>Added: ${detail}.</div><div role="alert" data-message="unknown" hidden>${detail} is not the id of something that can be watched. Nothing was changed.</div><div role="alert" data-message="damaged" hidden>This file is no watch list. Nothing was changed.</div><div role="alert" data-message="entry" hidden>Entry ${detail} of this file is not something that can be watched. Nothing was changed.</div><div role="alert" data-message="network" hidden>This file is for ${detail}, not for ${network.name}. Nothing was changed.</div><div role="alert" data-message="denied" hidden>This browser does not allow notifications from this site.</div><p class="muted">Only this browser keeps the list and its labels; export it before you delete the data of this site. This server sees which addresses and ids this page asks for, not your labels. The title of the page counts what has changed since you last looked. The page keeps updating in a background tab; you are notified only while no tab shows it.</p></div>`;
}

/** A row with all that rows may show, from which the script makes the others. */
function tableOf(network: string): Html {
  return table([null], {
    id: 'watched',
    caption: 'Watched things',
    columns: [
      column(
        'Watched',
        () =>
          html`<a class="thing" href="#watched"></a> <span class="kind"><span data-kind="address">Address, coins</span><span data-kind="delegation">Delegation, balance</span><span data-kind="pool">Pool, stake</span><span data-kind="token">Token, supply</span><span data-kind="market">Market, last price</span></span>`,
      ),
      inCard.plain(
        column(
          'Label (only you see it)',
          () =>
            html`<input name="label" maxlength="${MAX_LABEL_LENGTH}" autocomplete="off" aria-label="Label (only you see it)">`,
        ),
      ),
      column(
        'Now',
        () =>
          html`<span class="value number">…</span> <bdi class="unit"></bdi><span class="refused" hidden>unknown on ${network}</span>`,
        'num',
      ),
      column(
        'Since your last visit',
        () =>
          html`<span class="change number"></span><span class="changed" hidden>changed</span><div class="tokens" hidden></div><div class="happened" hidden>${EVENTS.map(eventsLink)} <a class="newest" href="#watched"><time data-relative></time></a></div>`,
        'num',
      ),
      inCard.plain(column('Remove', () => html`<button type="button" name="remove">Remove</button>`)),
    ],
  });
}

/** What happens to things of a kind, and the page that lists it below that of the thing. */
const EVENTS = [
  ['address', '/history', 'one transaction', say('{count} transactions', { count: '{count}' })],
  ['delegation', '/transactions', 'one transaction', say('{count} transactions', { count: '{count}' })],
  ['pool', '/blocks', 'one block', say('{count} blocks', { count: '{count}' })],
  ['token', '', 'one event', say('{count} events', { count: '{count}' })],
  ['market', '#trades', 'one trade', say('{count} trades', { count: '{count}' })],
] as const;

const eventsLink = ([kind, page, one, many]: (typeof EVENTS)[number]): Html =>
  html`<a class="events" data-kind="${kind}" data-page="${page}" data-one="${textOf(one)}" data-many="${textOf(many)}" href="#watched"></a>`;
