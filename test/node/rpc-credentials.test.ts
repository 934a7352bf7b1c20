import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { NodeError } from '../../src/node/node-error.ts';
import { defaultCookieFile, RpcCredentials } from '../../src/node/rpc-credentials.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('credentials look for the cookie where the node of that network writes it', () => {
  assert.equal(
    defaultCookieFile('testnet', { platform: 'linux', home: '/home/ann' }),
    '/home/ann/.mintlayer/testnet/.cookie',
  );
  assert.equal(
    defaultCookieFile('mainnet', { platform: 'darwin', home: '/Users/ann' }),
    '/Users/ann/Library/Application Support/Mintlayer/mainnet/.cookie',
  );
  assert.equal(
    defaultCookieFile('mainnet', { platform: 'win32', home: 'C:\\Users\\ann', appData: 'C:\\Roaming' }),
    'C:\\Roaming\\Mintlayer\\mainnet\\.cookie',
  );
});

it('credentials are the user name and the password, the cookie, or nothing', async (t) => {
  const file = join(await temporaryDirectory(t), '.cookie');
  await writeFile(file, '__cookie__:secret\n');
  const header = (auth: ConstructorParameters<typeof RpcCredentials>[0]) => new RpcCredentials(auth).header();
  assert.equal(
    await header({ type: 'password', username: 'ann', password: 'ü:x' }),
    `Basic ${Buffer.from('ann:ü:x').toString('base64')}`,
  );
  assert.equal(await header({ type: 'cookie', file }), `Basic ${btoa('__cookie__:secret')}`);
  assert.equal(await header({ type: 'none' }), undefined);
});

it('credentials say what is wrong with the cookie file, and find it when it appears', async (t) => {
  const file = join(await temporaryDirectory(t), '.cookie');
  const credentials = new RpcCredentials({ type: 'cookie', file });
  const fails = (text: RegExp, retryable: boolean) =>
    assert.rejects(credentials.header(), (error: unknown) => {
      assert.ok(error instanceof NodeError);
      assert.equal(error.kind, 'unauthorized');
      assert.equal(error.retryable, retryable);
      assert.match(error.message, text);
      return true;
    });
  await fails(/does not exist\. Is the node running\?/, true);
  await writeFile(file, '');
  await fails(/is not a node's cookie file/, true);
  await writeFile(file, '__cookie__:secret');
  assert.equal(await credentials.header(), `Basic ${btoa('__cookie__:secret')}`);
});

it('credentials are worth another try only when the cookie has changed', async (t) => {
  const file = join(await temporaryDirectory(t), '.cookie');
  await writeFile(file, '__cookie__:old');
  const credentials = new RpcCredentials({ type: 'cookie', file });
  const old = await credentials.header();
  assert.equal(await credentials.renew(old), false);
  await writeFile(file, '__cookie__:new');
  assert.equal(await credentials.header(), old, 'read once');
  assert.deepEqual(await Promise.all([credentials.renew(old), credentials.renew(old)]), [true, true]);
  assert.equal(await credentials.header(), `Basic ${btoa('__cookie__:new')}`);
  assert.equal(await new RpcCredentials({ type: 'none' }).renew(undefined), false);
});
