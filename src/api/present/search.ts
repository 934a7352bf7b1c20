/** The results of a search, as JSON. */
import Type from 'typebox';
import { SEARCH_RESULT_TYPES, type SearchResult } from '../../answers/search.ts';
import { plainJson, textJson } from '../../render/compose-json.ts';
import { strictObject } from '../../render/schemas/common.ts';
import type { JsonTextOf } from '../../render/schemas/value-of-schema.ts';
import { objectWriter } from './object-writer.ts';

export const SEARCH_RESULT_SCHEMA = strictObject({
  type: Type.Enum([...SEARCH_RESULT_TYPES], {
    type: 'string',
    description:
      'The type of the result. `other_network`: the searched text is an id of another network. `wrong_checksum`: it is ' +
      'mistyped',
  }),
  id: Type.String({ description: 'As used in paths; the searched text itself if it is not an id of this network' }),
  label: Type.String({ description: 'A name: a ticker, an NFT name, a height, the name of a mark' }),
  detail: Type.String({ description: 'Further information, as a text' }),
});

const resultJson = objectWriter(SEARCH_RESULT_SCHEMA);

export function presentSearchResult({
  type,
  id,
  label,
  detail,
}: SearchResult): JsonTextOf<typeof SEARCH_RESULT_SCHEMA> {
  return resultJson({ type: plainJson(type), id: textJson(id), label: textJson(label), detail: textJson(detail) });
}
