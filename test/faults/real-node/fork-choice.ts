/**
 * Gives a real node of mintlayer-core two branches, again and again: it must choose the one that weighs more by the
 * simulation's rule, be it the shorter one.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../../../bench/seeded-random.ts';
import { blockIdOfBytes } from '../../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../../src/chain/codec/genesis.ts';
import { regtestPos } from '../../../src/chain/networks/known-networks.ts';
import type { Id } from '../../../src/chain/types.ts';
import { forkChoiceWeight } from '../../../src/devnet/sim/block-times.ts';
import { encodeBlock } from '../../support/encode-blocks.ts';
import { newScope } from '../../support/file-scope.ts';
import type { NodeDaemon } from './node-daemon.ts';
import { emptyBlock, GENESIS_KEYS, type Kernel, startStakingNode } from './staking-node.ts';

const HELP = `Usage: node bin/run.mjs test/faults/real-node/fork-choice.ts --node PROGRAM [--seed N] [--rounds N]

  --node PROGRAM   mintlayer-core's node-daemon, 1.4
  --seed N         [1]
  --rounds N       pairs of branches [120]
`;

const MAX_BLOCKS = 6;
const PAUSE_MS = 50;

interface Made {
  readonly id: Id;
  readonly timestamp: number;
  readonly weight: number;
  /** With which the next block is made. */
  readonly kernel: Kernel;
}

/** Makes a block on the tip, at one of the next times for which there is a proof. */
async function mine(node: NodeDaemon, random: SeededRandom, parent: Made): Promise<Made> {
  for (let skipped = random.whole(0, 2); skipped > 0; skipped--) await emptyBlock(node, parent.kernel);
  const block = await emptyBlock(node, parent.kernel);
  const bytes = encodeBlock(block);
  await node.call('chainstate_submit_block', bytes.toString('hex'));
  const { timestamp } = block.header;
  const id = blockIdOfBytes(bytes);
  const outpoint = { sourceType: 'BlockReward', sourceId: id, index: 0 } as const;
  const kernel = { ...parent.kernel, outpoint, output: block.reward[0]! };
  return { id, timestamp, weight: forkChoiceWeight(timestamp - parent.timestamp), kernel };
}

async function main(args: string[]): Promise<void> {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({ args, options: { node: text(''), seed: text('1'), rounds: text('120') } });
  if (values.node === '') return void console.log(HELP);
  const { scope, end } = newScope();
  const random = new SeededRandom(Number(values.seed));
  const wrong = await chooseBranches(await startStakingNode(scope, values.node), random, Number(values.rounds)).finally(
    end,
  );
  process.exit(wrong === 0 ? 0 : 1);
}

/** Gives how often the node chose the lighter branch. */
async function chooseBranches(node: NodeDaemon, random: SeededRandom, rounds: number): Promise<number> {
  const { timestamp, outputs } = decodeGenesis(regtestPos.genesis);
  const [index, output] = [...outputs.entries()].find(([, { type }]) => type === 'CreateStakePool')!;
  const poolId = output.type === 'CreateStakePool' ? output.poolId : '';
  const outpoint = { sourceType: 'BlockReward', sourceId: regtestPos.genesisId, index } as const;
  const kernel = { poolId, stakerSecret: GENESIS_KEYS.secret, outpoint, output };
  let tip: Made = { id: regtestPos.genesisId, timestamp, weight: 0, kernel };
  const counts = { 'as predicted': 0, 'not as predicted': 0, 'of these a shorter branch': 0 };
  const grow = async (length: number): Promise<Made[]> => {
    const branch: Made[] = [];
    while (branch.length < length) branch.push(await mine(node, random, branch.at(-1) ?? tip));
    return branch;
  };
  for (let round = 0; round < rounds; round++) {
    const first = await grow(random.whole(1, MAX_BLOCKS));
    await node.call('chainstate_invalidate_block', first[0]!.id);
    const second = await grow(Math.max(1, first.length + random.whole(-2, 1)));
    await node.call('chainstate_reset_block_failure_flags', first[0]!.id);
    await sleep(PAUSE_MS);
    const best: Id = await node.call('chainstate_best_block_id');
    const weight = (branch: readonly Made[]) => branch.reduce((sum, block) => sum + block.weight, 0);
    const [heavier, lighter] = weight(first) > weight(second) ? [first, second] : [second, first];
    const isRight = heavier.at(-1)!.id === best;
    counts[isRight ? 'as predicted' : 'not as predicted']++;
    counts['of these a shorter branch'] += Number(heavier.length < lighter.length);
    tip = (isRight ? heavier : lighter).at(-1)!;
  }
  console.log(counts);
  return counts['not as predicted'];
}

await main(process.argv.slice(2));
