/**
 * Prepared responses of the current tip by the parsed request, limited in bytes; the oldest are evicted first. The URLs
 * with which a request came lately lead to its response without being parsed again. What else a URL may contain
 * (unknown parameters, another order) makes no further entries.
 */
import { fnv1a } from '../http/etag.ts';
import type { PreparedResponse } from '../http/prepared-response.ts';

/** A response that would fill more than this part of the cache is not cached. */
const MAX_PART_OF_CACHE = 1 / 2;
/**
 * What stays when the cache is full. A map that loses its oldest entry again and again has to step over the holes each
 * time it looks for the next; losing many at once, it seldom does.
 */
const KEPT_PART = 0.9;
/** A key or URL longer than this is not cached: it hardly comes twice. */
const MAX_KEY_LENGTH = 400;
/** The number of different URLs of one request that are remembered, the latest ones. */
const MAX_URLS = 4;
/**
 * A response smaller than this is cached only from its second request on: it is quickly made again, and most are never
 * requested again; caching those as well would double the work of the garbage collector.
 */
const SMALL_BYTES = 65_536;
/** What an entry takes besides its texts and its response, about. */
const ENTRY_BYTES = 256;

interface Entry {
  readonly key: string;
  readonly response: PreparedResponse;
  readonly urls: string[];
}

export class ResponseCache {
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

  /** The response to a URL that it was given for lately. */
  get(url: string): PreparedResponse | undefined {
    return this.#byUrl.get(url);
  }

  /** The response to a request, however it was written in this URL. */
  find(key: string, url: string): PreparedResponse | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    // A URL leads to the response from its second request on.
    if (url.length <= MAX_KEY_LENGTH && this.#askedUrls.note(url)) this.#remember(entry, url);
    return entry.response;
  }

  /** Caches the response to the request, which came with this URL; `hash` is that of the key. */
  put(key: string, url: string, response: PreparedResponse, hash = fnv1a(key)): void {
    const size = sizeOf(key, response);
    if (key.length > MAX_KEY_LENGTH || size > this.#maxBytes * MAX_PART_OF_CACHE) return;
    if (!this.#asked.noteHash(hash) && size < SMALL_BYTES) return;
    this.#remove(key);
    const entry: Entry = { key, response, urls: [] };
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
    this.#bytes = 0;
  }

  #remember(entry: Entry, url: string): void {
    if (url.length > MAX_KEY_LENGTH || this.#byUrl.has(url)) return;
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
  /** A part of the hash of the text that came last, by the other part. */
  readonly #marks = new Uint16Array(SLOTS);

  /** Notes a text; true when it came before. */
  note(text: string): boolean {
    return this.noteHash(fnv1a(text));
  }

  /** The same for a text whose hash is known. */
  noteHash(hash: number): boolean {
    const slot = hash & (SLOTS - 1);
    const mark = hash >>> 16;
    if (this.#marks[slot] === mark) return true;
    this.#marks[slot] = mark;
    return false;
  }
}

/** Equal for equal parameters of a route, different for different ones. */
export function cacheKeyOf(params: unknown): string {
  return typeof params === 'string' ? params : partKey(params);
}

/** A value among others: strings carry their length, so that one never looks like several. */
function partKey(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `${value.length}:${value}`;
    case 'object': {
      if (value === null) return '-';
      let key = '(';
      for (const name in value) key += `${partKey((value as Record<string, unknown>)[name])},`;
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
