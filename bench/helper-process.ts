/** Helpers of the bench, each in a process of its own: the bench sends a message, the helper answers. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nextMessage } from './next-message.ts';

export class HelperProcess {
  readonly #child: ChildProcess;
  readonly #name: string;

  /** Starts a file of this folder. `name`: for messages of errors. */
  constructor(file: string, name: string) {
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), { serialization: 'advanced' });
    this.#name = name;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Returns the answer to a message, one at a time. Rejects if the helper fails or ends. */
  async ask<Answer>(message: object | string): Promise<Answer> {
    const answered = nextMessage(this.#child, this.#name);
    this.#child.send(message);
    const { answer, failure } = (await answered) as { readonly answer: Answer; readonly failure?: string };
    if (failure !== undefined) throw new Error(failure);
    return answer;
  }

  close(): void {
    this.#child.kill();
  }
}

/** Answers the messages of the bench, in the helper. The helper ends with the bench. */
export function answerMessages<Message>(answerTo: (message: Message) => unknown): void {
  process.on('message', async (message: Message) => {
    try {
      process.send?.({ answer: await answerTo(message) });
    } catch (error) {
      process.send?.({ failure: (error as Error).message });
    }
  });
  process.on('disconnect', () => process.exit());
}
