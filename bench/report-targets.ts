/** Measured values, each with its target. */
import type { Report } from './report.ts';

export interface Target {
  readonly what: string;
  readonly value: number;
  /** The value and the limit as people read them. */
  readonly text: (value: number) => string;
  /** The upper limit; null: the value is only there for comparison. */
  readonly most?: number | null;
  /** The lower limit. */
  readonly least?: number;
}

/** A value that is not known is none that is met. */
export function target(
  what: string,
  value: number,
  text: Target['text'],
  limits: Pick<Target, 'most' | 'least'> = {},
): Target {
  return { what, value, text, ...limits };
}

export function isMet({ value, most = null, least }: Target): boolean {
  return (most === null || value <= most) && (least === undefined || value >= least);
}

/** Prints them all with their limits; gives whether they are met. */
export function reportTargets(report: Report, title: string, targets: readonly Target[]): boolean {
  report.table(
    title,
    ['what', 'value', 'wanted', ''],
    targets.map((target) => {
      const { what, value, text, most = null, least } = target;
      const wanted = [
        ...(most === null ? [] : [`at most ${text(most)}`]),
        ...(least === undefined ? [] : [`at least ${text(least)}`]),
      ];
      const verdict = wanted.length === 0 ? '' : isMet(target) ? 'met' : 'not met';
      return [what, Number.isNaN(value) ? '?' : text(value), wanted.join(', '), verdict];
    }),
  );
  return targets.every(isMet);
}
