/** JSON of the API as typed values: search results, and amounts with their decimal text. */

import type { SEARCH_RESULT_SCHEMA } from '../../api/present/search.ts';
import type { AMOUNT_SCHEMA } from '../../render/schemas/common.ts';
import type { ValueOf } from '../../render/schemas/value-of-schema.ts';
import { parseStoredJson } from '../../render/stored-json.ts';
import type { ExactAmount } from '../parts/amount.ts';

export type ParsedSearchResult = ValueOf<typeof SEARCH_RESULT_SCHEMA>;

/** Parses the results of a search, each in the form of the API. */
export function parseSearchResultsJson(texts: readonly string[]): ParsedSearchResult[] {
  return parseStoredJson(`[${texts.join(',')}]`) as ParsedSearchResult[];
}

export function exactAmountOfJson({ atoms, decimal }: ValueOf<typeof AMOUNT_SCHEMA>): ExactAmount {
  return { atoms: BigInt(atoms), decimal };
}
