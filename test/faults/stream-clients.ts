/** Clients of the event stream that are cut off all the time, also by faults, and resume: they end with the chain. */
import { isDeepStrictEqual } from 'node:util';
import { Random } from '../../src/devnet/sim/random.ts';
import { Wanderer } from '../sim/stream-clients.ts';
import type { Stack } from './stack.ts';

const LONGEST_VISIT_MS = 600;

export class StreamClients {
  readonly #stack: Stack;
  readonly #wanderers: readonly Wanderer[];
  readonly #wandering: Promise<PromiseSettledResult<void>[]>;
  #end: string | undefined;
  #isGivenUp = false;

  constructor(
    stack: Stack,
    seed: number,
    queries: readonly string[],
    { longestVisitMs = LONGEST_VISIT_MS, mayLag = true } = {},
  ) {
    this.#stack = stack;
    const next = () => {
      if (this.#isGivenUp) throw new Error('it was given up');
      return stack.port;
    };
    const { genesisId: genesis } = stack.node.network;
    this.#wanderers = queries.map((query) => {
      const random = new Random(`${seed} ${query}`);
      return new Wanderer({ query, random, genesis, next, mayLag, longestVisitMs });
    });
    this.#wandering = Promise.allSettled(this.#wanderers.map((each) => each.wander(() => this.#end)));
  }

  get visits(): number {
    return this.#wanderers.reduce((sum, { visits }) => sum + visits, 0);
  }

  get events(): number {
    return this.#wanderers.reduce((sum, { events }) => sum + events, 0);
  }

  /** Lets all come to the node's tip; gives what is wrong with what they were told. */
  async end(): Promise<string[]> {
    const { node } = this.#stack;
    const { height, id } = node.tip();
    this.#end = `${height}-${id}`;
    const chain = Array.from({ length: height + 1 }, (_, at) => node.mainChainId(at)!);
    const results = await this.#wandering;
    return this.#wanderers.flatMap(({ query, rebuilt }, place) => {
      const result = results[place]!;
      if (result.status === 'rejected') return [`the stream ${query}: ${result.reason}`];
      if (isDeepStrictEqual(rebuilt.chain, chain)) return [];
      const same = chain.findIndex((id, at) => id !== rebuilt.chain[at]);
      return [
        `the stream ${query} ended with another chain from ${same} on, to ${rebuilt.chain.length - 1} of ${height}`,
      ];
    });
  }

  /** Those that still listen end, too. */
  giveUp(): void {
    this.#isGivenUp = true;
  }
}
