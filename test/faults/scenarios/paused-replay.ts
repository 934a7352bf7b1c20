/** A replica receives the write-ahead log of its primary and does not replay it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startReplicated } from '../../../bench/replicated-postgres.ts';
import { FIRST_TIMELINE, replayed, type Scene, type Server, type Truth } from '../scene.ts';

/** By the write-ahead log, or by the tip of the other host. */
const BEHIND = /replica, and \d+ s behind its primary|Another database server has had a newer tip/;

export async function pausedReplay(scene: Scene): Promise<void> {
  const { random } = scene;
  const { primary, replicas } = await startReplicated(scene.scope, 1);
  const replica = replicas[0]!;
  const [written, read] = [primary.options, replica.options];
  scene.startScanner(written);
  await scene.indexed(written);
  await replayed(written, read);
  const limit = random.whole(2, 4);
  await Promise.all([
    scene.startServer('the one with a limit', random.isTrue(0.5) ? [read] : [read, written], limit),
    random.isTrue(0.5)
      ? scene.startServer('the one on the primary', [written, read], limit)
      : scene.startServer('the one without a limit', [read]),
  ]);
  const truthOf =
    (notReady: RegExp | null) =>
    ({ hosts: [first], maxLag }: Server): Truth =>
      first === written
        ? { database: written, timeline: FIRST_TIMELINE, notReady: null }
        : { database: read, timeline: null, notReady: maxLag > 0 ? notReady : null };
  await scene.check('the replica follows', truthOf(null));
  for (let left = random.whole(1, 2); left > 0; left--) {
    await replica.query('select pg_wal_replay_pause()');
    await sleep(random.whole(0, 1_000));
    scene.mine(random.pick([1, 2, 5, 10, 11, 15]));
    await scene.indexed(written);
    await scene.check('replay is paused', truthOf(BEHIND));
    await replica.query('select pg_wal_replay_resume()');
    await replayed(written, read);
    await scene.check('replay goes on', truthOf(null));
  }
}
