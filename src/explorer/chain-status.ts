/**
 * The current state of the chain, the index and the node, for the banners of the first page. Nothing is stored. The
 * node is asked only while visitors look or have a page open, every few seconds at most, and when the mempool's copy
 * loses or finds it.
 */

import type { AnswersContext, StatusEvents } from '../answers/answers-context.ts';
import type { FeeRateCache } from '../answers/fee-rate-cache.ts';
import type { MempoolChange } from '../mempool/mempool-change.ts';
import { MAX_OTHER_BRANCH_MS } from '../mempool/mirror.ts';
import type { NodeReport } from '../serving/metrics/metrics.ts';
import { whyNotReady } from '../serving/route/readiness.ts';
import type { ServedTip } from '../store/read/tip-watch.ts';

/** A warning that pages show to visitors. Several can hold at the same time. */
export type ChainWarning =
  /** No block has come for a long time. `since`: the timestamp of the newest block, in seconds since the epoch. */
  | { readonly type: 'quiet'; readonly since: number }
  /** The node has more blocks than the index, whose newest one is of `since`. `not_ready`: as in `/ready`. */
  | { readonly type: 'behind'; readonly blocks: number; readonly since: number }
  /** The index has more blocks than the node. */
  | { readonly type: 'node_behind'; readonly blocks: number }
  | { readonly type: 'not_ready' | 'node_away' | 'node_of_another_network' | 'node_on_another_branch' };

/** The chain counts as quiet after this pause. The protocol makes a block every two minutes on average. */
const QUIET_SECONDS = 30 * 60;
/** Being behind the node by fewer blocks is normal, and not shown. */
const MIN_BEHIND = 2;
const CHECK_MS = 5_000;
/** The checks stop if nobody has looked for this long. */
const IDLE_MS = 60_000;
/** The period over which the speed of a sync is measured. */
const SPEED_MS = 60_000;

interface Sources extends Pick<AnswersContext, 'network' | 'tipWatch' | 'isStopping' | 'reportNode'> {
  readonly pending: { listen(listener: (change: MempoolChange) => void): () => void } | null;
  readonly feeRates: { readonly points: Pick<FeeRateCache['points'], 'read'> } | null;
}

interface Sample {
  readonly at: number;
  readonly height: number;
}

export class ChainStatus {
  readonly #sources: Sources;
  readonly #tipWatch: Sources['tipWatch'];
  readonly #feeRates: Sources['feeRates'];
  readonly #onChange: () => void;
  readonly #events: StatusEvents;
  readonly #now: () => number;
  #node: NodeReport | null = null;
  /** Since when the node is on another branch; null while it is not. */
  #otherBranchSince: number | null = null;
  /** The last height that the node told. */
  #nodeHeight: number | null = null;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #tipAt: number;
  #samples: Sample[] = [];
  #underWay: Promise<void> | null = null;
  readonly #timer: NodeJS.Timeout;
  #isIdle = true;
  /** What pages show of the node's fee rates; empty while they are unknown. */
  #rates = '';
  /** What has been told of the warnings, whether it is up to date, and the fee rates. */
  #told = '';

  /**
   * `onChange` is called when the warnings, `isUpToDate` or the fee rates change, and when the checks stop; `events` are
   * told afterwards. `now`: the milliseconds of a monotonic clock.
   */
  constructor(
    sources: Sources,
    onChange: () => void,
    events: StatusEvents,
    now: () => number = () => performance.now(),
  ) {
    const { tipWatch, pending, feeRates } = sources;
    this.#sources = sources;
    this.#tipWatch = tipWatch;
    this.#feeRates = feeRates;
    this.#onChange = onChange;
    this.#events = events;
    this.#now = now;
    this.#tipAt = now();
    this.#told = this.#state();
    tipWatch.onChange(() => this.#noteTip());
    pending?.listen(({ type }) => {
      if (type === 'State' && !this.#isIdle) void this.#checkAndTell();
    });
    this.#timer = setInterval(() => void this.#tick(), CHECK_MS).unref();
  }

  /**
   * Returns the warnings, at most a few seconds old. If nobody has looked lately, it asks the node first. Never
   * rejects.
   */
  async warnings(): Promise<readonly ChainWarning[]> {
    this.look();
    if (this.#now() - this.#checkedAt > IDLE_MS) await this.#check();
    return this.#warnings();
  }

  /** Is the index known to follow its node? */
  get isUpToDate(): boolean {
    const { onOurChain, lagBlocks } = this.#node ?? { onOurChain: null, lagBlocks: null };
    return onOurChain !== null && !this.#isOnOtherBranch && (lagBlocks ?? MIN_BEHIND) < MIN_BEHIND;
  }

  /** Asks the node in the background. It must be called when a visitor looks. */
  look(): void {
    this.#lookedAt = this.#now();
    if (!this.#isIdle) return;
    this.#isIdle = false;
    void this.#checkAndTell();
  }

  /** The progress of a sync: the node's height and the remaining time; each is null while it is unknown. */
  get sync(): { readonly nodeHeight: number | null; readonly secondsLeft: number | null } {
    const nodeHeight = this.#nodeHeight;
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (nodeHeight === null || first === undefined || last === undefined || last.height <= first.height) {
      return { nodeHeight, secondsLeft: null };
    }
    const perSecond = ((last.height - first.height) * 1_000) / (last.at - first.at);
    return { nodeHeight, secondsLeft: Math.max(0, Math.round((nodeHeight - last.height) / perSecond)) };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #tick(): Promise<void> {
    if (this.#events.areWanted()) this.#lookedAt = this.#now();
    const wasIdle = this.#isIdle;
    this.#isIdle = this.#now() - this.#lookedAt > IDLE_MS;
    if (!this.#isIdle) await this.#checkAndTell();
    else if (!wasIdle) this.#onChange();
  }

  async #checkAndTell(): Promise<void> {
    // The cache of the fee rates may wait longer for the node.
    this.#feeRates?.points.read().then(
      (points) => {
        this.#rates = points.map(({ sizeBytes, atomsPerKilobyte }) => `${sizeBytes} ${atomsPerKilobyte}`).join();
        this.#tell();
      },
      () => {},
    );
    await this.#check();
    this.#tell();
  }

  #tell(): void {
    const state = this.#state();
    if (state === this.#told) return;
    this.#told = state;
    this.#onChange();
    this.#events.tell(this.#warnings().map(({ type }) => type));
  }

  #state(): string {
    return JSON.stringify([this.#warnings(), this.isUpToDate, this.#rates]);
  }

  #check(): Promise<void> {
    this.#underWay ??= this.#askNode().finally(() => {
      this.#checkedAt = this.#now();
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #askNode(): Promise<void> {
    this.#node = await this.#sources.reportNode();
    this.#nodeHeight = this.#node?.height ?? this.#nodeHeight;
    const { onOurChain = null, problem = null } = this.#node ?? {};
    if (onOurChain === false) this.#otherBranchSince ??= this.#now();
    // One call without an answer says nothing of the branch.
    else if (onOurChain === true || problem !== null) this.#otherBranchSince = null;
  }

  #warnings(): ChainWarning[] {
    const { tip } = this.#tipWatch;
    if (tip === null) return [];
    const { timestamp: since } = tip;
    const warnings: ChainWarning[] = [];
    if (!this.#sources.isStopping() && whyNotReady(this.#sources) !== null) warnings.push({ type: 'not_ready' });
    const ofNode = this.#nodeWarning(tip);
    if (ofNode !== null) warnings.push(ofNode);
    const hasWaited = this.#now() - this.#tipAt > QUIET_SECONDS * 1_000;
    const isOld = Date.now() / 1_000 - since > QUIET_SECONDS;
    if (hasWaited && isOld && ofNode?.type !== 'behind') warnings.push({ type: 'quiet', since });
    return warnings;
  }

  get #isOnOtherBranch(): boolean {
    return this.#otherBranchSince !== null && this.#now() - this.#otherBranchSince >= MAX_OTHER_BRANCH_MS;
  }

  #nodeWarning(tip: ServedTip): ChainWarning | null {
    if (this.#node === null) return null;
    const { problem, height, lagBlocks } = this.#node;
    if (problem !== null) return { type: problem.kind === 'other network' ? 'node_of_another_network' : 'node_away' };
    if (this.#isOnOtherBranch) return { type: 'node_on_another_branch' };
    const blocks = height === null ? 0 : height - tip.height;
    if (blocks >= MIN_BEHIND) return { type: 'behind', blocks, since: tip.timestamp };
    // The node told its height some seconds ago. It was above the index then, unless the lag is unknown.
    return lagBlocks === null && -blocks >= MIN_BEHIND ? { type: 'node_behind', blocks: -blocks } : null;
  }

  #noteTip(): void {
    const at = this.#now();
    this.#tipAt = at;
    const { tip } = this.#tipWatch;
    if (tip === null || tip.isReady) this.#samples = [];
    else this.#samples = [...this.#samples.filter((sample) => at - sample.at < SPEED_MS), { at, height: tip.height }];
  }
}
