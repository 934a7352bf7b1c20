/**
 * The other servers of `--postgres-host`, which are asked every few seconds: is one of them a primary with a newer timeline, and
 * does one have a newer tip than is served? After a promotion an old primary may live on, or come back.
 */
import type { PostgresOptions } from '../postgres/connect.ts';
import { optionsOfEachHost, type ServerState, stateWithTip } from '../postgres/hosts.ts';

const INTERVAL_MS = 2_000;
/** Tips of a server that are remembered at most, if they are not served. */
const MAX_WAITING = 100;

interface SeenTip {
  readonly revision: number;
  /** Of `performance.now()`. */
  readonly at: number;
}

interface OtherHost {
  readonly options: PostgresOptions;
  /** Null while it is not known to be a primary. */
  timeline: string | null;
  revision: number;
  /** Has its tip been seen to grow? Does the scanner write to it, or did it? */
  hasGrown: boolean;
  /** Its tips that are newer than what is served, oldest first. */
  waiting: SeenTip[];
}

export class OtherHosts {
  readonly #hosts: readonly OtherHost[];
  readonly #timer: NodeJS.Timeout;
  readonly #onAnswers: () => void;
  #isAsking = false;
  /** Of the primary that is read. */
  #timeline: string | null = null;

  /** `onAnswers` is called after each round. */
  constructor(postgres: PostgresOptions, onAnswers: () => void) {
    this.#hosts = optionsOfEachHost(postgres).map((options) => ({
      options,
      timeline: null,
      revision: 0,
      hasGrown: false,
      waiting: [],
    }));
    this.#onAnswers = onAnswers;
    this.#timer = setInterval(() => void this.ask(), INTERVAL_MS).unref();
  }

  /** Asks all of them. Never rejects. */
  async ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    await Promise.all(
      this.#hosts.map(async (host) => {
        const state = await stateWithTip(host.options, 'chain-indexer web server').catch(() => null);
        // One that is away may come back with the same timeline, so what was seen of its tips is kept.
        if (state === null) host.timeline = null;
        else this.#note(host, state);
      }),
    );
    this.#isAsking = false;
    this.#onAnswers();
  }

  /** Returns the primary that answered last time and has the newest timeline, if this is newer than the given one. */
  newerPrimary(timeline: string): { readonly options: PostgresOptions; readonly timeline: string } | null {
    let newest = timeline;
    let found: PostgresOptions | null = null;
    for (const host of this.#hosts) {
      if (host.timeline === null || host.timeline <= newest) continue;
      newest = host.timeline;
      found = host.options;
    }
    return found && { options: found, timeline: newest };
  }

  /**
   * Notes what is served. When it has grown, the scanner writes to this server: what a primary with an older timeline has besides
   * is not waited for.
   */
  served(revision: number, timeline: string | null, hasGrown: boolean): void {
    this.#timeline = timeline;
    for (const host of this.#hosts) {
      if (hasGrown && this.#isSuperseded(host)) {
        host.waiting = [];
        host.hasGrown = false;
      } else host.waiting = host.waiting.filter((tip) => tip.revision > revision);
    }
  }

  /**
   * For how many seconds one of them has had a newer tip than is served. A primary with an older timeline whose tip stands still does
   * not count: it was left with what the promoted one had not received.
   */
  get secondsBehind(): number {
    const now = performance.now();
    const counting = this.#hosts.filter((host) => host.hasGrown || !this.#isSuperseded(host));
    return Math.max(0, ...counting.map(({ waiting: [oldest] }) => (oldest ? (now - oldest.at) / 1_000 : 0)));
  }

  #isSuperseded({ timeline }: OtherHost): boolean {
    return this.#timeline !== null && timeline !== null && timeline < this.#timeline;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #note(host: OtherHost, { timeline, revision }: ServerState & { readonly revision: number }): void {
    host.timeline = timeline;
    // A database that was restored has an older one.
    if (revision < host.revision) {
      host.waiting = [];
      host.hasGrown = false;
    }
    if (revision > host.revision && host.revision > 0) {
      host.hasGrown = true;
      if (host.waiting.length === MAX_WAITING) host.waiting.pop();
      host.waiting.push({ revision, at: performance.now() });
    } else if (host.revision === 0) host.waiting = [{ revision, at: performance.now() }];
    host.revision = revision;
  }
}
