/** The operator's marks as JSON. */
import Type from 'typebox';
import { MARK_ICON_PATH, MARK_KINDS, MARK_STATUSES, type Mark, type Marks } from '../../answers/marks-file.ts';
import { arrayJson, nullableJson, plainJson, textJson } from '../../render/compose-json.ts';
import { BECH32_SCHEMA, nullable, schemaRef, strictObject } from '../../render/schemas/common.ts';
import { objectWriter } from './object-writer.ts';

const text = (description: string) => nullable(Type.String({ description }));

export const MARK_SCHEMA = strictObject({
  id: BECH32_SCHEMA,
  type: Type.Enum([...MARK_KINDS], { type: 'string' }),
  name: text('A name for it'),
  icon: text('The path of an image (PNG, WebP or SVG), below that of the API'),
  status: nullable(Type.Enum([...MARK_STATUSES], { type: 'string' })),
  text: text('Why'),
  url: text('A page about it'),
});

/** With the component `Mark`. */
export const MARKS_SCHEMA = strictObject({
  source: text('Who says so; null if the operator has no marks'),
  source_url: text('A page of the source'),
  marks: Type.Array(schemaRef('Mark')),
});

const markJson = objectWriter(MARK_SCHEMA);

const marksJson = objectWriter(MARKS_SCHEMA);

export function presentMarks({ source, sourceUrl, byId }: Marks): string {
  return marksJson({
    source: nullableJson(source, textJson),
    source_url: nullableJson(sourceUrl, textJson),
    marks: arrayJson([...byId.values()].map(presentMark)),
  });
}

function presentMark({ id, kind, name, icon, status, text, url }: Mark) {
  return markJson({
    id,
    type: plainJson(kind),
    name: nullableJson(name, textJson),
    icon: nullableJson(icon, (key) => textJson(`${MARK_ICON_PATH}/${key}`)),
    status: nullableJson(status, plainJson),
    text: nullableJson(text, textJson),
    url: nullableJson(url, textJson),
  });
}
