/** Tips that the node announces before it makes them its own: a scanner takes them without another announcement. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFollowing } from '../../support/following-scanner.ts';
import { lightChain } from '../../support/simulated-chain.ts';

/** Longer than a step of following takes. */
const STEP_MS = 500;
/** Longer than between two polls while events come. */
const POLL_MS = 12_000;

describe('a scanner takes a tip that the node announced too early', { concurrency: true }, () => {
  it('a scanner takes a tip that the node announced too early although it took a full batch of blocks before', async (t) => {
    const chain = lightChain(161, 7);
    const { node, scanner } = await startFollowing(t, chain.slice(0, 60));
    const [before, announced] = chain.slice(159);
    await sleep(STEP_MS);
    node.add(chain.slice(60));
    node.setTip(before!.id, { isTold: false });
    node.tellTip({ id: announced!.id, height: 161 });
    await scanner.reaches(before!.id, STEP_MS * 10);
    await sleep(STEP_MS);
    node.setTip(announced!.id, { isTold: false });
    await scanner.reaches(announced!.id, POLL_MS);
  });

  it('a scanner takes a tip that the node announced too early although it is lower, on another branch', async (t) => {
    const branch = lightChain(58, 8);
    const { node, scanner } = await startFollowing(t, lightChain(60, 7));
    await sleep(STEP_MS);
    node.add(branch);
    node.tellTip({ id: branch[57]!.id, height: 58 });
    await sleep(STEP_MS);
    node.setTip(branch[57]!.id, { isTold: false });
    await scanner.reaches(branch[57]!.id, POLL_MS);
  });
});

it('a scanner asks a node that is behind it once a poll', async (t) => {
  const chain = lightChain(60, 7);
  const { node } = await startFollowing(t, chain);
  node.setTip(chain[49]!.id);
  await sleep(STEP_MS);
  let calls = 0;
  node.faults = () => void calls++;
  await sleep(POLL_MS);
  assert.ok(calls > 0 && calls < 10, `${calls} requests`);
});
