/** The way of a pending transaction through the files of `src`: those that ARCHITECTURE.md lists. */
import { it } from 'node:test';
import { EventStream } from '../../support/event-stream.ts';
import { paymentOf } from '../../support/payments.ts';
import { PendingWorld } from '../../support/pending-world.ts';
import { until } from '../../support/until.ts';
import { assertRunAsListed, listedFiles, VisitRecorder } from '../../support/visited-files.ts';

/** What the list leaves out besides the node, which runs in this process: how a query runs, and the probes of the node. */
const LEFT_OUT = /^src\/(?:(?:chain|devnet|serving\/resources|store\/read|store\/postgres)\/|node\/node-selection)/;

it('a transaction that the node announces runs the files that ARCHITECTURE.md lists', async (t) => {
  // The first list of the mempool was requested by now, and there is no other.
  const world = await PendingWorld.start(t, { mirror: { listEveryMs: 100_000 } });
  const stream = await EventStream.during(t, { port: world.server.port });
  const see = async () => {
    const id = world.receive(paymentOf(world.node));
    await until(() => stream.text.includes(id), 'the event of the transaction');
  };
  const recorder = await VisitRecorder.after(see);
  try {
    const visits = await recorder.during(see);
    assertRunAsListed(visits, listedFiles('A pending transaction'), LEFT_OUT);
  } finally {
    recorder.end();
  }
});
