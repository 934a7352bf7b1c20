/** The operator's file of marks: what it may say, and that each mistake names its entry. */
import assert from 'node:assert/strict';
import { copyFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MarksFile } from '../../src/answers/marks-file.ts';
import { destinationAddress, poolAddress, tokenAddress } from '../../src/chain/address.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { readWebServerConfig } from '../../src/config/web-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const network = networkByName('testnet');
const TOKEN = tokenAddress(network, 'ab'.repeat(32));
const POOL = poolAddress(network, 'cd'.repeat(32));
const ADDRESS = destinationAddress(network, `01${'ef'.repeat(20)}`);
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

/** Writes the file, with icons beside it, and reads it. */
async function fileIn(t: Parameters<typeof temporaryDirectory>[0]) {
  const folder = await temporaryDirectory(t);
  const path = join(folder, 'marks.json');
  const read = (content: unknown) => {
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return new MarksFile(path, network).current;
  };
  return { folder, path, read };
}

test('a file of marks names tokens, pools and addresses, in either case, with icons beside it', async (t) => {
  const { folder, path, read } = await fileIn(t);
  writeFileSync(join(folder, 'a.svg'), `<?xml version="1.0"?>\n${SVG}`);
  copyFileSync(join(folder, 'a.svg'), join(folder, 'same.svg'));
  writeFileSync(join(folder, 'b.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
  writeFileSync(join(folder, 'c.webp'), 'RIFF1234WEBPVP8 ');
  const { byId, icons, source, sourceUrl } = read({
    source: 'Somebody',
    source_url: 'https://example.org',
    marks: [
      {
        id: TOKEN.toUpperCase(),
        name: 'Lux',
        icon: 'a.svg',
        status: 'verified',
        text: 'Known',
        url: 'https://example.org/lux',
      },
      { id: POOL, icon: 'b.png' },
      { id: ADDRESS, name: 'Exchange', icon: 'same.svg', status: 'warning' },
      { id: tokenAddress(network, 'ee'.repeat(32)), icon: 'c.webp' },
    ],
  });
  assert.deepEqual([source, sourceUrl], ['Somebody', 'https://example.org/']);
  assert.deepEqual([...byId.values()].map(({ id, kind }) => [kind, id]).slice(0, 3), [
    ['token', TOKEN],
    ['pool', POOL],
    ['address', ADDRESS],
  ]);
  assert.deepEqual(byId.get(TOKEN)!.url, 'https://example.org/lux');
  assert.equal(byId.get(TOKEN)!.icon, byId.get(ADDRESS)!.icon, 'equal icons are one');
  assert.deepEqual(
    [...icons.values()].map(({ contentType }) => contentType),
    ['image/svg+xml', 'image/png', 'image/webp'],
  );
  const config = readWebServerConfig(['--network', 'testnet', '--marks-file', path], {});
  assert.equal(config.marks!.current.byId.size, 4);
  assert.equal(readWebServerConfig([], {}).marks, null);
});

test('a mistake in a file of marks is named with its entry', async (t) => {
  const { folder, path, read } = await fileIn(t);
  writeFileSync(join(folder, 'html.svg'), '<html><script>');
  writeFileSync(join(folder, 'big.png'), Buffer.from('89504e470d0a1a0a', 'hex'));
  truncateSync(join(folder, 'big.png'), 70_000);
  const entry = (fields: object) => ({
    source: 'S',
    marks: [
      { id: POOL, name: 'P' },
      { id: TOKEN, name: 'T', ...fields },
    ],
  });
  const refusals: readonly (readonly [unknown, RegExp])[] = [
    ['{', /marks\.json is not JSON: /],
    [[], /expected an object/],
    [{ marks: [] }, /"source" is missing/],
    [{ source: 'S', marks: {} }, /"marks" must be a list/],
    [{ source: 'S', marksof: [] }, /"marksof" is unknown/],
    [entry({ id: undefined }), /at 1: "id" is missing/],
    [entry({ id: 'mtoken1x' }), /at 1: "id": "mtoken1x" is not an address/],
    [
      entry({ id: tokenAddress(networkByName('mainnet'), 'ab'.repeat(32)) }),
      /at 1: "id": .* is not an address on testnet/,
    ],
    [entry({ id: POOL.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')) }), /at 1: "id": .* checksum/],
    [entry({ id: POOL }), /at 1: "id" is that of an entry before/],
    [entry({ name: undefined }), /at 1: a "name", an "icon" or a "status" is expected/],
    [entry({ name: 'a\u202eb' }), /at 1: "name" must be at most 60 visible characters/],
    [entry({ name: 'x'.repeat(61) }), /at 1: "name" must be/],
    [entry({ status: 'good' }), /at 1: "status" must be one of verified, warning, found "good"/],
    [entry({ url: 'javascript:alert(1)' }), /at 1: "url" must be a URL/],
    [entry({ colour: 'red' }), /at 1: "colour" is unknown; expected id, icon/],
    [entry({ icon: '../a.svg' }), /at 1: "icon" must be a file beside this one/],
    [entry({ icon: 'a.html' }), /at 1: "icon" must be a file beside this one/],
    [entry({ icon: 'none.svg' }), /at 1: "icon" "none.svg" cannot be read: there is no such file/],
    [entry({ icon: 'html.svg' }), /at 1: "icon" "html.svg" is no image\/svg\+xml/],
    [entry({ icon: 'big.png' }), /at 1: "icon" "big.png" cannot be read: it is no file of at most 64 KiB/],
  ];
  for (const [content, expected] of refusals) {
    assert.throws(() => read(content), { name: 'OperatorError', message: expected }, String(expected));
  }
  assert.throws(() => readWebServerConfig(['--marks-file', path], {}), { name: 'OperatorError' });
  assert.throws(() => new MarksFile(folder, network), { message: /cannot be read: it is no file/ });
});
