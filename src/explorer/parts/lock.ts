/** Describes time locks in words. */

import { MAX_HEIGHT } from '../../chain/networks/network.ts';
import type { LOCK_SCHEMA } from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say } from '../words/catalogue.ts';
import { durationText, roughDurationText } from '../words/formats.ts';
import { countHtml } from './amount.ts';
import { heightLink } from './id-links.ts';
import { badge } from './properties-and-badges.ts';
import { LAST_SECOND, timeHtml } from './time.ts';

export interface ContainingBlock {
  /** The height of the block that has the output. */
  readonly height: number;
  readonly timestamp: number;
}

/**
 * Describes when a lock ends. `place`: null while the output is pending. `tipHeight`: null if it does not matter
 * whether the lock has ended. A lock by time ends by the median time past of the newest blocks, which is some minutes
 * behind the clock.
 */
export function describeLock(
  site: Site,
  lock: ValueOf<typeof LOCK_SCHEMA>,
  place: ContainingBlock | null,
  tipHeight: number | null,
): Html {
  const words = spanOf(lock);
  if (isForNothing(lock) && place === null) return html`until confirmation`;
  if (words !== null && place === null) return html`${words} after confirmation`;
  const ended = endedLock(site, lock, place, tipHeight);
  if (ended !== null) return html`until ${ended} ${badge('unlocked', 'good')}`;
  const { height, time } = endOf(lock, place);
  const end = height === null ? fromTime(time) : fromHeight(site, height, tipHeight);
  return words === null ? end : html`${words}: ${end}`;
}

/** Says of an output until when it is locked, or since when it is not: it may be spendable from its own block on. */
export function lockedOrNot(...lock: Parameters<typeof describeLock>): Html {
  const ended = endedLock(...lock);
  return ended === null ? html`Locked ${describeLock(...lock)}` : html`Unlocked since ${ended}`;
}

/** Names the block or the time from which a lock does not hold any more; null while it holds, and where that does not matter. */
export function endedLock(
  site: Site,
  lock: ValueOf<typeof LOCK_SCHEMA>,
  place: ContainingBlock | null,
  tipHeight: number | null,
): Html | null {
  if (place === null || tipHeight === null) return null;
  const { height, time } = endOf(lock, place);
  if (height === null) return time <= BigInt(site.pace.medianTime) ? timeHtml(Number(time), 'both') : null;
  return height <= BigInt(tipHeight) ? html`block ${heightLink(site, Number(height))}` : null;
}

const isForNothing = ({ type, content }: ValueOf<typeof LOCK_SCHEMA>): boolean =>
  (type === 'ForSeconds' || type === 'ForBlockCount') && BigInt(content) === 0n;

function spanOf(lock: ValueOf<typeof LOCK_SCHEMA>): Html | null {
  if (isForNothing(lock)) return null;
  if (lock.type === 'ForSeconds') return html`${say('for {duration}', { duration: durationText(lock.content) })}`;
  if (lock.type !== 'ForBlockCount') return null;
  return BigInt(lock.content) === 1n ? html`for 1 block` : html`for ${countHtml(lock.content)} blocks`;
}

function endOf(lock: ValueOf<typeof LOCK_SCHEMA>, place: ContainingBlock | null) {
  const from = place ?? { height: 0, timestamp: 0 };
  switch (lock.type) {
    case 'UntilHeight':
      return { height: BigInt(lock.content) };
    case 'ForBlockCount':
      return { height: BigInt(lock.content) + BigInt(from.height) };
    case 'UntilTime':
      return { height: null, time: BigInt(lock.content.timestamp) };
    case 'ForSeconds':
      return { height: null, time: BigInt(lock.content) + BigInt(from.timestamp) };
  }
}

function fromHeight(site: Site, height: bigint, tipHeight: number | null): Html {
  if (height > BigInt(MAX_HEIGHT)) return html`until block ${height} (never reached)`;
  const number = Number(height);
  if (tipHeight === null) return html`until block ${number}`;
  const left = number - tipHeight;
  if (left === 1) return html`until block ${number} ${badge('spendable in the next block', 'good')}`;
  return html`until block ${number} <span class="muted">(about ${roughDurationText(left * site.pace.secondsPerBlock)})</span>`;
}

function fromTime(seconds: bigint): Html {
  if (seconds > LAST_SECOND) return html`until Unix time ${countHtml(seconds)} (never reached)`;
  return html`until ${timeHtml(Number(seconds), 'both')}`;
}
