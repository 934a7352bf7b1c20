/** The connections that `up` gives its web server, whose workers share them. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { environmentName } from '../../src/config/option.ts';
import { readWebServerConfig, WEB_SERVER_PREFIX } from '../../src/config/web-server.ts';
import { StatusConsole } from '../../src/up/console.ts';
import { readUpConfig } from '../../src/up/options.ts';
import { diskWarning, startStack, webServerSettings } from '../../src/up/stack.ts';

test('up gives a web server as many connections as its workers need, and no fewer than it has by itself', () => {
  for (const [workers, connections] of [
    [1, 15],
    [4, 15],
    [5, 15],
    [6, 18],
    [30, 90],
  ] as const) {
    const settings = webServerSettings(readUpConfig([`--workers=${workers}`], {}));
    const env = Object.fromEntries(
      Object.entries(settings).map(([option, value]) => [environmentName(WEB_SERVER_PREFIX, option), value]),
    );
    const { postgres } = readWebServerConfig([], env);
    assert.equal(postgres.maxConnections, connections);
  }
});

test('up refuses more workers than the embedded PostgreSQL has connections for, before it does anything', async () => {
  const dataDir = join(tmpdir(), `chain-indexer-never-${process.pid}`);
  const config = readUpConfig(['--workers=31', `--data-dir=${dataDir}`], {});
  const output = new StatusConsole(new PassThrough() as unknown as NodeJS.WriteStream);
  await assert.rejects(startStack(config, output, new AbortController().signal), {
    name: 'OperatorError',
    exitCode: 2,
    message:
      /^--workers 31 is more than .* Give --workers 30 at most, or a PostgreSQL of your own with --postgres-host\.$/,
  });
  assert.equal(existsSync(dataDir), false);
});

test('up refuses to start on a full disk, and warns where a sync may fill it', () => {
  assert.throws(() => diskWarning(4e8, false, 'data'), /^OperatorError: data has 0\.4 GB of free disk space, and/);
  assert.match(diskWarning(8e9, true, 'data') ?? '', /^Warning: data has 8\.0 GB .* may need 16 GB/);
  assert.deepEqual([diskWarning(8e9, false, 'data'), diskWarning(2e10, true, 'data')], [undefined, undefined]);
});
