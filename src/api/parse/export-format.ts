/** Parses the format in which a request wants a list: JSON pages, or all of it as CSV or as lines of JSON. */
import Type from 'typebox';
import { badRequest } from '../errors/api-error.ts';
import { lastQueryValue, type UrlQuery } from './parameters.ts';

export const EXPORT_MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** The form of a CSV file: spreadsheets take it from the reader's country. */
export interface CsvForm {
  readonly delimiter: ',' | ';';
  readonly decimal: '.' | ',';
}

export type ExportFormat = ({ readonly type: 'csv' } & CsvForm) | { readonly type: 'ndjson' };

/** The query parameters of {@link parseExportFormat}. */
export const EXPORT_PARAMETERS = {
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'ndjson'], {
      type: 'string',
      default: 'json',
      description: '`csv` or `ndjson`: all entries from the cursor on, as a file; also by `Accept`',
    }),
  ),
  delimiter: Type.Optional(
    Type.Enum([',', ';'], {
      type: 'string',
      description: 'Between the fields of CSV: `,`, or `;` if the decimal mark is a comma',
    }),
  ),
  decimal: Type.Optional(
    Type.Enum(['.', ','], { type: 'string', default: '.', description: 'The decimal mark of amounts in CSV' }),
  ),
};

/** Adds the media types of exports to the schema of the response 200. */
export function withExports<Responses extends Readonly<Record<number, object>>>(responses: Responses): Responses {
  const { content, ...ok } = responses[200] as { readonly content: object };
  const texts = Object.values(EXPORT_MEDIA_TYPES).map((mediaType) => [mediaType, { schema: Type.String() }]);
  return { ...responses, 200: { ...ok, content: { ...content, ...Object.fromEntries(texts) } } };
}

/** Returns the media type of an export that the header `Accept` names; null if it names none. */
export function acceptedExport(accept: string | undefined): 'csv' | 'ndjson' | null {
  if (accept === undefined) return null;
  if (accept.includes(EXPORT_MEDIA_TYPES.csv)) return 'csv';
  return accept.includes(EXPORT_MEDIA_TYPES.ndjson) ? 'ndjson' : null;
}

/** Returns the format; null for pages of JSON. Throws the error 400. */
export function parseExportFormat(query: UrlQuery, accept: string | undefined): ExportFormat | null {
  const type = lastQueryValue(query, 'format') ?? acceptedExport(accept) ?? 'json';
  const decimal = lastQueryValue(query, 'decimal') ?? '.';
  const delimiter = lastQueryValue(query, 'delimiter') ?? (decimal === ',' ? ';' : ',');
  if (decimal !== '.' && decimal !== ',') throw badRequest('Invalid decimal: `.` or `,` is expected');
  if (delimiter !== ',' && delimiter !== ';') throw badRequest('Invalid delimiter: `,` or `;` is expected');
  if (type === 'json') return null;
  if (type === 'ndjson') return { type };
  if (type !== 'csv') throw badRequest('Invalid format: `json`, `csv` or `ndjson` is expected');
  return { type, delimiter, decimal };
}
