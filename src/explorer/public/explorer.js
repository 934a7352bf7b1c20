// The script of the pages. Every page works without it.
// @ts-check

const THEME_KEY = 'theme';
/** @type {readonly string[]} */
const THEMES = ['system', 'light', 'dark'];

/** The chosen theme, if the browser has stored it. */
function storedTheme() {
  try {
    return localStorage.getItem(THEME_KEY) ?? 'system';
  } catch {
    return 'system';
  }
}

/** @param {string} theme */
function applyTheme(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  const button = document.querySelector('button.theme');
  if (!button) return;
  button.textContent = theme === 'system' ? 'Theme: auto' : `Theme: ${theme}`;
}

function addThemeSwitch() {
  let theme = storedTheme();
  if (!THEMES.includes(theme)) theme = 'system';
  applyTheme(theme);
  const button = /** @type {HTMLButtonElement | null} */ (document.querySelector('button.theme'));
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
    applyTheme(theme);
    try {
      localStorage.setItem(THEME_KEY, theme);
    } catch {
      // The theme applies to this page only.
    }
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

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll('button.copy'))) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(button.dataset.copy ?? '');
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Copy failed';
      }
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
  }
}

/** @type {readonly (readonly [number, string, string])[]} */
const UNITS = [
  [31_557_600, 'year', 'years'],
  [2_629_800, 'month', 'months'],
  [86_400, 'day', 'days'],
  [3_600, 'hour', 'hours'],
  [60, 'min', 'min'],
  [1, 's', 's'],
];

/** @param {number} seconds */
function relativeText(seconds) {
  const past = Math.abs(seconds);
  for (const [unit, one, many] of UNITS) {
    const number = Math.floor(past / unit);
    if (number === 0) continue;
    const text = `${number} ${number === 1 ? one : many}`;
    return seconds < 0 ? `in ${text}` : `${text} ago`;
  }
  return 'now';
}

function showRelativeTimes() {
  const now = Date.now();
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (document.querySelectorAll('time[data-relative]'))) {
    const at = Date.parse(time.dateTime);
    if (!Number.isNaN(at)) time.textContent = relativeText(Math.round((now - at) / 1_000));
  }
}

/** Marks the id under the pointer, or with the focus, everywhere on the page. */
function markSameIds() {
  /** @type {Element[]} */
  let marked = [];
  /** @param {Event} event */
  const mark = (event) => {
    const target = /** @type {Element | null} */ (event.target);
    const id = target?.closest?.('.id') ?? target?.closest?.('a.thing')?.querySelector('.id');
    const text = id?.textContent;
    for (const element of marked) element.classList.remove('same');
    marked = text ? [...document.querySelectorAll('.id')].filter((other) => other.textContent === text) : [];
    if (marked.length > 1) for (const element of marked) element.classList.add('same');
  };
  document.addEventListener('pointerover', mark);
  document.addEventListener('focusin', mark);
}

/** Puts the browser's host into commands if the server does not know its public URL. */
function completeCommands() {
  const canonical = document.querySelector('meta[property="og:url"]');
  if (canonical) return;
  for (const code of document.querySelectorAll('.curl code')) {
    const text = (code.textContent ?? '').replace(/'https?:\/\/[^/]+/, `'${location.origin}`);
    code.textContent = text;
    const button = /** @type {HTMLButtonElement | null} */ (
      code.closest('section')?.querySelector('button.copy') ?? null
    );
    if (button) button.dataset.copy = text;
  }
}

/** Reloads a page that says "try again". */
function reloadLater() {
  const link = /** @type {HTMLElement | null} */ (document.querySelector('[data-reload]'));
  if (link) setTimeout(() => location.reload(), 1_000 * Math.max(2, Number(link.dataset.reload)));
}

addThemeSwitch();
addSearchKey();
addCopyButtons();
showRelativeTimes();
setInterval(showRelativeTimes, 10_000);
markSameIds();
completeCommands();
reloadLater();
