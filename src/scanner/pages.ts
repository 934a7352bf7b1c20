/** The node's blocks, fetched ahead of their use: several requests in flight, bounded by bytes. */
import type { NodeClient } from '../node/client.ts';
import { askUntilAnswered } from './ask.ts';

/** A page aims at this many bytes of answer (hex: two per byte of block); the node's limit is 10 MiB. */
const PAGE_BYTES = 2 * 1024 * 1024;
const PAGES_IN_FLIGHT = 4;
const LARGEST_PAGE = 1000;
const FIRST_PAGE = 20;

export interface PagesOptions {
  readonly node: NodeClient;
  readonly from: number;
  /** The last height, inclusive. */
  readonly to: number;
  readonly signal: AbortSignal;
}

/**
 * Gives what `read` makes of each page's answers, in order of heights. `read` starts as soon as its page is there. The
 * pages together hold every height from `from` to `to`, unless the node's chain got shorter meanwhile.
 */
export async function* fetchPages<T>(
  { node, from, to, signal }: PagesOptions,
  read: (bodies: Buffer[]) => Promise<T>,
): AsyncGenerator<T> {
  const inFlight: Promise<T>[] = [];
  // Ends what is in flight when the pages are no longer wanted.
  const leaving = new AbortController();
  const asking = AbortSignal.any([signal, leaving.signal]);
  let next = from;
  let bytesPerBlock = PAGE_BYTES / FIRST_PAGE;
  const fetchPage = async (first: number, count: number): Promise<T> => {
    const bodies = await askUntilAnswered(
      asking,
      (options) => node.mainchainBlocksRaw(first, count, options),
      (error, attempt) =>
        node.logger.warn(
          { error: String(error), height: first, attempt },
          'the node does not give its blocks, asking again',
        ),
    );
    const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
    bytesPerBlock = Math.max(bytes / count, 1);
    return read(bodies);
  };
  try {
    while (next <= to || inFlight.length > 0) {
      while (next <= to && inFlight.length < PAGES_IN_FLIGHT) {
        const wanted = Math.floor(PAGE_BYTES / bytesPerBlock);
        const count = Math.min(Math.max(wanted, 1), LARGEST_PAGE, to - next + 1);
        const page = fetchPage(next, count);
        // It is awaited later, perhaps after an earlier page failed.
        page.catch(() => {});
        inFlight.push(page);
        next += count;
      }
      yield await inFlight.shift()!;
    }
  } finally {
    leaving.abort();
  }
}
