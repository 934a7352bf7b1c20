// The rows of the watch list: each is made of the server's one, and shows what is known of a thing.
// @ts-check
import { DECIMAL_MARK } from './settings.js';
import { showTimes } from './times.js';
import { pagePathOf } from './watch-list.js';
import { sumOfDecimals } from './watch-values.js';

/** @typedef {import('./watch-list.js').Watched} Watched */
/** @typedef {import('./watch-values.js').Facts} Facts */

/** The most changes of tokens that a row shows. */
const MAX_TOKENS = 3;

/** @template {Element} T @param {ParentNode} place @param {string} selector @param {new () => T} _type @returns {T} */
export const elementIn = (place, selector, _type) => /** @type {T} */ (place.querySelector(selector));
/** Has anything happened between two readings? @param {Facts} before @param {Facts} now */
export const hasChanged = (before, now) => before.revision !== now.revision || now.events > before.events;

/**
 * Shows how much has happened since the last visit, with links to the list and to the newest. Returns how much.
 *
 * @param {HTMLTableRowElement} row
 * @param {Facts} now
 * @param {Facts | undefined} seen
 */
function showEvents(row, now, seen) {
  const events = now.events - (seen?.events ?? now.events);
  elementIn(row, '.happened', HTMLElement).hidden = events <= 0;
  if (events <= 0) return 0;
  const list = elementIn(row, '.events', HTMLAnchorElement);
  const { one = '', many = '', page = '' } = list.dataset;
  const isMore = now.uncounted > (seen?.events ?? 0);
  list.textContent = events === 1 ? one : many.replace('{count}', `${events}${isMore ? '+' : ''}`);
  // Only what an address has had since then is a page.
  const since = page === '/history' ? `?since=${(seen?.time ?? 0) + 1}` : '';
  list.href = pagePathOf(row.dataset.thing + page + since);
  elementIn(row, '.newest', HTMLAnchorElement).href = pagePathOf(now.newest);
  const time = elementIn(row, 'time', HTMLTimeElement);
  const iso = new Date(now.time * 1_000).toISOString();
  if (time.dateTime !== iso) {
    time.dateTime = iso;
    time.title = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
  }
  showTimes(row);
  return events;
}

/** The text of a cell for a notification: without what is hidden, and without a time, which would not pass there. @param {HTMLElement} cell */
export const noticeText = (cell) =>
  [...cell.children]
    .filter((child) => !child.matches('[hidden]'))
    .map((child) => child.querySelector('.events') ?? child)
    .map((child) => (child.matches('.tokens') ? textsOf(child.childNodes).join(', ') : child.textContent.trim()))
    .filter((text) => text !== '')
    .join(cell.querySelector('.change') ? ', ' : ' ');

/** @param {Iterable<Node>} nodes */
const textsOf = (nodes) => [...nodes].map(({ textContent }) => textContent);

/**
 * Shows which tokens an address has more or less of. Returns whether there are some.
 *
 * @param {HTMLElement} place
 * @param {Facts['tokens']} now
 * @param {Facts['tokens']} seen
 */
function showTokens(place, now, seen) {
  const ids = now && seen ? [...new Set([...Object.keys(now), ...Object.keys(seen)])] : [];
  const lines = ids.flatMap((id) => {
    const [amount = '0', ticker = seen?.[id]?.[1] ?? ''] = now?.[id] ?? [];
    const change = sumOfDecimals(amount, seen?.[id]?.[0] ?? '0', -1n);
    if (change === '0') return [];
    const [line, unit] = [document.createElement('div'), document.createElement('bdi')];
    const number = spanOf('number', '');
    unit.textContent = ticker;
    writeNumber(number, signed(change));
    line.append(number, ' ', unit);
    return [line];
  });
  place.replaceChildren(...lines.slice(0, MAX_TOKENS), ...(lines.length > MAX_TOKENS ? ['…'] : []));
  place.hidden = lines.length === 0;
  return lines.length > 0;
}

/** Writes a change with its sign; an empty text and a dash stay. @param {string} change */
const signed = (change) => (/^\d/.test(change) ? `+${change}` : change.replace('-', '−'));

/** @param {Element} element */
export const thingOfRow = (element) => element.closest('tr')?.dataset.thing ?? '';

/** Makes a row of one that has everything. @param {HTMLTableRowElement} pattern @param {string} thing */
export function newRow(pattern, thing) {
  const row = /** @type {HTMLTableRowElement} */ (pattern.cloneNode(true));
  const [kind = '', id = ''] = thing.split('/');
  row.dataset.thing = thing;
  const link = elementIn(row, 'a', HTMLAnchorElement);
  link.href = pagePathOf(thing);
  link.append(shortened(id));
  for (const each of row.querySelectorAll(`[data-kind]:not([data-kind="${kind}"])`)) each.remove();
  return row;
}

/** An id as the server renders it. @param {string} id */
function shortened(id) {
  const element = spanOf('id short', '');
  element.append(spanOf('head', id.slice(0, -6)), spanOf('tail', id.slice(-6)));
  return element;
}

/** @param {string} name @param {string} text */
function spanOf(name, text) {
  const element = document.createElement('span');
  element.className = name;
  element.textContent = text;
  return element;
}

/**
 * Shows what is known of a thing. Returns whether it has changed.
 *
 * @param {HTMLTableRowElement} row
 * @param {Watched} watched
 * @param {Facts | undefined} now
 * @param {Facts | undefined} seen
 */
export function showRow(row, { label }, now, seen) {
  const field = elementIn(row, 'input', HTMLInputElement);
  if (field !== document.activeElement) field.value = label;
  if (!now) return false;
  const isChanged = seen !== undefined && hasChanged(seen, now);
  const events = showEvents(row, now, seen);
  const isMoved = isChanged && seen.value !== null && now.value !== null && seen.value !== now.value;
  const change = isMoved ? sumOfDecimals(now.value ?? '0', seen.value ?? '0', -1n) : isChanged ? '' : '–';
  writeNumber(elementIn(row, '.value', HTMLElement), now.isRefused ? '' : (now.value ?? '–'));
  elementIn(row, '.unit', HTMLElement).textContent = now.value === null ? '' : now.unit;
  const hasTokens = showTokens(elementIn(row, '.tokens', HTMLElement), now.tokens, seen?.tokens);
  writeNumber(elementIn(row, '.change', HTMLElement), signed(change));
  elementIn(row, '.refused', HTMLElement).hidden = !now.isRefused;
  elementIn(row, '.changed', HTMLElement).hidden = !isChanged || isMoved || hasTokens || events > 0;
  row.classList.toggle('has-changed', isChanged);
  return isChanged;
}

/** @param {HTMLElement} element @param {string} text */
function writeNumber(element, text) {
  // The style separates the digits, so that a copied number has no separators.
  const [first = '', ...groups] = text
    .split(/(?<!\..*)(?<=\d)(?=(?:\d{3})+(?:\.|$))/)
    .map((digits) => digits.replace('.', DECIMAL_MARK));
  if (element.textContent === [first, ...groups].join('')) return;
  element.replaceChildren(first, ...groups.map((digits) => spanOf('g', digits)));
}
