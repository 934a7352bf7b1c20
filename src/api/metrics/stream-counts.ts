/** What the streams of a process count, for the metrics. */
export interface StreamCounts {
  /** Open at the moment, including those in a replay. */
  open: number;
  /** Refused because there were too many. */
  refused: number;
  /** Lag events sent because a client read too slowly. */
  lagged: number;
  /** Events that those clients lost, at most. */
  lostEvents: number;
  /** Broken off by us: they read nothing for minutes. */
  cut: number;
  /** Clients that were resumed. */
  resumed: number;
  /** Blocks and reorganisations that were replayed to them. */
  replayedEvents: number;
}

export function newStreamCounts(): StreamCounts {
  return { open: 0, refused: 0, lagged: 0, lostEvents: 0, cut: 0, resumed: 0, replayedEvents: 0 };
}
