/** CSV as spreadsheets read it (RFC 4180). */
import { decimalText } from '../../chain/decimal-text.ts';
import type { Atoms } from '../../chain/types.ts';

/** A field: a text, a number; an amount with its decimals; null for nothing. */
export type CsvField = string | number | bigint | { readonly atoms: Atoms; readonly decimals: number } | null;

/** The columns of an export. */
export interface CsvTable<Row> {
  readonly columns: readonly string[];
  /** Returns the fields of a row, one for each column. */
  readonly fields: (row: Row) => readonly CsvField[];
}

/** The same columns for other rows. */
export const mappedCsv = <Row, Shown>(
  { columns, fields }: CsvTable<Shown>,
  of: (row: Row) => Shown,
): CsvTable<Row> => ({
  columns,
  fields: (row) => fields(of(row)),
});

/** Returns a line. Decimal marks and delimiters are the reader's. */
export function csvLine(fields: readonly CsvField[], delimiter: string, decimal: string): string {
  return `${fields.map((field) => fieldText(field, delimiter, decimal)).join(delimiter)}\r\n`;
}

function fieldText(field: CsvField, delimiter: string, decimal: string): string {
  if (field === null) return '';
  if (typeof field === 'number' || typeof field === 'bigint') return `${field}`;
  if (typeof field === 'string') return quoted(inert(field), delimiter);
  const text = decimalText(field.atoms, field.decimals);
  return quoted(decimal === '.' ? text : text.replace('.', decimal), delimiter);
}

/** A text of the chain that a spreadsheet would take for a formula gets an apostrophe before it. */
function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function quoted(text: string, delimiter: string): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A time as spreadsheets read it, UTC: `2026-11-24 19:30:44`. */
export function csvTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 19).replace('T', ' ');
}

/** A day as spreadsheets read it, UTC: `2026-11-24`. */
export function csvDay(seconds: number): string {
  return csvTime(seconds).slice(0, 10);
}
