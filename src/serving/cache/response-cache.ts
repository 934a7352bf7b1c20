/**
 * Prepared responses of the current tip, by parsed request, and those that are being made. Their bytes are limited; the oldest
 * are evicted first. Responses about the mempool are found while they are current. The last URLs of a request lead to its
 * response without being parsed again. Other spellings of a URL (unknown parameters, another order) add no entries.
 */
import { etagHash } from '../http/headers.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';

/** A response that would fill more than this part of the cache is not cached. */
const MAX_PART_OF_CACHE = 1 / 2;
/**
 * The part that is kept when the cache is full. Deleting entries singly makes iteration slow, so many are deleted at once.
 */
const KEPT_PART = 0.9;
/** Longer URLs are not remembered, and requests with longer keys not cached: they rarely come twice. */
const MAX_URL_LENGTH = 400;
/** The key of a page with several lists names each of them, with its parameters and where it begins. */
const MAX_KEY_LENGTH = 2_000;
/** The number of URLs remembered for a request, the latest ones. */
const MAX_URLS = 4;
/**
 * Smaller responses are cached only at their second request: they are made quickly, and most are never requested again;
 * caching those as well would double the work of the garbage collector.
 */
const SMALL_BYTES = 65_536;
/** The approximate memory of an entry, besides its texts and its response. */
const ENTRY_BYTES = 256;

interface Entry {
  readonly response: PreparedResponse;
  readonly urls: string[];
}

/** A response that is being made. */
interface ResponseInProgress {
  /** The moment of its beginning, in the order of arrivals and beginnings. */
  readonly begunAt: number;
  /** The client for which it is made. */
  readonly client: string;
  /** The promise; null when it has ended. */
  result: Promise<PreparedResponse> | null;
}

/** Responses that are being made: whoever needs an equal one waits for it. */
export class ResponsesInProgress {
  /**
   * The values are objects around the promises. A map that is filled and emptied all the time leaves old tables behind,
   * each linked to the next. Once the first is old, everything that any of them holds stays in memory until the next
   * full garbage collection. With the results in them, full collections took a seventh of the time for a response.
   */
  readonly #byKey = new Map<string, ResponseInProgress>();
  #moments = 0;

  /** Returns a moment later than all before. */
  now(): number {
    return ++this.#moments;
  }

  /** Later callers get none of those that are being made. */
  clear(): void {
    this.#byKey.clear();
  }

  get(key: string): ResponseInProgress | undefined {
    return this.#byKey.get(key);
  }

  /** Shares a response until it is there. */
  share(key: string, result: Promise<PreparedResponse>, client: string): Promise<PreparedResponse> {
    const made: ResponseInProgress = { begunAt: this.now(), client, result };
    this.#byKey.set(key, made);
    // Runs before all others that wait for the result.
    const end = (): void => {
      made.result = null;
      if (this.#byKey.get(key) === made) this.#byKey.delete(key);
    };
    result.then(end, end);
    return result;
  }
}

export class ResponseCache {
  /**
   * Responses that are being made. None is joined after a change of the tip: the client of a later request may know the new
   * tip already.
   */
  readonly inProgress = new ResponsesInProgress();
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #byUrl = new Map<string, PreparedResponse>();
  readonly #asked = new SeenFilter();
  readonly #askedUrls = new SeenFilter();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The cached response if this URL led to it recently. */
  get(url: string): PreparedResponse | undefined {
    return this.#byUrl.get(url);
  }

  /** Returns the response to a request, whatever the spelling of this URL. */
  find(key: string, url: string): PreparedResponse | undefined {
    const entry = this.#entries.get(key);
    if (!entry?.response.isCurrent) return undefined;
    // The URL itself leads to the response from its second request on.
    if (url.length <= MAX_URL_LENGTH && this.#askedUrls.note(url)) this.#remember(entry, url);
    return entry.response;
  }

  /** Caches the response to the request with this URL. `hash`: the hash of the key. */
  put(key: string, url: string, response: PreparedResponse, hash = etagHash(key)): void {
    const size = sizeOf(key, response);
    if (key.length > MAX_KEY_LENGTH || size > this.#maxBytes * MAX_PART_OF_CACHE) return;
    if (!this.#asked.noteHash(hash) && size < SMALL_BYTES) return;
    this.#remove(key);
    const entry: Entry = { response, urls: [] };
    this.#entries.set(key, entry);
    this.#bytes += size;
    response.onGrow = (bytes) => this.#grow(bytes);
    this.#remember(entry, url);
    this.#grow(0);
  }

  /** Called when the tip changes. */
  clear(): void {
    for (const { response } of this.#entries.values()) response.onGrow = null;
    this.#entries.clear();
    this.#byUrl.clear();
    this.inProgress.clear();
    this.#bytes = 0;
  }

  #remember(entry: Entry, url: string): void {
    if (url.length > MAX_URL_LENGTH || this.#byUrl.has(url)) return;
    if (entry.urls.length >= MAX_URLS) this.#forgetUrl(entry.urls.shift()!);
    entry.urls.push(url);
    this.#byUrl.set(url, entry.response);
    this.#bytes += 2 * url.length;
  }

  #forgetUrl(url: string): void {
    this.#byUrl.delete(url);
    this.#bytes -= 2 * url.length;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#maxBytes) return;
    for (const oldest of this.#entries.keys()) {
      this.#remove(oldest);
      if (this.#bytes <= this.#maxBytes * KEPT_PART) break;
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    entry.response.onGrow = null;
    this.#bytes -= sizeOf(key, entry.response);
    for (const url of entry.urls) this.#forgetUrl(url);
  }
}

function sizeOf(key: string, response: PreparedResponse): number {
  return 2 * key.length + response.size + ENTRY_BYTES;
}

const SLOTS = 1 << 16;

/** An approximate set of recent texts in little memory: false positives and evictions are possible. */
class SeenFilter {
  /** The upper half of the hash of the last text in each slot; the slot is the lower half. */
  readonly #marks = new Uint16Array(SLOTS);

  /** Notes a text. Returns true if it was noted before. */
  note(text: string): boolean {
    return this.noteHash(etagHash(text));
  }

  /** Notes a text by its hash. */
  noteHash(hash: number): boolean {
    const slot = hash & (SLOTS - 1);
    const mark = hash >>> 16;
    if (this.#marks[slot] === mark) return true;
    this.#marks[slot] = mark;
    return false;
  }
}

/** Returns a cache key: equal for equal parameters of a route, and different otherwise. */
export function cacheKeyOf(params: unknown): string {
  return typeof params === 'string' ? params : partKey(params);
}

/** Returns a value's part of the key. Strings carry their length, so one string never equals several. */
function partKey(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `${value.length}:${value}`;
    case 'object': {
      if (value === null) return '-';
      let key = '(';
      // With the name: a point of the chain has a height or a time.
      for (const name in value) key += `${name}=${partKey((value as Record<string, unknown>)[name])},`;
      return `${key})`;
    }
    case 'bigint':
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    default:
      throw new Error(`a ${typeof value} cannot be part of a cache key`);
  }
}
