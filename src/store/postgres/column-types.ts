/** What a column of ours may hold, and its forms: as text in an undo record, and as an element of an array parameter. */

export type ColumnType = 'bytea' | 'text' | 'smallint' | 'integer' | 'bigint' | 'numeric' | 'boolean';

/** A `bytea` is hex, or bytes on their way out; a `numeric` a bigint; what SQL counts in integers a number. */
export type Field = string | Buffer | number | bigint | boolean | null;

/** Names and types. */
export type Columns = Readonly<Record<string, ColumnType>>;

/** A field as text: bytes after `\x`, as PostgreSQL shows them. Null, and no other field of ours, is the empty text. */
export function fieldText(type: ColumnType, field: Field): string {
  if (field === null) return '';
  if (type === 'bytea') return `\\x${hexOf(field as string | Buffer)}`;
  if (type === 'boolean') return field ? 't' : 'f';
  return `${field}`;
}

function hexOf(bytes: string | Buffer): string {
  return typeof bytes === 'string' ? bytes : bytes.toString('hex');
}

/** The field that `fieldText` made into a text. */
export function fieldOf(type: ColumnType, text: string): Field {
  if (text === '') return null;
  switch (type) {
    case 'bytea':
      return text.slice('\\x'.length);
    case 'text':
      return text;
    case 'numeric':
      return BigInt(text);
    case 'boolean':
      return text === 't';
    default:
      return Number(text);
  }
}

/** Fields as the text of an array that a statement takes as a parameter. */
export function arrayOf(type: ColumnType, fields: Iterable<Field>): string {
  const elements: string[] = [];
  for (const field of fields) elements.push(field === null ? 'NULL' : element(type, field));
  return `{${elements.join(',')}}`;
}

function element(type: ColumnType, field: Exclude<Field, null>): string {
  switch (type) {
    case 'bytea':
      return `"\\\\x${hexOf(field as string | Buffer)}"`;
    case 'text':
      return `"${String(field).replace(/["\\]/g, '\\$&')}"`;
    default:
      return fieldText(type, field);
  }
}
