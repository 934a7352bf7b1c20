/** The results of a search, as JSON. */
import { SEARCH_RESULT_TYPES, type SearchResult } from '../../answers/search.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { choice, text } from '../entry/kinds.ts';

export const SEARCH_RESULT = defineEntry<SearchResult>({
  type: choice(SEARCH_RESULT_TYPES)(
    ({ type }) => type,
    'The type of the result. `other_network`: the searched text is an id of another network. `wrong_checksum`: it is ' +
      'mistyped',
  ),
  id: text(({ id }) => id, 'As used in paths; the searched text itself if it is not an id of this network'),
  label: text(({ label }) => label, 'A name: a ticker, an NFT name, a height, the name of a mark'),
  detail: text(({ detail }) => detail, 'Further information, as a text'),
});
