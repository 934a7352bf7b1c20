import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { decodeBlock } from '../../src/chain/codec/block.ts';
import { NodeClient } from '../../src/node/client.ts';
import { startHttpServer } from '../support/http-server.ts';
import { chainFile, SmallChain } from '../support/small-chain.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/devnet.ts', import.meta.url));

function start(t: TestContext, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, CHAIN_INDEXER_DEVNET_RPC_BIND_ADDRESS: '127.0.0.1:0', ...env },
  });
  t.after(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += String(data);
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  const line = async () => JSON.parse((await lines.next()).value ?? 'null') as Record<string, unknown> | null;
  return { child, line, ended };
}

it('the devnet program prints one line when it listens, serves the chain, and ends cleanly', async (t) => {
  const chain = new SmallChain().grow(3);
  const { child, line, ended } = start(t, ['--replay', await chainFile(t, chain), '--upto', '3']);
  const { address, ...rest } = (await line())!;
  assert.deepEqual(rest, { msg: 'devnet is listening', height: 2, id: chain.blocks[1]!.id, authentication: 'none' });
  const client = new NodeClient({ address: String(address), auth: { type: 'none' } });
  t.after(() => client.close());
  assert.equal((await client.mainchainBlocks(1, 10)).length, 2);
  child.kill('SIGTERM');
  assert.equal((await line())!.msg, 'devnet has stopped');
  assert.deepEqual(await ended, { code: 0, errors: '' });
});

it('the devnet program writes the same chain for the same seed and start time, and one that ends now', async (t) => {
  const directory = await temporaryDirectory(t);
  const write = async (name: string, time: string) => {
    const file = join(directory, name);
    const args = ['--preset', 'demo', '--blocks', '30', '--start-time', time, '--write', file];
    assert.deepEqual(await start(t, args).ended, { code: 0, errors: '' });
    return await readFile(file, 'utf8');
  };
  const noon = '2026-01-31T12:00:00Z';
  const first = await write('first.ndjson', noon);
  assert.equal(await write('second.ndjson', noon), first);
  const timeOfLast = (text: string) => {
    const { block } = JSON.parse(text.trim().split('\n').at(-1)!);
    return decodeBlock(Buffer.from(block, 'hex')).header.timestamp;
  };
  assert.equal(timeOfLast(first), Date.parse(noon) / 1_000);
  const begun = Math.floor(Date.now() / 1_000);
  const last = timeOfLast(await write('now.ndjson', 'now'));
  assert.ok(last >= begun && last <= Date.now() / 1_000, String(last));
});

it('the devnet program writes its cookie and removes it at the end, also when its terminal is closed', async (t) => {
  const cookie = join(await temporaryDirectory(t), '.cookie');
  const path = await chainFile(t, new SmallChain().grow(1));
  const { child, line, ended } = start(t, ['--replay', path, '--rpc-cookie-file', cookie]);
  const { address } = (await line())!;
  const client = new NodeClient({ address: String(address), auth: { type: 'cookie', file: cookie } });
  t.after(() => client.close());
  assert.equal((await client.chainInfo()).bestBlock.height, 1);
  assert.match(await readFile(cookie, 'utf8'), /^__cookie__:/);
  child.kill('SIGHUP');
  assert.equal((await ended).code, 0);
  await assert.rejects(stat(cookie), /ENOENT/);
});

it('the devnet program takes its password from the environment, where other users do not see it', async (t) => {
  const path = await chainFile(t, new SmallChain().grow(1));
  const env = { CHAIN_INDEXER_DEVNET_RPC_PASSWORD: 'secret' };
  const { line } = start(t, ['--replay', path, '--rpc-username', 'ann'], env);
  const { address, authentication } = (await line())!;
  assert.equal(authentication, 'password');
  const ask = async (password: string) => {
    const auth = { type: 'password', username: 'ann', password } as const;
    const client = new NodeClient({ address: String(address), auth });
    t.after(() => client.close());
    return (await client.chainInfo()).bestBlock.height;
  };
  assert.equal(await ask('secret'), 1);
  await assert.rejects(ask('guess'), /refused the user name and password/);
});

it('the devnet program ends with one clear line when something is wrong', async (t) => {
  const path = await chainFile(t, new SmallChain().grow(1));
  const damaged = await chainFile(t, `${new SmallChain().grow(1).text()}{"damaged`);
  const words = await chainFile(t, 'words\n');
  const { port } = await startHttpServer(t, () => {});
  const nowhere = join(await temporaryDirectory(t), 'no', 'such', 'file');
  const noDirectory = /cannot be written: there is no such file or directory\. Does its directory exist\?\n$/;
  const cases: [string[], number, RegExp][] = [
    [
      ['--replay', path, '--block-intervall', '5'],
      2,
      /There is no option --block-intervall; did you mean --block-interval\? See --help/,
    ],
    [['--replay', path, 'more'], 2, /See --help/],
    [[], 2, /--replay FILE or --preset NAME is missing/],
    [['--replay', path, '--upto', '0'], 2, /--upto must be a whole number from 1 to 999999999, not "0"/],
    [['--replay', path, '--block-interval', 'x'], 2, /--block-interval must be a whole number/],
    [['--replay', path, '--rpc-bind-address', 'nowhere'], 2, /--rpc-bind-address must be HOST:PORT/],
    [['--replay', path, '--rpc-username', 'ann'], 2, /belong together/],
    [['--replay', path, '--start-time', 'now'], 2, /--start-time is for a simulated chain/],
    [['--preset', 'demo', '--start-time', 'noon'], 2, /--start-time must be now, or a UTC time such as .*, not "noon"/],
    [
      ['--preset', 'demo', '--start-time', '2021-12-20T04:45Z'],
      2,
      /a second for each of the 100 blocks, and more, after/,
    ],
    [['--replay', `${path}.gone`], 2, /There is no chain file .*\.gone\. Give another file with --replay\.\n$/],
    [['--replay', damaged], 2, /line 3: not JSON.*\. Give another file with --replay\.\n$/],
    [['--replay', damaged, '--block-interval', '1'], 2, /line 3: not JSON/],
    [['--replay', path, '--rpc-bind-address', `127.0.0.1:${port}`], 2, /is in use already/],
    [['--replay', path, '--rpc-cookie-file', nowhere], 2, noDirectory],
    [['--preset', 'demo', '--chain-file', nowhere], 2, noDirectory],
    [['--preset', 'demo', '--blocks', '5', '--write', nowhere], 2, noDirectory],
    [['--preset', 'demo', '--chain-file', words], 2, /Move this file away; the next start simulates a new chain\.\n$/],
    [['--preset', 'demo', '--network', 'moonnet'], 2, /--network: there is no network "moonnet"\. Known are mainnet, /],
    [['--preset', 'demo', '--network', 'regtest'], 2, /no proof of stake from block 1 on\. Give --network regtest-pos/],
  ];
  for (const [args, expectedCode, text] of cases) {
    const { code, errors } = await start(t, args).ended;
    assert.match(errors, text);
    assert.match(errors, /^devnet: [^\n]+\n$/, 'one line');
    assert.equal(code, expectedCode, errors);
  }
});
