/** Events that go on after a lost connection, without a gap. */
import { ApiError, ConnectionError } from './errors.ts';
import { type EventFrame, eventFrames } from './event-frames.ts';
import { errorOf, type Http, pauseAfter, spread } from './http.ts';
import { pause } from './pause.ts';

/** What happened, in both response profiles. `id` names what is complete with this event, for `after`. */
export type StreamEvent =
  | { type: 'block'; id: string; content: { block_id: string; height: number; timestamp: number; tx_ids: string[] } }
  /** The blocks above the common ancestor are void; those of the new branch follow. */
  | {
      type: 'reorg';
      id: string;
      content: { common_ancestor_height: number; removed_block_ids: string[]; new_tip_height: number };
    }
  | { type: 'tx_seen'; id?: undefined; content: { tx_id: string; origin: 'local' | 'remote' } }
  | { type: 'tx_dropped'; id?: undefined; content: { tx_id: string } }
  /** Something touches a subject: a transaction, pending if `block_id` is null, or a block if `tx_id` is null. */
  | {
      type: 'activity';
      id?: string | undefined;
      content: { tx_id: string | null; block_id: string | null; subjects: string[] };
    }
  /**
   * The state of the server's node has changed: the conditions that hold now, `node_away`, `behind` (the index is blocks
   * behind the node), `node_behind`, `node_on_another_branch`, `node_of_another_network`, `not_ready` or `quiet` (no block came for half an hour); or its fee rates. Only if `types` names it.
   */
  | { type: 'status'; id?: undefined; content: { conditions: string[] } }
  /** Events were lost: read the state again. */
  | { type: 'lag'; id?: undefined; content: { skipped: number } }
  /** The connection is open, at first or again. Events of pending transactions may have been lost in between. */
  | { type: 'open'; id?: undefined; content: { after: string | null } };

export interface EventOptions {
  /** Which events; by default all but `status`, or with subjects those that touch one of them. */
  readonly types?: readonly Exclude<StreamEvent['type'], 'open'>[];
  /** Subjects, up to 100 in all. */
  readonly address?: readonly string[];
  readonly token?: readonly string[];
  readonly pool?: readonly string[];
  readonly delegation?: readonly string[];
  readonly order?: readonly string[];
  readonly pair?: readonly string[];
  /** The `id` of the last event that was taken: what came after it is sent first. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A connection that is silent for so many milliseconds is opened anew; 90,000 by default. */
  readonly maxSilenceMs?: number;
}

/** Failures after which pauses grow no more. */
const MAX_FAILURES = 6;

/** The events of a server until the signal is aborted. Throws an ApiError that does not pass. */
export async function* events(http: Http, options: EventOptions): AsyncGenerator<StreamEvent, void, void> {
  const { signal } = options;
  let { after } = options;
  let leastPauseMs = 0;
  for (let failures = 0; !signal?.aborted; ) {
    try {
      // The events of a block, until all of them are there: after a lost connection they come again.
      let ofBlock: StreamEvent[] = [];
      let isFirst = true;
      for await (const frame of connection(http, options, after)) {
        if (frame === 'open') {
          yield { type: 'open', content: { after: after ?? null } };
          continue;
        }
        const { name, data, id, retryMs = leastPauseMs } = frame;
        leastPauseMs = retryMs;
        // The first frame comes at once, so it does not show that the connection lasts.
        if (!isFirst) failures = 0;
        isFirst = false;
        if (data !== undefined) {
          const event = eventOf(name, data, id);
          const block = 'block_id' in event.content ? event.content.block_id : null;
          ofBlock.push(event);
          if (block !== null && !id?.endsWith(block)) continue;
          // Set before the events are taken: who takes the last one has seen all.
          after = id ?? after;
          const complete = ofBlock;
          ofBlock = [];
          yield* complete;
        }
        after = id ?? after;
      }
    } catch (error) {
      if (signal?.aborted) return;
      const pauseMs = pauseAfter(error, Math.min(failures++, MAX_FAILURES));
      if (pauseMs === undefined) throw error;
      await pause(spread(Math.max(pauseMs, leastPauseMs)), signal).catch(() => {});
    }
  }
}

/** The frames of one connection. Throws a ConnectionError when it ends, or is silent for too long. */
async function* connection(
  http: Http,
  options: EventOptions,
  after: string | undefined,
): AsyncGenerator<EventFrame | 'open', void, void> {
  const { signal, maxSilenceMs = 90_000 } = options;
  const url = `/stream?${queryOf(options, after)}`;
  const connected = new AbortController();
  const abort = (): void => connected.abort();
  let timer = setTimeout(abort, maxSilenceMs);
  signal?.addEventListener('abort', abort);
  try {
    const response = await http.open(url, { signal: connected.signal });
    if (!response.ok) throw errorOf(response, await response.text());
    yield 'open';
    for await (const frame of eventFrames(response.body!)) {
      clearTimeout(timer);
      timer = setTimeout(abort, maxSilenceMs);
      yield frame;
    }
    throw new Error('the stream ended');
  } catch (error) {
    throw error instanceof ApiError ? error : new ConnectionError(http.base + url, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    connected.abort();
  }
}

function queryOf(options: EventOptions, after: string | undefined): URLSearchParams {
  const query = new URLSearchParams();
  if (options.types) query.set('types', options.types.join(','));
  for (const subject of ['address', 'token', 'pool', 'delegation', 'order', 'pair'] as const) {
    for (const id of options[subject] ?? []) query.append(subject, id);
  }
  // Not a header, for which browsers would ask the server first.
  if (after !== undefined) query.set('last_event_id', after);
  return query;
}

/** Parses an event; those of both response profiles become the same. */
function eventOf(name: string, data: string, id: string | undefined): StreamEvent {
  const { content = { skipped: 0 }, skipped } = JSON.parse(data);
  if (skipped !== undefined) content.skipped = skipped;
  if (typeof content.timestamp === 'object') content.timestamp = content.timestamp.timestamp;
  if (content.origin !== undefined) content.origin = content.origin.toLowerCase();
  return { type: name, content, ...(id === undefined ? {} : { id }) } as StreamEvent;
}
