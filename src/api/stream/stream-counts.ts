/** What the streams of a process count, for the metrics. */
export interface StreamCounts {
  /** Open at the moment, those that are still being told the past included. */
  open: number;
  /** Refused because there were too many. */
  refused: number;
  /** How often a client was told that it lost events, because it read too slowly. */
  lagged: number;
  /** Events that those clients lost, as far as each might have been told them. */
  lostEvents: number;
  /** Broken off by us: they read nothing for minutes. */
  cut: number;
  /** Clients that came back and were told what they had missed. */
  resumed: number;
  /** Blocks and reorganisations that they were told so. */
  replayedEvents: number;
}

export function newStreamCounts(): StreamCounts {
  return { open: 0, refused: 0, lagged: 0, lostEvents: 0, cut: 0, resumed: 0, replayedEvents: 0 };
}
