// What a visitor has set. It is kept in the browser only.
// @ts-check

/** The translations of words, by the English ones. @type {Readonly<Record<string, string>>} */
const words = JSON.parse(document.documentElement.dataset.words ?? '{}');

/** Returns a word in the language of the page. @param {string} english */
export const word = (english) => words[english] ?? english;

/**
 * The chosen value, or the first one if the browser has stored none.
 *
 * @param {string} key
 * @param {readonly [string, ...string[]]} values
 */
export function setting(key, values) {
  try {
    const stored = localStorage.getItem(key);
    return stored !== null && values.includes(stored) ? stored : values[0];
  } catch {
    return values[0];
  }
}

/** @param {string} key @param {string} value */
function keepSetting(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It applies to this page only.
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
    keepSetting(key, value);
    apply(value, button);
  });
  addEventListener('storage', (event) => {
    if (event.key !== key && event.key !== null) return;
    value = setting(key, values);
    apply(value, button);
  });
}
