/** Statements as plain data, in the order of execution: one thread can make them and another one execute them. */
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

/** Takes the rows; no statement when there are none. */
export function copyStatements(table: string, rows: Pick<CopyRows, 'columns' | 'take'>): WriteStatement[] {
  const chunks = rows.take();
  return chunks.length === 0 ? [] : [{ type: 'copy', table, columns: rows.columns, chunks }];
}

export function sqlStatement(sql: string, ...parameters: readonly string[]): WriteStatement {
  return { type: 'query', sql, parameters };
}

/** Executes the statements within the client's transaction. */
export async function runStatements(client: pg.Client, statements: readonly WriteStatement[]): Promise<void> {
  for (const statement of statements) {
    if (statement.type === 'copy') await copyInto(client, statement.table, statement.columns, statement.chunks);
    else await client.query(statement.sql, [...statement.parameters]);
  }
}
