/**
 * How the memory that the web server may take (`--max-memory`) is divided among what fills it.
 * docs/configuration.md#memory-budget has the table.
 */
import { LEAST_MEMORY_BYTES } from '../config/memory.ts';

export interface MemoryBudget {
  /** Cached responses of the current tip. */
  readonly cacheBytes: number;
  /** Responses that clients have not taken yet. */
  readonly unsentBytes: number;
  /** A list that is served whole: on its way it exists in several forms, for several clients. */
  readonly listBytes: number;
  /** Request bodies that are arriving or being processed. */
  readonly bodyBytes: number;
  /** Requests in flight. */
  readonly requests: number;
  /** Requests that were read and wait for others of their connection. */
  readonly waitingRequests: number;
  readonly connections: number;
}

const MIB = 1024 * 1024;
/** What a process takes when nobody asks anything: code, the documentation page, room for the garbage collector. */
const PROGRAM_BYTES = 160 * MIB;

/** The parts of the remaining memory, in sixteenths. */
const PARTS = { cache: 1, unsent: 4, bodies: 2, requests: 2, waiting: 2, connections: 5 } as const;
/** While a body is taken apart, several forms of it exist: bytes, text, what is handed on. */
const FORMS_OF_A_BODY = 4;
/** Approximate size of a request with its response, its query and its rows. */
const REQUEST_BYTES = 32_768;
/** A request that was read and nothing more, measured with 26,000 of them. */
const WAITING_REQUEST_BYTES = 2_560;
/**
 * A connection that is open and idle: Node's objects, its parser, the system's handle; measured with 15,000 of them.
 */
const CONNECTION_BYTES = 16_384;
/** More would only wait longer: PostgreSQL answers some thousand queries per second. */
const MOST_REQUESTS = 4_096;
/** A larger cache would only give the garbage collector more to look at: it is emptied with each block. */
const MOST_CACHE_BYTES = 256 * MIB;

/** Of what may be unsent. */
const LISTS_AT_ONCE = 16;
/** A history of 100,000 transactions fits, whatever the memory is. */
const LEAST_LIST_BYTES = 8 * MIB;
/** V8 makes no text of twice as much. */
const MOST_LIST_BYTES = 256 * MIB;

/** Divides the memory of one process. */
export function divideMemory(bytes: number): MemoryBudget {
  const rest = Math.max(bytes, LEAST_MEMORY_BYTES) - PROGRAM_BYTES;
  const part = (name: keyof typeof PARTS, unit = 1) => Math.floor((rest * PARTS[name]) / 16 / unit);
  return {
    cacheBytes: Math.min(part('cache'), MOST_CACHE_BYTES),
    unsentBytes: part('unsent'),
    listBytes: Math.min(Math.max(part('unsent', LISTS_AT_ONCE), LEAST_LIST_BYTES), MOST_LIST_BYTES),
    bodyBytes: part('bodies', FORMS_OF_A_BODY),
    requests: Math.min(part('requests', REQUEST_BYTES), MOST_REQUESTS),
    waitingRequests: part('waiting', WAITING_REQUEST_BYTES),
    connections: part('connections', CONNECTION_BYTES),
  };
}
