// What a visitor has set. It is kept in the browser only.
// @ts-check

/** The translations of words, by the English ones. @type {Readonly<Record<string, string>>} */
const words = JSON.parse(document.documentElement.dataset.words ?? '{}');

/**
 * Returns a word in the language of the page, with values in its places.
 *
 * @param {string} english
 * @param {Readonly<Record<string, string>>} values
 */
export const word = (english, values = {}) =>
  (words[english] ?? english).replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

/** Translates a text of the API that is one of the words, with values in its places. @param {string} text */
export function translateApiText(text) {
  for (const english of Object.keys(words)) {
    const [first = '', ...rest] = english.split(/\{(\w+)\}/);
    const literals = [first, ...rest.filter((_, i) => i % 2 === 1)];
    const pattern = literals.map((each) => each.replace(/[^\p{L}\d]/gu, '\\$&')).join('(.+)');
    const match = new RegExp(`^${pattern}$`).exec(text);
    const names = rest.filter((_, i) => i % 2 === 0);
    if (match) return word(english, Object.fromEntries(names.map((name, i) => [name, match[i + 1] ?? ''])));
  }
  return text;
}

/** The mark between the whole and the fraction of a number. */
export const DECIMAL_MARK =
  new Intl.NumberFormat(document.documentElement.lang).formatToParts(0.5).find(({ type }) => type === 'decimal')
    ?.value ?? '.';

/**
 * The chosen value, or the first one if the browser has stored none.
 *
 * @param {string} key
 * @param {readonly [string, ...string[]]} values
 */
export function setting(key, values) {
  const text = storedText(key);
  return text !== null && values.includes(text) ? text : values[0];
}

/** What the browser has stored; null if there is nothing, or it refuses. @param {string} key */
export function storedText(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores a text, also for the other tabs. False if the browser refuses. @param {string} key @param {string} text */
export function storeText(key, text) {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes a button choose the next of some values at each click, also for the other tabs.
 *
 * @param {string} selector
 * @param {string} key
 * @param {readonly [string, ...string[]]} values
 * @param {(value: string, button: HTMLButtonElement) => void} apply
 */
export function addSwitch(selector, key, values, apply) {
  const button = /** @type {HTMLButtonElement | null} */ (document.querySelector(selector));
  if (!button) return;
  let value = setting(key, values);
  button.hidden = false;
  apply(value, button);
  button.addEventListener('click', () => {
    value = values[(values.indexOf(value) + 1) % values.length] ?? values[0];
    // Where the browser refuses it applies to this page only.
    storeText(key, value);
    apply(value, button);
  });
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    value = setting(key, values);
    apply(value, button);
  });
}
