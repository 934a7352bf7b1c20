// The event stream of the server, which a page has while it is visible (that of the watch list also in a hidden tab).
// @ts-check
import { setting, word } from './settings.js';

const STREAM = new URL('../../api/v2/stream', import.meta.url);
const TYPES = ['block', 'reorg', 'lag', 'tx_seen', 'tx_dropped', 'status', 'activity'];
/** Pauses before the stream is opened again: the first one, and the longest. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** The server sends something every 30 s. A connection that is silent for longer is dead. */
const MAX_SILENCE_MS = 75_000;

/**
 * An event. `opened`: the stream has begun; it is `isResumed` if it tells all blocks after the known one. `closed`: it
 * has ended. All others have the names of the server's events.
 *
 * @typedef {object} LiveEvent
 * @property {string} name
 * @property {string} [id] the block up to which the events have come, `HEIGHT-ID`
 * @property {string[]} [transactions] ids
 * @property {string[]} [subjects] what the activity is about
 * @property {boolean} [isResumed]
 */

/** @type {readonly ['on', 'off']} */
export const LIVE_MODES = ['on', 'off'];

/** Shows whether the page follows: as the visitor has chosen, and as the stream is. @param {boolean | null} isConnected null while it is unknown */
export function showLiveState(isConnected) {
  const isOn = setting('live', LIVE_MODES) === 'on';
  const state = isConnected === null ? 'Live' : isConnected ? 'Live: on' : 'Live: waiting';
  const text = word(isOn ? state : 'Live: off');
  const button = document.querySelector('button.live');
  if (button && button.textContent !== text) button.textContent = text;
  // Then it cannot say that the chain is up to date.
  document.documentElement.classList.toggle('still', !isOn || isConnected === false);
}

export class EventStream {
  #onEvent;
  #query;
  /** Empty while no block is known. */
  #position = '';
  #isOpen = false;
  #isFollowing = false;
  /** @type {EventSource | null} */
  #source = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;
  #failures = 0;

  /**
   * `subjects`: the parameters and ids of what the page shows the activity of.
   *
   * @param {string[][]} subjects
   * @param {(event: LiveEvent) => void} onEvent
   */
  constructor(subjects, onEvent) {
    const types = TYPES.filter((type) => type !== 'activity');
    this.#query = [['types', [...types, 'keepalive'].join()], ...subjects];
    this.#onEvent = onEvent;
    addEventListener('online', () => this.#isFollowing && !this.#isOpen && this.#open());
    addEventListener('offline', () => this.#isFollowing && this.#failed());
  }

  /** Follows the events after a block, which is empty if it is unknown. @param {string} position */
  start(position) {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    this.#position = position;
    this.#failures = 0;
    this.#open();
  }

  stop() {
    this.#isFollowing = false;
    this.#close();
  }

  #open() {
    this.#close();
    const query = new URLSearchParams(this.#query);
    const isResumed = this.#position !== '';
    if (isResumed) query.set('last_event_id', this.#position);
    const source = new EventSource(`${STREAM}?${query}`);
    this.#source = source;
    this.#listen();
    source.onopen = () => {
      this.#isOpen = true;
      this.#failures = 0;
      this.#listen();
      this.#onEvent({ name: 'opened', isResumed });
    };
    source.onerror = () => this.#failed();
    source.addEventListener('keepalive', () => this.#listen());
    for (const type of TYPES) {
      source.addEventListener(type, (event) => {
        this.#listen();
        this.#onEvent(this.#parsed(type, event));
      });
    }
  }

  /** Waits for the response or the next event. The browser does not notice a connection that died silently. */
  #listen() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#failed(), MAX_SILENCE_MS);
  }

  #close() {
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#source?.close();
    this.#source = null;
    this.#isOpen = false;
  }

  /** Opens the stream again after a pause, not all browsers at the same moment. */
  #failed() {
    this.#close();
    this.#onEvent({ name: 'closed' });
    const pause = Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** this.#failures++);
    this.#timer = setTimeout(() => this.#open(), pause * (0.5 + Math.random() / 2));
  }

  /** @param {string} name @param {MessageEvent<string>} event @returns {LiveEvent} */
  #parsed(name, { data, lastEventId }) {
    if (lastEventId !== '') this.#position = lastEventId;
    const { content = {} } = JSON.parse(data);
    return {
      name,
      id: this.#position,
      transactions: content.tx_ids ?? (content.tx_id ? [content.tx_id] : []),
      subjects: content.subjects ?? [],
    };
  }
}
