/** Composes all parts that serve streams in a process. */
import type { Holdings } from '../../serving/resources/reclaimable-holdings.ts';
import type { ResponseProfile } from '../response-profile/profile.ts';
import { EventFrames } from './event-frames.ts';
import { EventPublisher, type EventPublisherOptions } from './event-publisher.ts';
import { MissedEvents, type MissedEventsOptions } from './missed-events.ts';
import { StreamHub } from './stream-hub.ts';

export interface StreamLimits {
  /** The maximum number of streams: of the whole server, and of a client address. */
  readonly maxSubscribers: number;
  readonly maxSubscribersPerClient: number;
  /** The most events that a client may be behind. */
  readonly broadcastCapacity: number;
  /** The idle time before a keepalive comment is sent. */
  readonly keepaliveMs: number;
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  maxSubscribers: 10_000,
  maxSubscribersPerClient: 20,
  broadcastCapacity: 1_024,
  keepaliveMs: 30_000,
};

/** The most bytes of events that a client may be behind. */
const MAX_BYTES = 1024 * 1024;

export interface StreamServiceOptions extends EventPublisherOptions, Omit<MissedEventsOptions, 'frames'> {
  readonly profile: ResponseProfile;
  /** The open streams, one holding each. */
  readonly streams: Holdings;
  readonly limits: Partial<StreamLimits>;
}

export class StreamService {
  readonly hub: StreamHub;
  readonly missedEvents: MissedEvents;

  constructor(options: StreamServiceOptions) {
    const { profile, tipWatch } = options;
    const limits = { ...DEFAULT_STREAM_LIMITS, ...options.limits };
    const frames = new EventFrames(profile);
    this.hub = new StreamHub({
      frames,
      streams: options.streams,
      maxStreamsPerClient: limits.maxSubscribersPerClient,
      maxEvents: limits.broadcastCapacity,
      maxBytes: MAX_BYTES,
      keepaliveMs: limits.keepaliveMs,
      // Clients of the stream count as requests, so that the tip is polled as often.
      onTick: () => tipWatch.noteRequest(),
      onFirst: () => {
        tipWatch.noteRequest();
        publisher.start();
      },
      onLast: () => publisher.stop(),
    });
    const publisher = new EventPublisher(options, this.hub);
    this.missedEvents = new MissedEvents({ ...options, frames }, this.hub, publisher);
  }
}
