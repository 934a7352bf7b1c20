// Changes of the watch list, and the form for them on the page of a thing.
// @ts-check
import { storeText } from './settings.js';
import { LIST_KEY, MAX_WATCHED, shortLabel, showWatched, watchList } from './watch-list.js';

/** @typedef {import('./watch-list.js').Watched} Watched */

/** Keeps the list, and shows it on this page. Returns why it could not be kept; null if it was. @param {readonly Watched[]} list */
export function keepWatchList(list) {
  if (list.length > MAX_WATCHED) return 'full';
  if (!storeText(LIST_KEY, JSON.stringify(list))) return 'refused';
  showWatched(document);
  return null;
}

/** Adds a thing, or changes its label. @param {string} thing @param {string} label */
export function watch(thing, label) {
  const list = watchList();
  const at = list.findIndex((each) => each.thing === thing);
  list.splice(at < 0 ? list.length : at, at < 0 ? 0 : 1, { thing, label: shortLabel(label) });
  return keepWatchList(list);
}

/** @param {string} thing */
export const unwatch = (thing) => keepWatchList(watchList().filter((each) => each.thing !== thing));

/** Shows of the messages only these; null: none. @param {ParentNode} place @param {(string | null)[]} names */
export function showMessage(place, ...names) {
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (place.querySelectorAll('[data-message]'))) {
    each.hidden = !names.includes(each.dataset.message ?? null);
  }
}

/** The press that opens the form watches the thing; what closes the form keeps the label. @param {HTMLDetailsElement} details */
export function toggleWatchForm(details) {
  const { thing = '', watched } = details.dataset;
  const field = details.querySelector('input');
  if (details.open !== (watched !== undefined)) showMessage(details, watch(thing, field?.value ?? ''));
  if (details.open) field?.focus();
}

/** Does what a button of the form says. @param {HTMLDetailsElement} details @param {boolean} isRemoved */
export function submitWatchForm(details, isRemoved) {
  if (isRemoved) unwatch(details.dataset.thing ?? '');
  details.open = false;
  details.querySelector('summary')?.focus();
}
