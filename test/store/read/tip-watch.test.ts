/** The watch of the tip, over a connection that breaks. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { TipWatch } from '../../../src/store/read/tip-watch.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { until } from '../../support/until.ts';
import { Notebook } from '../../support/web-server.ts';

it('a connection that is lost while the completeness of the index is checked says nothing of the index', async (t) => {
  const { postgres } = await TestIndex.create(t, networkByName('regtest'));
  const proxy = await TcpProxy.start(t, postgres);
  proxy.cutAt = 'with missing as materialized';
  const logger = new Notebook();
  const watch = new TipWatch({ postgres: { ...postgres, ...proxy.address }, logger });
  t.after(() => watch.close());
  const seen: (boolean | undefined)[] = [];
  watch.onChange(() => seen.push(watch.tip?.isReady));
  await watch.open().catch(() => {});
  await until(() => watch.tip?.isReady === true, 'the tip');
  assert.equal(proxy.cutAt, null, 'the connection broke');
  assert.deepEqual(seen, [true]);
  assert.deepEqual(logger.of(/not complete/), []);
});
