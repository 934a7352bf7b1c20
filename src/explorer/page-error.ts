/** The errors of pages, whose messages are translated where they are shown. */
import { ApiError } from '../serving/errors/api-error.ts';
import type { SnapshotTip } from '../store/read/query.ts';
import { englishOf, say, type Words, wordsFor } from './words/catalogue.ts';

class PageError extends ApiError {
  readonly words: Words;
  readonly mayBeMistyped: boolean;

  constructor(status: number, words: Words, tip: SnapshotTip | null = null, mayBeMistyped = true) {
    super(status, englishOf(words), { tip });
    this.words = words;
    this.mayBeMistyped = mayBeMistyped;
  }
}

/** The error 400: sentences that say what is wrong with what a visitor has typed or followed. */
export const badInput = (words: Words): ApiError => new PageError(400, words);

/** The error 404. */
export const pageNotFound = (words: Words, tip: SnapshotTip | null = null): ApiError => new PageError(404, words, tip);

/** The error 404 of a height that the chain does not reach yet. */
export const noBlockYetError = (height: number, tip: SnapshotTip): ApiError =>
  new PageError(404, noBlockYet(height, tip.height), tip, false);

/** Is the text of a path perhaps not what the visitor meant? */
export const mayBeMistyped = (error: ApiError): boolean => !(error instanceof PageError) || error.mayBeMistyped;

/** Says that the chain does not reach a height. */
export const noBlockYet = (height: number, tipHeight: number) =>
  say('There is no block {height} yet: the newest one is block {tipHeight}.', { height, tipHeight });

/** Returns the message of an error as sentences; that of an error of the API is English if the catalogue does not have it. */
export function wordsOfError(error: ApiError): Words {
  if (error instanceof PageError) return error.words;
  return wordsFor(/[.!?]$/.test(error.message) ? error.message : `${error.message}.`);
}
