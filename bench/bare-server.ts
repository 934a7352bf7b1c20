/** The limit of reading: an HTTP server that does nothing but send one prepared answer, in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { nextMessage } from './next-message.ts';

const NAME = 'the bare server';

export interface BareAnswer {
  readonly status: number;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

export class BareServer {
  readonly port: number;
  readonly pid: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.port = port;
    this.pid = child.pid ?? 0;
    this.#child = child;
  }

  static async start(): Promise<BareServer> {
    const child = fork(fileURLToPath(import.meta.url), { serialization: 'advanced' });
    return new BareServer(child, (await nextMessage(child, NAME)) as number);
  }

  /** Sets the response to every following request. */
  async use(answer: BareAnswer): Promise<void> {
    this.#child.send(answer);
    await nextMessage(this.#child, NAME);
  }

  close(): void {
    this.#child.kill();
  }
}

function serve(): void {
  let answer: BareAnswer = { status: 404, headers: [], body: '' };
  const server = createServer((_, response) => {
    response.writeHead(answer.status, answer.headers as string[]);
    response.end(answer.body);
  });
  process.on('message', (next: BareAnswer) => {
    // As the server under test does: short texts leave in one piece with their headers.
    answer = next;
    process.send?.('used');
  });
  process.on('disconnect', () => process.exit());
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve();
