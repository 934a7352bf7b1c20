/**
 * Asks a running server all recorded questions and judges the answers, where the recordings lie beside the repository
 * (../shared): `npm run golden [NAME …]`, with parts of the names to run only some. The long histories run as a user
 * runs them, with `up --replay`; the many small scenarios in this process, on one PostgreSQL.
 */
import { spawn } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { access, chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startWebServer } from '../src/api/server.ts';
import { networkFromChainFile } from '../src/chain/networks/file.ts';
import { regtest } from '../src/chain/networks/known.ts';
import { ReplayNode } from '../src/devnet/replay.ts';
import { serveRpc } from '../src/devnet/rpc-server.ts';
import { freePort } from '../src/embedded/free-port.ts';
import type { NodeClientOptions } from '../src/node/client.ts';
import { startScanner } from '../src/scanner/scanner.ts';
import { startTestServer, TEST_POSTGRES_URL, testDatabase } from './support/postgres.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const shared = join(root, '..', 'shared');
const golden = join(shared, 'golden');
const contract = 'mintlayer-core';

/** Recorded history and the arguments of `up` for it; `r21` must be seen while it reorganises. */
const HISTORIES: Readonly<Record<string, readonly string[]>> = {
  s11: [],
  s31: [],
  v0: [],
  r21: ['--block-interval=20'],
};
const SYNC_TIMEOUT_MS = 120_000;

interface Verdict {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly report: string;
}

async function judge(name: string, baseUrl: string, answers: string, args: readonly string[]): Promise<Verdict> {
  const script = join(shared, 'tools', 'golden-compare.py');
  const compare = spawn('python3', [script, baseUrl, answers, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let report = '';
  for (const stream of [compare.stdout, compare.stderr])
    stream.setEncoding('utf8').on('data', (text) => (report += text));
  const code = await new Promise((resolve) => compare.once('close', resolve));
  const [, passed = '0', failed = '0'] = /(\d+) passed, (\d+) failed/.exec(report) ?? [];
  // A comparison that did not come to its last line has failed, too.
  return { name, passed: Number(passed), failed: Math.max(Number(failed), code === 0 ? 0 : 1), report };
}

/** Waits until the server's tip is that block. */
async function untilTip(baseUrl: string, id: string): Promise<void> {
  let last = 'no answer';
  for (const deadline = Date.now() + SYNC_TIMEOUT_MS; Date.now() < deadline; await sleep(25)) {
    const answer = await fetch(`${baseUrl}/api/v2/chain/tip`).catch(() => undefined);
    last = (await answer?.text()) ?? last;
    if (last.includes(id)) return;
  }
  throw new Error(`the tip did not become ${id} in ${SYNC_TIMEOUT_MS / 1000} s; the last answer: ${last}`);
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
  const chain = join(golden, `${name}.ndjson`);
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
    return await judge(name, `http://${bindAddress}`, join(golden, `${name}.answers.ndjson`), ['--chain', chain]);
  } finally {
    const closed = new Promise((resolve) => up.once('close', resolve));
    if (up.exitCode === null) {
      up.kill('SIGTERM');
      await closed;
    }
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function compareScenario(name: string, directory: string): Promise<Verdict> {
  const cleanUp: (() => unknown)[] = [];
  const answers = join(golden, 'stack', `${name}.ndjson`);
  try {
    const { chain, head, hasBlocks } = await scenarioChain(answers, join(directory, `${name}.ndjson`));
    const network = networkFromChainFile(head);
    const postgres = await testDatabase({ after: (end: () => unknown) => void cleanUp.push(end) } as never);
    const source = await ReplayNode.open(chain);
    await source.replay();
    cleanUp.push(() => source.close());
    const rpc = await serveRpc(source, { host: '127.0.0.1', port: 0, auth: { type: 'none' } });
    cleanUp.push(() => rpc.close());
    const node: NodeClientOptions = { address: rpc.address, auth: { type: 'none' } };
    const logger = pino({ level: 'error' });
    const scanner = await startScanner({ network, node, postgres, resync: false, logger, terminal: false });
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
    await untilTip(baseUrl, source.tip().id);
    return await judge(name, baseUrl, answers, ['--in-memory', ...(hasBlocks ? ['--chain', chain] : [])]);
  } catch (error) {
    return { name, passed: 0, failed: 1, report: error instanceof Error ? (error.stack ?? '') : String(error) };
  } finally {
    for (const end of cleanUp.toReversed()) await end();
  }
}

/** Scenarios stand on plain regtest: some have no genesis line at all, others one of their own. */
async function scenarioChain(
  answers: string,
  chain: string,
): Promise<{ chain: string; head: object; hasBlocks: boolean }> {
  const lines = (await readFile(answers, 'utf8')).split('\n').filter((line) => line !== '');
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const { genesis, id } = records.find((record) => 'genesis' in record) ?? {
    genesis: regtest.genesis,
    id: regtest.genesisId,
  };
  const head = { genesis, id, network: { base: 'regtest' } };
  // The recordings leave the parent out; it is in the block itself, behind the version byte.
  const blocks = records
    .filter((record) => typeof record.block === 'string')
    .map((record) => ({ ...record, prev: String(record.block).slice(2, 66) }));
  await writeFile(chain, [head, ...blocks].map((record) => `${JSON.stringify(record)}\n`).join(''));
  return { chain, head, hasBlocks: blocks.length > 0 };
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'chain-indexer-golden-'));
  await chmod(directory, 0o711);
  return directory;
}

async function main(filters: readonly string[]): Promise<number> {
  if (
    !(await access(golden).then(
      () => true,
      () => false,
    ))
  ) {
    console.log(`There are no recordings at ${golden}: nothing is compared.`);
    return 0;
  }
  const wanted = (name: string) => filters.length === 0 || filters.some((part) => name.includes(part));
  const verdicts: Verdict[] = [];
  const tell = (verdict: Verdict) => {
    verdicts.push(verdict);
    console.log(`${verdict.name}: ${verdict.passed} passed, ${verdict.failed} failed`);
    if (verdict.failed > 0 || verdict.name in HISTORIES)
      console.log(verdict.report.replace(/^(?=.)/gm, '    ').trimEnd());
  };
  for (const [name, args] of Object.entries(HISTORIES)) {
    if (wanted(name)) tell(await compareHistory(name, args));
  }
  const scenarios = (await readdir(join(golden, 'stack'))).map((file) => file.replace(/\.ndjson$/, '')).filter(wanted);
  if (scenarios.length > 0) {
    const directory = await temporaryDirectory();
    const server = process.env[TEST_POSTGRES_URL] === undefined ? await startTestServer() : undefined;
    if (server !== undefined) process.env[TEST_POSTGRES_URL] = server.url;
    for (const name of scenarios) tell(await compareScenario(name, directory));
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  }
  const sum = (field: 'passed' | 'failed') => verdicts.reduce((total, verdict) => total + verdict[field], 0);
  const clean = verdicts.filter(({ failed }) => failed === 0).length;
  console.log(
    `golden: ${clean} of ${verdicts.length} recordings clean; ${sum('passed')} passed, ${sum('failed')} failed`,
  );
  return clean === verdicts.length ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
