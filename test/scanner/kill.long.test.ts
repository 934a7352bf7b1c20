/**
 * The scanner as a program, killed at random moments of each phase and started again: it ends in the same tables as one
 * that nobody disturbed. `KILLS=50` for so many kills in each phase, `SEED=…` for their moments.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../src/devnet/sim/random.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { dumpOf } from '../support/following-scanner.ts';
import { testDatabase } from '../support/postgres.ts';
import { consistentDump, reached } from '../support/running-scanner.ts';
import { type NodeBlock, ScriptedNode } from '../support/scripted-node.ts';
import { lightSimulation, SIMULATED_NETWORK } from '../support/simulated-chain.ts';

const KILLS = Number(process.env.KILLS ?? 2);
const SEED = process.env.SEED ?? `${Date.now()}`;
const NEAR = 1_250;
const PROGRAM = new URL('../../bin/scanner.ts', import.meta.url).pathname;

/** When to kill: so many milliseconds, at most, after this line of the log. */
interface Moment {
  readonly phase: string;
  readonly after: RegExp | null;
  readonly withinMs: number;
}

const CREATION: Moment = { phase: 'the initial creation', after: null, withinMs: 900 };
const BULK: Moment = { phase: 'bulk', after: /"the index is open"/, withinMs: 900 };
const INDEXES: Moment = { phase: 'the building of indexes', after: /building indexes/, withinMs: 200 };
const FOLLOWING: Moment = { phase: 'following', after: /"new tip"|"reorganised"/, withinMs: 250 };

class Program {
  readonly #child: ChildProcess;
  readonly exit: Promise<{ code: number | null; signal: string | null }>;
  readonly lines: string[] = [];
  #onLine: () => void = () => {};

  constructor(node: ScriptedNode, { host, port, user, password, database }: PostgresOptions) {
    const args = Object.entries({
      network: SIMULATED_NETWORK.name,
      'node-rpc-address': node.address,
      'node-rpc-username': 'anybody',
      'node-rpc-password': 'anything',
      'postgres-host': host,
      'postgres-port': port,
      'postgres-user': user,
      'postgres-password': password,
      'postgres-database': database,
    }).flatMap(([name, value]) => [`--${name}`, String(value)]);
    this.#child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.exit = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve({ code, signal })));
    for (const output of [this.#child.stdout!, this.#child.stderr!]) {
      createInterface({ input: output }).on('line', (line) => {
        this.lines.push(line);
        this.#onLine();
      });
    }
  }

  /** Waits for a line of the log, or for the end of the program. */
  async logged(text: RegExp): Promise<void> {
    const line = new Promise<void>((resolve) => {
      this.#onLine = () => {
        if (this.lines.some((candidate) => text.test(candidate))) resolve();
      };
      this.#onLine();
    });
    await Promise.race([line, this.exit, sleep(20_000, undefined, { ref: false })]);
  }

  end(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

/** Starts the scanner and ends it by a signal at such a moment. */
async function disturb(
  node: ScriptedNode,
  postgres: PostgresOptions,
  random: Random,
  { after, withinMs }: Moment,
  signal: NodeJS.Signals,
): Promise<void> {
  const program = new Program(node, postgres);
  if (after !== null) await program.logged(after);
  const delayMs = random.below(withinMs);
  await Promise.race([sleep(delayMs), program.exit]);
  const askedAt = performance.now();
  program.end(signal);
  const { code } = await program.exit;
  const context = `seed ${SEED}, ${delayMs} ms after ${after}; ${program.lines.slice(-4).join('\n')}`;
  if (signal === 'SIGKILL') return assert.equal(code, null, `it had ended before: ${context}`);
  // Before it could listen to signals there is nothing to leave in good order.
  assert.equal(code, program.lines.length === 0 ? code : 0, context);
  assert.ok(performance.now() - askedAt < 20_000, `it took ${performance.now() - askedAt} ms to stop: ${context}`);
}

for (const [signal, times, what] of [
  ['SIGKILL', KILLS, 'killed'],
  ['SIGTERM', 1, 'told to stop'],
] as const) {
  it(`a scanner that is ${what} ends in the same tables, whatever phase it was in`, async (t) => {
    const simulation = lightSimulation(SEED);
    const far = simulation.mine(NEAR);
    const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
    const postgres = await testDatabase(t);
    const random = new Random(SEED);
    node.grow(far);
    for (const moment of [CREATION, BULK, INDEXES]) {
      for (let i = 0; i < times; i++) await disturb(node, postgres, random, moment, signal);
    }

    // The node goes on, with a reorganisation now and then.
    const known = new Map(far.map((block) => [block.id, block]));
    let mainChain: NodeBlock[] = far;
    const grow = (): void => {
      const isBranch = known.size % 5 === 0;
      const depth = isBranch ? 1 + (known.size % 4) : 0;
      const arrived = isBranch ? simulation.reorganise(depth, depth + 1) : simulation.mine(1);
      for (const block of arrived) known.set(block.id, block);
      mainChain = [...mainChain.slice(0, mainChain.length - depth), ...arrived];
      node.grow(arrived);
    };
    const growing = setInterval(grow, 25);
    try {
      for (let i = 0; i < times; i++) await disturb(node, postgres, random, FOLLOWING, signal);
    } finally {
      clearInterval(growing);
    }

    const undisturbed = new Program(node, postgres);
    const said = () => undisturbed.lines.slice(-5).join('\n');
    await reached(postgres, mainChain.at(-1)!.id, 60_000, said).finally(() => undisturbed.end('SIGTERM'));
    assert.equal((await undisturbed.exit).code, 0, said());
    assert.deepEqual(await consistentDump(postgres, SIMULATED_NETWORK), await dumpOf(t, mainChain), `seed ${SEED}`);
  });
}
