// The page of the watch list: it is read by posting the list, without labels, and what was seen of each thing, in texts of
// the server. It is followed as other pages are, also while it is hidden, but only in one tab.
// @ts-check
import { setting, storedText, storeText } from './settings.js';
import { keepWatchList, showMessage, unwatch, watch } from './watch-form.js';
import { LIST_KEY, watchedOf, watchList } from './watch-list.js';

/** @typedef {import('./watch-list.js').Watched} Watched */
/** @typedef {Record<string, string>} States what was seen, by thing */

const NOTIFY_KEY = 'watch notifications';
const SEEN_KEY = `${LIST_KEY} seen`;
const FORMAT = 'mintlayer watch list';
const MAX_FILE_BYTES = 1_000_000;
const MAX_STATE_LENGTH = 200;
/** The most pasted texts that are named as wrong. */
const MAX_NAMED = 5;
/** More changes at once are one notification. */
const MAX_NOTIFICATIONS = 3;

/** The other tabs with the list: one tells them that something has changed. */
const tabs = new BroadcastChannel(LIST_KEY);
/** What the visitor had seen before this visit, which a reload does not end. @type {States} */
let seen = { ...statesIn(storedText(SEEN_KEY)), ...history.state?.seen };
/** The notifications that were shown since the page was hidden. @type {States} */
let told = {};
/** Is this the tab that follows while it is hidden? */
let isKeeper = false;
/** @type {import('./live.js').LivePage} */
let page;

/** How the page is read. @type {import('./live.js').Source} */
export const source = {
  body: () => JSON.stringify({ things: watchList().map(({ thing }) => [thing, seen[thing] ?? null]) }),
  isKept: () => isKeeper,
  shown,
};

const isHidden = () => document.visibilityState === 'hidden';
const fields = () =>
  /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('#watched input')]).map((field) => {
    const { thing = '', state = '', notice } = field.dataset;
    return { field, thing, state, notice };
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
  const { rest, ...result } = pasted(field.value);
  if (take(result)) field.value = rest;
}

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

/** The list with more entries; labels stay where there are some. @param {unknown[]} entries @param {string} message @returns {Result} */
function withEntries(entries, message) {
  const list = watchList();
  const known = new Map(list.map((each) => [each.thing, each]));
  for (const watched of entries.flatMap((entry) => watchedOf(entry) ?? [])) {
    known.set(watched.thing, { ...watched, label: known.get(watched.thing)?.label || watched.label });
  }
  const count = known.size - list.length;
  return { messages: { [count === 1 ? `${message}-one` : message]: String(count) }, list: [...known.values()] };
}

/** The list with pasted ids, or the addresses of their pages; and those that name nothing to watch. @param {string} text */
function pasted(text) {
  /** By the prefixes of their ids. @type {Record<string, string>} */
  const kinds = JSON.parse(listElement().dataset.kinds ?? '{}');
  const ids = text.split(/[\s,;]+/).filter((each) => each !== '');
  const entries = ids.map((each) => {
    const id = each.split('/').at(-1) ?? '';
    return { thing: `${id.includes('_') ? 'market' : kinds[id.slice(0, id.indexOf('1'))]}/${id}` };
  });
  const isRight = entries.map((entry) => watchedOf(entry) !== null);
  const wrong = ids.filter((_, i) => !isRight[i]);
  const named = wrong.slice(0, MAX_NAMED).map((each) => each.slice(0, 40));
  const unknown = { unknown: `${named.join(', ')}${wrong.length > MAX_NAMED ? ' …' : ''}` };
  const rest = wrong.join('\n');
  if (wrong.length === ids.length) return { messages: unknown, rest };
  const { messages, list } = withEntries(
    entries.filter((_, i) => isRight[i]),
    'added',
  );
  return { messages: wrong.length === 0 ? messages : { ...messages, ...unknown }, list, rest };
}

/** @type {Result} */
const DAMAGED = { messages: { damaged: '' } };

/** The list with the entries of a file. @param {string} text */
function imported(text) {
  try {
    const { format, version, network, things } = JSON.parse(text);
    if (format !== FORMAT || version !== 1 || !Array.isArray(things)) return DAMAGED;
    if (network !== listElement().dataset.network) return { messages: { network: String(network).slice(0, 40) } };
    const wrong = things.findIndex((entry) => watchedOf(entry) === null);
    return wrong < 0 ? withEntries(things, 'imported') : { messages: { entry: String(wrong + 1) } };
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
