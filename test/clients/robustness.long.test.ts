/** Clients in crowds, clients that go away, clients that dawdle: everybody else is served, and rightly. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { builtBefore } from '../support/file-scope.ts';
import { answersIn, exchange } from '../support/raw-http.ts';
import { WholeStack } from '../support/whole-stack.ts';

const LARGE = '/api/v2/transaction?items=100';
const stack = builtBefore((scope) => WholeStack.start(scope, { seed: 'crowds', blocks: 40 }));
const port = () => stack().servers.described.port;

const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`;

/** One request on a connection of its own. */
async function ask(path: string): Promise<string> {
  const { text } = await exchange(port(), [request(path)], { quietMs: 20_000 });
  const [answer] = answersIn(text);
  return `${answer!.status} ${answer!.body}`;
}

/** Asks, and goes away without a word once so many bytes have come. */
function askAndLeave(path: string, bytes: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port(), '127.0.0.1', () => {
      socket.write(request(path));
      if (bytes === 0) socket.resetAndDestroy();
    });
    let received = 0;
    socket.on('data', (chunk) => {
      received += chunk.length;
      if (received >= bytes) socket.resetAndDestroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

for (const count of [10, 100, 1_000]) {
  it(`a web server answers ${count} connections at once, each with the same`, async () => {
    for (const path of [LARGE, '/api/v2/chain/18446744073709551615', '/api/v2/chain/tip']) {
      const expected = await ask(path);
      const answers = await Promise.all(Array.from({ length: count }, () => ask(path)));
      assert.deepEqual(new Set(answers), new Set([expected]), path);
    }
  });
}

it('a web server is as before when a thousand clients left in the middle of their answers', async () => {
  const before = await ask(LARGE);
  const memory = process.memoryUsage.rss();
  for (let wave = 0; wave < 10; wave++) {
    const leaving = Array.from({ length: 100 }, (_, i) => askAndLeave(`${LARGE}&offset=${i}`, i % 3));
    await Promise.all(leaving);
  }
  assert.equal(await ask(LARGE), before);
  assert.ok(process.memoryUsage.rss() - memory < 300_000_000, 'memory grows with clients that left');
});

it('a web server serves others while hundreds of clients never come to the end of their requests', async () => {
  const sockets: Socket[] = [];
  for (let i = 0; i < 300; i++) {
    const socket = connect(port(), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /api/v2/chain/tip HTTP/1.1\r\nhost: a\r\nx-');
    sockets.push(socket);
  }
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask('/api/v2/chain/tip')));
  assert.equal(new Set(answers).size, 1);
  assert.match(answers[0]!, /^200 /);
  // Those who come to the end after all are answered.
  const first = sockets[0]!;
  const text = await new Promise<string>((resolve) => {
    first.once('data', (chunk) => resolve(chunk.toString('latin1')));
    first.write('a: b\r\n\r\n');
  });
  assert.match(text, /^HTTP\/1\.1 200 /);
  for (const socket of sockets) socket.destroy();
});
