/** The operator's marks as JSON. */
import { MARK_ICON_PATH, MARK_KINDS, MARK_STATUSES, type Mark, type Marks } from '../../answers/marks-file.ts';
import { defineEntry } from '../entry/define-entry.ts';
import { bech32, choice, listOf, nested, text } from '../entry/kinds.ts';

export const MARK = defineEntry<Mark>({
  id: bech32(({ id }) => id),
  type: choice(MARK_KINDS)(({ kind }) => kind),
  name: text.orNull(({ name }) => name, 'A name for it'),
  icon: text.orNull(
    ({ icon }) => (icon === null ? null : `${MARK_ICON_PATH}/${icon}`),
    'The path of an image (PNG, WebP or SVG), below that of the API',
  ),
  status: choice(MARK_STATUSES).orNull(({ status }) => status),
  text: text.orNull((mark) => mark.text, 'Why'),
  url: text.orNull(({ url }) => url, 'A page about it'),
});

export const MARKS = defineEntry<Marks>({
  source: text.orNull(({ source }) => source, 'Who says so; null if the operator has no marks'),
  source_url: text.orNull(({ sourceUrl }) => sourceUrl, 'A page of the source'),
  marks: listOf(nested(MARK, 'Mark'))(({ byId }) => [...byId.values()]),
});
