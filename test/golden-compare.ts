/**
 * Asks a running server all recorded questions and judges the answers, where there are recordings. The long histories
 * run as a user runs them, with `up --replay`; the many small scenarios in this process, on one PostgreSQL.
 */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startWebServer } from '../src/api/start-web-server.ts';
import { networkFromChainFile } from '../src/chain/networks/custom-network.ts';
import { regtest } from '../src/chain/networks/known-networks.ts';
import { ReplayNode } from '../src/devnet/replay-node.ts';
import { serveRpc } from '../src/devnet/rpc-server.ts';
import { freePort } from '../src/embedded/free-port.ts';
import type { NodeClientOptions } from '../src/node/client.ts';
import { startScanner } from '../src/scanner/scanner.ts';
import { startTestServer, TEST_POSTGRES_URL, testDatabase } from './support/postgres.ts';
import { HAS_RECORDINGS, RECORDINGS, recording } from './support/recordings.ts';
import { until } from './support/until.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const contract = 'mintlayer-core';

/** Recorded history and the arguments of `up` for it; `r21` must be seen while it reorganises. */
const HISTORIES: Readonly<Record<string, readonly string[]>> = {
  s11: [],
  s31: [],
  v0: [],
  r21: ['--block-interval=20'],
};
/** Questions where the recorded server and the rules that we follow differ, and nothing else may. */
const EXPLAINED: Readonly<Record<string, string>> = {
  '/api/v2/block/6609bb91b9e6354bc2cd0bd0df88756bca2d3433d212a92faa7337a52e5b68d7\n      status 404':
    'a block of an abandoned branch is not found here; it was recorded with "height": null',
};
const SYNC_TIMEOUT_MS = 120_000;

interface Verdict {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly report: string;
}

async function judge(name: string, baseUrl: string, answers: string, args: readonly string[]): Promise<Verdict> {
  const script = join(RECORDINGS, '..', 'tools', 'golden-compare.py');
  const compare = spawn('python3', [script, baseUrl, answers, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let report = '';
  for (const stream of [compare.stdout, compare.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      report += text;
    });
  await new Promise((resolve) => compare.once('close', resolve));
  const [, passed, failed] = /(\d+) passed, (\d+) failed/.exec(report) ?? [];
  // A comparison that did not come to its last line has failed, too.
  if (passed === undefined) return { name, passed: 0, failed: 1, report };
  const reasons = Object.entries(EXPLAINED).filter(([difference]) => report.includes(`WRONG GET ${difference}`));
  return {
    name,
    passed: Number(passed),
    failed: Number(failed) - reasons.length,
    report: [report.trimEnd(), ...reasons.map(([, reason]) => `explained: ${reason}`)].join('\n'),
  };
}

/** Waits until the server's tip is that block. */
async function untilTip(baseUrl: string, id: string): Promise<void> {
  let last = 'no answer';
  const isSeen = async () => {
    const answer = await fetch(`${baseUrl}/api/v2/chain/tip`).catch(() => undefined);
    last = (await answer?.text()) ?? last;
    return last.includes(id);
  };
  const explain = () => `the last answer: ${last}`;
  await until(isSeen, `the tip ${id}`, { withinMs: SYNC_TIMEOUT_MS, explain });
}

/** The last best block of a recorded chain. */
async function lastTip(chain: string): Promise<string> {
  let last = '';
  for await (const line of createInterface({ input: createReadStream(chain) })) {
    const { id, tip, genesis } = JSON.parse(line) as { id?: string; tip?: boolean; genesis?: string };
    if (id !== undefined && (tip === true || genesis !== undefined)) last = id;
  }
  return last;
}

async function compareHistory(name: string, args: readonly string[]): Promise<Verdict> {
  const chain = recording(`${name}.ndjson`);
  const dataDir = await temporaryDirectory();
  const bindAddress = `127.0.0.1:${await freePort()}`;
  const up = spawn(
    process.execPath,
    [
      join(root, 'bin', 'up.ts'),
      `--data-dir=${dataDir}`,
      `--bind-address=${bindAddress}`,
      `--replay=${chain}`,
      `--contract=${contract}`,
      // They were recorded with submission enabled: a body that is too long says 413, not 403.
      '--enable-post-routes',
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let log = '';
  up.stdout.setEncoding('utf8').on('data', (text) => (log += text));
  const ended = new Promise<never>((_, reject) =>
    up.once('close', (code) => reject(new Error(`up ended (${code}):\n${log}`))),
  );
  ended.catch(() => undefined);
  try {
    await Promise.race([untilTip(`http://${bindAddress}`, await lastTip(chain)), ended]);
    return await judge(name, `http://${bindAddress}`, recording(`${name}.answers.ndjson`), ['--chain', chain]);
  } finally {
    const closed = new Promise((resolve) => up.once('close', resolve));
    if (up.exitCode === null) {
      up.kill('SIGTERM');
      await closed;
    }
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** One file may hold several scenarios, each on a chain of its own. */
async function compareScenarios(name: string, directory: string): Promise<Verdict> {
  const text = await readFile(recording(join('stack', `${name}.ndjson`)), 'utf8');
  const records = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  const sections: Line[][] = [[]];
  for (const record of records) {
    if (record.genesis !== undefined && sections.at(-1)!.length > 0) sections.push([]);
    sections.at(-1)!.push(record);
  }
  const verdict = { name, passed: 0, failed: 0, report: '' };
  for (const [index, section] of sections.entries()) {
    const { passed, failed, report } = await compareScenario(name, section, join(directory, `${name}-${index}`));
    verdict.passed += passed;
    verdict.failed += failed;
    verdict.report += report;
  }
  return verdict;
}

interface Line {
  readonly genesis?: string;
  readonly id?: string;
  readonly block?: string;
  readonly url?: string;
}

async function compareScenario(name: string, records: readonly Line[], path: string): Promise<Verdict> {
  const cleanUp: (() => unknown)[] = [];
  try {
    const { head, blocks } = scenarioChain(records);
    const chain = await writeLines(`${path}.chain.ndjson`, [head, ...blocks]);
    const answers = await writeLines(
      `${path}.answers.ndjson`,
      records.filter(({ url }) => url !== undefined),
    );
    const network = networkFromChainFile(head);
    const postgres = await testDatabase({ after: (end: () => unknown) => void cleanUp.push(end) } as never);
    const source = await ReplayNode.open(chain);
    cleanUp.push(() => source.close());
    const rpc = await serveRpc(source);
    cleanUp.push(() => rpc.close());
    const node: NodeClientOptions = { address: rpc.address, auth: { type: 'none' } };
    const logger = pino({ level: 'error' });
    const scanner = startScanner({ network, node, postgres, resync: false, logger, terminal: false });
    cleanUp.push(() => scanner.stop());
    const server = await startWebServer({
      network,
      postgres,
      bindAddress: { host: '127.0.0.1', port: 0 },
      contract,
      enablePostRoutes: !name.includes('dissabled_post_route'),
      node,
      logger,
    });
    cleanUp.push(() => server.stop());
    const baseUrl = `http://127.0.0.1:${server.address.port}`;
    // Best block after best block: what is reorganised away has been seen before.
    do await untilTip(baseUrl, source.tip().id);
    while (await source.step());
    return await judge(name, baseUrl, answers, ['--in-memory', ...(blocks.length > 0 ? ['--chain', chain] : [])]);
  } catch (error) {
    return { name, passed: 0, failed: 1, report: error instanceof Error ? (error.stack ?? '') : String(error) };
  } finally {
    for (const end of cleanUp.toReversed()) await end();
  }
}

/** Scenarios stand on plain regtest: some have no genesis line at all, others one of their own. */
function scenarioChain(records: readonly Line[]): { head: object; blocks: readonly object[] } {
  const { genesis, id } = records.find((record) => record.genesis !== undefined) ?? {
    genesis: regtest.genesis,
    id: regtest.genesisId,
  };
  // The recordings leave the parent out; it is in the block itself, behind the version byte.
  const blocks = records.flatMap((record) =>
    record.block === undefined ? [] : [{ ...record, prev: record.block.slice(2, 66) }],
  );
  return { head: { genesis, id, network: { base: 'regtest' } }, blocks };
}

async function writeLines(path: string, records: readonly object[]): Promise<string> {
  await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-golden-'));
  await chmod(directory, 0o711);
  return directory;
}

const HELP = `Asks a server all recorded questions and judges the answers.

Usage: npm run golden [-- PART …]

With parts of the recordings' names only those are compared.

Environment:
  RECORDINGS  the folder of the recordings, which then must be there [default: ../shared/golden, beside the repository]`;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(HELP);
    return 0;
  }
  const [option] = args.filter((arg) => arg.startsWith('-'));
  if (option !== undefined) {
    console.error(`golden: there is no option ${option}. See --help.`);
    return 2;
  }
  return await compareAll(args);
}

/** Gives the exit status. */
async function compareAll(filters: readonly string[]): Promise<number> {
  if (!HAS_RECORDINGS) {
    console.log(`There are no recordings at ${RECORDINGS}: nothing is compared.`);
    return process.env.RECORDINGS ? 1 : 0;
  }
  const wanted = (name: string) => filters.length === 0 || filters.some((part) => name.includes(part));
  const verdicts: Verdict[] = [];
  const tell = (verdict: Verdict) => {
    verdicts.push(verdict);
    console.log(`${verdict.name}: ${verdict.passed} passed, ${verdict.failed} failed`);
    if (verdict.failed > 0 || verdict.name in HISTORIES || verdict.report.includes('explained:'))
      console.log(verdict.report.replace(/^(?=.)/gm, '    ').trimEnd());
  };
  for (const [name, args] of Object.entries(HISTORIES)) {
    if (wanted(name)) tell(await compareHistory(name, args));
  }
  const scenarios = (await readdir(recording('stack'))).map((file) => file.replace(/\.ndjson$/, '')).filter(wanted);
  if (scenarios.length > 0) {
    const directory = await temporaryDirectory();
    const server = process.env[TEST_POSTGRES_URL] === undefined ? await startTestServer() : undefined;
    if (server !== undefined) process.env[TEST_POSTGRES_URL] = server.url;
    for (const name of scenarios) tell(await compareScenarios(name, directory));
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  }
  if (verdicts.length === 0) {
    console.error(`golden: no recording has ${filters.join(' or ')} in its name`);
    return 1;
  }
  const sum = (field: 'passed' | 'failed') => verdicts.reduce((total, verdict) => total + verdict[field], 0);
  const clean = verdicts.filter(({ failed }) => failed === 0).length;
  console.log(
    `golden: ${clean} of ${verdicts.length} recordings clean; ${sum('passed')} passed, ${sum('failed')} failed`,
  );
  return clean === verdicts.length ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
