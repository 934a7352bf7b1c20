// The script of the pages. Every page works without it.
// @ts-check
import { addSwitch, word } from './settings.js';
import { addTimes, showTimes } from './times.js';
import { LIST_KEY, showWatched } from './watch-list.js';

function addThemeSwitch() {
  addSwitch('button.theme', 'theme', ['system', 'light', 'dark'], (theme, button) => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = word(`Theme: ${theme === 'system' ? 'auto' : theme}`);
  });
}

/** The key `/` moves the focus to the search, unless the visitor is typing. */
function addSearchKey() {
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = /** @type {HTMLElement | null} */ (event.target);
    if (target?.closest('input, textarea, select, [contenteditable]')) return;
    const input = /** @type {HTMLInputElement | null} */ (document.querySelector('form.search input'));
    if (!input) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

/** The suggestions are loaded when the search gets the focus. */
function addSuggestions() {
  document.addEventListener('focusin', async ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.matches('form.search input')) return;
    const { addSuggestionsTo } = await import('./suggestions.js');
    addSuggestionsTo(target);
  });
}

/** A click elsewhere, and Escape, close the menu "More" and the form for a label. */
function addMenuClosing() {
  /** @param {Node | null} kept */
  const closeAllBut = (kept) => {
    for (const menu of document.querySelectorAll(':is(.more-sections, .watch)[open]')) {
      if (menu.contains(kept)) continue;
      menu.removeAttribute('open');
      if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
    }
  };
  document.addEventListener('click', ({ target }) => closeAllBut(/** @type {Node} */ (target)));
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') closeAllBut(null);
  });
}

function addCopying() {
  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element && target.closest('button.copy');
    if (!(button instanceof HTMLButtonElement)) return;
    button.textContent = await copy(button.dataset.copy ?? '', button.previousElementSibling);
    button.ariaLabel = button.textContent;
    setTimeout(() => {
      button.ariaLabel = word('Copy');
      button.textContent = button === copyBeside ? '' : word('Copy');
    }, 2_000);
  });
}

/**
 * Copies a text; where the browser does not allow it, selects the element that shows the text. Returns what it did.
 *
 * @param {string} text
 * @param {Element | null} element
 */
async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return word('Copied');
  } catch {
    if (element) getSelection()?.selectAllChildren(element);
    return word('Selected');
  }
}

/** Puts a button that copies a short id beside it, over what follows: so nothing moves. @param {Element | undefined | null} id */
function offerCopy(id) {
  if (!id?.matches('.short')) return;
  copyBeside.dataset.copy = id.textContent ?? '';
  (id.closest('a') ?? id).after(copyBeside);
}

const copyBeside = document.createElement('button');
copyBeside.type = 'button';
copyBeside.className = 'copy beside';
copyBeside.ariaLabel = word('Copy');

/** Marks the id under the pointer, or with the focus, everywhere on the page, and offers to copy it. */
function attendToIds() {
  /** @type {Element[]} */
  let marked = [];
  /** @param {Event} event */
  const mark = (event) => {
    const target = /** @type {Element | null} */ (event.target);
    const id = target?.closest?.('.id') ?? target?.closest?.('a')?.querySelector('.id');
    const text = id?.textContent;
    if (text) offerCopy(id);
    for (const element of marked) element.classList.remove('same');
    marked = text ? [...document.querySelectorAll('.id')].filter((other) => other.textContent === text) : [];
    if (marked.length > 1) for (const element of marked) element.classList.add('same');
  };
  document.addEventListener('pointerover', mark);
  document.addEventListener('focusin', mark);
}

/** Puts the browser's host into commands if the server does not know its public URL. @param {ParentNode} root */
function completeCommands(root) {
  if (root.querySelector('meta[property="og:url"]')) return;
  for (const code of root.querySelectorAll('.curl code')) {
    const text = (code.textContent ?? '').replace(/'https?:\/\/[^/]+/, `'${location.origin}`);
    code.textContent = text;
    const button = /** @type {HTMLButtonElement | null} */ (
      code.closest('section')?.querySelector('button.copy') ?? null
    );
    if (button) button.dataset.copy = text;
  }
}

/** A link that chooses a language keeps the query of the page. */
function keepQueryInLanguageLinks() {
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element && target.closest('.languages a');
    if (!(link instanceof HTMLAnchorElement)) return;
    const query = new URLSearchParams(location.search);
    for (const [name, value] of new URL(link.href).searchParams) query.set(name, value);
    link.search = String(query);
  });
}

/** Lets the visitor watch the thing of a page, and follows changes in other tabs. */
function addWatching() {
  /** @param {Event} event */
  const used = async (event) => {
    const details = event.target instanceof Element && event.target.closest('details.watch');
    if (!(details instanceof HTMLDetailsElement)) return;
    if (event instanceof SubmitEvent) event.preventDefault();
    const { submitWatchForm, toggleWatchForm } = await import('./watch-form.js');
    if (!(event instanceof SubmitEvent)) toggleWatchForm(details);
    else submitWatchForm(details, event.submitter?.getAttribute('name') === 'remove');
  };
  // This event does not bubble.
  document.addEventListener('toggle', used, true);
  document.addEventListener('submit', used);
  addEventListener('storage', ({ key }) => {
    if (key === LIST_KEY || key === null) showWatched(document);
  });
}

/** Null on a page without charts. @type {typeof import('./charts.js') | null} */
let charts = null;

/** Lets charts be zoomed; until then, and where it fails, the pictures of the server are seen. */
async function showCharts() {
  if (!document.querySelector('svg[data-chart]')) return;
  charts ??= await import('./charts.js');
  charts.showCharts();
}

/** Adds to a document from the server what only a script can: also to one that was read again. @param {Document} page */
function complete(page) {
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (page.querySelectorAll('button.copy'))) {
    button.hidden = false;
  }
  charts?.makeRoomForPlots(page);
  showTimes(page);
  showWatched(page);
  completeCommands(page);
}

/** What the first view does not need is loaded after it; the place of the button is kept for it. */
async function startLater() {
  const button = /** @type {HTMLButtonElement | null} */ (document.querySelector('button.live'));
  if (button) button.hidden = document.documentElement.dataset.live === undefined;
  const watching = document.querySelector('#watch-list') ? await import('./watch.js') : null;
  const { startLive } = await import('./live.js');
  const page = startLive(complete, () => void showCharts(), watching?.source);
  watching?.startWatching(page);
}

addThemeSwitch();
addSearchKey();
addSuggestions();
addCopying();
addMenuClosing();
keepQueryInLanguageLinks();
complete(document);
addTimes();
addWatching();
attendToIds();
void showCharts();
void startLater();
