/** All that a run disturbs: a node, PostgreSQL, scanner and web server as programs, and a proxy on each way between them. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { childrenOf, usageOf } from '../../bench/process-usage.ts';
import { nodeSettings } from '../../bench/test-bed.ts';
import { testnet } from '../../src/chain/networks/known-networks.ts';
import { SCANNER_PREFIX } from '../../src/config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../../src/config/web-server.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { parseHostPort } from '../../src/node/host-port.ts';
import { SupervisedProgram } from '../../src/processes/supervised-program.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { environmentVariables, postgresSettings } from '../../src/up/stack.ts';
import type { Scope } from '../support/file-scope.ts';
import type { LogLine, Said } from '../support/running-scanner.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { eventually, until } from '../support/until.ts';
import type { FaultyNode } from './faulty-node.ts';
import type { FaultyPostgres } from './faulty-postgres.ts';

const LINKS = ['scanner to node', 'scanner to PostgreSQL', 'web server to node', 'web server to PostgreSQL'] as const;
export type Link = (typeof LINKS)[number];
export type ProgramName = 'scanner' | 'web-server';

/** What the scanner logs when it begins to write. */
const INDEX_OPEN = 'the index is open';
/** What a supervisor logs when a program has ended. */
const ENDED = /^ended \(/;

/** Why a program ends that begins beside such a node, and the log of one that waits for the right one. */
export const OTHER_NETWORK = /is of another network/;

/** Pages name it. */
export const PUBLIC_URL = 'http://index.example';

/** A line of a program's log. */
export interface LoggedLine extends Partial<LogLine> {
  readonly program: ProgramName;
  readonly text: string;
}

type Parts = Pick<
  Stack,
  'node' | 'nodeAddress' | 'otherNode' | 'postgres' | 'database' | 'links' | 'port' | 'monitorPort' | 'clock'
>;
/** Options of the programs besides the usual ones. */
type Settings = Partial<Record<ProgramName, Readonly<Record<string, string>>>>;

export class Stack {
  readonly node!: FaultyNode;
  /** Where it listens. */
  readonly nodeAddress!: TcpProxy['target'];
  /** Where a node of another network listens. */
  readonly otherNode!: TcpProxy['target'];
  readonly postgres!: FaultyPostgres;
  /** Without a proxy between. */
  readonly database!: PostgresOptions;
  readonly links!: Readonly<Record<Link, TcpProxy>>;
  readonly port!: number;
  readonly log: LoggedLine[] = [];
  /** A program has ended with a status with which it is not started again. */
  needsHand = false;
  /** How many processes of the programs were killed. */
  kills = 0;
  readonly monitorPort!: number;
  /** The file that says how far off the programs' clock is. */
  readonly clock!: string;
  #peakBytes = 0;
  readonly #startable: Readonly<Record<ProgramName, () => SupervisedProgram>>;
  readonly #programs: Record<ProgramName, SupervisedProgram>;

  private constructor(parts: Parts, settings: Settings) {
    const { node, database, links, port, monitorPort } = parts;
    Object.assign(this, parts);
    const address = (link: Link) => `127.0.0.1:${links[link].address.port}`;
    const network = node.network.name;
    const startable = {
      scanner: () =>
        this.#program('scanner', SCANNER_PREFIX, {
          network,
          ...nodeSettings(address('scanner to node')),
          ...postgresSettings({ ...database, ...links['scanner to PostgreSQL'].address }),
          'metrics-address': `127.0.0.1:${monitorPort}`,
          ...settings.scanner,
        }),
      'web-server': () =>
        this.#program('web-server', WEB_SERVER_PREFIX, {
          network,
          ...nodeSettings(address('web server to node')),
          ...postgresSettings({ ...database, ...links['web server to PostgreSQL'].address }),
          'bind-address': `127.0.0.1:${port}`,
          workers: '2',
          'public-url': PUBLIC_URL,
          ...settings['web-server'],
        }),
    };
    this.#startable = startable;
    this.#programs = { scanner: startable.scanner(), 'web-server': startable['web-server']() };
  }

  /** Its programs run; everything ends with `t`. */
  static async start(t: Scope, node: FaultyNode, postgres: FaultyPostgres, settings: Settings = {}): Promise<Stack> {
    const name = `faults_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
    const database = await postgres.createDatabase(name);
    t.after(() => postgres.dropDatabase(name));
    t.after(() => node.stop());
    const nodeAddress = parseHostPort(node.address)!;
    const otherNode = await serveOtherNode(t);
    const proxies = LINKS.map(async (link) => {
      const target = link.endsWith('node') ? nodeAddress : database;
      return [link, await TcpProxy.start(t, target)] as const;
    });
    const links = Object.fromEntries(await Promise.all(proxies)) as Record<Link, TcpProxy>;
    const clock = `${await temporaryDirectory(t)}/clock`;
    const [port, monitorPort] = [await freePort(), await freePort()];
    const parts = { node, nodeAddress, otherNode, postgres, database, links, port, monitorPort, clock };
    const stack = new Stack(parts, settings);
    stack.moveClock(0);
    for (const name of Object.keys(stack.#programs) as ProgramName[]) {
      t.after(() => stack.#programs[name].stop());
      stack.#run(name);
    }
    return stack;
  }

  #run(name: ProgramName): void {
    const program = this.#programs[name];
    void program.refused.then(async () => {
      const last = this.log.findLast((line) => line.program === name);
      try {
        if (!OTHER_NETWORK.test(last?.text ?? '')) throw new Error(last?.text);
        // What begins beside a node of another network ends for good: its operator starts it again when the node is right.
        const link = this.links['scanner to node'];
        await until(() => link.target === this.nodeAddress, 'the right node', { withinMs: 60_000 });
      } catch {
        this.needsHand = true;
        return;
      }
      this.log.push({ program: name, text: 'ended (by its own decision), started again by hand' });
      this.#programs[name] = this.#startable[name]();
      this.#run(name);
    });
    program.start();
  }

  /** The wall clock of the programs is off by this. */
  moveClock(ms: number): void {
    writeFileSync(this.clock, `${ms}`);
  }

  /** SIGKILL; it is started again. */
  kill(name: ProgramName): Promise<void> {
    return this.#kill(name, () => this.#programs[name].pid);
  }

  killWorker(): Promise<void> {
    return this.#kill('a worker', () => childrenOf(this.#programs['web-server'].pid ?? 0)[0]);
  }

  /** As soon as it runs. */
  async #kill(what: string, runningPid: () => number | undefined): Promise<void> {
    process.kill(await eventually(what, runningPid), 'SIGKILL');
    this.kills++;
  }

  /** The most memory that a process of the programs ever had, as far as it ran at one of these calls. */
  peakBytes(): number {
    const pids = [...this.pids('scanner'), ...this.pids('web-server')];
    this.#peakBytes = Math.max(this.#peakBytes, ...pids.map((pid) => usageOf(pid).peakBytes || 0));
    return this.#peakBytes;
  }

  /** The process of a program, and its workers. */
  pids(name: ProgramName): number[] {
    const { pid = 0 } = this.#programs[name];
    return [pid, ...childrenOf(pid)];
  }

  /** Has the scanner that runs begun to write? */
  get isIndexOpen(): boolean {
    const last = this.log.findLast(
      ({ program, msg, text }) => program === 'scanner' && (msg === INDEX_OPEN || ENDED.test(text)),
    );
    return last?.msg === INDEX_OPEN;
  }

  /** What a program says; null when there is no answer. */
  async said(name: ProgramName, path = '/ready') {
    try {
      const response = await this.#ask(name, path);
      return { isReady: response.ok, said: (await response.json()) as Said & { readonly count?: number } };
    } catch {
      return null;
    }
  }

  /** What the scanner's metrics say. */
  async scannerMetrics(): Promise<string> {
    return (await this.#ask('scanner', '/metrics')).text();
  }

  #ask(name: ProgramName, path: string): Promise<Response> {
    const port = name === 'scanner' ? this.monitorPort : this.port;
    return fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(5_000) });
  }

  #program(name: ProgramName, prefix: string, settings: Readonly<Record<string, string>>): SupervisedProgram {
    const onLine = (text: string) => void this.log.push(parseLogLine(name, text));
    return supervised(name, prefix, settings, onLine, {
      NODE_OPTIONS: `--import=${new URL('moved-clock.ts', import.meta.url).href}`,
      MOVED_CLOCK: this.clock,
    });
  }
}

/** A program that is started again when it has ended. */
export function supervised(
  name: ProgramName,
  prefix: string,
  settings: Readonly<Record<string, string>>,
  onLine: (text: string) => void,
  env: Readonly<Record<string, string>> = {},
): SupervisedProgram {
  return new SupervisedProgram({
    name,
    file: fileURLToPath(new URL(`../../bin/${name}.ts`, import.meta.url)),
    args: [],
    env: { ...process.env, ...environmentVariables(prefix, settings), ...env },
    pauses: { firstMs: 100, maxMs: 1_000 },
    onLine: (_, text) => onLine(text),
  });
}

/** A node of another network, with blocks and a mempool. */
async function serveOtherNode(t: Scope): Promise<TcpProxy['target']> {
  const other = await SimulatedNode.open({ network: testnet, seed: 'other', mix: MIX_PRESETS.dense });
  other.growTo(20);
  const server = await serveRpc(other);
  t.after(() => server.close());
  return parseHostPort(server.address)!;
}

export function parseLogLine(program: ProgramName, text: string): LoggedLine {
  try {
    return { ...JSON.parse(text), program, text };
  } catch {
    return { program, text };
  }
}

/** Less is an ordinary event. */
const WARNING = 40;
/** A second, measured by two clocks of a process. */
const LOG_INTERVAL_MS = 990;
/** More lines than this within a second are of a loop without a pause. */
const MAX_OMITTED = 20;

/** What passes by itself: a supervisor starts the program again. */
const MAY_END = /another scanner is writing/;
/** So does this, but a scanner that has written waits for it itself. */
const MAY_NOT_BEGIN = /is read-only: it is a/;

/** What was logged too often, and programs that ended by themselves. */
export function logProblems(log: readonly LoggedLine[]): string[] {
  const problems = new Set<string>();
  /** When each warning of a process was logged last. */
  const last = new Map<string, number>();
  const before = { scanner: '', 'web-server': '' };
  let hasWritten = false;
  for (const { program, text, level = 0, msg = '', pid, time, omitted = 0 } of log) {
    if (ENDED.test(text)) {
      const isOrderly = MAY_END.test(before[program]) || (!hasWritten && MAY_NOT_BEGIN.test(before[program]));
      if (/^ended \(exit status/.test(text) && !isOrderly) {
        problems.add(`the ${program} ended by itself: ${before[program]}; ${text}`);
      }
      last.clear();
      if (program === 'scanner') hasWritten = false;
    }
    if (msg === INDEX_OPEN) hasWritten = true;
    before[program] = text;
    if (level < WARNING) continue;
    const key = `${program} ${pid ?? ''}: ${msg}`;
    // The program's own time, because this process may read late; the moves of its clock are hours.
    if (Math.abs(Number(time) - last.get(key)!) < LOG_INTERVAL_MS) problems.add(`logged too often: ${key}`);
    last.set(key, Number(time));
    if (Number(omitted) > MAX_OMITTED) problems.add(`${omitted} lines within a second: ${key}`);
  }
  return [...problems];
}
