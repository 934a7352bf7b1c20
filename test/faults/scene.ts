/** A node, a scanner and web servers as programs, brought into rare states; what all of them say must be true there. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../bench/seeded-random.ts';
import { nodeSettings } from '../../bench/test-bed.ts';
import type { Id } from '../../src/chain/types.ts';
import { SCANNER_PREFIX } from '../../src/config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../../src/config/web-server.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import type { SupervisedProgram } from '../../src/processes/supervised-program.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { SCHEMA_NAME } from '../../src/store/postgres/connect.ts';
import { postgresSettings } from '../../src/up/stack.ts';
import type { Scope } from '../support/file-scope.ts';
import { query, reached } from '../support/running-scanner.ts';
import type { ScriptedNode } from '../support/scripted-node.ts';
import { until } from '../support/until.ts';
import { accountOf, contradictions } from './accounts.ts';
import type { FaultyNode } from './faulty-node.ts';
import { type LoggedLine, logProblems, type ProgramName, parseLogLine, supervised } from './stack.ts';

/**
 * How long a state may last before all say it: hosts are asked every 2 s, a page asks the node every 5 s, and calls it on
 * another branch after 10 s more; the rest is for a busy machine.
 */
const SAID_WITHIN_MS = 45_000;

/** The metrics may be as old. */
const SCRAPED_ANEW_MS = 1_100;

/** Of a web server at most. */
const WORKERS = 2;

export interface Server {
  readonly name: string;
  readonly port: number;
  /** The databases that it may read, the preferred one first. */
  readonly hosts: readonly PostgresOptions[];
  /** Of `--max-lag`; 0: none. */
  readonly maxLag: number;
  readonly log: LoggedLine[];
}

/** What is so, as far as a scenario knows it. */
export interface Truth {
  /** The database that the server must read from, and its timeline if it is a primary. */
  readonly database: PostgresOptions;
  readonly timeline: string | null;
  /** Why it must not be ready; null: it must be. */
  readonly notReady: RegExp | null;
  /** Is there no tip that counts? */
  readonly hasNoIndex?: boolean;
}

/** The first timeline of a database server. */
export const FIRST_TIMELINE = '00000001';

export class Scene {
  readonly scope: Scope;
  readonly random: SeededRandom;
  readonly node: FaultyNode;
  /** The node that web servers ask. */
  asked: ScriptedNode;
  readonly servers: Server[] = [];
  readonly states: string[] = [];
  readonly problems: string[] = [];
  #scanner: SupervisedProgram | null = null;
  readonly #logs: LoggedLine[][] = [];

  constructor(scope: Scope, random: SeededRandom, node: FaultyNode) {
    this.scope = scope;
    this.random = random;
    this.node = node;
    this.asked = node;
  }

  /** Starts the scanner with these databases, unless it runs. */
  startScanner(...hosts: readonly PostgresOptions[]): void {
    this.#scanner ??= this.#start('scanner', SCANNER_PREFIX, this.node, hosts, {}, []);
  }

  get isScanning(): boolean {
    return this.#scanner !== null;
  }

  async stopScanner(): Promise<void> {
    await this.#scanner?.stop();
    this.#scanner = null;
  }

  /** Starts a web server, and waits until its workers listen. */
  async startServer(name: string, hosts: readonly PostgresOptions[], maxLag = 0): Promise<Server> {
    const workers = this.random.pick([1, 1, WORKERS]);
    const server: Server = { name, port: await freePort(), hosts, maxLag, log: [] };
    const settings = {
      'bind-address': `127.0.0.1:${server.port}`,
      workers: `${workers}`,
      'max-lag': `${maxLag}`,
    };
    this.#start('web-server', WEB_SERVER_PREFIX, this.asked, hosts, settings, server.log);
    await until(
      () => server.log.filter(({ msg }) => msg?.startsWith('Listening')).length >= workers,
      'a server listens',
    );
    this.servers.push(server);
    return server;
  }

  #start(
    name: ProgramName,
    prefix: string,
    { address, network }: ScriptedNode,
    hosts: readonly PostgresOptions[],
    settings: Readonly<Record<string, string>>,
    log: LoggedLine[],
  ): SupervisedProgram {
    const program = supervised(
      name,
      prefix,
      {
        network: network.name,
        ...nodeSettings(address),
        ...postgresSettings(hosts[0]!),
        'postgres-host': hosts.map(({ host }) => host).join(),
        'postgres-port': hosts.map(({ port }) => port).join(),
        ...settings,
      },
      (text) => void log.push(parseLogLine(name, text)),
    );
    this.#logs.push(log);
    this.scope.after(() => program.stop());
    program.start();
    return program;
  }

  /** The node gets so many blocks. */
  mine(blocks: number): void {
    for (let i = 0; i < blocks; i++) this.node.mine();
  }

  /** Waits until the scanner has written the node's tip to this database. */
  async indexed(database: PostgresOptions): Promise<void> {
    await reached(database, this.node.tip().id);
  }

  /**
   * Some of the web servers are asked in each place: what they say must be so and must not be contradicted within
   * `SAID_WITHIN_MS`, and from then on.
   */
  async check(state: string, truthOf: (server: Server) => Truth | Promise<Truth>): Promise<void> {
    const since = performance.now();
    const { random } = this;
    const asked = random.some(this.servers, random.whole(1, this.servers.length));
    const pauses = Array.from({ length: 2 }, () => random.whole(50, 1_000));
    const found = await Promise.all(
      asked.map(async (server) => {
        const look = async () => this.#wrong(server, await truthOf(server)).catch((error: Error) => [error.message]);
        const deadline = performance.now() + SAID_WITHIN_MS;
        for (let well = 0; well < WORKERS; await sleep(250)) {
          const wrong = await look();
          well = wrong.length === 0 ? well + 1 : 0;
          if (wrong.length > 0 && performance.now() > deadline)
            return [...wrong.map((what) => `${state}: ${server.name}: ${what}`), ...lastLines(server)];
        }
        for (const pause of pauses) {
          await sleep(pause);
          let wrong = await look();
          if (wrong.length > 0) wrong = await sleep(SCRAPED_ANEW_MS).then(look);
          if (wrong.length > 0)
            return [...wrong.map((what) => `${state}, after it was so: ${server.name}: ${what}`), ...lastLines(server)];
        }
        return [];
      }),
    );
    this.states.push(`${state} (${Math.round((performance.now() - since) / 1_000)} s)`);
    this.problems.push(...found.flat());
  }

  /** All that a server says which is not so, or contradicts something else. */
  async #wrong({ port, log }: Server, truth: Truth): Promise<string[]> {
    const account = await accountOf(port, log);
    const { ready, status } = account;
    const { database, timeline, notReady, hasNoIndex = false } = truth;
    const claims: [string, unknown, unknown][] = [
      ['ready', ready.isReady, notReady === null],
      ['the reason', ready.isReady || notReady === null || notReady.test(ready.reason) ? '' : ready.reason, ''],
    ];
    if (!hasNoIndex) {
      const tip = await tipOf(database);
      const { height } = this.asked.tip();
      const hasTip = this.asked.mainChainHeight(tip.id) !== undefined;
      const isOurs = this.asked.mainChainId(Math.min(height, tip.height)) === this.#ancestor(tip, height);
      claims.push(
        ['the database', status.database.host.endsWith(`:${database.port}`), true],
        ['role', status.database.role, timeline === null ? 'replica' : 'primary'],
        ['timeline', status.database.timeline, timeline],
        ['tip', `${status.index?.height} ${status.index?.id}`, `${tip.height} ${tip.id}`],
        ['height of the node', status.node.height, height],
        ['on our chain', status.node.on_our_chain, isOurs],
        ['is what is pending known', status.mempool !== null, hasTip],
      );
    }
    const untrue = claims.filter(([, said, right]) => said !== right);
    return [
      ...untrue.map(([what, said, right]) => `${what}: ${JSON.stringify(said)} instead of ${JSON.stringify(right)}`),
      ...contradictions(account),
    ];
  }

  /** The block of the index at this height; its tip if that is lower. */
  #ancestor(tip: Tip, height: number): Id {
    let { id } = tip;
    for (let at = tip.height; at > height; at--) id = this.node.block(id).prev;
    return id;
  }

  /** Programs that ended by themselves, and lines that came too often. */
  logProblems(): string[] {
    return this.#logs.flatMap((log) => logProblems(log));
  }
}

/** For whoever looks for the cause. */
function lastLines({ log }: Server): string[] {
  return log.slice(-6).map(({ text }) => `its log: ${text}`);
}

export interface Tip {
  readonly height: number;
  readonly id: Id;
  readonly revision: bigint;
}

/** What a database holds. */
export async function tipOf(database: PostgresOptions): Promise<Tip> {
  const { rows } = await query<Tip>(
    database,
    `select height, encode(block_id, 'hex') as id, revision::bigint from ${SCHEMA_NAME}.chain_tip`,
  );
  return rows[0]!;
}

/** Waits until a replica has replayed what its primary has. */
export async function replayed(primary: PostgresOptions, replica: PostgresOptions): Promise<void> {
  const isSame = async () => (await tipOf(replica).catch(() => null))?.revision === (await tipOf(primary)).revision;
  await until(isSame, 'the replica has the tip of its primary', { withinMs: 60_000 });
}
