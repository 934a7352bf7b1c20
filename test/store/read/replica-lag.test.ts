/** How far a replica is behind, by what it has received and replayed. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ReplicaLag, type Replication } from '../../../src/store/read/replica-lag.ts';

const replica = (changes: Partial<Replication>): Replication => ({
  isReplica: true,
  timeline: null,
  received: 100n,
  replayed: 100n,
  isReceiving: true,
  lastCommitSeconds: 0,
  ...changes,
});

it('a primary, and a replica that has replayed what it received, are not behind, however old the newest commit is', () => {
  const lag = new ReplicaLag();
  assert.equal(
    lag.note({ ...replica({ received: null, replayed: null, isReceiving: false }), isReplica: false }, 5),
    0,
  );
  assert.equal(new ReplicaLag().note(replica({ lastCommitSeconds: 600 }), 1_000), 0);
});

it('a replica that replays slowly is behind by the age of the oldest part that it has not replayed', () => {
  const lag = new ReplicaLag();
  lag.note(replica({}), 10);
  lag.note(replica({ received: 200n }), 11);
  assert.equal(lag.note(replica({ received: 300n }), 20), 9);
  assert.equal(lag.note(replica({ received: 300n, replayed: 200n }), 21), 1);
  assert.equal(lag.note(replica({ received: 300n, replayed: 300n }), 22), 0);
});

it('a replica is behind since it has lost its primary', () => {
  const lag = new ReplicaLag();
  lag.note(replica({}), 10);
  lag.note(replica({ isReceiving: false }), 15);
  assert.equal(lag.note(replica({ isReceiving: false }), 40), 25);
  assert.equal(lag.note(replica({}), 41), 0);
});

it('a replica that is behind at the first look is behind since its newest commit', () => {
  assert.equal(new ReplicaLag().note(replica({ replayed: 50n, lastCommitSeconds: 90 }), 1_000), 90);
  assert.equal(new ReplicaLag().note(replica({ isReceiving: false, lastCommitSeconds: 70 }), 1_000), 70);
});
