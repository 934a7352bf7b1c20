/** Nodes whose answers contradict each other for a while, as several nodes behind one address do. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFollowing } from '../../support/following-scanner.ts';
import { lightChain } from '../../support/simulated-chain.ts';
import { until } from '../../support/until.ts';

it('a scanner whose node claims blocks that it does not give pauses before it asks again, and says so', async (t) => {
  const chain = lightChain(62, 7);
  const { node, scanner } = await startFollowing(t, chain.slice(0, 60));
  const claimed = { id: 'ab'.repeat(32), height: 65, timestamp: 0 };
  const ownTip = node.tip.bind(node);
  let calls = 0;
  node.faults = () => void calls++;
  node.tip = () => ({ ...ownTip(), ...claimed });
  node.tellTip(claimed);
  const line = await scanner.logged('what the node answers cannot be indexed');
  assert.match(JSON.stringify(line), /the node says that it has block 61, but does not give it/);
  await sleep(2_000);
  assert.ok(calls < 60, `${calls} requests`);
  node.tip = ownTip;
  node.grow(chain.slice(60));
  await scanner.reaches(chain[61]!.id);
});

it('a scanner indexes a block that the node tells before it has it, without waiting for the next one', async (t) => {
  const chain = lightChain(61, 7);
  const block = chain[60]!;
  const { node, scanner } = await startFollowing(t, chain.slice(0, 60));
  let calls = 0;
  node.faults = () => void calls++;
  node.add([block]);
  node.tellTip({ id: block.id, height: 61 });
  await until(() => calls >= 2, 'the scanner asks for it');
  await sleep(300);
  node.setTip(block.id, { isTold: false });
  await scanner.reaches(block.id);
});
