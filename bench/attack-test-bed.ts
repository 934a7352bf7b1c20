/** A web server under attack, with its chain, attackers, well-behaved clients, and a bare server for comparison. */
import { type ChildProcess, fork } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../src/embedded/free-port.ts';
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import type { Composition } from './attack-composition.ts';
import type { AttackOrder } from './attack-definition.ts';
import { type AttackMeasures, normalAfter } from './attack-effect-limits.ts';
import { BareServer } from './bare-server.ts';
import type { BenchChain } from './measured-chain.ts';
import { nextMessage } from './next-message.ts';
import { type AttackTargets, prepareTargets } from './prepare-attack-targets.ts';
import { familyHoldings } from './process-usage.ts';
import { sorted } from './report.ts';
import { syncChain } from './sync.ts';
import type { Bed, Devnet, WebServer } from './test-bed.ts';
import { Clients, type Sample } from './well-behaved-clients.ts';
import { largeReads, smallReads } from './well-behaved-requests.ts';

const LOOK_MS = 50;
const SMALL_PAUSE_MS = 5;
const LARGE_PAUSE_MS = 20;
/** The time before measuring, because a program is slower just after its start. */
const WARM_UP_MS = 1_500;
const MAX_WARM_UP_MS = 20_000;
/** An attacker that does not even say that it has ended is killed. */
const MAX_SILENCE_MS = 3_000;

/** The numbers of streams and of connections. One attacker can use all, as of every resource that can be taken back. */
const STREAMS = '100';
const CONNECTIONS = '1200';
const SETTINGS = {
  'max-connections': CONNECTIONS,
  'enable-post-routes': 'true',
  'log-level': 'error',
  'stream-events-max-subscribers': STREAMS,
  'stream-events-max-subscribers-per-client': STREAMS,
};

type Samples = Record<'small' | 'bare' | 'large' | 'streams', Sample[]>;

export interface AttackTimes {
  readonly attackMs: number;
  /**
   * The time for which others are watched after an attack, and the longest time while they are not served normally yet.
   */
  readonly watchMs: number;
  readonly longestWatchMs: number;
}

interface Parts {
  readonly bed: Bed;
  readonly chain: BenchChain;
  readonly postgres: PostgresOptions;
  readonly devnet: Devnet;
  readonly targets: AttackTargets;
  readonly port: number;
  readonly bare: BareServer;
  /** Small reads of both servers, side by side in one process: a disturbance affects both. */
  readonly small: Clients<'small' | 'bare'>;
  readonly large: Clients<'large' | 'streams'>;
}

export class AttackBed {
  readonly targets: AttackTargets;
  readonly #parts: Parts;
  readonly #attackers: ChildProcess[] = [];
  #server: (WebServer & { readonly memoryBytes: number }) | null = null;

  private constructor(parts: Parts) {
    this.targets = parts.targets;
    this.#parts = parts;
  }

  /** Syncs the chain; the web server is started when it is needed. */
  static async open(bed: Bed, chain: BenchChain): Promise<AttackBed> {
    const { postgres } = await syncChain(bed, chain, { database: 'attacked', limits: false });
    const client = await bed.connect(postgres);
    const targets = await prepareTargets(client, chain.network);
    await bed.disconnect(client);
    const devnet = await bed.startDevnet([`--replay=${chain.file}`]);
    const port = await freePort();
    const bare = await BareServer.start();
    await bare.use({ status: 200, headers: ['content-type', 'application/json'], body: '1'.repeat(500) });
    const small = { port, localAddress: '127.0.0.2', requests: smallReads(targets.samples), pauseMs: SMALL_PAUSE_MS };
    const large = { port, localAddress: '127.0.0.3', requests: largeReads(targets), pauseMs: LARGE_PAUSE_MS };
    const resumed = { path: `/api/v2/stream?last_event_id=${targets.oldEvents.at(-1)}`, isStream: true };
    const streams = { ...large, localAddress: '127.0.0.4', requests: [resumed] };
    return new AttackBed({
      ...{ bed, chain, postgres, devnet, targets, port, bare },
      small: await Clients.start({ small, bare: { ...small, port: bare.port } }),
      large: await Clients.start({ large, streams }),
    });
  }

  async close(): Promise<void> {
    const { bed, devnet, bare, small, large } = this.#parts;
    for (const each of [small, large, bare]) each.close();
    for (const attacker of this.#attackers) attacker.kill();
    await this.stopServer();
    await bed.stop(devnet.program);
  }

  /** The next attack meets a new one. */
  async stopServer(signal?: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server !== null) await this.#parts.bed.stop(server.program, signal);
  }

  /** Attacks the web server and watches what others see. */
  async run(composition: Composition, times: AttackTimes): Promise<AttackMeasures> {
    const { program } = await this.#serverWith(composition.memoryBytes);
    let [memoryBytes, openFiles] = [0, 0];
    const looking = setInterval(() => {
      const holdings = familyHoldings(program.pid);
      memoryBytes = Math.max(memoryBytes, holdings.residentBytes);
      openFiles = Math.max(openFiles, holdings.openFiles);
    }, LOOK_MS);
    try {
      const { attackers } = composition;
      while (this.#attackers.length < attackers.length) this.#attackers.push(await startAttacker());
      await this.#take();
      const beganAt = Date.now();
      for (const [place, { attack, localAddress, seed }] of attackers.entries()) {
        this.#attackers[place]!.send({ ...attack, localAddress, seed, port: this.#parts.port } satisfies AttackOrder);
      }
      await sleep(times.attackMs);
      await this.#endAttacks();
      const endedAt = Date.now();
      await sleep(times.watchMs);
      let seen = await this.#take();
      let normalAfterMs = normalAfter(seen, endedAt, Date.now());
      while (normalAfterMs === null && Date.now() < endedAt + times.longestWatchMs && !program.hasEnded) {
        await sleep(250);
        seen = joined(seen, await this.#take());
        normalAfterMs = normalAfter(seen, endedAt, Date.now());
      }
      const measures = {
        smallMs: durations(seen.small, beganAt, endedAt),
        bareMs: durations(seen.bare, beganAt, endedAt),
        longestLargeMs: durations(seen.large, beganAt, endedAt).at(-1) ?? Number.NaN,
        longestStreamMs: durations(seen.streams, beganAt, endedAt).at(-1) ?? Number.NaN,
        statuses: statusesOf(ofServer(seen).filter(({ at, ms }) => at + ms >= beganAt)),
        uncompressed: seen.large.filter(({ isUncompressed }) => isUncompressed).length,
        ...{ memoryBytes, maxMemoryBytes: composition.memoryBytes, openFiles },
        ...{ normalAfterMs, hasDied: program.hasEnded },
      };
      const isHarmed = measures.hasDied || normalAfterMs === null || memoryBytes > composition.memoryBytes;
      // It would take seconds to stop.
      if (isHarmed) await this.stopServer('SIGKILL');
      return measures;
    } finally {
      clearInterval(looking);
    }
  }

  async #serverWith(memoryBytes: number): Promise<WebServer> {
    if (this.#server?.memoryBytes === memoryBytes) return this.#server;
    await this.stopServer();
    const { bed, chain, devnet, postgres, port } = this.#parts;
    const server = await bed.startWebServer({
      ...{ network: chain.networkArgument, node: devnet.address, postgres, port },
      settings: { ...SETTINGS, 'max-memory': `${memoryBytes}` },
    });
    this.#server = { ...server, memoryBytes };
    await this.#warmUp();
    return this.#server;
  }

  /** Until others are served as always. */
  async #warmUp(): Promise<void> {
    const since = Date.now();
    await this.#take();
    for (let seen = await this.#takeAfter(WARM_UP_MS); ; seen = await this.#takeAfter(WARM_UP_MS / 3)) {
      const wrong = ofServer(seen).filter(({ status }) => status !== 200 && status !== null);
      const now = Date.now();
      if (wrong.length === 0 && normalAfter(seen, now - 500, now) === 0) return;
      if (now < since + MAX_WARM_UP_MS) continue;
      if (wrong.length === 0) return;
      throw new Error(`an undisturbed web server gives others other statuses: ${JSON.stringify(statusesOf(wrong))}`);
    }
  }

  async #takeAfter(ms: number): Promise<Samples> {
    await sleep(ms);
    return this.#take();
  }

  async #take(): Promise<Samples> {
    const [small, large] = await Promise.all([this.#parts.small.take(), this.#parts.large.take()]);
    return { ...small, ...large };
  }

  /** Resolves when no attacker has a connection any more. */
  async #endAttacks(): Promise<void> {
    const end = async (attacker: ChildProcess) => {
      const ended = nextMessage(attacker, 'an attacker').catch(() => {
        this.#attackers.splice(this.#attackers.indexOf(attacker), 1);
      });
      attacker.send('end', () => {});
      const tooLate = setTimeout(() => attacker.kill('SIGKILL'), MAX_SILENCE_MS);
      await ended;
      clearTimeout(tooLate);
    };
    await Promise.all(this.#attackers.map(end));
  }
}

export async function startAttacker(): Promise<ChildProcess> {
  const attacker = fork(fileURLToPath(new URL('./attack-process.ts', import.meta.url)));
  await nextMessage(attacker, 'an attacker');
  setPriority(attacker.pid!, constants.priority.PRIORITY_LOW);
  return attacker;
}

/** Joins samples. A request without its response at the end of the first is reported again in the second. */
function joined(first: Samples, second: Samples): Samples {
  const both = (name: keyof Samples) => [...first[name].filter(({ status }) => status !== null), ...second[name]];
  return { small: both('small'), bare: both('bare'), large: both('large'), streams: both('streams') };
}

const ofServer = ({ small, large, streams }: Samples) => [...small, ...large, ...streams];

/** Returns the durations of the requests that were in progress between two moments, sorted. */
function durations(samples: readonly Sample[], since: number, until: number): number[] {
  return sorted(samples.filter(({ at, ms }) => at + ms >= since && at < until).map(({ ms }) => ms));
}

/** Counts the statuses. A request without its response has none. */
function statusesOf(samples: readonly Sample[]): Record<number, number> {
  const statuses: Record<number, number> = {};
  for (const { status } of samples) if (status !== null) statuses[status] = (statuses[status] ?? 0) + 1;
  return statuses;
}
