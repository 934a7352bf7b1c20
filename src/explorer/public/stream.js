// The event stream of the server, one for all visible pages of this site in the browser. The page that holds a lock has
// the stream and tells the other pages its events. Browsers have locks only in secure contexts: elsewhere each visible
// page has a stream of its own.
// @ts-check

const STREAM = new URL('../../api/v2/stream', import.meta.url);
const TYPES = ['block', 'reorg', 'lag', 'tx_seen', 'tx_dropped', 'status', 'activity'];
/** Pages of the same version of this script understand each other. */
const NAME = import.meta.url;
/** Pauses before the stream is opened again: the first one, and the longest. */
const MIN_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** Pages that come together lead to one stream for all their addresses. */
const GATHER_MS = 50;
/** The most subjects that the server takes. */
const MAX_ADDRESSES = 100;
/** The server sends something every 30 s. A connection that is silent for longer is dead. */
const MAX_SILENCE_MS = 75_000;

/**
 * An event. `opened`: the stream has begun; it is `isResumed` if it tells all blocks after the known one. `closed`: it
 * has ended. `moved`: the page that has the stream knows another block. All others have the names of the server's events.
 *
 * @typedef {object} LiveEvent
 * @property {string} name
 * @property {string} [id] the block up to which the events have come, `HEIGHT-ID`
 * @property {string[]} [transactions] ids
 * @property {string[]} [addresses]
 * @property {boolean} [isResumed]
 */

/**
 * What pages tell each other: an event of the stream; that a page is there, or goes, and its address; to that page, the
 * state of the stream; the question which pages there are.
 *
 * @typedef {{ event: LiveEvent }
 *   | { page: string, address: string | null, isGoing?: boolean }
 *   | { to: string, id: string, isOpen: boolean }
 *   | { who: true }} Message
 */

export class SharedStream {
  #onEvent;
  #address;
  #page = Math.random().toString(36);
  /** Empty while no block is known. */
  #position = '';
  #isOpen = false;
  /** The addresses of the other pages, by page. @type {Map<string, string>} */
  #others = new Map();
  /** @type {BroadcastChannel | null} */
  #channel = null;
  /** @type {AbortController | null} */
  #following = null;
  /** @type {EventSource | null} */
  #source = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #silence;
  #failures = 0;
  #isLeader = false;

  /**
   * `address`: the address whose activity the page shows.
   *
   * @param {string | null} address
   * @param {(event: LiveEvent) => void} onEvent
   */
  constructor(address, onEvent) {
    this.#address = address;
    this.#onEvent = onEvent;
    addEventListener('online', () => this.#isLeader && !this.#isOpen && this.#open());
    addEventListener('offline', () => this.#isLeader && this.#failed());
  }

  /** Follows the events after a block, which is empty if it is unknown. @param {string} position */
  start(position) {
    if (this.#following) return;
    this.#following = new AbortController();
    this.#position = position;
    if (!navigator.locks) return this.#lead();
    this.#channel = new BroadcastChannel(NAME);
    this.#channel.onmessage = ({ data }) => this.#onMessage(data);
    this.#tell({ page: this.#page, address: this.#address });
    const { signal } = this.#following;
    navigator.locks
      .request(NAME, { signal }, () => {
        if (signal.aborted) return;
        this.#lead();
        return new Promise((resolve) => signal.addEventListener('abort', resolve));
      })
      .catch(() => {
        // The page was hidden before it got the lock.
      });
  }

  /** Stops. Another visible page then opens the stream. */
  stop() {
    this.#tell({ page: this.#page, address: this.#address, isGoing: true });
    this.#channel?.close();
    this.#channel = null;
    this.#isLeader = false;
    this.#others.clear();
    this.#close();
    this.#following?.abort();
    this.#following = null;
  }

  #lead() {
    this.#isLeader = true;
    this.#failures = 0;
    this.#open();
    this.#tell({ who: true });
  }

  #open() {
    this.#close();
    const addresses = new Set([this.#address, ...this.#others.values()].filter((each) => each !== null));
    const query = new URLSearchParams({
      types: [...TYPES.filter((type) => type !== 'activity'), 'keepalive'].join(),
    });
    for (const address of [...addresses].slice(0, MAX_ADDRESSES)) query.append('address', address);
    const isResumed = this.#position !== '';
    if (isResumed) query.set('last_event_id', this.#position);
    const source = new EventSource(`${STREAM}?${query}`);
    this.#source = source;
    this.#listen();
    source.onopen = () => {
      this.#isOpen = true;
      this.#failures = 0;
      this.#listen();
      this.#publish({ name: 'opened', isResumed });
    };
    source.onerror = () => this.#failed();
    source.addEventListener('keepalive', () => this.#listen());
    for (const type of TYPES) {
      source.addEventListener(type, (event) => {
        this.#listen();
        this.#publish(this.#parsed(type, event));
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
    this.#publish({ name: 'closed' });
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
      addresses: content.subjects ?? [],
    };
  }

  /** @param {LiveEvent} event */
  #publish(event) {
    this.#tell({ event });
    this.#onEvent(event);
  }

  /** @param {Message} message */
  #tell(message) {
    this.#channel?.postMessage(message);
  }

  /** @param {Message} message */
  #onMessage(message) {
    if ('who' in message) this.#tell({ page: this.#page, address: this.#address });
    else if ('page' in message) this.#onPage(message);
    else if ('event' in message) this.#follow(message.event);
    else if (message.to === this.#page) {
      const { id, isOpen } = message;
      if (id !== '' && id !== this.#position) this.#follow({ name: 'moved', id });
      this.#follow({ name: isOpen ? 'opened' : 'closed', isResumed: true });
    }
  }

  /** Takes an event from the page that has the stream. @param {LiveEvent} event */
  #follow(event) {
    if (this.#isLeader) return;
    this.#position = event.id || this.#position;
    this.#onEvent(event);
  }

  /** Takes the address of another page. @param {{ page: string, address: string | null, isGoing?: boolean }} other */
  #onPage({ page, address, isGoing = false }) {
    if (!this.#isLeader) return;
    const before = this.#others.get(page);
    if (address === null || isGoing) this.#others.delete(page);
    else this.#others.set(page, address);
    if (isGoing) return;
    this.#tell({ to: page, id: this.#position, isOpen: this.#isOpen });
    const isNew = address !== null && address !== before && address !== this.#address;
    if (!isNew || !this.#source) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), GATHER_MS);
  }
}
