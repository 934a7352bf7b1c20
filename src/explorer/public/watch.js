// The page of the watch list: it is read by posting the list, without labels, and what was seen of each thing, in texts of
// the server. It is followed as other pages are, also while it is hidden, but only in one tab.
// @ts-check
import { setting, storedText, storeText } from './settings.js';
import { keepWatchList, showMessage, unwatch, watch } from './watch-form.js';
import { LIST_KEY, MAX_WATCHED, watchedOf, watchList } from './watch-list.js';

/** @typedef {import('./watch-list.js').Watched} Watched */
/** @typedef {Record<string, string>} States what was seen, by thing */
/** @typedef {{ text: string, watched: Watched | null }} Part a pasted id, and the label behind it; null: it names nothing to watch */

const NOTIFY_KEY = 'watch notifications';
const SEEN_KEY = `${LIST_KEY} seen`;
const FORMAT = 'mintlayer watch list';
const MAX_FILE_BYTES = 1_000_000;
const MAX_STATE_LENGTH = 200;
/** A word that is no part of a label: an id, also of what cannot be watched. */
const ID_LIKE = /^(?=.*\d)[a-z0-9]{24,}$/i;
/** The most pasted texts that are named as wrong. */
const MAX_NAMED = 5;
/** More changes at once are one notification. */
const MAX_NOTIFICATIONS = 3;

/** The other tabs with the list: one tells them that something has changed. */
const tabs = new BroadcastChannel(LIST_KEY);
/** What the visitor had seen before this visit, which a reload does not end. @type {States} */
let seen = { ...statesIn(storedText(SEEN_KEY)), ...history.state?.seen };
/** What was pasted, until the server has checked its ids. @type {{ text: string, parts: Part[] } | null} */
let unchecked = null;
/** The notifications that were shown since the page was hidden. @type {States} */
let told = {};
/** Is this the tab that follows while it is hidden? */
let isKeeper = false;
/** @type {import('./live.js').LivePage} */
let page;

/** How the page is read. @type {import('./live.js').Source} */
export const source = {
  body: () =>
    JSON.stringify({ things: thingsWith(unchecked?.parts ?? []).map((thing) => [thing, seen[thing] ?? null]) }),
  isKept: () => isKeeper,
  shown,
};

/** The things of the list, and of what was pasted. @param {Part[]} parts */
const thingsWith = (parts) => [...new Set([...watchList(), ...watchedIn(parts)].map(({ thing }) => thing))];
/** @param {Part[]} parts */
const watchedIn = (parts) => parts.flatMap(({ watched }) => watched ?? []);
const isHidden = () => document.visibilityState === 'hidden';
const fields = () =>
  /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#watched input')]).map((field) => {
    const { thing = '', state = '', notice, problem } = field.dataset;
    return { field, thing, state, notice, problem };
  });

/** @param {import('./live.js').LivePage} live */
export function startWatching(live) {
  page = live;
  document.querySelector('.needs-script')?.remove();
  document.addEventListener('visibilitychange', lookedOrLeft);
  document.addEventListener('click', clicked);
  document.addEventListener('change', changed);
  document.addEventListener('submit', submitted);
  tabs.addEventListener('message', () => isHidden() && page.readAgain());
  addEventListener('storage', ({ key }) => {
    if (key === LIST_KEY || key === null) page.readAgain();
  });
  // Others wait here until this tab is closed.
  void navigator.locks?.request(LIST_KEY, () => {
    isKeeper = true;
    page.follow();
    return new Promise(() => {});
  });
  page.readAgain();
}

/** Adds to what the server has rendered what only the browser knows. */
function shown() {
  addChecked();
  const labels = new Map(watchList().map(({ thing, label }) => [thing, label]));
  for (const { field, thing } of fields()) {
    if (field !== document.activeElement) field.value = labels.get(thing) ?? '';
  }
  const states = Object.fromEntries(fields().map(({ thing, state }) => [thing, state]));
  // What the server could not compare, because it is new or of a chain that has begun anew, is seen now.
  const unseen = fields().filter(({ field }) => field.dataset.unseen !== undefined);
  const fresh = Object.fromEntries(unseen.map(({ thing, state }) => [thing, state]));
  seen = { ...states, ...seen, ...fresh };
  keepSeen({ ...states, ...statesIn(storedText(SEEN_KEY)), ...fresh });
  if (isHidden()) tell(labels);
  else keepVisit();
  showNotifying();
}

const keepVisit = () => history.replaceState({ seen }, '');

/** What the page shows when it is left was seen. */
function lookedOrLeft() {
  told = {};
  if (isHidden()) {
    for (const { thing, state } of fields()) seen[thing] = state;
    keepSeen(seen);
    document.title = document.title.replace(/^\(\d+\) /, '');
  } else {
    keepVisit();
    page.readAgain();
  }
}

/** Tells what has changed, and was not told before. @param {Map<string, string>} labels */
function tell(labels) {
  if (!isKeeper) return;
  const changes = fields().filter(({ thing, notice }) => notice !== undefined && told[thing] !== notice);
  if (changes.length === 0) return;
  tabs.postMessage('changed');
  for (const { thing, notice = '' } of changes) told[thing] = notice;
  if (!areNotificationsOn()) return;
  if (changes.length > MAX_NOTIFICATIONS) return notify(document.title, '', LIST_KEY);
  for (const { field, thing, notice = '' } of changes) {
    notify(labels.get(thing) || (field.closest('tr')?.cells[0]?.textContent ?? ''), notice, thing);
  }
}

/** @param {string} heading @param {string} text @param {string} tag */
function notify(heading, text, tag) {
  try {
    new Notification(heading, { body: text, tag });
  } catch {
    // Phones allow them to service workers only.
  }
}

const areNotificationsOn = () => setting(NOTIFY_KEY, ['off', 'on']) === 'on' && Notification.permission === 'granted';

function showNotifying() {
  const button = /** @type {HTMLButtonElement | null} */ (document.querySelector('[name="notify"]'));
  if (!button || !('Notification' in window) || !navigator.locks) return;
  button.hidden = false;
  button.setAttribute('aria-pressed', String(areNotificationsOn()));
}

async function switchNotifications() {
  const isWanted = !areNotificationsOn();
  const isAllowed = !isWanted || (await Notification.requestPermission()) === 'granted';
  if (isAllowed) storeText(NOTIFY_KEY, isWanted ? 'on' : 'off');
  showMessage(document, isAllowed ? null : 'denied');
  showNotifying();
}

/** @param {Event} event */
function clicked({ target }) {
  const button = target instanceof Element ? target.closest('#watch-list button') : null;
  const name = button?.getAttribute('name');
  if (name === 'export') exportList();
  if (name === 'notify') void switchNotifications();
  if (name !== 'remove') return;
  const row = button?.closest('tr');
  const { thing = '' } = row?.querySelector('input')?.dataset ?? {};
  showMessage(document, unwatch(thing));
  delete seen[thing];
  row?.remove();
  page.readAgain();
}

/** @param {Event} event */
async function changed({ target }) {
  if (!(target instanceof HTMLInputElement)) return;
  const { thing } = target.dataset;
  if (thing !== undefined) showMessage(document, watch(thing, target.value));
  const [file] = target.files ?? [];
  if (!file) return;
  const result = file.size > MAX_FILE_BYTES ? DAMAGED : imported(await file.text());
  target.value = '';
  take(result);
}

/** @param {SubmitEvent} event */
function submitted(event) {
  const field = event.target instanceof HTMLFormElement && event.target.querySelector('[name="ids"]');
  if (!(field instanceof HTMLTextAreaElement)) return;
  event.preventDefault();
  const parts = partsOf(field.value);
  if (thingsWith(parts).length > MAX_WATCHED) return showMessage(document, 'full');
  unchecked = { text: field.value, parts };
  if (watchedIn(parts).length === 0) addChecked();
  else page.readAgain();
}

/** Adds what was pasted. What the server refuses stays in the field, as what names nothing to watch. */
function addChecked() {
  const rows = new Map(fields().map((each) => [each.thing, each]));
  if (unchecked === null || watchedIn(unchecked.parts).some(({ thing }) => !rows.has(thing))) return;
  const { text, parts } = unchecked;
  unchecked = null;
  const unknown = parts.filter(({ watched }) => watched === null);
  const refused = parts.filter(({ watched }) => watched && rows.get(watched.thing)?.problem !== undefined);
  const wrong = [...unknown, ...refused];
  const right = watchedIn(parts.filter((part) => !wrong.includes(part)));
  const problems = watchedIn(refused).map(({ thing }) => rows.get(thing)?.problem ?? '');
  for (const { thing } of watchedIn(refused)) rows.get(thing)?.field.closest('tr')?.remove();
  const { messages, list } = withEntries(right);
  const isKept = take({
    messages: {
      ...(right.length > 0 && messages),
      ...(unknown.length > 0 && {
        unknown: named(
          unknown.map((part) => part.text.slice(0, 40)),
          ', ',
        ),
      }),
      ...(refused.length > 0 && { mistyped: named(problems, ' ') }),
    },
    list,
  });
  const field = /** @type {HTMLTextAreaElement | null} */ (document.querySelector('[name="ids"]'));
  if (isKept && field?.value === text) field.value = wrong.map((part) => part.text).join('\n');
}

/** @param {string[]} texts @param {string} separator */
const named = (texts, separator) => texts.slice(0, MAX_NAMED).join(separator) + (texts.length > MAX_NAMED ? ' …' : '');

/** The new list, undefined if there is none; and the messages about it, each with its detail. @typedef {{ messages: Record<string, string>, list?: Watched[] | undefined }} Result */

/** Keeps the new list, and says what came of it. @param {Result} result */
function take({ messages, list }) {
  const problem = list ? keepWatchList(list) : null;
  showMessage(document, ...(problem === null ? Object.keys(messages) : [problem]));
  for (const [name, detail] of Object.entries(messages)) {
    const place = document.querySelector(`[data-message="${name}"] .detail`);
    if (place) place.textContent = detail;
  }
  const isKept = list !== undefined && problem === null;
  if (isKept) page.readAgain();
  return isKept;
}

/** The list with more entries; labels stay where there are some. @param {unknown[]} entries @returns {Result} */
function withEntries(entries) {
  const list = watchList();
  const known = new Map(list.map((each) => [each.thing, each]));
  for (const watched of entries.flatMap((entry) => watchedOf(entry) ?? [])) {
    known.set(watched.thing, { ...watched, label: known.get(watched.thing)?.label || watched.label });
  }
  const count = known.size - list.length;
  return { messages: count === 0 ? { known: '' } : { added: String(count) }, list: [...known.values()] };
}

/** Pasted ids, or the addresses of their pages: what follows one in its line, up to the next one, is its label. @param {string} text */
function partsOf(text) {
  /** By the prefixes of their ids. @type {Record<string, string>} */
  const kinds = JSON.parse(listElement().dataset.kinds ?? '{}');
  /** @param {string} id */
  const kindOf = (id) => kinds[/^([a-z]+)1./.exec(id)?.[1] ?? ''];
  /** @type {string[]} */
  const parts = [];
  for (const line of text.split('\n')) {
    let isFirst = true;
    for (const word of line.match(/[^\s,;]+[\s,;]*/g) ?? []) {
      const id = idIn(word);
      if (isFirst || ID_LIKE.test(id) || id.split('_').some(kindOf)) parts.push(word);
      else parts[parts.length - 1] += word;
      isFirst = false;
    }
  }
  return parts.map((part) => {
    const id = idIn(part);
    const label = part.replace(/^[^\s,;]+[\s,;]*([-–—:]\s+)?/, '');
    const sides = id.split('_').map(kindOf);
    const kind = sides.length === 1 ? sides[0] : sides.includes('token') && 'market';
    return { text: part.trim(), watched: watchedOf({ thing: `${kind}/${id}`, label: label.replace(/[\s,;]+$/, '') }) };
  });
}

/** The id in the first word of a text. @param {string} text */
const idIn = (text) => (/^[^\s,;]+/.exec(text)?.[0] ?? '').split('/').at(-1) ?? '';

/** @type {Result} */
const DAMAGED = { messages: { damaged: '' } };

/** The list with the entries of a file. @param {string} text */
function imported(text) {
  try {
    const { format, version, network, things } = JSON.parse(text);
    if (format !== FORMAT || version !== 1 || !Array.isArray(things)) return DAMAGED;
    if (network !== listElement().dataset.network) return { messages: { network: String(network).slice(0, 40) } };
    const wrong = things.findIndex((entry) => watchedOf(entry) === null);
    return wrong < 0 ? withEntries(things) : { messages: { entry: String(wrong + 1) } };
  } catch {
    return DAMAGED;
  }
}

function exportList() {
  const { network } = listElement().dataset;
  const content = JSON.stringify({ format: FORMAT, version: 1, network, things: watchList() }, null, 2);
  const href = URL.createObjectURL(new Blob([`${content}\n`], { type: 'application/json' }));
  Object.assign(document.createElement('a'), { href, download: `watch-list-${network}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

const listElement = () => /** @type {HTMLElement} */ (document.querySelector('#watch-list'));

/** What can be read of a stored text. @param {string | null} text @returns {States} */
function statesIn(text) {
  try {
    const entries = Object.entries(JSON.parse(text ?? '{}'));
    return Object.fromEntries(
      entries.filter(([, state]) => typeof state === 'string' && state.length < MAX_STATE_LENGTH),
    );
  } catch {
    return {};
  }
}

/** Keeps for the next visit what was seen of the things on the list. @param {States} states */
function keepSeen(states) {
  const own = watchList().flatMap(({ thing }) => (thing in states ? [[thing, states[thing]]] : []));
  storeText(SEEN_KEY, JSON.stringify(Object.fromEntries(own)));
}
