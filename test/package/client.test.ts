/** The client's npm package: packed, installed without the repository, run by the installed Node; and the recipes with it. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { atomsOf, type StreamEvent } from '../../packages/client/src/index.ts';
import { fileScope } from '../support/file-scope.ts';
import { startHttpServer } from '../support/http-server.ts';
import { npm, packClient, recipes } from '../support/packed-client.ts';
import { eventually, until } from '../support/until.ts';
import { sharedStack } from '../support/whole-stack.ts';
import { homeDirectory, ROOT, run, start } from './run-as-stranger.ts';

const scope = fileScope();
const stack = sharedStack();
const server = () => stack().servers.described;
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** All JavaScript of the package, compressed. */
const MAX_BYTES = 12_000;
/** Where programs may write, and the project in it that has the package. */
let stranger: string;
let home: string;
let files: readonly string[];

before(async () => {
  stranger = await homeDirectory(scope);
  const packed = await packClient(stranger);
  files = packed.files;
  home = join(stranger, 'project');
  await mkdir(home);
  await writeFile(join(home, 'package.json'), '{"type":"module","private":true}');
  await npm(home, ['install', '--offline', packed.tarball], { cwd: home, privileged: true });
  for (const [name, program] of await recipes()) await writeFile(join(home, name), program);
});

/** Runs the installed Node, which is the oldest that the package is for. */
const node = (...args: string[]) => run(home, 'node', args);

/** The lines of a program that has ended well. */
async function linesOf(...args: string[]): Promise<string[]> {
  const { code, output, stdout } = await node(...args);
  assert.equal(code, 0, output);
  return stdout.trimEnd().split('\n');
}

it('the package of the client has no dependency, its license, and few bytes', async () => {
  const installed = join(home, 'node_modules/chain-indexer-client');
  const { dependencies, type } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
  assert.deepEqual([dependencies, type], [undefined, 'module']);
  assert.deepEqual(await readdir(join(home, 'node_modules')), ['.package-lock.json', 'chain-indexer-client']);
  for (const file of ['README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts'])
    assert.ok(files.includes(file), file);
  assert.ok(
    files.every((file) => /^(package\.json|README\.md|LICENSE|dist\/[\w-]+(\.d\.ts|\.js))$/.test(file)),
    `${files}`,
  );
  const scripts = files.filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(scripts.map((file) => readFile(join(installed, file))));
  const bytes = texts.reduce((sum, text) => sum + gzipSync(text).length, 0);
  assert.ok(bytes < MAX_BYTES, `${bytes} bytes`);
});

it('the package of the client runs in the installed Node', async () => {
  const program = `
    import { Client } from 'chain-indexer-client';
    const client = new Client(${JSON.stringify(server().url)});
    console.log(process.version, (await client.get('/chain/tip')).block_id);
    for await (const event of client.events()) { console.log(event.type); break; }
    process.exit();`;
  await writeFile(join(home, 'program.mjs'), program);
  const [words, event] = await linesOf('program.mjs');
  assert.equal(words!.split(' ')[1], (await server().json('/chain/tip')).block_id);
  assert.equal(event, 'open');
});

it('the compiler refuses wrong fields of both contracts, with the types of the package', async () => {
  await writeFile(join(home, 'types.ts'), await readFile(new URL('./client-types.ts', import.meta.url)));
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const target = ['--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom', '--types', ''];
  const { code, output } = await node(TSC, ...options, ...target, 'types.ts');
  assert.equal(code, 0, output);
});

it('the recipes have the types of the client', async () => {
  const programs = [...(await recipes()).keys()];
  assert.deepEqual(programs, ['payments.mjs', 'webhooks.mjs', 'airdrop.mjs', 'year.mjs']);
  const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
  const options = ['--noEmit', '--allowJs', '--checkJs', '--strict', 'false', '--skipLibCheck'];
  const target = ['--target', 'es2024', '--module', 'nodenext', '--lib', 'es2024,dom,dom.asynciterable'];
  const { code, output } = await node(TSC, ...options, ...target, ...types, ...programs);
  assert.equal(code, 0, output);
});

/** Starts a recipe that runs until the test ends. */
function running(t: TestContext, name: string, ...args: string[]) {
  return start(t, home, 'node', [name, server().url, ...args]);
}

async function busiestAddress(): Promise<string> {
  const rows = (await server().pages('/transaction?items=100')).flat();
  const counts = new Map<string, number>();
  for (const { outputs } of rows) {
    for (const { type, destination } of outputs) {
      if (type === 'Transfer') counts.set(destination, (counts.get(destination) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]![0];
}

it('the recipe for payments reports them while they are pending, when they are confirmed, and after a restart', async (t) => {
  const idsIn = (text: string) => Array.from(text.matchAll(/^confirmed (\w+)/gm), ([, id]) => id!);
  const address = await busiestAddress();
  const file = join(stranger, 'wallet.json');
  const follow = () => running(t, 'payments.mjs', file, address);
  const first = follow();
  const stored = () => readFile(file, 'utf8').catch(() => undefined);
  await eventually('the wallet is stored', stored, { explain: first.output });
  await payTo(address);
  await until(() => /^confirmed /m.test(first.output()), 'a payment', { explain: first.output });
  // A program that ends between the report and the file reports again: that is allowed, and not what this test is about.
  const isLastToldStored = async () => {
    const { transactions } = JSON.parse((await stored())!);
    return transactions.some(({ id }: Json) => id === idsIn(first.output()).at(-1));
  };
  await until(isLastToldStored, 'the payment is stored', { explain: first.output });
  await first.stop();
  const told = first.output();
  // What happens meanwhile is reported after the restart.
  const before = (await server().json('/chain/tip')).block_height;
  await payTo(address);
  const second = follow();
  await until(() => /^confirmed /m.test(second.output()), 'a payment', { explain: second.output });
  await second.stop();
  for (const id of idsIn(told)) assert.ok(!idsIn(second.output()).includes(id), id);
  for (const id of idsIn(second.output())) {
    const { block_id } = await server().json(`/transaction/${id}`);
    assert.ok((await server().json(`/block/${block_id}`)).height > before);
  }
});

/** Blocks come until one has a payment of coins to the address. */
async function payTo(address: string): Promise<void> {
  for (;;) {
    await stack().grow();
    const { block_id } = await server().json('/chain/tip');
    const { body } = await server().json(`/block/${block_id}`);
    const outputs = body.transactions.flatMap((transaction: Json) => transaction.outputs);
    if (
      outputs.some(
        (each: Json) => each.type === 'Transfer' && each.destination === address && each.value.type === 'Coin',
      )
    )
      return;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are what the test says they are
type Json = any;

it('the recipe for webhooks posts what touches an address until the receiver has taken it, and goes on after a restart', async (t) => {
  const address = await busiestAddress();
  const taken: StreamEvent[] = [];
  let refused = 0;
  const { port } = await startHttpServer(t, async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const isRefused = refused < 1;
    if (isRefused) refused++;
    else taken.push(JSON.parse(text));
    response.writeHead(isRefused ? 500 : 204).end();
  });
  const hook = `http://127.0.0.1:${port}/`;
  const file = join(stranger, 'last-event');
  const hooks = running(t, 'webhooks.mjs', hook, file, address);
  const confirmed = () => taken.filter((event) => event.type === 'activity' && event.content.block_id !== null);
  await until(
    async () => {
      if (confirmed().length > 0) return true;
      await stack().grow();
      return false;
    },
    'an event of a block',
    { explain: hooks.output },
  );
  assert.equal(refused, 1);
  await until(async () => (await readFile(file, 'utf8').catch(() => '')) !== '', 'its id is stored');
  await hooks.stop();
  const count = confirmed().length;
  await payTo(address);
  const { block_id } = await server().json('/chain/tip');
  running(t, 'webhooks.mjs', hook, file, address);
  const isThere = () => confirmed().some((event) => 'block_id' in event.content && event.content.block_id === block_id);
  await until(isThere, 'the events since');
  assert.ok(confirmed().length > count);
});

it('the recipe for an airdrop divides all coins in proportion to what was held after a block', async () => {
  const { block_height: height } = await server().json('/chain/tip');
  const held = async (id: string) =>
    (await server().pages(`/statistics/token/${id}/holders?height=${height}&items=100`)).flat();
  const tokens = (await server().pages('/token?items=100')).flat();
  const lists = await Promise.all(tokens.map(async (id) => ({ id, holders: await held(id) })));
  const { id, holders } = lists.reduce((most, next) => (next.holders.length > most.holders.length ? next : most));
  assert.ok(holders.length > 1);
  const [head, ...lines] = await linesOf('airdrop.mjs', server().url, id, String(height), '1000');
  assert.equal(head, 'address,amount');
  const sum = holders.reduce((all: bigint, { total }: Json) => all + atomsOf(total), 0n);
  const coins = 1_000n * 10n ** 11n;
  const expected = holders.map(({ address, total }: Json) => [address, (coins * atomsOf(total)) / sum]);
  const written = lines.map((line) => line.split(',')).map(([address, part]) => [address, atomsIn(part!)]);
  assert.deepEqual(
    written,
    expected.filter(([, part]: Json) => part > 0n),
  );
});

it("the recipe for an accountant's year has each change of the coins, and what changed adds up to the balance", async () => {
  const address = await busiestAddress();
  const entries = (await server().pages(`/address/${address}/history?items=100`)).flat().reverse();
  const years = [...new Set(entries.map(({ timestamp }) => new Date(timestamp * 1_000).getUTCFullYear()))].sort();
  const lines: string[] = [];
  for (const year of years) {
    const [head, ...own] = await linesOf('year.mjs', server().url, address, String(year));
    assert.equal(head, 'time,transaction,change,fee,balance');
    assert.ok(own.every((line) => line.startsWith(`${year}-`)));
    lines.push(...own);
  }
  const rows = lines.map((line) => line.split(','));
  assert.deepEqual(
    rows.map(([, id]) => id),
    entries.filter(({ currency }) => currency.type === 'Coin').map(({ tx_id }) => tx_id ?? ''),
  );
  const { coin_balance, locked_coin_balance } = await server().json(`/address/${address}`);
  const balance = atomsOf(coin_balance) + atomsOf(locked_coin_balance);
  assert.equal(
    rows.reduce((sum, [, , change]) => sum + atomsIn(change!), 0n),
    balance,
  );
  assert.equal(atomsIn(rows.at(-1)![4]!), balance);
  const [, ...none] = await linesOf('year.mjs', server().url, address, '1999');
  assert.deepEqual(none, []);
});

function atomsIn(coins: string): bigint {
  const [whole, fraction = ''] = coins.replace('-', '').split('.');
  const atoms = BigInt(whole! + fraction.padEnd(11, '0'));
  return coins.startsWith('-') ? -atoms : atoms;
}
