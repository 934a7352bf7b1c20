/**
 * Clients that generators from npm and PyPI make from the OpenAPI documents: each has every operation, is valid, and gets
 * typed responses. docs/client-generators.md names the generators of Go and Java code, which were tried by hand.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import type { TestServer } from '../support/web-server.ts';
import { sharedStack } from '../support/whole-stack.ts';

const run = promisify(execFile);
const stack = sharedStack();
const CONTRACTS = ['described', 'mintlayer-core'] as const;

interface Call {
  readonly path: string;
  readonly operation: string;
  readonly tag: string;
  readonly parameters?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number>>;
}

/** Thirteen calls that are made with each client. */
async function callsOf(server: TestServer): Promise<Call[]> {
  const tip = await server.json('/chain/tip');
  const [transaction] = await server.json('/transaction?items=1');
  const [pool] = await server.json('/pool?items=1');
  const address: string = pool.decommission_destination;
  const id = (of: string | number) => ({ parameters: { id: of } });
  return [
    { path: '/chain/tip', operation: 'getChainTip', tag: 'chain' },
    { path: '/chain/genesis', operation: 'getChainGenesis', tag: 'chain' },
    { path: '/chain/{height}', operation: 'getChainByHeight', tag: 'chain', parameters: { height: 10 } },
    { path: '/block/{id}', operation: 'getBlockById', tag: 'blocks', ...id(tip.block_id) },
    { path: '/transaction', operation: 'getTransaction', tag: 'transactions', query: { items: 100 } },
    { path: '/transaction/{id}', operation: 'getTransactionById', tag: 'transactions', ...id(transaction.id) },
    { path: '/address/{address}', operation: 'getAddress', tag: 'addresses', parameters: { address } },
    { path: '/pool', operation: 'getPool', tag: 'pools_and_delegations', query: { items: 5, expand: 'true' } },
    { path: '/pool/{id}', operation: 'getPoolById', tag: 'pools_and_delegations', ...id(pool.pool_id) },
    { path: '/token', operation: 'getToken', tag: 'tokens_and_nf_ts', query: { expand: 'true' } },
    { path: '/order', operation: 'getOrder', tag: 'orders', query: { cursor: '' } },
    { path: '/statistics/coin', operation: 'getStatisticsCoin', tag: 'statistics' },
    {
      path: '/statistics/series/{id}',
      operation: 'getStatisticsSeriesById',
      tag: 'additional_endpoints',
      ...id('transactions'),
    },
  ];
}

/** Installs packages; false, and the test is skipped, where their registry is not reached. */
async function isInstalled(t: TestContext, what: string, command: string, args: string[], cwd: string) {
  try {
    await run(command, args, { cwd });
    return true;
  } catch (error) {
    t.skip(`${what} cannot be installed here: ${(error as Error).message.split('\n', 2).join(' ')}`);
    return false;
  }
}

/** Returns the names of all operations. */
async function operationsOf(server: TestServer): Promise<string[]> {
  const { paths } = await server.document();
  return Object.values<Record<string, { operationId: string }>>(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
}

const PROGRAM = (url: string, calls: readonly Call[]) => `
import createClient from 'openapi-fetch';
import type { paths } from './openapi-typescript/schema.js';
import { client as configured } from './hey-api/client.gen.js';
import * as heyApi from './hey-api/sdk.gen.js';

const url = ${JSON.stringify(url)};
const client = createClient<paths>({ baseUrl: url });
configured.setConfig({ baseUrl: url });
let count = 0;
function take(name: string, response: Response, data: unknown): void {
  if (response.status !== 200 || data === undefined) throw new Error(\`\${name}: \${response.status}\`);
  count++;
}
${calls
  .map(({ path, operation, parameters: inPath, query }) => {
    const given = JSON.stringify({ path: inPath, query });
    return `
const a${operation} = await client.GET('/api/v2${path}', { params: ${given} });
take('${operation}', a${operation}.response, a${operation}.data);
const b${operation} = await heyApi.${operation}(${given});
take('${operation}', b${operation}.response!, b${operation}.data);`;
  })
  .join('')}
// The compiler knows the parts of choices.
const block = bgetBlockById.data!;
for (const { inputs } of block.body.transactions) {
  for (const { input } of inputs) {
    if (input.input_type === 'AccountCommand' && input.command === 'FillOrder') console.error(input.fill_atoms.atoms);
  }
}
console.log(count);
`;

const PYTHON = (url: string, calls: readonly Call[]) => `
from generated import Client
from generated.models import Error
client = Client(base_url=${JSON.stringify(url)})
count = 0
${calls
  .map(({ operation, tag, parameters = {}, query = {} }) => {
    const name = operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const given = Object.entries({ ...parameters, ...query }).map(([key, value]) =>
      value === 'true' ? `${key}=module.Get${operation.slice(3)}Expand.TRUE` : `${key}=${JSON.stringify(value)}`,
    );
    return `
from generated.api.${tag} import ${name} as module
answer = module.sync_detailed(${['client=client', ...given].join(', ')})
assert answer.status_code == 200 and answer.parsed is not None and not isinstance(answer.parsed, Error), "${operation}"
count += 1`;
  })
  .join('')}
print(count)
`;

for (const contract of CONTRACTS) {
  it(`clients of TypeScript that openapi-typescript and @hey-api/openapi-ts make of the ${contract} document are complete, valid, and work`, async (t) => {
    const server = stack().servers[contract];
    const folder = await temporaryDirectory(t);
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(await server.document()));
    const packages = [
      '@hey-api/openapi-ts@0.95.0',
      'openapi-typescript@7.13.0',
      'openapi-fetch@0.17.0',
      'typescript@5.9.3',
      '@types/node@24.10.1',
    ];
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
    if (!(await isInstalled(t, 'The generators', 'npm', args, folder))) return;
    const tool = (name: string, ...args: string[]) =>
      run(join(folder, 'node_modules/.bin', name), args, { cwd: folder });
    await mkdir(join(folder, 'openapi-typescript'));
    await tool('openapi-typescript', 'openapi.json', '-o', 'openapi-typescript/schema.ts');
    await tool('openapi-ts', '-i', 'openapi.json', '-o', 'hey-api');
    const made = await Promise.all(
      ['openapi-typescript/schema.ts', 'hey-api/sdk.gen.ts'].map((file) => readFile(join(folder, file), 'utf8')),
    );
    for (const operation of await operationsOf(server)) {
      assert.match(made[0]!, new RegExp(`operations\\["${operation}"\\]`));
      assert.match(made[1]!, new RegExp(`export const ${operation} = `));
    }
    const calls = await callsOf(server);
    await writeFile(join(folder, 'program.ts'), PROGRAM(server.url, calls));
    const options = ['--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];
    await tool('tsc', ...options, '--skipLibCheck', '--types', 'node', '--outDir', 'out', 'program.ts');
    // The modules of hey-api name each other without their extension, as bundlers allow.
    for (const name of await readdir(join(folder, 'out'), { recursive: true })) {
      if (!name.endsWith('.js')) continue;
      const file = join(folder, 'out', name);
      const text = await readFile(file, 'utf8');
      const isFolder = (from: string) => /\/client$/.test(from);
      const named = text.replace(/(from ')(\.[^']*?)(')/g, (all, before, from, after) =>
        from.endsWith('.js') ? all : `${before}${from}${isFolder(from) ? '/index' : ''}.js${after}`,
      );
      await writeFile(file, named);
    }
    const { stdout } = await run(process.execPath, ['out/program.js'], { cwd: folder });
    assert.equal(Number(stdout), 2 * calls.length);
  });

  it(`the client of Python that openapi-python-client makes of the ${contract} document is complete and works`, async (t) => {
    const server = stack().servers[contract];
    const folder = await temporaryDirectory(t);
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(await server.document()));
    const bin = (name: string) => join(folder, 'python/bin', name);
    if (!(await isInstalled(t, 'Python', 'python3', ['-m', 'venv', 'python'], folder))) return;
    const args = ['install', '--quiet', 'openapi-python-client==0.29.1'];
    if (!(await isInstalled(t, 'openapi-python-client', bin('pip'), args, folder))) return;
    const options = ['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'generated'];
    const { stdout, stderr } = await run(bin('openapi-python-client'), options, { cwd: folder });
    // Of bodies that may be text or JSON it knows the JSON.
    const warnings = `${stdout}${stderr}`.match(/^(?:WARNING|ERROR) .*/gm) ?? [];
    assert.deepEqual(warnings, [
      'WARNING parsing POST /api/v2/decode within additional_endpoints.',
      'WARNING parsing POST /api/v2/transaction within fees_and_submission.',
    ]);
    const files = await readdir(join(folder, 'generated/api'), { recursive: true });
    const made = files.filter((file) => /\/(?:get|post)_\w+\.py$/.test(file));
    assert.equal(made.length, (await operationsOf(server)).length);
    await run(bin('python'), ['-m', 'compileall', '-q', 'generated'], { cwd: folder });
    const calls = await callsOf(server);
    await writeFile(join(folder, 'program.py'), PYTHON(server.url, calls));
    const { stdout: count } = await run(bin('python'), ['program.py'], { cwd: folder });
    assert.equal(Number(count), calls.length);
  });
}
