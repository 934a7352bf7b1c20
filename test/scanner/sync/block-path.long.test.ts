/** The way of a block through the files of `src`: those that ARCHITECTURE.md lists, in that order. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFollowing } from '../../support/following-scanner.ts';
import { lightChain } from '../../support/simulated-chain.ts';
import { assertRunAsListed, listedFiles, VisitRecorder } from '../../support/visited-files.ts';

const BLOCKS = 100;
const REHEARSED = 8;
const FOLLOWED = 4;
/** Its last blocks have commands to tokens and to orders. */
const SEED = 1;
/** Longer than the first step of following takes. */
const FIRST_STEP_MS = 500;
/** What the list leaves out besides the node, which runs in this process. */
const LEFT_OUT = /^src\/(?:chain|devnet|scanner\/monitor)\//;

it('blocks that a scanner follows run the files that ARCHITECTURE.md lists, in that order', async (t) => {
  const chain = lightChain(BLOCKS + REHEARSED + FOLLOWED, SEED);
  const { node, scanner } = await startFollowing(t, chain.slice(0, BLOCKS));
  /** A scanner that was restarted has no rows in memory. */
  const restart = async () => {
    await scanner.stop();
    scanner.logs.splice(0);
    await scanner.start();
    await scanner.logged('listening to the events');
    await sleep(FIRST_STEP_MS);
  };
  const follow = async (from: number, to: number) => {
    node.grow(chain.slice(from, to));
    await scanner.reaches(chain[to - 1]!.id);
  };

  await restart();
  const recorder = await VisitRecorder.after(() => follow(BLOCKS, BLOCKS + REHEARSED));
  try {
    await restart();
    const visits = await recorder.during(() => follow(BLOCKS + REHEARSED, chain.length));
    const visited = [...new Set(visits.map(({ file }) => file))];
    const items = listedFiles('A block');
    assertRunAsListed(visits, items, LEFT_OUT);
    const first = items.map(([file]) => file!);
    assert.deepEqual(
      visited.filter((file) => first.includes(file)),
      first,
    );
  } finally {
    recorder.end();
  }
});
