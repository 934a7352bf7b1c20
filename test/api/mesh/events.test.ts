/** The events of blocks of the Mesh API, over reorganisations. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { upgrading as network } from '../../devnet/sim/networks.ts';
import { simulatedHistory, take } from '../../sim/history.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { type Json, meshServers, post, refusal } from './mesh-client.ts';

/** What a scanner did, as events: each block that came or went. */
interface Told {
  readonly index: number;
  readonly hash: string;
  readonly type: 'block_added' | 'block_removed';
}

const chain = builtBefore(async (scope) => {
  const history = simulatedHistory({ network, seed: 'events', blocks: 40, reorganisationProbability: 0.4 });
  const index = await TestIndex.create(scope, network);
  const servers = await meshServers(scope, index);
  const told: Told[] = [{ index: 0, hash: network.genesisId, type: 'block_added' }];
  const main = [network.genesisId];
  const early: Json[] = [];
  for (const step of history.steps) {
    await take(index, step);
    while (main.length > step.ancestor + 1) {
      told.push({ index: main.length - 1, hash: main.pop()!, type: 'block_removed' });
    }
    for (const { id } of step.blocks) {
      told.push({ index: main.length, hash: id, type: 'block_added' });
      main.push(id);
    }
    if (told.length > 30 && early.length === 0)
      early.push(...(await post(servers[0], '/events/blocks', { offset: 0 })).events);
  }
  return { servers, told, main, early, index };
});

const plain = ({ block_identifier, type }: Json): Told => ({ ...block_identifier, type });

it('the events are all that the scanner did, in its order, and numbered without gaps', async () => {
  const { servers, told } = chain();
  assert.ok(told.filter(({ type }) => type === 'block_removed').length > 10);
  for (const server of servers) {
    const { max_sequence, events } = await post(server, '/events/blocks', { offset: 0 });
    assert.equal(max_sequence, told.length - 1);
    assert.deepEqual(events.map(plain), told);
    assert.deepEqual(
      events.map(({ sequence }: Json) => sequence),
      told.map((_, i) => i),
    );
  }
});

it('pages of any size are the same sequence, the newest events come without an offset, and none beyond the end', async () => {
  const {
    servers: [server],
    told,
  } = chain();
  for (const limit of [1, 7, 50]) {
    const paged: Json[] = [];
    while (paged.length < told.length) {
      paged.push(...(await post(server, '/events/blocks', { offset: paged.length, limit })).events);
    }
    assert.deepEqual(paged.map(plain), told, `pages of ${limit}`);
  }
  const newest = await post(server, '/events/blocks', { limit: 5 });
  assert.deepEqual(newest.events.map(plain), told.slice(-5));
  const none = await post(server, '/events/blocks', { offset: told.length });
  assert.deepEqual(none, { max_sequence: told.length - 1, events: [] });
});

it('what was told stays, whatever reorganisations follow', () => {
  const { told, early } = chain();
  assert.ok(early.length > 20);
  assert.deepEqual(early.map(plain), told.slice(0, early.length));
});

it('a block that went is an error of its own, for its operations and for balances after it', async () => {
  const {
    servers: [server],
    told,
    main,
  } = chain();
  const { hash, index } = told.findLast((each) => each.type === 'block_removed' && !main.includes(each.hash))!;
  const [code, retriable, message] = await refusal(server, '/block', { block_identifier: { hash } });
  assert.deepEqual([code, retriable], [6, false]);
  assert.ok(message.includes(hash));
  const { block } = await post(server, '/block', { block_identifier: { index } });
  assert.equal(block.block_identifier.hash, main[index]);
  const account_identifier = block.transactions[0].operations.find(({ account }: Json) => account).account;
  const balance = { account_identifier, block_identifier: { hash } };
  assert.equal((await refusal(server, '/account/balance', balance))[0], 6);
});
