/** Where a visitor wants a list of blocks or transactions to begin: at a block, or at a date or time in words of the search. */

import type { AnswersContext } from '../../answers/answers-context.ts';
import { parseSearchQuery } from '../../answers/search-query.ts';
import { lastQueryValue, type UrlQuery } from '../../serving/parse/parameters.ts';
import type { ChainPoint, ChainRange } from '../../store/queries/blocks/chain-points.ts';
import { type Html, html } from '../html.ts';
import { noBlockYet } from '../page-error.ts';
import { textOf, type Words } from '../words/catalogue.ts';
import { banner } from './properties-and-badges.ts';
import type { ShownTime } from './time.ts';

/** Longer texts name no block and no date. */
const MAX_TEXT_LENGTH = 60;

interface ListStart {
  /** As it was typed; empty if nothing was. */
  readonly text: string;
  /** The blocks up to the start; null: all. */
  readonly range: ChainRange | null;
  /** Why the text is no start. */
  readonly problem: Words | null;
}

/** Reads the field of a start. A page shows what is wrong with it beside its form, which keeps it. */
export function parseListStart({ network, tipWatch: { tip } }: AnswersContext, query: UrlQuery): ListStart {
  const text = (lastQueryValue(query, 'at') ?? '').trim();
  const wrong = (problem: Words): ListStart => ({ text, range: null, problem });
  if (text === '' || tip === null) return { text, range: null, problem: null };
  const isLong = text.length > MAX_TEXT_LENGTH;
  const { height, periods, times } = parseSearchQuery(network, isLong ? '' : text, tip.timestamp).terms;
  const ends: ChainPoint[] = [...periods.map(({ to }) => to), ...times.map((time) => time + 1)].map((end) => ({
    time: BigInt(end),
  }));
  // A number is first of all a height, as in the search.
  const [to, other] = height !== null && height <= tip.height ? [{ height: height + 1 }] : ends;
  if (to === undefined)
    return wrong(
      height === null
        ? 'Enter the height of a block, or a date such as 2026-01-31, yesterday or last Monday.'
        : noBlockYet(height, tip.height),
    );
  if (other !== undefined) return wrong('Is the day or the month first? Enter the date as 2026-01-31.');
  return { text, range: { from: null, to }, problem: null };
}

/** Who asks for a date reads clock times. */
export const timesOf = ({ range }: ListStart): ShownTime => (range === null ? 'relative' : 'absolute');

/** The parameters of the API for a start. */
export function startQuery({ range }: ListStart): Record<string, string> {
  const to = range?.to;
  return to ? { to: 'height' in to ? `#${to.height}` : `${to.time}` } : {};
}

export const startField = ({ text }: ListStart): Html =>
  html`<label>Start at block or date <input name="at" value="${text}" maxlength="${MAX_TEXT_LENGTH}" autocomplete="off" placeholder="2026-01-31"></label>`;

/** Says what is wrong with a start. */
export const startProblemBanner = ({ problem }: ListStart): Html | null =>
  problem && banner(html`${textOf(problem)}`, 'bad');
