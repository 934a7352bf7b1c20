/** Clients of the stream of events that keep what they are told, are cut off after any event, and come back elsewhere. */
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
  /** Blocks of which it was told everything. */
  readonly #whole = new Set<Id>();
  /** What it was told of the next block, of which more has to come. */
  readonly #begun: StreamEvent[] = [];

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

  /** What it was told of a block in part comes again, if the block is still there. */
  isCutOff(): void {
    this.#begun.length = 0;
  }

  take(event: StreamEvent): void {
    const { content } = event.data;
    switch (event.name) {
      case 'reorg': {
        const { common_ancestor_height: ancestor, removed_block_ids: removed } = content;
        assert.deepEqual(this.#begun, []);
        if (this.blocks.length > 1) {
          const left = this.chain.slice(ancestor + 1);
          assert.deepEqual(left, removed.slice(0, left.length));
        }
        this.blocks.length = Math.min(this.blocks.length, ancestor + 1);
        for (const id of removed) {
          this.#activity.delete(id);
          this.#whole.delete(id);
        }
        return;
      }
      case 'block':
      case 'activity': {
        const { block_id: block } = content;
        // What is pending is no part of the list yet.
        if (block === null) return;
        assert.ok(!this.#whole.has(block), `${block} is told again`);
        this.#begun.push(event);
        if (!event.id!.endsWith(`-${block}`)) return;
        for (const { name, data } of this.#begun.splice(0)) {
          assert.equal(data.content.block_id, block);
          if (name === 'block') this.#takeBlock(data.content);
          else this.#takeActivity(data.content);
        }
        this.#whole.add(block);
        return;
      }
      case 'tx_seen':
      case 'tx_dropped':
        return;
      default:
        assert.fail(`there was a ${event.name} ${JSON.stringify(event.data)} at ${this.blocks.length - 1}`);
    }
  }

  #takeBlock({ height, block_id: id, timestamp, tx_ids: txIds }: StreamEvent['data']): void {
    assert.equal(height, this.blocks.length);
    this.blocks[height] = { id, timestamp, txIds };
  }

  #takeActivity({ tx_id: txId, block_id: block }: StreamEvent['data']): void {
    const known = this.#activity.get(block) ?? new Set();
    if (txId !== null) known.add(txId);
    this.#activity.set(block, known);
  }
}

export interface WandererOptions {
  readonly query: string;
  readonly random: Random;
  readonly genesis: Id;
  /** The port of the server where it goes next, after the one at that port. */
  readonly next: (last: number | undefined) => number;
  /** Events of the mempool may be lost, as when the node is away. */
  readonly mayLag?: boolean;
  /** It stays for less than this many milliseconds. */
  readonly longestVisitMs: number;
}

/** A client that is never at one place for long. */
export class Wanderer {
  readonly rebuilt: Rebuilt;
  readonly query: string;
  lastEventId: string;
  visits = 0;
  /** How many it took. */
  events = 0;
  readonly #options: WandererOptions;

  constructor(options: WandererOptions) {
    this.#options = options;
    this.query = options.query;
    this.rebuilt = new Rebuilt(options.genesis);
    this.lastEventId = `0-${options.genesis}`;
  }

  /** Listens, is cut off at random moments and goes on elsewhere, until the end is known and it was told of it. */
  async wander(end: () => string | undefined): Promise<void> {
    const { query, random, next, longestVisitMs, mayLag = false } = this.#options;
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
        await eventually('the tip', () => (stream.position === end() ? true : undefined), {
          explain: () => `${query} at ${stream.position}: ${stream.text.slice(-1_500)}`,
        });
      } else await sleep(random.below(longestVisitMs));
      stream.close();
      // As if it had been cut off after some of them.
      const { events } = stream;
      for (const event of isEnd ? events : events.slice(0, random.below(events.length + 1))) {
        // Should blocks be lost, the next one does not follow.
        if (event.name !== 'lag' || !mayLag) this.rebuilt.take(event);
        this.lastEventId = event.id ?? this.lastEventId;
        this.events++;
      }
      this.rebuilt.isCutOff();
      if (isEnd) return;
    }
  }
}
