// The page of the watch list: what is watched now has, what has changed since the last visit, and the list as a file. It has
// the event stream of its things, also in a hidden tab, but only in one of them.
// @ts-check
import { addSwitch, setting, storeText } from './settings.js';
import { EventStream, LIVE_MODES, showLiveState } from './stream.js';
import { keepWatchList, showMessage, unwatch, watch } from './watch-form.js';
import { LIST_KEY, watchedOf, watchList } from './watch-list.js';
import { elementIn, hasChanged, newRow, noticeText, showRow, thingOfRow } from './watch-rows.js';
import { areFacts, fetchFacts, rememberedValues, rememberValues, STORED_VALUES_KEY } from './watch-values.js';

/** @typedef {import('./watch-list.js').Watched} Watched */
/** @typedef {import('./watch-values.js').Facts} Facts */

const NOTIFY_KEY = 'watch notifications';
/** What this tab has shown as seen before, so that it shows the same changes after a reload. */
const VISIT_KEY = `${LIST_KEY} visit`;
const FORMAT = 'mintlayer watch list';
const MAX_FILE_BYTES = 1_000_000;
const MAX_REQUESTS = 4;
/** Pauses after failed requests: the first one, and the longest. */
const MIN_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 60_000;
/** More changes at once are one notification. */
const MAX_NOTIFICATIONS = 3;

const root = /** @type {HTMLElement} */ (document.querySelector('#watch-list'));
const body = /** @type {HTMLTableSectionElement} */ (root.querySelector('#watched tbody'));
const pattern = /** @type {HTMLTableRowElement} */ (body.rows[0]);
const { coin = '', network = '', kinds = '{}' } = root.dataset;
/** The kinds of things by the prefixes of their ids. @type {Record<string, string>} */
const KINDS = JSON.parse(kinds);
const { title } = document;

/** @param {string} name */
const button = (name) => elementIn(root, `[name="${name}"]`, HTMLButtonElement);

/** @param {string} tip */
const heightOf = (tip) => Number.parseInt(tip, 10) || 0;
/** @param {Watched[]} list */
const idsOf = (list) => list.map(({ thing }) => thing).join();

class WatchPage {
  #list = watchList();
  #values = rememberedValues();
  /** What the visitor saw last. @type {Map<string, Facts>} */
  #seen = new Map();
  /** @type {Map<string, HTMLTableRowElement>} */
  #rows = new Map();
  /** @type {EventStream | null} */
  #stream = null;
  /** Null while it is unknown. @type {boolean | null} */
  #isConnected = null;
  /** The newest block that is known, `HEIGHT-ID`. */
  #tip = '';
  /** The oldest block of what was read before the stream begins. */
  #from = '';
  /** @type {Set<string>} */
  #dirty = new Set();
  #isReading = false;
  #failures = 0;
  /** Is this the tab that follows while it is hidden? */
  #isKeeper = false;

  start() {
    this.#seen = this.#ofThisVisit() ?? this.#asLastSeen();
    this.#keepVisit();
    pattern.remove();
    root.hidden = false;
    for (const each of document.querySelectorAll('.needs-script')) each.remove();
    this.#show();
    addSwitch('button.live', 'live', LIVE_MODES, () => this.#follow());
    document.addEventListener('visibilitychange', () => this.#lookedOrLeft());
    addEventListener('storage', ({ key }) => {
      if (key === LIST_KEY || key === null) this.#listChanged();
      if (key === STORED_VALUES_KEY) this.#valuesChanged();
    });
    body.addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('[name="remove"]')) this.#keepList(unwatch(thingOfRow(target)));
    });
    body.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement) this.#keepList(watch(thingOfRow(target), target.value));
    });
    button('export').addEventListener('click', () => exportList());
    elementIn(root, '[name="import"]', HTMLInputElement).addEventListener(
      'change',
      (event) => void this.#import(event),
    );
    const form = elementIn(root, 'form', HTMLFormElement);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const field = elementIn(form, 'textarea', HTMLTextAreaElement);
      if (this.#take(added(field.value))) field.value = '';
    });
    this.#addNotifications();
    // Others wait here until this tab is closed.
    void navigator.locks?.request(LIST_KEY, () => {
      this.#isKeeper = true;
      this.#follow();
      return new Promise(() => {});
    });
  }

  /** Starts or stops, as the visitor has chosen and as the page is seen. */
  #follow() {
    const isWanted = this.#isWanted();
    if (!isWanted) this.#stop();
    // Without a stream, too, a page that is seen shows what there is now.
    const isRead = this.#stream !== null || this.#isReading;
    if (!isRead && (isWanted || document.visibilityState === 'visible')) this.#readAll();
    showLiveState(this.#isConnected);
  }

  #isWanted() {
    return setting('live', LIVE_MODES) === 'on' && (document.visibilityState === 'visible' || this.#isKeeper);
  }

  #stop() {
    this.#stream?.stop();
    this.#stream = null;
    this.#isConnected = null;
  }

  #readAll() {
    if (this.#stream === null) this.#from = '';
    for (const { thing } of this.#list) this.#dirty.add(thing);
    void this.#read();
  }

  /** Reads what may have changed, and begins to follow it. */
  async #read() {
    if (this.#isReading) return;
    this.#isReading = true;
    /** @type {string[]} */
    const changed = [];
    let isRead = true;
    while (isRead && this.#dirty.size > 0) {
      const some = [...this.#dirty].slice(0, MAX_REQUESTS);
      for (const thing of some) this.#dirty.delete(thing);
      const read = await Promise.all(some.map((thing) => this.#readOne(thing)));
      for (const [i, thing] of some.entries()) {
        if (read[i] === null) this.#dirty.add(thing);
        else if (read[i]) changed.push(thing);
      }
      isRead = !read.includes(null);
    }
    this.#isReading = false;
    this.#failures = isRead ? 0 : this.#failures + 1;
    if (!isRead) setTimeout(() => void this.#read(), Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (this.#failures - 1)));
    this.#keepValues();
    this.#show();
    this.#notify(changed);
    if (isRead) this.#openStream();
  }

  /** Has the thing changed? Null if it could not be read. @param {string} thing @returns {Promise<boolean | null>} */
  async #readOne(thing) {
    try {
      const before = this.#values.get(thing)?.now;
      const { facts, tip } = await fetchFacts(thing, coin, this.#tip, before);
      if (this.#from === '' || heightOf(tip) < heightOf(this.#from)) this.#from = tip;
      if (heightOf(tip) > heightOf(this.#tip)) this.#tip = tip;
      this.#values.set(thing, { now: facts, seen: this.#values.get(thing)?.seen ?? facts });
      if (!this.#seen.has(thing)) this.#seen.set(thing, facts);
      return before !== undefined && hasChanged(before, facts);
    } catch {
      return null;
    }
  }

  #openStream() {
    if (this.#stream !== null || !this.#isWanted()) return;
    // One subject that the server does not know would close the stream to all.
    const known = this.#list.filter(({ thing }) => this.#values.get(thing)?.now.isRefused === false);
    const subjects = known.map(({ thing }) => thing.replace('market/', 'pair/').split('/'));
    if (subjects.length === 0) return;
    this.#stream = new EventStream({ subjects, types: ['reorg', 'lag'] }, (event) => this.#onEvent(event));
    this.#stream.start(this.#from);
  }

  /** @param {import('./stream.js').LiveEvent} event */
  #onEvent({ name, id = '', subjects = [], isPending, isResumed }) {
    if (name === 'opened' || name === 'closed') this.#isConnected = name === 'opened';
    if (id !== '') this.#tip = id;
    showLiveState(this.#isConnected);
    if ((name === 'opened' && !isResumed) || name === 'reorg' || name === 'lag') this.#readAll();
    if (name !== 'activity' || isPending) return;
    const touched = new Set(subjects.flatMap((subject) => [subject, subject.split('_').reverse().join('_')]));
    for (const { thing } of this.#list) if (touched.has(thing.split('/')[1] ?? '')) this.#dirty.add(thing);
    void this.#read();
  }

  #listChanged() {
    const before = idsOf(this.#list);
    this.#list = watchList();
    this.#show();
    if (idsOf(this.#list) === before) return;
    this.#stop();
    this.#readAll();
  }

  /** @param {string | null} problem */
  #keepList(problem) {
    showMessage(root, problem);
    this.#listChanged();
  }

  /** Another tab has read something. */
  #valuesChanged() {
    for (const [thing, { now, seen }] of rememberedValues()) {
      this.#values.set(thing, { now, seen });
      if (!this.#seen.has(thing)) this.#seen.set(thing, now);
    }
    this.#show();
  }

  #keepValues() {
    const things = new Set(this.#list.map(({ thing }) => thing));
    for (const thing of this.#values.keys()) if (!things.has(thing)) this.#values.delete(thing);
    rememberValues(this.#values);
    this.#keepVisit();
  }

  #asLastSeen() {
    return new Map([...this.#values].map(([thing, { seen }]) => [thing, seen]));
  }

  /** @returns {Map<string, Facts> | null} */
  #ofThisVisit() {
    try {
      /** @type {[string, Facts][]} */
      const entries = JSON.parse(sessionStorage.getItem(VISIT_KEY) ?? '');
      return new Map(entries.filter(([, facts]) => areFacts(facts)));
    } catch {
      return null;
    }
  }

  #keepVisit() {
    try {
      sessionStorage.setItem(VISIT_KEY, JSON.stringify([...this.#seen]));
    } catch {
      // After a reload the changes are gone.
    }
  }

  /** What the page shows when it is left was seen. */
  #lookedOrLeft() {
    if (document.visibilityState === 'hidden') {
      for (const [thing, { now }] of this.#values) this.#values.set(thing, { now, seen: now });
      rememberValues(this.#values);
      this.#seen = this.#asLastSeen();
      document.title = title;
    } else {
      this.#keepVisit();
      this.#show();
    }
    this.#follow();
  }

  #show() {
    /** @type {Map<string, HTMLTableRowElement>} */
    const rows = new Map();
    let changed = 0;
    for (const watched of this.#list) {
      const { thing } = watched;
      const row = this.#rows.get(thing) ?? newRow(pattern, thing);
      rows.set(thing, row);
      if (body.rows[rows.size - 1] !== row) body.insertBefore(row, body.rows[rows.size - 1] ?? null);
      if (showRow(row, watched, this.#values.get(thing)?.now, this.#seen.get(thing))) changed++;
    }
    for (const [thing, row] of this.#rows) if (!rows.has(thing)) row.remove();
    this.#rows = rows;
    const isEmpty = rows.size === 0;
    elementIn(root, '.scroll', HTMLElement).hidden = isEmpty;
    elementIn(root, '.empty', HTMLElement).hidden = !isEmpty;
    button('export').disabled = isEmpty;
    const text = changed > 0 ? `(${changed}) ${title}` : title;
    if (document.title !== text) document.title = text;
  }

  /** @param {Event} event */
  async #import({ currentTarget }) {
    const field = /** @type {HTMLInputElement} */ (currentTarget);
    const [file] = field.files ?? [];
    if (!file) return;
    const result = file.size > MAX_FILE_BYTES ? DAMAGED : merged(await file.text());
    field.value = '';
    this.#take(result);
  }

  /** Keeps the new list, and says what came of it. @param {Import} result */
  #take({ message, detail, list }) {
    const problem = list === null ? message : keepWatchList(list);
    this.#keepList(problem ?? message);
    for (const each of root.querySelectorAll('[data-message] .detail')) each.textContent = detail;
    return problem === null;
  }

  #addNotifications() {
    const switched = button('notify');
    if (!('Notification' in window) || !navigator.locks) return;
    const show = () => switched.setAttribute('aria-pressed', String(areNotificationsOn()));
    switched.hidden = false;
    show();
    switched.addEventListener('click', async () => {
      const isWanted = !areNotificationsOn();
      const isAllowed = !isWanted || (await Notification.requestPermission()) === 'granted';
      if (isAllowed) storeText(NOTIFY_KEY, isWanted ? 'on' : 'off');
      showMessage(root, isAllowed ? null : 'denied');
      show();
    });
  }

  /** @param {readonly string[]} changed */
  #notify(changed) {
    const isUnseen = this.#isKeeper && document.visibilityState === 'hidden';
    if (changed.length === 0 || !isUnseen || !areNotificationsOn()) return;
    if (changed.length > MAX_NOTIFICATIONS) return notify(document.title, '', LIST_KEY);
    for (const thing of changed) {
      const row = this.#rows.get(thing);
      const [name = '', ...facts] = [...(row?.cells ?? [])].slice(0, 4).map((cell) => noticeText(cell));
      const label = this.#list.find((each) => each.thing === thing)?.label;
      notify(label || name, facts.filter((text) => text !== '').join(' · '), thing);
    }
  }
}

const areNotificationsOn = () => setting(NOTIFY_KEY, ['off', 'on']) === 'on' && Notification.permission === 'granted';

/** @param {string} heading @param {string} text @param {string} tag */
function notify(heading, text, tag) {
  try {
    new Notification(heading, { body: text, tag });
  } catch {
    // Phones allow them to service workers only.
  }
}

function exportList() {
  const content = JSON.stringify({ format: FORMAT, version: 1, network, things: watchList() }, null, 2);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${content}\n`], { type: 'application/json' }));
  link.download = `watch-list-${network}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** The result of an import: the message with its detail, and the new list; null if there is none. @typedef {{ message: string, detail: string, list: Watched[] | null }} Import */

/** @type {Import} */
const DAMAGED = { message: 'damaged', detail: '', list: null };

/** The list with the entries of a file. Labels stay where there are some. @param {string} text @returns {Import} */
function merged(text) {
  try {
    const content = JSON.parse(text);
    if (content?.format !== FORMAT || content.version !== 1 || !Array.isArray(content.things)) return DAMAGED;
    if (content.network !== network)
      return { message: 'network', detail: String(content.network).slice(0, 40), list: null };
    const list = watchList();
    const known = new Map(list.map((each) => [each.thing, each]));
    for (const [i, entry] of content.things.entries()) {
      const watched = watchedOf(entry);
      if (watched === null) return { message: 'entry', detail: String(i + 1), list: null };
      known.set(watched.thing, { ...watched, label: known.get(watched.thing)?.label || watched.label });
    }
    return { message: 'imported', detail: String(known.size - list.length), list: [...known.values()] };
  } catch {
    return DAMAGED;
  }
}

/** The thing with an id; null if that is none, or of something that cannot be watched. @param {string} text */
function thingOfId(text) {
  const id = text.split('/').at(-1) ?? '';
  const kind = id.includes('_') ? 'market' : KINDS[id.slice(0, id.indexOf('1'))];
  return watchedOf({ thing: `${kind}/${id}` });
}

/** The list with pasted ids, or the addresses of their pages. @param {string} text @returns {Import} */
function added(text) {
  const ids = text.split(/[\s,;]+/).filter((each) => each !== '');
  const list = watchList();
  const known = new Map(list.map((each) => [each.thing, each]));
  for (const id of ids) {
    const watched = thingOfId(id);
    if (watched === null) return { message: 'unknown', detail: id.slice(0, 40), list: null };
    if (!known.has(watched.thing)) known.set(watched.thing, watched);
  }
  return { message: 'added', detail: String(known.size - list.length), list: [...known.values()] };
}

new WatchPage().start();
