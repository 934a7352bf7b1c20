// Suggestions below the search: the results of `/search` while the visitor types. They are chosen by arrow keys and
// Enter, or by a click (the pattern "combobox" of ARIA).
// @ts-check
import { translateApiText, word } from './settings.js';
import { showTimes } from './times.js';

const SEARCH = new URL('../../api/v2/search', import.meta.url);
/** The things that have pages. @type {Readonly<Record<string, { path: string, name: string } | undefined>>} */
const THINGS = JSON.parse(document.documentElement.dataset.things ?? '{}');
/** The pause in typing after which the server is asked. */
const PAUSE_MS = 150;
const MAX_SHOWN = 8;
/** A shorter text has too many meanings, unless it is a height. */
const MIN_LENGTH = 2;
const MAX_LENGTH = 1_000;

/** @typedef {{ type: string, id: string, label: string, detail: string }} Result */

/** @type {WeakSet<HTMLInputElement>} */
const known = new WeakSet();
let lists = 0;

/** @param {HTMLInputElement} input */
export function addSuggestionsTo(input) {
  if (known.has(input)) return;
  known.add(input);
  new Suggestions(input);
}

class Suggestions {
  #input;
  #list = document.createElement('ul');
  #status = document.createElement('span');
  /** @type {HTMLElement[]} */
  #options = [];
  #active = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {AbortController | null} */
  #asking = null;

  /** @param {HTMLInputElement} input */
  constructor(input) {
    this.#input = input;
    const list = this.#list;
    list.id = `suggestions-${++lists}`;
    list.className = 'suggestions';
    list.hidden = true;
    list.setAttribute('role', 'listbox');
    list.setAttribute('aria-label', word('Suggestions'));
    this.#status.className = 'sr';
    this.#status.setAttribute('role', 'status');
    input.setAttribute('role', 'combobox');
    input.setAttribute('aria-autocomplete', 'list');
    input.setAttribute('aria-expanded', 'false');
    input.setAttribute('aria-controls', list.id);
    input.form?.append(list, this.#status);
    input.addEventListener('input', () => this.#planAsking());
    input.addEventListener('keydown', (event) => this.#onKey(event));
    input.addEventListener('blur', () => this.#close());
    // The focus stays in the field.
    list.addEventListener('pointerdown', (event) => event.preventDefault());
    // What was typed while this script was being loaded.
    if (input.value !== input.defaultValue) this.#planAsking();
  }

  #planAsking() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    // The options are still those of the text before.
    this.#activate(-1);
    const text = this.#input.value.trim();
    const isLongEnough = text.length >= MIN_LENGTH || /^\d$/.test(text);
    if (!isLongEnough || text.length > MAX_LENGTH) this.#close();
    else this.#timer = setTimeout(() => this.#ask(text), PAUSE_MS);
  }

  /** @param {string} text */
  async #ask(text) {
    const asking = new AbortController();
    this.#asking = asking;
    try {
      const response = await fetch(`${SEARCH}?${new URLSearchParams({ q: text })}`, { signal: asking.signal });
      const { items = [] } = response.ok ? await response.json() : {};
      if (this.#asking === asking && document.activeElement === this.#input) this.#show(items);
    } catch {
      // Another text is asked for, or the server cannot be reached: the search itself will say so.
    }
  }

  /** @param {Result[]} results */
  #show(results) {
    const shown = results.slice(0, MAX_SHOWN);
    this.#options = shown.flatMap((result) => optionOf(result, () => this.#choose(result)) ?? []);
    for (const [i, option] of this.#options.entries()) option.id = `${this.#list.id}-${i}`;
    this.#list.replaceChildren(...this.#options);
    showTimes(this.#list);
    this.#activate(-1);
    const { length } = this.#options;
    this.#status.textContent = length === 0 ? word('No suggestions') : `${word('Suggestions')}: ${length}`;
    this.#list.hidden = length === 0;
    this.#input.setAttribute('aria-expanded', String(length > 0));
  }

  #close() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = null;
    this.#options = [];
    this.#activate(-1);
    this.#list.hidden = true;
    this.#status.textContent = '';
    this.#input.setAttribute('aria-expanded', 'false');
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const count = this.#options.length;
    if (count === 0 || event.isComposing) return;
    // One place is the field itself.
    if (event.key === 'ArrowDown') this.#activate(this.#active + 1 < count ? this.#active + 1 : -1);
    else if (event.key === 'ArrowUp') this.#activate(this.#active >= 0 ? this.#active - 1 : count - 1);
    else if (event.key === 'Escape') this.#close();
    else if (event.key === 'Enter' && this.#active >= 0) this.#options[this.#active]?.click();
    else return;
    event.preventDefault();
  }

  /** @param {number} index −1: none */
  #activate(index) {
    this.#options[this.#active]?.setAttribute('aria-selected', 'false');
    this.#active = index;
    const option = this.#options[index];
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option) this.#input.setAttribute('aria-activedescendant', option.id);
    else this.#input.removeAttribute('aria-activedescendant');
  }

  /** @param {Result} result */
  #choose({ type, id }) {
    this.#close();
    location.assign(new URL(`../../${THINGS[type]?.path}/${encodeURIComponent(id)}`, import.meta.url));
  }
}

/** These have labels of their own. */
const NAMED = ['token', 'nft', 'market'];

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:]+Z$/;

/** An option for a result; null if the result has no page. @param {Result} result @param {() => void} choose */
function optionOf({ type, id, label, detail }, choose) {
  const thing = THINGS[type];
  if (thing === undefined) return null;
  const option = document.createElement('li');
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  const [kind, name, more] = [
    word(thing.name),
    NAMED.includes(type) ? label : translateApiText(label),
    translateApiText(detail),
  ];
  const texts = [
    ...(name.startsWith(kind) || more.startsWith(kind) ? [] : [['span', 'badge', kind]]),
    ['bdi', 'name', visible(name)],
    ['span', 'id', id.length > 24 ? `${id.slice(0, 12)}…${id.slice(-6)}` : id],
    [ISO_TIME.test(detail) ? 'time' : 'bdi', 'muted', visible(more)],
  ];
  for (const [name = '', className = '', text = ''] of texts) {
    const element = document.createElement(name);
    element.className = className;
    element.textContent = text;
    if (element instanceof HTMLTimeElement) {
      element.dateTime = text;
      element.title = text.replace('T', ' ').replace('Z', ' UTC');
    }
    option.append(element, ' ');
  }
  option.addEventListener('click', choose);
  return option;
}

/** As in `src/explorer/parts/chain-text.ts`. */
const HIDDEN =
  /(?<!\p{Extended_Pictographic})\ufe0f|(?!\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Replaces the invisible characters of a text from the chain by their code points. @param {string} text */
function visible(text) {
  return text.replace(HIDDEN, (character) => {
    return `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}
