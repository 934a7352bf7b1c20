/** The program `verify`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../../src/embedded/free-port.ts';
import type { PostgresOptions } from '../../../src/store/postgres/connect.ts';
import { verifyIndex } from '../../../src/store/verify/verify.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { testDatabase } from '../../support/postgres.ts';
import { ScriptedNode } from '../../support/scripted-node.ts';
import { lightChain, SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const PROGRAM = new URL('../../../bin/verify.ts', import.meta.url).pathname;

it('verification reads from the primary of several hosts, wherever it is in the list', async (t) => {
  const { postgres } = await TestIndex.create(t, SIMULATED_NETWORK);
  const { host, port } = postgres;
  const hosts = { ...postgres, port: await freePort(), others: [{ host, port }] };
  for await (const { name, differences } of verifyIndex(hosts, SIMULATED_NETWORK)) assert.equal(differences, 0, name);
});

it('verification is a program that ends with 0 when all is well, with 1 and the differences when not', async (t) => {
  const small = await TestIndex.create(t, SIMULATED_NETWORK);
  await small.followBytes(lightChain(40, 12).map(({ bytes }) => bytes));
  const whole = await verify(small.postgres);
  assert.equal(whole.code, 0, whole.output);
  assert.match(whole.output, /^ok {5}the tip is the newest block.*\(1\)$/m);
  await small.session.writer.query('update balances set amount = amount + 1');
  const broken = await verify(small.postgres);
  assert.equal(broken.code, 1);
  assert.match(
    broken.output,
    /^WRONG {2}each balance is that of its newest change: (\d+) of \1\n( {7}\w+ in \w*: .*\n){5} {7}… and \d+ more$/m,
  );
  assert.match(broken.output, /verify: \d checks found differences; .*--resync/);
});

it('verification says so when there is no index', async (t) => {
  const { code, output } = await verify(await testDatabase(t));
  assert.equal(code, 2);
  assert.match(
    output,
    /^verify: the database test_\w+ holds no index; the scanner makes one\. Is --postgres-database right\?\n$/,
  );
});

it('verification says so when there is no PostgreSQL', async (t) => {
  const { code, output } = await verify({ ...(await testDatabase(t)), port: await freePort() });
  assert.equal(code, 2);
  assert.match(output, /^verify: PostgreSQL at \S+ is not reachable: nothing listens there\. Is it running.*\?\n$/);
});

it('verification with --quick asks the node, and says so when there is none', async (t) => {
  const node = await ScriptedNode.start(t, SIMULATED_NETWORK);
  const chain = lightChain(40, 12);
  node.add(chain);
  node.setTip(chain.at(-1)!.id);
  const small = await TestIndex.create(t, SIMULATED_NETWORK);
  await small.followBytes(chain.map(({ bytes }) => bytes));
  const quick = (address: string) =>
    verify(small.postgres, [
      '--quick',
      '--node-rpc-address',
      address,
      '--node-rpc-username',
      'a',
      '--node-rpc-password',
      'b',
    ]);
  const whole = await quick(node.address);
  assert.equal(whole.code, 0, whole.output);
  assert.match(whole.output, /^ok {5}the newest blocks are those of the node.*\(40\)$/m);
  await small.session.writer.query(`update transactions set tx_id = sha256('x') where tx_index = 1`);
  const broken = await quick(node.address);
  assert.equal(broken.code, 1);
  assert.match(broken.output, /verify: 1 checks found differences; do not serve it\. .*restore another backup\.\n$/);
  const away = await quick(`127.0.0.1:${await freePort()}`);
  assert.equal(away.code, 1);
  assert.match(away.output, /^verify: .*not reachable|^verify: .*nothing listens/m);
});

it('verification with --against compares with a second index, and ends with 1 and the first differences', async (t) => {
  const blocks = lightChain(40, 12).map(({ bytes }) => bytes);
  const one = await TestIndex.create(t, SIMULATED_NETWORK);
  const other = await TestIndex.create(t, SIMULATED_NETWORK);
  await one.followBytes(blocks);
  await other.followBytes(blocks.slice(0, 39));
  const against = (address: string) => verify(one.postgres, ['--against', address]);
  const { host, port, database } = other.postgres;
  const behind = await against(database);
  assert.equal(behind.code, 1, behind.output);
  assert.match(
    behind.output,
    /^verify: the two indexes are not at the same block: \w{64} at height 40 in test_\w+, \w{64} at height 39 in test_\w+\. Compare/,
  );
  await other.followBytes(blocks.slice(39));
  for (const address of [database, `${host}:${port}/${database}`]) {
    const same = await against(address);
    assert.equal(same.code, 0, same.output);
    assert.match(same.output, /^ok {5}both indexes have the same tables and columns \(\d{3}\)$/m);
    assert.match(same.output, /^ok {5}the rows of blocks are the same \(41\)$/m);
  }
  await other.session.writer.query('update blocks set size = size + 1, fees = fees + 1 where height > 2');
  const wrong = await against(database);
  assert.equal(wrong.code, 1);
  assert.match(
    wrong.output,
    /^WRONG {2}the rows of blocks are the same: 38 of 41\n( {7}\d+: fees, size\n){5} {7}… and 33 more$/m,
  );
  assert.match(wrong.output, /^verify: 1 checks found differences; .*report this/m);
  for (const [address, message] of [
    [one.postgres.database, /^verify: --against must name another database than --postgres-database\.\n$/],
    ['here/there', /^verify: --against must be a database, or host:port\/database/],
    [(await testDatabase(t)).database, /^verify: the database test_\w+ holds no index/],
    ['test_nowhere', /^verify: there is no database test_nowhere\./],
  ] as const) {
    const { code, output } = await against(address);
    assert.equal(code, 2, output);
    assert.match(output, message);
  }
  const both = await verify(one.postgres, ['--against', database, '--quick']);
  assert.match(both.output, /^verify: give either --quick or --against\.\n$/);
});

async function verify({ host, port, user, password, database }: PostgresOptions, more: readonly string[] = []) {
  const options = { host, port, user, password, database };
  const args = Object.entries(options).flatMap(([name, value]) => [`--postgres-${name}`, String(value)]);
  try {
    const done = await promisify(execFile)(process.execPath, [PROGRAM, '--network', 'regtest-pos', ...args, ...more]);
    return { code: 0, output: done.stdout + done.stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}
