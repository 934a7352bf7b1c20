/** The process of one attacker: it opens connections and behaves badly until it is told to end. */
import { connect, type Socket } from 'node:net';
import { type AttackOrder, requestText } from './attack-definition.ts';
import { SeededRandom } from './seeded-random.ts';

const STEP = 200;
const STEP_MS = 20;
const SLOW_SEND_MS = 1_000;
const SLOW_READ_MS = 100;
const SLOW_READ_BYTES = 3_000;
/** The timer sends nothing while more bytes than this are unsent. */
const MAX_UNSENT_BYTES = 262_144;
const RESPONSE = 'HTTP/1.1 ';

class Attacker {
  readonly #order: AttackOrder;
  readonly #random: SeededRandom;
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #n: number;
  #isOver = false;

  constructor(order: AttackOrder) {
    this.#order = order;
    this.#random = new SeededRandom(order.seed);
    this.#n = this.#random.whole(0, 1_000);
    this.#openAll(order.connections);
  }

  /** Opens connections in steps that fit into a queue of connections. */
  #openAll(count: number): void {
    for (let i = 0; i < Math.min(count, STEP); i++) this.#open();
    if (count > STEP) this.#later(STEP_MS, () => this.#openAll(count - STEP));
  }

  end(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  #later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isOver) work();
    }, ms);
    this.#timers.add(timer);
  }

  #open(): void {
    const { port, localAddress, leaves, returnsAfterMs } = this.#order;
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#later(returnsAfterMs, () => this.#open());
    });
    socket.on('connect', () => {
      if (leaves !== null) {
        this.#later(this.#random.whole(leaves.earliestMs, leaves.latestMs), () => socket.destroy());
      }
      this.#read(socket);
      this.#send(socket);
    });
  }

  #send(socket: Socket): void {
    if (socket.destroyed) return;
    const { requests, headers, pipeline, sends, again } = this.#order;
    let text = '';
    for (let i = 0; i < pipeline; i++, this.#n++) {
      text += requestText(requests[this.#n % requests.length]!, headers, this.#n);
    }
    if (sends === 'a byte a second') this.#sendSlowly(socket, text, 0);
    else socket.write(sends === 'at once' ? text : text.slice(0, -1), 'latin1');
    if ('everyMs' in again) this.#sendAgain(socket, again.everyMs);
  }

  #sendAgain(socket: Socket, everyMs: number): void {
    this.#later(everyMs, () => {
      if (socket.writableLength > MAX_UNSENT_BYTES) this.#sendAgain(socket, everyMs);
      else this.#send(socket);
    });
  }

  #sendSlowly(socket: Socket, text: string, at: number): void {
    if (socket.destroyed) return;
    socket.write(text[at % text.length]!);
    this.#later(SLOW_SEND_MS, () => this.#sendSlowly(socket, text, at + 1));
  }

  #read(socket: Socket): void {
    const { reads, pipeline, again } = this.#order;
    if (reads === 'never') socket.pause();
    else if (reads === 'slowly') this.#readSlowly(socket);
    else {
      let responses = 0;
      let tail = '';
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => {
        if ('everyMs' in again) return;
        responses += (tail + chunk).split(RESPONSE).length - 1;
        tail = String(chunk).slice(1 - RESPONSE.length);
        if (responses < pipeline) return;
        responses = 0;
        if (again.afterResponsesMs === 0) this.#send(socket);
        else this.#later(again.afterResponsesMs, () => this.#send(socket));
      });
    }
  }

  #readSlowly(socket: Socket): void {
    // Reading in steps needs a listener, and that it does nothing.
    if (socket.listenerCount('readable') === 0) socket.on('readable', () => {});
    socket.read(Math.min(SLOW_READ_BYTES, socket.readableLength));
    this.#later(SLOW_READ_MS, () => {
      if (!socket.destroyed) this.#readSlowly(socket);
    });
  }
}

let attacker: Attacker | null = null;

process.on('message', (message: AttackOrder | 'end') => {
  attacker?.end();
  attacker = message === 'end' ? null : new Attacker(message);
  if (message === 'end') process.send?.('ended');
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
