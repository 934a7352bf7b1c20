/** Starts the node of `event-streams.ts` in a process of its own, and gives it orders. */
import type { Id } from '../src/chain/types.ts';
import { HelperProcess } from './helper-process.ts';
import type { LiveNodeOrder, LiveNodePlace } from './simulated-node-process.ts';

type Options<Type extends LiveNodeOrder['type']> = Omit<Extract<LiveNodeOrder, { type: Type }>, 'type'>;

export class LiveNodeProcess {
  readonly #process: HelperProcess;
  readonly address: string;
  readonly height: number;

  private constructor(process: HelperProcess, { address, height }: LiveNodePlace) {
    this.#process = process;
    this.address = address;
    this.height = height;
  }

  static async start(options: Options<'start'>): Promise<LiveNodeProcess> {
    const process = new HelperProcess('simulated-node-process.ts', 'the node');
    return new LiveNodeProcess(process, await process.ask({ type: 'start', ...options }));
  }

  /** Returns the times when each transaction was announced, in milliseconds since the epoch, by id. */
  live(options: Options<'live'>): Promise<ReadonlyMap<Id, number>> {
    return this.#process.ask({ type: 'live', ...options });
  }

  /** Returns the bytes of the list as hex. */
  fill(options: Options<'fill'>): Promise<number> {
    return this.#process.ask({ type: 'fill', ...options });
  }

  empty(): Promise<void> {
    return this.#process.ask({ type: 'empty' });
  }

  /** Returns the time just before the response with the whole mempool, in milliseconds since the epoch. */
  break(): Promise<number> {
    return this.#process.ask({ type: 'break' });
  }

  close(): void {
    this.#process.close();
  }
}
