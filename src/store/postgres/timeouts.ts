/** Timeouts of a connection to PostgreSQL, in milliseconds. */
export interface ConnectionTimeouts {
  /** For opening the connection. */
  readonly connectMs: number;
  /** For a lock that another session holds: then the statement fails, and is tried again later. */
  readonly lockMs: number;
  /** For the lock of another scanner: PostgreSQL needs half a minute to notice that the machine of an earlier one is gone. */
  readonly writerMs: number;
  /** Without a byte sent or received during a statement, until the stall is reported, and between two reports. */
  readonly stallMs: number;
  /** Without a byte sent or received during a statement, until the connection is given up. */
  readonly giveUpMs: number;
}

export const CONNECTION_TIMEOUTS: ConnectionTimeouts = {
  connectMs: 10_000,
  lockMs: 30_000,
  writerMs: 40_000,
  stallMs: 30_000,
  giveUpMs: 600_000,
};
