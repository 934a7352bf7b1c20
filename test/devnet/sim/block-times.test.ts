import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { decodeBlock } from '../../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../../src/chain/codec/genesis.ts';
import { deriveOrderId } from '../../../src/chain/derive-ids.ts';
import type { Id, OutputValue } from '../../../src/chain/types.ts';
import {
  type BlockTimes,
  blockTimesFrom,
  evenBlockTimes,
  pastTimes,
  usualTimes,
} from '../../../src/devnet/sim/block-times.ts';
import { SimulatedNode } from '../../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../../src/devnet/sim/transaction-mix.ts';
import { MONTHS } from '../../sim/history.ts';
import { buildChain } from '../../support/chain-with-branches.ts';
import { testOverSeeds } from '../../support/seeds.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { regtestPos } from './networks.ts';

const DAY = 86_400;
const GENESIS_TIME = decodeGenesis(regtestPos.genesis).timestamp;
const START = Date.parse('2026-11-24T12:00:00Z') / 1_000;

/** The clock of a test, in seconds since the epoch; it stands still until it is set. */
function standingClock(t: TestContext, now = START) {
  t.mock.timers.enable({ apis: ['Date'], now: now * 1_000 });
  return (seconds: number) => t.mock.timers.setTime(seconds * 1_000);
}

/** All kinds of times that a chain can have. */
const TIMES: Readonly<Record<string, BlockTimes>> = {
  usual: usualTimes(),
  'a second apart': evenBlockTimes(0),
  'sparse past': pastTimes({ blocks: 50, end: START, later: evenBlockTimes(2) }),
  'past without room': pastTimes({ blocks: 60, end: GENESIS_TIME + 20, later: usualTimes() }),
  'now, with a clock that went back': blockTimesFrom('now', 20, 1_000).clock!.times,
};

testOverSeeds('each block of a simulated chain is later than its parent, on every branch', (seed) => {
  const chains = [
    ...Object.entries(TIMES).map(([name, times]) => ({ name, times, mix: MIX_PRESETS.demo })),
    ...[MIX_PRESETS.dense, MIX_PRESETS.mainnet, MONTHS].map((mix) => ({ name: mix.name, times: undefined, mix })),
  ];
  for (const { name, ...chain } of chains) {
    const options = { network: regtestPos, seed, blocks: 70, reorganisationProbability: 0.3, ...chain };
    const { arrivals, blocks } = buildChain(options);
    assert.ok(arrivals.length > blocks.length, `${name}: it has branches`);
    const timeOf = new Map([[regtestPos.genesisId, GENESIS_TIME]]);
    for (const { block } of arrivals) {
      assert.ok(block.timestamp > timeOf.get(block.prev)!, `${name}: block ${block.height}`);
      timeOf.set(block.id, block.timestamp);
    }
  }
});

testOverSeeds('the past of a chain ends at its start time and has blocks on each of 30 days', (seed) => {
  const { times } = blockTimesFrom(START, 720, 2_000);
  const { blocks } = buildChain({ network: regtestPos, mix: 'demo', seed, blocks: 720, times });
  assert.equal(blocks.at(-1)!.timestamp, START);
  assert.equal(blocks[0]!.timestamp, START - 30 * DAY);
  const ofDay = new Map<number, number>();
  for (const { timestamp } of blocks) {
    const day = Math.floor((START - timestamp) / DAY);
    ofDay.set(day, (ofDay.get(day) ?? 0) + 1);
  }
  for (let day = 0; day < 30; day++) assert.ok(ofDay.get(day)! > 6, `day ${day}: ${ofDay.get(day)} blocks`);
});

test('the first chain of npm start has trades on nearly all of its days, and a market with trades on most of them', () => {
  const { times } = blockTimesFrom(START, 720, 2_000);
  const { blocks } = buildChain({ network: regtestPos, mix: 'demo', seed: '1', blocks: 720, times });
  const pairOf = new Map<Id, string>();
  const daysOfPair = new Map<string, Set<number>>();
  const nameOf = (value: OutputValue) => (value.type === 'TokenV1' ? value.tokenId : value.type);
  for (const { bytes, timestamp } of blocks) {
    for (const { transaction } of decodeBlock(bytes).transactions) {
      for (const output of transaction.outputs) {
        if (output.type !== 'CreateOrder') continue;
        const { ask, give } = output.order;
        pairOf.set(deriveOrderId(transaction.inputs)!, [nameOf(ask), nameOf(give)].sort().join());
      }
      for (const input of transaction.inputs) {
        if (input.type !== 'OrderAccountCommand' || input.command.type !== 'FillOrder') continue;
        const pair = pairOf.get(input.command.orderId)!;
        daysOfPair.set(pair, (daysOfPair.get(pair) ?? new Set()).add(Math.floor((START - timestamp) / DAY)));
      }
    }
  }
  const days = new Set([...daysOfPair.values()].flatMap((each) => [...each]));
  assert.ok(days.size > 25, `trades on ${days.size} days`);
  assert.ok(Math.max(...[...daysOfPair.values()].map(({ size }) => size)) > 15);
});

test('a long past is longer than 30 days: its blocks are two minutes apart', () => {
  const times = pastTimes({ blocks: 100_000, end: START, later: evenBlockTimes(1) });
  const random = { between: (from: number, to: number) => (from + to) / 2 } as Parameters<BlockTimes>[2];
  assert.equal(times({ height: 0, timestamp: GENESIS_TIME }, 1, random), START - 100_000 * 120);
  assert.equal(times({ height: 99_999, timestamp: START - 500 }, 1, random), START);
});

test('a chain of years ago goes on with the past, not with a block every few days', () => {
  const times = pastTimes({ blocks: 720, end: START, later: evenBlockTimes(1) });
  const random = { between: (from: number, to: number) => (from + to) / 2 } as Parameters<BlockTimes>[2];
  assert.equal(times({ height: 150, timestamp: GENESIS_TIME + 18_000 }, 1, random), START - 30 * DAY);
});

test('blocks after a fixed start time follow at the interval', async () => {
  const { times } = blockTimesFrom(START, 10, 2_000);
  const node = await SimulatedNode.open({ network: regtestPos, mix: 'demo', seed: 'fixed', times });
  node.growTo(13);
  assert.equal(node.tip().timestamp, START + 6);
});

test('a chain that starts now has the clock’s time, also in a branch that replaces many blocks', async (t) => {
  const setClock = standingClock(t);
  const options = { network: regtestPos, mix: 'demo', seed: 'clock', ...blockTimesFrom('now', 40, 2_000) } as const;
  const node = await SimulatedNode.open(options);
  node.growTo(40);
  assert.equal(node.tip().timestamp, START);
  for (let block = 1; block <= 40; block++) {
    // The block was begun when the one before it was made.
    node.grow();
    setClock(START + block * 2);
  }
  assert.equal(node.tip().timestamp, START + 39 * 2 - 2);
  node.reorganise(30, 31);
  assert.equal(node.tip().height, 81);
  assert.equal(node.tip().timestamp, START + 80);
});

test('a block that is due at the interval has the time at which it is due', async (t) => {
  const setClock = standingClock(t);
  const { times, clock } = blockTimesFrom('now', 5, 4_000);
  const node = await SimulatedNode.open({ network: regtestPos, mix: 'demo', seed: 'due', times, clock });
  node.growTo(5);
  setClock(START + 100);
  clock!.expectIn(4_000);
  assert.equal(times({ height: 5, timestamp: START }, 1, node.simulation.random), START + 104);
  setClock(START + 200);
  assert.equal(times({ height: 5, timestamp: START }, 1, node.simulation.random), START + 200);
});

test('a chain that is kept in a file goes on with the clock’s time after a pause', async (t) => {
  const chainFile = join(await temporaryDirectory(t), 'kept.ndjson');
  const setClock = standingClock(t);
  const open = () =>
    SimulatedNode.open({
      network: regtestPos,
      mix: 'demo',
      seed: 'pause',
      chainFile,
      ...blockTimesFrom('now', 30, 2_000),
    });
  const first = await open();
  first.growTo(32);
  first.close();
  setClock(START + 5 * DAY);
  const second = await open();
  second.growTo(33);
  second.close();
  assert.equal(second.tip().height, 33);
  assert.equal(second.tip().timestamp, START + 5 * DAY);
});

test('locks by time of a sparse past end some blocks later, not years later', () => {
  const { times } = blockTimesFrom(START, 300, 2_000);
  const { simulation, blocks } = buildChain({ network: regtestPos, mix: 'demo', seed: 'locks', blocks: 300, times });
  const ends = [...simulation.world.utxos.values()].map(({ freeAtTime }) => freeAtTime).filter((time) => time > START);
  assert.ok(ends.length > 0, 'some outputs are locked when the chain starts');
  const mean = (START - blocks[0]!.timestamp) / blocks.length;
  for (const end of ends) assert.ok(end < START + 600 * mean, new Date(end * 1_000).toISOString());
});
