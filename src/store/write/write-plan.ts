/**
 * What a batch does to the database, as plain data in the order in which they are executed: made by one thread,
 * executed by another, or by the same.
 */
import type pg from 'pg';
import { type CopyRows, copyInto } from '../postgres/copy.ts';

export type WriteStatement =
  /** The chunks together are rows in COPY's format. */
  | {
      readonly type: 'copy';
      readonly table: string;
      readonly columns: readonly string[];
      readonly chunks: readonly Uint8Array<ArrayBuffer>[];
    }
  | { readonly type: 'query'; readonly sql: string; readonly parameters: readonly string[] };

/** Takes the rows; none give no step. */
export function copyStatements(table: string, rows: CopyRows): WriteStatement[] {
  const chunks = rows.take();
  return chunks.length === 0 ? [] : [{ type: 'copy', table, columns: rows.columns, chunks }];
}

export function sqlStatement(sql: string, ...parameters: readonly string[]): WriteStatement {
  return { type: 'query', sql, parameters };
}

/** Executes the steps within the client's transaction. */
export async function runStatements(client: pg.Client, steps: readonly WriteStatement[]): Promise<void> {
  for (const step of steps) {
    if (step.type === 'copy') await copyInto(client, step.table, step.columns, step.chunks);
    else await client.query(step.sql, [...step.parameters]);
  }
}
