/** A process that was busy for seconds must not take its own silence for the database's. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { TipWatch } from '../../../src/store/read/tip-watch.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { until } from '../../support/until.ts';
import { SILENT } from '../../support/web-server.ts';

/** Keeps the process busy, and gives what is so before it has come to read anything. */
function afterStandstill<T>(milliseconds: number, look: () => T): Promise<T> {
  return new Promise((resolve) => {
    // Timers that are due run in their order, those of the watch before this one, before anything is read from a socket.
    setTimeout(() => resolve(look()), 300);
    for (const end = performance.now() + milliseconds; performance.now() < end; );
  });
}

it('the watch of the tip trusts the tip after the process was busy for some seconds, and not after a standstill of many', async (t) => {
  const { postgres } = await TestIndex.create(t, networkByName('regtest'));
  const watch = new TipWatch({ postgres, logger: SILENT });
  t.after(() => watch.close());
  await watch.open();
  await until(() => watch.isFresh, 'the tip');
  await new Promise((later) => setTimeout(later, 600));
  assert.equal(await afterStandstill(3_000, () => watch.isFresh), true);
  await until(() => watch.isFresh, 'the tip');
  await new Promise((later) => setTimeout(later, 600));
  assert.equal(await afterStandstill(11_000, () => watch.isFresh), false);
  await until(() => watch.isFresh, 'the tip');
});
