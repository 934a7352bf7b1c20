/** Pending transactions follow the index: what is logged when it cannot be read. */
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { NodePendingTransactions } from '../../../src/answers/pending/node-pending-transactions.ts';
import { regtest } from '../../../src/chain/networks/known-networks.ts';
import type { ReadPool } from '../../../src/serving/resources/read-pool.ts';
import type { SnapshotTip } from '../../../src/store/read/query.ts';
import { StoreError } from '../../../src/store/read/store-error.ts';
import { until } from '../../support/until.ts';
import { Notebook } from '../../support/web-server.ts';

const LINE = /^error The mempool could not follow the index\./;
const tip = (height: number): SnapshotTip => ({
  revision: height,
  height,

  id: `${height}`.padStart(64, '0'),
});

/** Pending transactions of a node that is away, whose reads of the index fail with this error. */
async function follow(t: TestContext, error: Error) {
  let reads = 0;
  const query = () => {
    reads++;
    return Promise.reject(error);
  };
  const log = new Notebook();
  const pending = new NodePendingTransactions({
    network: regtest,
    node: { address: '127.0.0.1:1', auth: { type: 'none' } },
    store: { query, queryLong: query } as unknown as ReadPool,
    logger: log,
    siblings: undefined,
  });
  t.after(() => pending.close());
  pending.indexMoved(tip(1));
  await until(() => pending.revision === 1, 'the first tip');
  pending.indexMoved(tip(2));
  await until(() => reads >= 2, 'another attempt');
  return log.of(LINE);
}

it('an error of our own while the mempool follows the index is logged, and the index is read again', async (t) => {
  assert.equal((await follow(t, new TypeError('a defect'))).length, 1);
});

it('a database that is away is not logged by the mempool: requests of clients log it', async (t) => {
  assert.deepEqual(await follow(t, new StoreError('unavailable')), []);
});
