/** Fetches the node's blocks ahead of their use: several requests in flight, bounded by bytes. */
import type { NodeClient } from '../../node/client.ts';
import { isResponseTooLarge } from '../../node/node-error.ts';
import { retryUntilAnswered } from './node-retry.ts';

/**
 * The intended size of a response, in bytes. It is hex, two bytes for each byte of a block. The node's limit is 10 MiB.
 */
const PAGE_BYTES = 1024 * 1024;
const PAGES_IN_FLIGHT = 4;
const MAX_PAGE_LENGTH = 1000;
/**
 * The first pages are one block each, so that work begins soon. The intended size doubles with each response, from
 * this.
 */
const FIRST_PAGE_BYTES = 64 * 1024;

interface PrefetchOptions {
  readonly node: NodeClient;
  readonly from: number;
  /** The last height, inclusive. */
  readonly to: number;
  readonly signal: AbortSignal;
}

/** A parsed response, with the number of its blocks. */
interface Countable {
  readonly count: number;
}

/** A parsed page. `rest`: the blocks of the page that did not fit into the response. */
interface Page<T extends Countable> {
  readonly read: T;
  /** Does the node's chain end with this page, because it has fewer blocks than requested? */
  readonly isLast: boolean;
  readonly rest: { readonly first: number; readonly count: number } | null;
}

/**
 * Yields the result of `read` for each page's response, in ascending order of height. `read` starts as soon as its page
 * has arrived; if it throws a NodeError, the page is requested again, as after a failed request. Together, the pages have
 * every height from `from` to `to`, or to the end of the node's chain if that is lower. Requests in flight are aborted after
 * the first failure that a retry cannot solve, and when the caller takes no more pages.
 */
export async function* prefetchBlocks<T extends Countable>(
  { node, from, to, signal }: PrefetchOptions,
  read: (body: Buffer) => Promise<T>,
): AsyncGenerator<T> {
  const inFlight: Promise<Page<T>>[] = [];
  const leaving = new AbortController();
  const stopped = AbortSignal.any([signal, leaving.signal]);
  let next = from;
  let pageBytes = FIRST_PAGE_BYTES;
  let bytesPerBlock = PAGE_BYTES;
  /** Returns the number of blocks for a page, estimated from the last response. */
  const fitting = (): number => Math.max(Math.floor(pageBytes / bytesPerBlock), 1);
  const ask = (first: number, count: number) =>
    retryUntilAnswered(
      stopped,
      async (options) => {
        const body = await node.mainchainBlocksRaw(first, count, options);
        return { bytes: body.length, blocks: await read(body) };
      },
      (error, attempt) =>
        node.logger.warn(
          { error: String(error), height: first, attempt },
          'the node does not give its blocks, asking again',
        ),
    );
  const fetchPage = async (first: number, count: number): Promise<Page<T>> => {
    for (let requested = Math.min(count, fitting()); ; ) {
      try {
        const { bytes, blocks } = await ask(first, requested);
        bytesPerBlock = Math.max(bytes / requested, 1);
        pageBytes = Math.min(2 * pageBytes, PAGE_BYTES);
        const rest = requested < count ? { first: first + requested, count: count - requested } : null;
        return { read: blocks, isLast: blocks.count < requested, rest };
      } catch (error) {
        if (!isResponseTooLarge(error) || requested === 1) throw error;
        // The rest is requested after this part was used. Otherwise a thousand small blocks followed by large ones
        // would fill the memory.
        requested = Math.ceil(requested / 2);
      }
    }
  };
  const start = (first: number, count: number): Promise<Page<T>> => {
    const page = fetchPage(first, count);
    // The page is awaited later, perhaps after an earlier page failed.
    page.catch(() => {});
    return page;
  };
  try {
    while (next <= to || inFlight.length > 0) {
      while (next <= to && inFlight.length < PAGES_IN_FLIGHT) {
        const count = Math.min(fitting(), MAX_PAGE_LENGTH, to - next + 1);
        inFlight.push(start(next, count));
        next += count;
      }
      const page = await inFlight.shift()!;
      if (page.rest !== null && !page.isLast) inFlight.unshift(start(page.rest.first, page.rest.count));
      if (page.read.count > 0) yield page.read;
      if (page.isLast) return;
    }
  } finally {
    leaving.abort();
  }
}
