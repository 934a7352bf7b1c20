/** A replica is promoted while the old primary lives on, or before it comes back. */
import { type PostgresServer, startReplicated } from '../../../bench/replicated-postgres.ts';
import { FIRST_TIMELINE, replayed, type Scene, type Server, type Truth, tipOf } from '../scene.ts';

const PROMOTED_TIMELINE = '00000002';
const NEWER_ELSEWHERE = /Another database server has had a newer tip/;

export async function promotion(scene: Scene): Promise<void> {
  const { random } = scene;
  const { primary, replicas } = await startReplicated(scene.scope, 1);
  const replica = replicas[0]!;
  const [old, next] = [primary.options, replica.options];
  const maxLag = random.whole(2, 4);
  scene.startScanner(...random.some([old, next], 2));
  await scene.indexed(old);
  await replayed(old, next);
  await Promise.all([
    scene.startServer('the one on the primary', [old, next], maxLag),
    scene.startServer('the one on the replica', [next, old], maxLag),
  ]);
  await scene.check('before the promotion', ({ hosts: [first] }: Server) => ({
    database: first!,
    timeline: first === old ? FIRST_TIMELINE : null,
    notReady: null,
  }));

  const lives = random.isTrue(0.7);
  scene.mine(random.whole(0, 5));
  if (!lives) await primary.kill();
  await replica.promote();
  scene.mine(random.whole(0, 14));
  if (lives) await scene.indexed(old);
  const onPromoted = async (): Promise<Truth> => {
    const isSuperseded = lives && (await tipOf(old)).revision > (await tipOf(next)).revision;
    return { database: next, timeline: PROMOTED_TIMELINE, notReady: isSuperseded ? NEWER_ELSEWHERE : null };
  };
  if (lives) {
    if (random.isTrue(0.5)) await scene.startServer('a new one', [old, next], maxLag);
    await scene.check('the scanner still writes to the old primary', onPromoted);
  }

  await scene.stopScanner();
  if (random.isTrue(0.5)) await restart(replica, random.isTrue(0.5) ? primary : null);
  scene.startScanner(old, next);
  scene.mine(random.whole(1, 5));
  await scene.indexed(next);
  const isReady: Truth = { database: next, timeline: PROMOTED_TIMELINE, notReady: null };
  await scene.check('the scanner writes to the promoted one', () => isReady);

  await primary.kill();
  await primary.start();
  await scene.startServer('one that starts with the old primary', [old, next], maxLag);
  scene.mine(random.whole(0, 2));
  await scene.indexed(next);
  await scene.check('the old primary is back', () => isReady);
}

/** Away for a moment, so that the web servers look elsewhere. */
async function restart(server: PostgresServer, beside: PostgresServer | null): Promise<void> {
  await server.kill();
  await beside?.kill();
  await beside?.start();
  await server.start();
}
