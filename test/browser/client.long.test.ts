/** The client package in Chromium, as npm packs it: from another origin than the API's. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { homeDirectory, run } from '../package/run-as-stranger.ts';
import { startHttpServer } from '../support/http-server.ts';
import { packClient } from '../support/packed-client.ts';
import { sharedStack } from '../support/whole-stack.ts';
import { browserObstacle, startBrowser } from './chromium.ts';

const stack = sharedStack();
const server = () => stack().servers.described;

/** What the page does; it may use nothing from outside. */
async function visit(api: string) {
  const module = './dist/index.js';
  const { Client } = (await import(module)) as typeof import('../../packages/client/src/index.ts');
  const client = new Client(api);
  const { block_id: before } = await client.get('/chain/tip');
  const transactions = [];
  for await (const { id } of client.list('/transaction')) transactions.push(id);
  const { outputs } = await client.get('/transaction/{id}', { id: transactions[0]! });
  const addresses = outputs.flatMap((output) => ('destination' in output ? [output.destination] : []));
  const wallet = client.wallet(addresses);
  await wallet.sync();
  const error = await client.get('/block/{id}', { id: 'x' }).catch(String);
  Object.assign(globalThis, { isListening: true });
  for await (const event of client.events({ types: ['block'] })) {
    if (event.type !== 'block') continue;
    const block = event.content.block_id;
    return { before, transactions, outputs: wallet.outputs.length, position: wallet.position, error, block };
  }
  return undefined;
}

it('the client package runs in Chromium, on a page of another origin', { skip: browserObstacle() }, async (t) => {
  const home = await homeDirectory(t);
  const { tarball } = await packClient(home);
  assert.equal((await run(home, 'tar', ['-xzf', tarball])).code, 0);
  const { port } = await startHttpServer(t, async ({ url }, response) => {
    if (url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>page</title>');
    const text = await readFile(join(home, 'package', url!)).catch(() => undefined);
    response.writeHead(text ? 200 : 404, { 'content-type': 'text/javascript' }).end(text);
  });
  const browser = await startBrowser(t);
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  const visited = page.evaluate(visit, server().url);
  await page.waitForFunction('globalThis.isListening');
  const { block_height, block_id } = await server().json('/chain/tip');
  // Events begin when the stream is open, which the page does not tell.
  let isOver = false;
  const growing = (async () => {
    while (!isOver) {
      await stack().grow();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  const seen = await visited.finally(() => {
    isOver = true;
  });
  await growing;
  assert.equal(seen?.before, block_id);
  assert.deepEqual(seen?.position, { height: block_height, block_id });
  assert.ok(seen!.transactions.length > 300 && seen!.outputs > 0);
  assert.equal(seen?.error, 'ApiError: Invalid block Id');
  assert.equal((await server().get(`/block/${seen?.block}/header`)).status, 200);
});
