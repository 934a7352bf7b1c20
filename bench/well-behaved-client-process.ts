/** The process of `well-behaved-clients.ts`. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyText } from './attack-definition.ts';
import { answerMessages } from './helper-process.ts';
import type { ClientPlan, ClientRequest, Sample } from './well-behaved-clients.ts';

const TIMEOUT_MS = 20_000;
/** After a connection that was refused. */
const PAUSE_AFTER_FAILURE_MS = 20;
/** The smallest body that the web server compresses. */
const COMPRESS_FROM_BYTES = 4_096;

type Outcome = Pick<Sample, 'status' | 'isUncompressed'>;
const BROKEN: Outcome = { status: 0 };

class MeasuredClient {
  readonly #plan: ClientPlan;
  readonly #agent: Agent;
  #samples: Sample[] = [];
  #startedAt: number | null = null;

  constructor(plan: ClientPlan) {
    this.#plan = plan;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: plan.localAddress });
    void this.#run();
  }

  take(): Sample[] {
    const samples = this.#samples;
    this.#samples = [];
    return [...samples, ...this.#underWay()];
  }

  #underWay(): Sample[] {
    return this.#startedAt === null ? [] : [{ at: this.#startedAt, ms: now() - this.#startedAt, status: null }];
  }

  async #run(): Promise<never> {
    const { requests, pauseMs } = this.#plan;
    for (let n = 0; ; n++) {
      const at = now();
      this.#startedAt = at;
      const outcome = await this.#ask(requests[n % requests.length]!);
      this.#startedAt = null;
      this.#samples.push({ at, ms: now() - at, ...outcome });
      await sleep(outcome.status === 0 ? PAUSE_AFTER_FAILURE_MS : pauseMs);
    }
  }

  #ask({ path, headers = {}, body, isStream = false }: ClientRequest): Promise<Outcome> {
    const { port } = this.#plan;
    return new Promise((resolve) => {
      const text = body && bodyText(body);
      const asking = request({
        ...{ host: '127.0.0.1', port, method: body ? 'POST' : 'GET', path, agent: this.#agent, timeout: TIMEOUT_MS },
        headers: text === undefined ? headers : { ...headers, 'content-length': text.length },
      });
      asking.on('response', (response) => {
        response.on('data', (chunk: Buffer) => {
          if (!isStream || !chunk.includes('event:')) return;
          resolve({ status: response.statusCode ?? 0 });
          asking.destroy();
        });
        response.on('close', () => {
          if (!response.complete) return resolve(BROKEN);
          const { 'content-encoding': encoding, 'content-length': length } = response.headers;
          const isUncompressed =
            headers['accept-encoding'] !== undefined && encoding === undefined && Number(length) >= COMPRESS_FROM_BYTES;
          resolve({ status: response.statusCode ?? 0, isUncompressed });
        });
      });
      asking.on('timeout', () => asking.destroy());
      asking.on('error', () => resolve(BROKEN));
      asking.end(text);
    });
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}

let clients: Readonly<Record<string, MeasuredClient>> = {};

function mapValues<Value, Result>(of: Readonly<Record<string, Value>>, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, map(value)]));
}

answerMessages((message: Readonly<Record<string, ClientPlan>> | 'take') => {
  if (message === 'take') return mapValues(clients, (client) => client.take());
  clients = mapValues(message, (plan) => new MeasuredClient(plan));
  return null;
});
