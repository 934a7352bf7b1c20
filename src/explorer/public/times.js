// Shows times as the visitor wants them: as the time that has passed, in the browser's time zone, or in UTC.
// @ts-check
import { addSwitch, setting, word } from './settings.js';

const KEY = 'times';
/** @type {readonly ['relative', 'local', 'utc']} */
const MODES = ['relative', 'local', 'utc'];
/** @type {Readonly<Record<string, string>>} */
const LABELS = { relative: 'Times: relative', local: 'Times: local', utc: 'Times: UTC' };

/** @type {readonly (readonly [number, Intl.RelativeTimeFormatUnit])[]} */
const UNITS = [
  [31_557_600, 'year'],
  [2_629_800, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];
const { lang } = document.documentElement;
const relative = new Intl.RelativeTimeFormat(lang);
/** In English, times are written as ISO 8601 does. @param {string} [timeZone] */
const formatOf = (timeZone) =>
  lang === 'en' ? null : new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'medium', timeZone });
const [localFormat, utcFormat] = [formatOf(), formatOf('UTC')];

let mode = setting(KEY, MODES);
let isPrinting = false;

/** @param {number} seconds */
function relativeText(seconds) {
  const past = Math.abs(seconds);
  for (const [length, unit] of UNITS) {
    const number = Math.floor(past / length);
    if (number > 0) return relative.format(seconds < 0 ? number : -number, unit);
  }
  return word('now');
}

/** @param {number} number */
const twoDigits = (number) => String(number).padStart(2, '0');

/** "2026-01-31 13:00:00" in the browser's time zone. @param {Date} date */
function localText(date) {
  if (localFormat) return localFormat.format(date);
  const day = [date.getFullYear(), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())].join('-');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  return `${day} ${time}`;
}

/** Writes the times in a part of a page. @param {ParentNode} root */
export function showTimes(root) {
  const now = Date.now();
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (
    root.querySelectorAll('time[datetime]:not([data-bare])')
  )) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    // The title from the server is the time in UTC.
    const [utc = ''] = time.title.split('\n');
    const local = localText(new Date(at));
    // On paper "2 min ago" would say nothing.
    const isRelative = mode === 'relative' && !isPrinting && time.dataset.relative !== undefined;
    const ago = isRelative ? relativeText(Math.round((now - at) / 1_000)) : '';
    const inUtc = utcFormat ? `${utcFormat.format(at)} UTC` : utc;
    const whole = mode === 'local' ? local : inUtc;
    const text = !isRelative ? whole : time.dataset.relative === 'after' ? `${whole}, ${ago}` : ago;
    if (utc !== '' && time.title === utc) time.title = `${utc}\n${local}`;
    if (text !== '' && time.textContent !== text) time.textContent = text;
  }
}

/** Keeps the times up to date, and adds the switch. */
export function addTimes() {
  addSwitch('button.times', KEY, MODES, (value, button) => {
    mode = value;
    button.textContent = word(LABELS[value] ?? '');
    showTimes(document);
  });
  setInterval(() => {
    if (document.visibilityState === 'visible' && mode === 'relative') showTimes(document);
  }, 1_000);
  document.addEventListener('visibilitychange', () => showTimes(document));
  for (const name of ['beforeprint', 'afterprint']) {
    addEventListener(name, () => {
      isPrinting = name === 'beforeprint';
      showTimes(document);
    });
  }
}
