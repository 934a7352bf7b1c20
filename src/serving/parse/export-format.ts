/** Parses the format in which a request wants a list: JSON pages, or all of it as CSV or as lines of JSON. */
import Type from 'typebox';
import { badRequest } from '../errors/api-error.ts';
import { lastQueryValue, type UrlQuery } from './parameters.ts';

export const EXPORT_MEDIA_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** The form of a CSV file: spreadsheets take it from the reader's country. */
interface CsvForm {
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

/** Returns the export that a header `accept` names and prefers to JSON, or likes as much; null if it names none. */
export function acceptedExport(accept: string | undefined): ExportFormat['type'] | null {
  if (accept === undefined || !/csv|ndjson/i.test(accept)) return null;
  const weights = new Map(accept.toLowerCase().split(',').map(weightedType));
  const csv = weights.get(EXPORT_MEDIA_TYPES.csv) ?? 0;
  const ndjson = weights.get(EXPORT_MEDIA_TYPES.ndjson) ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  const best = Math.max(csv, ndjson);
  if (!(best > 0 && best >= json)) return null;
  return csv === best ? 'csv' : 'ndjson';
}

/** Parses an element of `accept`, such as `text/csv;q=0.5`. */
function weightedType(element: string): [type: string, weight: number] {
  const [type, ...parameters] = element.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [type!, weight === undefined ? 1 : Number(weight.slice(2))];
}

/**
 * Returns the format; null for pages of JSON. `accept`: the header, which counts if the query names no format. Throws the
 * error 400.
 */
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
