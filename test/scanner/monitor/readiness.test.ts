/** When a scanner counts as following the node's tip, and who is to blame when something fails. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import pg from 'pg';
import { LedgerError } from '../../../src/ledger/ledger-error.ts';
import { NodeError } from '../../../src/node/node-error.ts';
import { FeedError } from '../../../src/scanner/fetch/block-feed.ts';
import { DamagedBlockError } from '../../../src/scanner/fetch/verify-blocks.ts';
import { blocksBehind, reasonNotReady } from '../../../src/scanner/monitor/readiness.ts';
import { ScannerStatus } from '../../../src/scanner/monitor/status.ts';
import { monotonicSeconds, type ScannerErrorKind } from '../../../src/scanner/monitor/status-report.ts';
import { BatchWriteError } from '../../../src/scanner/write/batch-writer.ts';
import { PostgresSilentError, postgresErrorToThrow } from '../../../src/store/postgres/postgres-error.ts';

const CHAIN = {
  height: 100,
  blockId: 'ab'.repeat(32),
  timestamps: [1_700_000_000],
  hour: 472_222,
  transactionCount: 250,
};

/** Of a scanner that follows a node of this height. */
function following(nodeHeight: number): ScannerStatus {
  const status = new ScannerStatus();
  status.opened(CHAIN);
  status.nodeAnswered(nodeHeight);
  status.enter('following');
  return status;
}

const reasonOf = (status: ScannerStatus, laterSeconds = 0) =>
  reasonNotReady(status.report, monotonicSeconds() + laterSeconds);

it('a scanner that follows the node is ready near the tip, and during a reorganisation', () => {
  const status = following(100);
  assert.equal(reasonOf(status), null);
  status.enter('reorganising');
  assert.equal(reasonOf(status), null);
  assert.equal(reasonOf(following(110)), null);
});

it('how far a scanner is behind is unknown while the node is away, or has said nothing for long', () => {
  const behind = (status: ScannerStatus, laterSeconds = 0) =>
    blocksBehind(status.report, monotonicSeconds() + laterSeconds);
  assert.equal(behind(new ScannerStatus()), null);
  const status = following(103);
  assert.equal(behind(status), 3);
  assert.equal(behind(status, 61), null);
  status.failed(new NodeError('unreachable', 'away'));
  assert.equal(behind(status), null);
  status.succeeded();
  assert.equal(behind(status), 3);
});

it('a scanner that follows the node is not ready many blocks behind, nor behind a node that says nothing', () => {
  assert.equal(reasonOf(following(111)), '11 blocks behind the node');
  assert.equal(reasonOf(following(100), 59), null);
  assert.equal(reasonOf(following(100), 61), 'the node has not told its tip for 61 s');
});

it('a scanner that follows the node is not ready while it does something else, and says what', () => {
  for (const [phase, reason] of [
    ['waiting_for_database', 'waiting for the database'],
    ['waiting_for_node', 'waiting for the node'],
    ['creating', 'creating the index'],
    ['bulk_sync', 'syncing in bulk'],
    ['building_indexes', 'building the indexes for reading'],
    ['pausing', 'pausing after a failure'],
    ['stopping', 'stopping'],
  ] as const) {
    const status = following(100);
    status.enter(phase);
    assert.equal(reasonOf(status), reason);
  }
});

it('a scanner that follows the node is not ready with a node that is behind it', () => {
  const status = following(90);
  status.enter('waiting_for_node');
  assert.equal(reasonOf(status), 'waiting for the node: it is at height 90, behind the index at 100');
});

it('a scanner that follows the node is not ready from a failure on until something succeeds', () => {
  const status = following(100);
  status.failed(new LedgerError('no such output'));
  assert.equal(reasonOf(status), 'failed once, the last time (ledger): no such output');
  status.failed(new LedgerError('no such output'));
  assert.equal(reasonOf(status), 'failed 2 times in a row, the last time (ledger): no such output');
  status.succeeded();
  assert.equal(reasonOf(status), null);
  assert.equal(status.report.errors.ledger, 2);
  assert.equal(status.report.failuresInARow, 0);
});

it('a scanner that follows the node stays stopped, and counts nothing any more that fails by that', () => {
  const status = following(100);
  status.enter('stopping');
  status.failed(new Error('broken off'));
  status.enter('following');
  assert.equal(reasonOf(status), 'stopping');
  assert.deepEqual(status.report.errors, { node: 0, database: 0, ledger: 0, other: 0 });
});

const postgres = { host: 'db', port: 5432, user: 'me', database: 'mine', maxConnections: 2 };
const ofDriver = (message: string, code?: string): unknown =>
  postgresErrorToThrow(Object.assign(new pg.DatabaseError(message, 0, 'error'), { code }), postgres);
const cases: readonly (readonly [error: unknown, kind: ScannerErrorKind])[] = [
  [new NodeError('timeout', 'no answer'), 'node'],
  [new DamagedBlockError('no block'), 'node'],
  [new FeedError('merkle root'), 'node'],
  [new LedgerError('no such output'), 'ledger'],
  [new Error('around it', { cause: new LedgerError('no such output') }), 'ledger'],
  [ofDriver('deadlock detected', '40P01'), 'database'],
  [ofDriver('canceling statement due to lock timeout', '55P03'), 'database'],
  [ofDriver('the database system is shutting down', '57P03'), 'database'],
  [postgresErrorToThrow(new Error('Connection terminated unexpectedly'), postgres), 'database'],
  [new PostgresSilentError('silent'), 'database'],
  [new BatchWriteError('no space left on device', '53100'), 'database'],
  [new TypeError('x is undefined'), 'other'],
  ['a text', 'other'],
];

for (const [error, kind] of cases) {
  it(`what a scanner fails at is blamed rightly: ${String(error)}`, () => {
    const status = following(100);
    assert.equal(status.failed(error), kind);
    assert.equal(status.report.errors[kind], 1);
    assert.equal(status.report.lastError?.kind, kind);
  });
}

it('what a scanner fails at before the database is there, is the database', () => {
  assert.equal(new ScannerStatus().failed(new Error('the database is read-only')), 'database');
});
