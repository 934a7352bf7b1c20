// The watch list: things with private labels. It is kept in the browser only. Each page shows its labels.
// @ts-check
import { storedText } from './settings.js';

/**
 * `thing`: its kind and id, as in the path of its page, such as `pool/mpool1…`.
 *
 * @typedef {object} Watched
 * @property {string} thing
 * @property {string} label empty if the visitor gave none
 */

/** The paths of this site begin with this. */
const BASE = new URL('../../', import.meta.url).pathname;
/** Sites with other paths on the same host have lists of their own. */
export const LIST_KEY = `watch ${BASE}`;
/** As many as the server takes. */
export const MAX_WATCHED = 100;
const MAX_LABEL_LENGTH = 60;
const THING =
  /^(?:(?:address|delegation|pool|token|nft)\/[a-z0-9]{1,150}|market\/[A-Za-z0-9]{1,150}_[A-Za-z0-9]{1,150})$/;

/** The path of a thing's page. @param {string} thing */
const pagePathOf = (thing) => BASE + thing;

/** An entry of a list that may come from anywhere; null if it is none. @param {unknown} entry @returns {Watched | null} */
export function watchedOf(entry) {
  if (typeof entry !== 'object' || entry === null) return null;
  const { thing, label = '' } = /** @type {Record<string, unknown>} */ (entry);
  if (typeof thing !== 'string' || typeof label !== 'string' || !THING.test(thing)) return null;
  return { thing, label: shortLabel(label) };
}

/** A label on one line. @param {string} text */
export const shortLabel = (text) =>
  [...text.replace(/[\p{Cc}\s]+/gu, ' ').trim()].slice(0, MAX_LABEL_LENGTH).join('').trim();

/** The list; what cannot be read is left out. @returns {Watched[]} */
export function watchList() {
  /** @type {Map<string, Watched>} */
  const found = new Map();
  try {
    for (const entry of JSON.parse(storedText(LIST_KEY) ?? '[]')) {
      const watched = watchedOf(entry);
      if (watched && found.size < MAX_WATCHED) found.set(watched.thing, watched);
    }
  } catch {
    // It was damaged.
  }
  return [...found.values()];
}

/** Writes the labels beside the links to watched things, and says on the page of a thing whether it is watched. @param {ParentNode} page */
export function showWatched(page) {
  const list = watchList();
  for (const old of page.querySelectorAll('main bdi.label:not(summary *)')) old.remove();
  const labels = new Map(list.map(({ thing, label }) => [pagePathOf(thing), label]));
  const links = labels.size === 0 ? [] : page.querySelectorAll('main a[href]:not(#watch-list a)');
  for (const link of links) {
    const label = labels.get(link.getAttribute('href') ?? '');
    const element = document.createElement('bdi');
    if (label) link.after(Object.assign(element, { className: 'label', textContent: label, title: label }));
  }
  for (const details of /** @type {NodeListOf<HTMLDetailsElement>} */ (page.querySelectorAll('details.watch'))) {
    const label = labels.get(pagePathOf(details.dataset.thing ?? ''));
    details.hidden = false;
    details.toggleAttribute('data-watched', label !== undefined);
    const shown = details.querySelector('summary bdi');
    if (shown) shown.textContent = label ?? '';
    const field = details.querySelector('input');
    if (field && !details.open) field.value = label ?? '';
  }
}
