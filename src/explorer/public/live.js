// Live pages: after an event that concerns it, a page is read again from its own URL, and what differs is changed in
// place. The server makes the page once for all who look. See docs/decisions/live-pages.md.
// @ts-check
import { reconcile } from './reconcile.js';
import { addSwitch, setting } from './settings.js';
import { EventStream, LIVE_MODES, showLiveState } from './stream.js';

/** @typedef {import('./stream.js').LiveEvent} LiveEvent */

/** Events that come together lead to one request. */
const GATHER_MS = 20;
/** The time over which the browsers of all visitors spread their requests after an event. */
const SPREAD_MS = 400;
/** The shortest time between two requests. */
const SPACING_MS = 700;
const MAX_REQUEST_MS = 10_000;
/** Pauses after failed requests: the first one, and the longest. */
const MIN_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;
/** The time between aiming at a link and clicking it. */
const AIM_MS = 3_000;
/** How often an outdated page is requested again. Another server may be behind the one of the stream. */
const MAX_OLD_PAGES = 5;
/** A page that was hidden for longer is read again before it takes events: they would be many. */
const MAX_HIDDEN_MS = 10 * 60_000;

const root = document.documentElement;

/** The address of a page whose activity it shows. @param {string} live */
const addressOf = (live) => (live.startsWith('address=') ? live.slice('address='.length) : null);

/** @param {string} tip */
const heightOf = (tip) => Number.parseInt(tip, 10);

/**
 * Of a page that is not the same for all visitors.
 *
 * @typedef {object} Source
 * @property {() => string} body what is posted for it
 * @property {() => boolean} isKept is it followed also while nobody sees it?
 * @property {() => void} shown called when the page has changed
 */

/**
 * Makes the page live. `complete` adds to a document what the script adds to each page; `shown` is called when the page has
 * changed.
 *
 * @param {(page: Document) => void} complete
 * @param {() => void} shown
 * @param {Source | undefined} source
 */
export function startLive(complete, shown, source) {
  const page = new LivePage(complete, shown, source);
  addSwitch('button.live', 'live', LIVE_MODES, () => page.follow());
  document.addEventListener('visibilitychange', () => page.follow());
  addEventListener('pageshow', () => page.follow());
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.inPlace === undefined) return;
    event.preventDefault();
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (typeof value === 'string') url.searchParams.set(name, value);
    history.replaceState(null, '', url);
    void page.answer();
  });
  return page;
}

export class LivePage {
  #complete;
  #shown;
  #source;
  /** @type {EventStream | null} */
  #stream = null;
  /** The newest block of the events, `HEIGHT-ID`. */
  #newest = '';
  /** Null while it is unknown. @type {boolean | null} */
  #isConnected = null;
  #isDirty = false;
  /** Is it to be read at once, also if it is not followed? */
  #isAsked = false;
  #isReading = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #earliest = 0;
  #failures = 0;
  #oldPages = 0;
  #readAt = performance.now();
  #hiddenAt = performance.now();
  #isFollowing = false;

  /** @param {(page: Document) => void} complete @param {() => void} shown @param {Source | undefined} source */
  constructor(complete, shown, source) {
    this.#complete = complete;
    this.#shown = shown;
    this.#source = source;
    setInterval(() => this.#refresh(), 1_000);
  }

  /** Starts or stops, as the visitor has chosen and as the page is seen. */
  follow() {
    const isSeen = document.visibilityState === 'visible' || this.#source?.isKept();
    const isWanted = isSeen && setting('live', LIVE_MODES) === 'on';
    if (isWanted && !this.#isFollowing) this.#start();
    if (!isWanted && this.#isFollowing) this.#stop();
    this.#showState();
  }

  #start() {
    this.#isFollowing = true;
    if (root.dataset.live === undefined) return;
    const address = addressOf(root.dataset.live);
    const subjects = address === null ? [] : [['address', address]];
    this.#stream ??= new EventStream(subjects, (event) => this.#onEvent(event));
    const isOld = performance.now() - Math.max(this.#hiddenAt, this.#readAt) > MAX_HIDDEN_MS;
    this.#newest = '';
    this.#stream.start(isOld ? '' : (root.dataset.tip ?? ''));
  }

  #stop() {
    this.#isFollowing = false;
    this.#isConnected = null;
    this.#hiddenAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stream?.stop();
  }

  /** @param {LiveEvent} event */
  #onEvent(event) {
    const { name, id = '' } = event;
    if (name === 'opened' || name === 'closed') this.#isConnected = name === 'opened';
    if (id !== '') this.#newest = id;
    this.#showState();
    if (this.#concerns(event)) this.#changed();
  }

  /** Can the page be another one after this event? @param {LiveEvent} event */
  #concerns({ name, transactions = [], subjects = [], isResumed }) {
    const [kind, subject = ''] = (root.dataset.live ?? '').split('=');
    const isAwaited = kind === 'awaited';
    const isOfMempool = kind === 'mempool' || kind === 'all' || transactions.includes(subject);
    switch (name) {
      case 'opened':
        // What was pending before is not told again.
        return !isResumed || (kind !== 'blocks' && !isAwaited);
      case 'block':
        return !isAwaited || transactions.includes(subject);
      case 'reorg':
      case 'lag':
        return !isAwaited;
      case 'activity':
        return kind === 'address' && subjects.includes(subject);
      case 'status':
        return kind === 'status' || kind === 'all';
      case 'tx_seen':
        return isOfMempool;
      case 'tx_dropped':
        if (kind === 'address') return transactions.some((each) => document.body.textContent?.includes(each));
        return isOfMempool;
      default:
        return false;
    }
  }

  #changed() {
    this.#isDirty = true;
    this.#plan();
  }

  /** Reads the page as soon as it may be, followed or not. */
  readAgain() {
    this.#isAsked = true;
    this.#changed();
  }

  #plan() {
    const isWanted = this.#isDirty && (this.#isFollowing || this.#isAsked);
    if (!isWanted || this.#isReading || this.#timer !== undefined) return;
    const spread = this.#isAsked ? 0 : GATHER_MS + Math.random() * SPREAD_MS;
    const wait = Math.max(spread, this.#earliest - performance.now());
    this.#timer = setTimeout(() => this.#read(), wait);
  }

  /** Reads a page again that waits for a server that is not ready. */
  #refresh() {
    const seconds = Number(root.dataset.refresh);
    if (this.#isFollowing && seconds > 0 && performance.now() - this.#readAt > seconds * 1_000) this.#changed();
  }

  /** Shows the page at its address, which a form has changed; the browser loads it where it is an error. */
  async answer() {
    const { href } = location;
    try {
      const next = await requestPage();
      if (next === null) throw new Error('a redirect');
      if (location.href === href) this.#show(next);
    } catch {
      location.reload();
    }
  }

  async #read() {
    this.#timer = undefined;
    this.#isReading = true;
    this.#isDirty = false;
    this.#readAt = performance.now();
    this.#earliest = this.#readAt + SPACING_MS;
    const { href } = location;
    const body = this.#source?.body();
    try {
      const next = await requestPage(body);
      await noLinkIsAimedAt();
      // Last: the aimed link may be pressed by now.
      await released;
      if (this.#source?.body() !== body) this.#isDirty = true;
      // A form may have changed the address meanwhile: it shows its own answer.
      else if (next !== null && location.href === href) this.#show(next);
      this.#end(true);
    } catch {
      this.#end(false);
    }
  }

  /** @param {boolean} isRead */
  #end(isRead) {
    this.#isReading = false;
    if (isRead) this.#failures = 0;
    else {
      this.#isDirty = true;
      this.#earliest = performance.now() + Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** this.#failures++);
    }
    this.#plan();
  }

  /** @param {Document} next */
  #show(next) {
    const { tip = '' } = next.documentElement.dataset;
    const isOld = this.#newest !== '' && tip !== this.#newest && heightOf(tip) <= heightOf(this.#newest);
    this.#oldPages = isOld ? this.#oldPages + 1 : 0;
    if (isOld && this.#oldPages <= MAX_OLD_PAGES) {
      this.#isDirty = true;
      return;
    }
    const before = root.dataset.live;
    this.#isAsked = false;
    this.#complete(next);
    showPage(next);
    this.#shown();
    this.#source?.shown();
    const after = root.dataset.live;
    if (before !== undefined && after !== undefined && addressOf(before) === addressOf(after)) return;
    this.#stop();
    this.#stream = null;
    this.follow();
  }

  #showState() {
    const button = document.querySelector('button.live');
    if (!(button instanceof HTMLButtonElement)) return;
    button.hidden = root.dataset.live === undefined;
    showLiveState(this.#isConnected);
  }
}

/**
 * Requests the page again. Returns null if its URL leads elsewhere now. Throws if the server cannot be reached or is too
 * busy.
 *
 * @param {string} [body] what is posted for it
 * @returns {Promise<Document | null>}
 */
async function requestPage(body) {
  const response = await fetch(location.href, {
    ...(body !== undefined && { method: 'POST', body }),
    headers: { accept: 'text/html' },
    cache: 'no-store',
    redirect: 'manual',
    signal: AbortSignal.timeout(MAX_REQUEST_MS),
  });
  if (response.type === 'opaqueredirect') return null;
  const { status } = response;
  // A page that waits for the server shows how far the server is.
  const isExpected = [200, 404].includes(status) || (status === 503 && root.dataset.live === undefined);
  const next = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (!isExpected || scriptOf(next) === undefined) throw new Error(`status ${status}`);
  if (scriptOf(next) !== scriptOf(document)) location.reload();
  return next;
}

/** The path of the script, which changes with the version of the explorer. @param {Document} page */
function scriptOf(page) {
  return page.querySelector('script')?.getAttribute('src') ?? undefined;
}

/** Resolves when the pointer is not pressed: a link must not move away under it. */
let released = Promise.resolve();
addEventListener('pointerdown', ({ button }) => {
  // A menu takes the release of the other buttons.
  if (button !== 0) return;
  released = new Promise((resolve) => {
    for (const name of ['pointerup', 'pointercancel', 'contextmenu', 'blur']) {
      addEventListener(name, () => resolve(), { once: true });
    }
  });
});

/** When the pointer came to the link of a row at which it is. */
let aimedAt = Number.NEGATIVE_INFINITY;
addEventListener('pointerover', ({ target, pointerType }) => {
  const isAimed = pointerType === 'mouse' && target instanceof Element && target.closest('tbody a, .strip a') !== null;
  aimedAt = isAimed ? performance.now() : Number.NEGATIVE_INFINITY;
});

/** Resolves when nobody is about to click the link of a row, which a new row would move away. */
async function noLinkIsAimedAt() {
  for (;;) {
    const left = aimedAt + AIM_MS - performance.now();
    if (left <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, GATHER_MS)));
  }
}

/** Changes the page to another one. @param {Document} next */
function showPage(next) {
  const around = ancestorsOf(document.activeElement);
  for (const name of ['tip', 'live', 'refresh']) {
    const value = next.documentElement.dataset[name];
    if (value === undefined) delete root.dataset[name];
    else root.dataset[name] = value;
  }
  if (document.title !== next.title) document.title = next.title;
  reconcile(document.body, next.body);
  // The focus stays near what had it and is gone.
  if (around[0]?.isConnected !== false) return;
  const nearest = around.find((element) => element.isConnected && element.hasAttribute('tabindex'));
  if (nearest instanceof HTMLElement) nearest.focus({ preventScroll: true });
}

/** An element and those around it. @param {Element | null} element */
function ancestorsOf(element) {
  const all = [];
  for (let each = element; each; each = each.parentElement) all.push(each);
  return all;
}
