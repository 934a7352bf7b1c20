/** The limit of reading: an HTTP server that does nothing but send one prepared answer, in a process of its own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { answerMessages, HelperProcess } from './helper-process.ts';

export interface BareAnswer {
  readonly status: number;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
  readonly body: string | Buffer;
}

export class BareServer {
  readonly port: number;
  readonly #process: HelperProcess;

  private constructor(process: HelperProcess, port: number) {
    this.#process = process;
    this.port = port;
  }

  static async start(): Promise<BareServer> {
    const process = new HelperProcess('bare-server.ts', 'the bare server');
    const unused: BareAnswer = { status: 404, headers: [], body: '' };
    return new BareServer(process, await process.ask(unused));
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Sets the response to every following request. */
  async use(answer: BareAnswer): Promise<void> {
    await this.#process.ask(answer);
  }

  /** Sets the responses to following requests, by URL. */
  async useByUrl(answers: ReadonlyMap<string, BareAnswer>): Promise<void> {
    await this.#process.ask(answers);
  }

  close(): void {
    this.#process.close();
  }
}

async function serve(): Promise<void> {
  let answerTo: (url: string) => BareAnswer;
  const server = createServer(({ url }, response) => {
    const answer = answerTo(url!);
    // As the server under test does: short texts leave in one piece with their headers.
    response.writeHead(answer.status, answer.headers as string[]);
    response.end(answer.body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  answerMessages((next: BareAnswer | ReadonlyMap<string, BareAnswer>) => {
    answerTo = next instanceof Map ? (url) => next.get(url)! : () => next as BareAnswer;
    return (server.address() as AddressInfo).port;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();
