/**
 * The other servers of `--postgres-host`, which are asked every few seconds: is one of them a primary with a newer timeline, and
 * does one have a newer tip than is served? After a promotion an old primary may live on, or come back.
 */
import type { PostgresOptions } from '../postgres/connect.ts';
import { hostStateWithTip, optionsOfEachHost, type StateWithTip } from '../postgres/hosts.ts';

const INTERVAL_MS = 2_000;
/** Tips of a server that are remembered at most. */
const MAX_TIPS = 100;

interface SeenTip {
  readonly revision: number;
  /** Of `performance.now()`. */
  readonly at: number;
}

interface OtherHost {
  readonly options: PostgresOptions;
  /** Did it answer last time? */
  isThere: boolean;
  /** Of a primary; as it was known last while it does not answer. */
  timeline: string | null;
  isWritten: boolean;
  /** Its last tip, and before it those that are newer than what is served, oldest first. */
  tips: SeenTip[];
}

export class OtherHosts {
  readonly #hosts: readonly OtherHost[];
  readonly #timer: NodeJS.Timeout;
  readonly #onAnswers: () => void;
  #isAsking = false;
  /** Of the primary that is read. */
  #timeline: string | null = null;
  /** Of the tip that is served. */
  #revision = 0;

  /** `onAnswers` is called after each round. */
  constructor(postgres: PostgresOptions, onAnswers: () => void) {
    this.#hosts = optionsOfEachHost(postgres).map((options) => ({
      options,
      isThere: false,
      timeline: null,
      isWritten: false,
      tips: [],
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
        const state = await hostStateWithTip(host.options, 'chain-indexer web server').catch(() => null);
        host.isThere = state !== null;
        host.isWritten = state?.isWritten ?? false;
        // One that is away may come back with the same timeline, so what was seen of its tips is kept.
        if (state !== null) this.#note(host, state);
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
      if (!host.isThere || host.timeline === null || host.timeline <= newest) continue;
      newest = host.timeline;
      found = host.options;
    }
    return found && { options: found, timeline: newest };
  }

  /** Notes what is served. */
  served(revision: number, timeline: string | null): void {
    this.#timeline = timeline;
    this.#revision = revision;
    // The last one stays: an older tip may be served next, of another server.
    for (const host of this.#hosts)
      host.tips = host.tips.filter((tip, i, { length }) => tip.revision > revision || i === length - 1);
  }

  /**
   * For how many seconds one of them has had a newer tip than is served. A primary with an older timeline counts only while a
   * scanner writes to it: otherwise it was left with what the promoted one had not received.
   */
  get secondsBehind(): number {
    const now = performance.now();
    const counting = this.#hosts.filter((host) => host.isWritten || !this.#isSuperseded(host));
    const newer = counting.flatMap(({ tips }) => tips.find(({ revision }) => revision > this.#revision) ?? []);
    return Math.max(0, ...newer.map(({ at }) => (now - at) / 1_000));
  }

  #isSuperseded({ timeline }: OtherHost): boolean {
    return this.#timeline !== null && timeline !== null && timeline < this.#timeline;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #note(host: OtherHost, { timeline, revision }: StateWithTip): void {
    host.timeline = timeline;
    // A database that was restored has an older one.
    if (revision < (host.tips.at(-1)?.revision ?? 0)) host.tips = [];
    if (revision === host.tips.at(-1)?.revision) return;
    // The newest one is replaced when they are too many: the oldest tells for how long.
    if (host.tips.length === MAX_TIPS) host.tips.pop();
    host.tips.push({ revision, at: performance.now() });
  }
}
