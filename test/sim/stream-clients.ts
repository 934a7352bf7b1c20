/** Clients of the stream of events that keep what they are told, are cut off at random moments, and come back elsewhere. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Id } from '../../src/chain/types.ts';
import type { Random } from '../../src/devnet/sim/random.ts';
import { EventStream, type StreamEvent } from '../support/event-stream.ts';
import { eventually } from '../support/until.ts';

export interface RebuiltBlock {
  readonly id: Id;
  readonly timestamp: number;
  readonly txIds: readonly Id[];
}

/** What a client makes of events, and of nothing else: of blocks the chain, of activities the transactions of each block. */
export class Rebuilt {
  /** By height, the genesis first: of that only the id is told. */
  readonly blocks: (RebuiltBlock | null)[] = [null];
  readonly #genesis: Id;
  readonly #activity = new Map<Id, Set<Id>>();

  constructor(genesis: Id) {
    this.#genesis = genesis;
  }

  get chain(): Id[] {
    return this.blocks.map((block) => block?.id ?? this.#genesis);
  }

  /** The transactions that it was told to be in blocks, sorted. */
  get confirmed(): Id[] {
    return [...new Set([...this.#activity.values()].flatMap((ids) => [...ids]))].sort();
  }

  take({ name, data: { content } }: StreamEvent): void {
    switch (name) {
      case 'block': {
        const { height, block_id: id, timestamp, tx_ids: txIds } = content;
        // A block that was told before comes again, never another one in its place.
        assert.ok(height <= this.blocks.length, `${height} after ${this.blocks.length - 1}`);
        if (height < this.blocks.length) assert.equal(this.blocks[height]?.id, id);
        this.blocks[height] = { id, timestamp, txIds };
        return;
      }
      case 'reorg': {
        const { common_ancestor_height: ancestor, removed_block_ids: removed } = content;
        if (this.blocks.length > 1) {
          const left = this.chain.slice(ancestor + 1);
          assert.deepEqual(left, removed.slice(0, left.length));
        }
        this.blocks.length = Math.min(this.blocks.length, ancestor + 1);
        for (const id of removed) this.#activity.delete(id);
        return;
      }
      case 'activity': {
        // What is pending is no part of the list yet.
        if (content.block_id === null) return;
        const known = this.#activity.get(content.block_id) ?? new Set();
        if (content.tx_id !== null) known.add(content.tx_id);
        this.#activity.set(content.block_id, known);
        return;
      }
      case 'tx_seen':
      case 'tx_dropped':
        return;
      default:
        assert.fail(`there was a ${name}`);
    }
  }
}

export interface WandererOptions {
  readonly query: string;
  readonly random: Random;
  readonly genesis: Id;
  /** The port of the server where it goes next, after the one at that port. */
  readonly next: (last: number | undefined) => number;
  /** It stays for less than this many milliseconds. */
  readonly longestVisitMs: number;
}

/** A client that is never at one place for long. */
export class Wanderer {
  readonly rebuilt: Rebuilt;
  lastEventId: string;
  visits = 0;
  readonly #options: WandererOptions;

  constructor(options: WandererOptions) {
    this.#options = options;
    this.rebuilt = new Rebuilt(options.genesis);
    this.lastEventId = `0-${options.genesis}`;
  }

  /** Listens, is cut off at random moments and goes on elsewhere, until the end is known and it was told of it. */
  async wander(end: () => string | undefined): Promise<void> {
    const { query, random, next, longestVisitMs } = this.#options;
    for (let last: number | undefined; ; ) {
      const port = next(last);
      const stream = await EventStream.open({ port, query, lastEventId: this.lastEventId }).catch(() => undefined);
      if (stream?.status !== 200) {
        stream?.close();
        await sleep(20);
        continue;
      }
      last = port;
      this.visits++;
      const isEnd = end() !== undefined;
      if (isEnd) {
        await eventually('the tip', () => (stream.lastEventId === end() ? true : undefined), {
          explain: () => `${query} at ${stream.lastEventId}: ${stream.text.slice(-1_500)}`,
        });
      } else await sleep(random.below(longestVisitMs));
      stream.close();
      for (const event of stream.events) this.rebuilt.take(event);
      this.lastEventId = stream.lastEventId!;
      if (isEnd) return;
    }
  }
}
