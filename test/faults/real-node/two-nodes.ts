/**
 * Runs the scanner and a web server on two real nodes of mintlayer-core that take recorded blocks: one is killed and comes
 * back behind the other, later the one in use stays behind. A client reads all the time. Every request must be served, no
 * tip may be older than one before, and submissions must reach both nodes.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { nodeSettings } from '../../../bench/test-bed.ts';
import { encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { regtestPos as network } from '../../../src/chain/networks/known-networks.ts';
import { SCANNER_PREFIX } from '../../../src/config/scanner.ts';
import { WEB_SERVER_PREFIX } from '../../../src/config/web-server.ts';
import { freePort } from '../../../src/embedded/free-port.ts';
import { SupervisedProgram } from '../../../src/processes/supervised-program.ts';
import { environmentVariables, postgresSettings } from '../../../src/up/stack.ts';
import { newScope, type Scope } from '../../support/file-scope.ts';
import { testDatabase } from '../../support/postgres.ts';
import { Scrape } from '../../support/prometheus.ts';
import { recording } from '../../support/recordings.ts';
import { consistentDump } from '../../support/running-scanner.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../support/until.ts';
import { type LoggedLine, logProblems, parseLogLine } from '../stack.ts';
import { NodeDaemon } from './node-daemon.ts';
import { payment, type RecordedBlock, readRecordedBlocks, spendableOutputs } from './node-load.ts';

const HELP = `Usage: node bin/run.mjs test/faults/real-node/two-nodes.ts --node PROGRAM

  --node PROGRAM   mintlayer-core's node-daemon, 1.4. It takes three minutes.
`;

const RECORDING = 's31.ndjson';
const PAUSE_BETWEEN_BLOCKS_MS = 300;
/** By docs/operation.md a silent node is left after 10 s, a node that is behind after a minute; probes are every 2 s. */
const MAX_SILENT_MS = 20_000;
const BEHIND_MS = { least: 58_000, most: 80_000 };

/** Reads the tip all the time, and notes what must not be. */
class Reader {
  readonly problems: string[] = [];
  served = 0;
  height = 0;
  #isOver = false;
  readonly #reading: Promise<void>;

  constructor(api: string) {
    this.#reading = this.#read(api);
  }

  async #read(api: string): Promise<void> {
    while (!this.#isOver) {
      const response = await fetch(`${api}/chain/tip`).catch(() => null);
      const tip = response?.ok ? ((await response.json()) as { block_height: number }) : null;
      if (tip === null) this.problems.push(`status ${response?.status ?? 'none'} at height ${this.height}`);
      else if (tip.block_height < this.height) this.problems.push(`height ${tip.block_height} after ${this.height}`);
      this.height = tip?.block_height ?? this.height;
      this.served++;
      await sleep(20);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#reading;
  }
}

async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { node: { type: 'string', default: '' } } });
  if (values.node === '') return void console.log(HELP);
  const { scope, end } = newScope();
  const problems = await check(scope, values.node).finally(end);
  for (const problem of problems) console.log(`PROBLEM: ${problem}`);
  process.exit(problems.length === 0 ? 0 : 1);
}

/** Returns what was not as it should be. */
async function check(scope: Scope, program: string): Promise<string[]> {
  const problems: string[] = [];
  const log: LoggedLine[] = [];

  const nodes: NodeDaemon[] = [];
  for (let i = 0; i < 2; i++) {
    const node = await NodeDaemon.start(program, await temporaryDirectory(scope));
    scope.after(() => node.kill());
    nodes.push(node);
  }
  const [a, b] = nodes as [NodeDaemon, NodeDaemon];
  const blocks = await readRecordedBlocks(recording(RECORDING));
  const heights = new Map(nodes.map((node) => [node, 0]));
  /** Lets nodes take the next blocks, up to this height. */
  const grow = async (to: number, ...growing: readonly NodeDaemon[]) => {
    for (let at = Math.min(...growing.map((node) => heights.get(node)!)); at < to; at++) {
      for (const node of growing) {
        if (heights.get(node)! > at) continue;
        await node.patientCall('chainstate_submit_block', blocks[at]!.hex);
        heights.set(node, at + 1);
      }
      await sleep(PAUSE_BETWEEN_BLOCKS_MS);
    }
  };

  const postgres = await testDatabase(scope);
  const settings = {
    network: network.name,
    ...postgresSettings(postgres),
    ...nodeSettings(`${a.address},${b.address}`),
  };
  const start = (name: LoggedLine['program'], prefix: string, more: Readonly<Record<string, string>>) => {
    const program = new SupervisedProgram({
      name,
      file: fileURLToPath(new URL(`../../../bin/${name}.ts`, import.meta.url)),
      args: [],
      env: { ...process.env, ...environmentVariables(prefix, { ...settings, ...more }) },
      onLine: (_, line) => void log.push(parseLogLine(name, line)),
    });
    void program.refused.then(() => problems.push(`the ${name} needs a hand`));
    program.start();
    scope.after(() => program.stop());
  };
  const [port, metricsPort] = [await freePort(), await freePort()];
  await grow(40, a, b);
  start('scanner', SCANNER_PREFIX, { 'metrics-address': `127.0.0.1:${metricsPort}` });
  start('web-server', WEB_SERVER_PREFIX, { 'bind-address': `127.0.0.1:${port}`, 'enable-post-routes': 'true' });
  const api = `http://127.0.0.1:${port}/api/v2`;
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, 'the web server is ready');
  const reader = new Reader(api);
  const shows = (height: number) => until(() => reader.height === height, `the API shows block ${height}`);
  const inUse = async (node: NodeDaemon) => {
    const metrics = [
      [metricsPort, 'chain_indexer_scanner_node_in_use'],
      [port, 'chain_indexer_node_in_use'],
    ] as const;
    const used = await Promise.all(
      metrics.map(async ([at, name]) => (await Scrape.of(at)).value(`${name}{node="${node.address}"}`)),
    );
    return used.every((value) => value === 1);
  };
  /** Gives the milliseconds until both programs use a node. */
  const changedTo = async (node: NodeDaemon, what: string) => {
    const begun = performance.now();
    await until(() => inUse(node), what);
    return Math.round(performance.now() - begun);
  };
  const expect = (isSo: boolean, what: string) => {
    console.log(`${isSo ? 'as it should be' : 'WRONG'}: ${what}`);
    if (!isSo) problems.push(what);
  };

  await shows(40);
  expect(await inUse(a), 'both programs use the first node');
  expect(await reachesAll(api, blocks, 40, nodes), 'a transaction that was submitted is pending at both nodes');

  await a.kill();
  const grows = grow(80, b);
  const silent = await changedTo(b, 'the second node is used after the first one was killed');
  expect(silent < MAX_SILENT_MS, `the second node is used ${silent} ms after the first one was killed`);
  await grows;
  await shows(80);

  a.start();
  await a.answers();
  heights.set(a, await a.patientCall('chainstate_best_block_height'));
  console.log(`the killed node came back at height ${heights.get(a)}, the other one is at 80`);
  await sleep(10_000);
  expect(await inUse(b), 'the first node is not used while it is behind');
  expect(reader.height === 80, 'the API stays at the newest block');
  await grow(80, a);
  await sleep(5_000);
  expect(await inUse(b), 'nor when it has the same blocks again');
  expect(await reachesAll(api, blocks, 80, nodes), 'a transaction that was submitted is pending at both nodes');

  const firstAhead = grow(100, a);
  const behind = await changedTo(a, 'the first node is used after the second one stayed behind');
  await firstAhead;
  await shows(100);
  expect(
    behind > BEHIND_MS.least && behind < BEHIND_MS.most,
    `the first node is used again ${behind} ms after it began to be ahead, with the second one at 80`,
  );
  await grow(blocks.length, a);
  await shows(blocks.length);
  expect(await inUse(a), 'the second node is not used, which is 140 blocks behind');

  await reader.stop();
  problems.push(...reader.problems);
  await consistentDump(postgres, network).catch(({ message }) => problems.push(message));
  problems.push(...logProblems(log));
  for (const { program, msg, from, to } of log as readonly (LoggedLine & { from?: string; to?: string })[]) {
    if (/another node is used/.test(msg ?? '')) console.log(`${program}: ${msg}, ${from} → ${to}`);
  }
  console.log(`${reader.served} requests, ${reader.problems.length} not as they should be; height ${reader.height}`);
  return problems;
}

/** Submits a payment at the tip of this height; gives whether all nodes have it pending then. */
async function reachesAll(
  api: string,
  blocks: readonly RecordedBlock[],
  height: number,
  nodes: readonly NodeDaemon[],
): Promise<boolean> {
  const [found] = spendableOutputs(blocks.slice(0, height).reverse());
  const hex = encodeSignedTransaction(payment(found!)).toString('hex');
  const response = await fetch(`${api}/transaction`, { method: 'POST', body: hex });
  if (!response.ok) console.log(await response.text());
  const pending = await Promise.all(nodes.map((node): Promise<string[]> => node.call('mempool_transactions')));
  return response.ok && pending.every((each) => each.includes(hex));
}

await main(process.argv.slice(2));
