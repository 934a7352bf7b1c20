/** Answers of a web server, however busy the machine is. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Id } from '../../src/chain/types.ts';
import type { TestAnswer, TestServer } from '../support/web-server.ts';

/** Not a time: a machine that stands still for a minute is no failure. */
const MAX_TRIES = 5_000;

/** Waits until the web server knows the tip, however busy the machine is. */
export async function seesTip(server: TestServer, id: Id): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if ((await answerOf(server, '/chain/tip')).body.block_id === id) return;
    await sleep(5);
  }
  assert.fail(`the web server does not see the tip ${id}`);
}

/** An answer about the chain: a server that could not confirm the tip for seconds says so with 503, and is asked again. */
export async function answerOf(
  server: TestServer,
  url: string,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await server.get(url, headers);
    if (answer.status !== 503) return answer;
    assert.ok(tries < MAX_TRIES, `${url}: ${answer.text}`);
    await sleep(5);
  }
}
