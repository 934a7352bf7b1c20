/** What the streams of a process count, for the metrics. */
export class StreamCounts {
  /** Open at the moment, including those in a replay. */
  open = 0;
  /** Refused because there were too many. */
  refused = 0;
  /** Lag events sent because a client read too slowly. */
  lagged = 0;
  /** Events that those clients lost, at most. */
  lostEvents = 0;
  /** Broken off by us: they read nothing for minutes. */
  cut = 0;
  /** Clients that were resumed. */
  resumed = 0;
  /** Blocks and reorganisations that were replayed to them. */
  replayedEvents = 0;
}
