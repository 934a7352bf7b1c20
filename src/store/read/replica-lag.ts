/** How far a replica is behind its primary, by what it has received and replayed of the write-ahead log. */

import { TIMELINE_SQL } from '../postgres/hosts.ts';

/** The statement for {@link ReplicaLag.note}. Positions are bytes of the write-ahead log. */
export const REPLICATION_QUERY = {
  name: 'replication',
  sql: `select pg_is_in_recovery() as "isReplica",
               ${TIMELINE_SQL} as timeline,
               pg_last_wal_receive_lsn() - '0/0'::pg_lsn as received,
               pg_last_wal_replay_lsn() - '0/0'::pg_lsn as replayed,
               exists (select from pg_stat_wal_receiver) as "isReceiving",
               coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0)::float8 as "lastCommitSeconds"`,
};

export interface Replication {
  /** False on a primary; the other fields have no meaning then. */
  readonly isReplica: boolean;
  /** Hex, of a primary; null on a replica. */
  readonly timeline: string | null;
  readonly received: bigint | null;
  readonly replayed: bigint | null;
  /** Is it connected to its primary? */
  readonly isReceiving: boolean;
  /** Seconds since the newest commit that was replayed. */
  readonly lastCommitSeconds: number;
}

interface Received {
  readonly position: bigint;
  /** Seconds of a monotonic clock. */
  readonly at: number;
}

export class ReplicaLag {
  /** What was received and is not replayed yet, oldest first. */
  #waiting: Received[] = [];
  #last: Received | null = null;
  #awaySince: number | null = null;
  #isFirst = true;

  /** Takes an observation. `now`: seconds of a monotonic clock. Returns the seconds that the replica is behind. */
  note(observed: Replication, now: number): number {
    if (!observed.isReplica) return this.#reset();
    // What happened before the first observation is as old as the newest commit may be.
    const since = this.#isFirst ? now - observed.lastCommitSeconds : now;
    this.#isFirst = false;
    this.#awaySince = observed.isReceiving ? null : (this.#awaySince ?? since);
    const { received, replayed } = observed;
    if (received !== null && received !== this.#last?.position) {
      this.#last = { position: received, at: since };
      this.#waiting.push(this.#last);
    }
    this.#waiting = this.#waiting.filter(({ position }) => replayed === null || position > replayed);
    const oldest = Math.min(this.#waiting[0]?.at ?? now, this.#awaySince ?? now);
    return now - oldest;
  }

  #reset(): number {
    this.#waiting = [];
    this.#last = null;
    this.#awaySince = null;
    return 0;
  }
}
