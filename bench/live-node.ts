/** Starts the node of `event-streams.ts` in a process of its own, and gives it orders. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LiveNodeAnswer, LiveNodeOrder, LiveNodeStart } from './live-node-process.ts';
import { nextMessage } from './next-message.ts';

type Answer<Type extends LiveNodeAnswer['type']> = Extract<LiveNodeAnswer, { type: Type }>;

export class LiveNodeProcess {
  readonly #child: ChildProcess;
  readonly address: string;
  readonly height: number;

  private constructor(child: ChildProcess, { address, height }: Answer<'started'>) {
    this.#child = child;
    this.address = address;
    this.height = height;
  }

  static async start(options: Omit<LiveNodeStart, 'type'>): Promise<LiveNodeProcess> {
    const child = fork(fileURLToPath(new URL('live-node-process.ts', import.meta.url)), { execArgv: [] });
    const started = answerOf(child, 'started');
    child.send({ type: 'start', ...options } satisfies LiveNodeOrder);
    return new LiveNodeProcess(child, await started);
  }

  /** Returns the times when each transaction was announced, in milliseconds since the epoch, by id. */
  async live(options: Omit<Extract<LiveNodeOrder, { type: 'live' }>, 'type'>): Promise<Map<string, number>> {
    return new Map((await this.#order({ type: 'live', ...options }, 'lived')).told);
  }

  /** Returns the bytes of the list as hex. */
  async fill(options: Omit<Extract<LiveNodeOrder, { type: 'fill' }>, 'type'>): Promise<number> {
    return (await this.#order({ type: 'fill', ...options }, 'filled')).listBytes;
  }

  async empty(): Promise<void> {
    await this.#order({ type: 'empty' }, 'emptied');
  }

  async break(): Promise<void> {
    await this.#order({ type: 'break' }, 'broken');
  }

  /** The next time that somebody asks for all that is pending. */
  nextList(): Promise<Answer<'listed'>> {
    return answerOf(this.#child, 'listed');
  }

  close(): void {
    this.#child.kill();
  }

  #order<Type extends LiveNodeAnswer['type']>(order: LiveNodeOrder, answer: Type): Promise<Answer<Type>> {
    const answered = answerOf(this.#child, answer);
    this.#child.send(order);
    return answered;
  }
}

async function answerOf<Type extends LiveNodeAnswer['type']>(child: ChildProcess, type: Type): Promise<Answer<Type>> {
  return (await nextMessage(child, 'the node', (answer) => (answer as LiveNodeAnswer).type === type)) as Answer<Type>;
}
