/** Describes time locks in words. */

import { MAX_HEIGHT } from '../../chain/networks/network.ts';
import type { LOCK_SCHEMA } from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import type { JsonInteger } from '../../render/stored-json.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site-urls.ts';
import { say } from '../words/catalogue.ts';
import { durationText } from '../words/formats.ts';
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
  switch (lock.type) {
    case 'UntilHeight':
      return fromHeight(site, BigInt(lock.content), tipHeight);
    case 'UntilTime':
      return fromTime(BigInt(lock.content.timestamp));
    case 'ForBlockCount': {
      const blocks: JsonInteger = lock.content;
      const words = BigInt(blocks) === 1n ? html`for 1 block` : html`for ${countHtml(blocks)} blocks`;
      if (place === null) return html`${words} after confirmation`;
      return html`${words}: ${fromHeight(site, BigInt(blocks) + BigInt(place.height), tipHeight)}`;
    }
    case 'ForSeconds': {
      const seconds: JsonInteger = lock.content;
      const words = html`${say('for {duration}', { duration: durationText(seconds) })}`;
      if (place === null) return html`${words} after confirmation`;
      return html`${words}: ${fromTime(BigInt(seconds) + BigInt(place.timestamp))}`;
    }
  }
}

function fromHeight(site: Site, height: bigint, tipHeight: number | null): Html {
  if (height > BigInt(MAX_HEIGHT)) return html`until block ${countHtml(height)} (never reached)`;
  const number = Number(height);
  if (tipHeight === null) return html`until block ${countHtml(number)}`;
  if (number <= tipHeight) return html`until block ${heightLink(site, number)} ${badge('unlocked', 'good')}`;
  const left = number - tipHeight;
  if (left === 1) return html`until block ${countHtml(number)} ${badge('spendable in the next block', 'good')}`;
  return html`until block ${countHtml(number)} <span class="muted">(about ${durationText(Math.round(left * site.pace.secondsPerBlock))})</span>`;
}

function fromTime(seconds: bigint): Html {
  if (seconds > LAST_SECOND) return html`until Unix time ${countHtml(seconds)} (never reached)`;
  return html`until ${timeHtml(Number(seconds), 'both')}`;
}
