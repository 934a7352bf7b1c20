/** The option `--start-time` of simulated chains. */
import { decodeGenesis } from '../chain/codec/genesis.ts';
import type { Network } from '../chain/networks/network.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { StartTime } from './sim/block-times.ts';

export const START_TIME_FORM = 'now, or a UTC time such as 2026-01-31T12:00:00Z';

/** Parses the value of the option. Throws a `RangeError` with the expected form. */
export function readStartTime(text: string): StartTime {
  if (text === 'now') return text;
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?Z$/.exec(text);
  const iso = match === null ? '' : `${match[1]}T${match[2]}${match[3] ?? ':00'}.000Z`;
  const time = new Date(iso);
  // JavaScript takes 30 February as a day in March.
  if (Number.isNaN(time.getTime()) || time.toISOString() !== iso) throw new RangeError(`must be ${START_TIME_FORM}`);
  return time.getTime() / 1_000;
}

/** Returns the value of the option for a start time. */
export function startTimeText(start: StartTime): string {
  return start === 'now' ? start : new Date(start * 1_000).toISOString().replace('.000', '');
}

/** Throws an `OperatorError` if there is no room for the blocks between the genesis and the start time. */
export function checkStartTime(start: StartTime, blocks: number, network: Network): void {
  const { timestamp } = decodeGenesis(network.genesis);
  if (start !== 'now' && start <= timestamp + blocks) {
    throw new OperatorError(
      `--start-time must be a second for each of the ${blocks} blocks, and more, after the genesis of ${network.name} (${startTimeText(timestamp)}), not ${startTimeText(start)}.`,
    );
  }
}
