/**
 * What a batch does to the database, as plain texts in the order in which they are executed: made by one thread,
 * executed by another, or by the same.
 */
import type pg from 'pg';
import { copyInto } from './copy.ts';

export type WriteStep =
  /** The text is lines in COPY's format, each with its line end. */
  | { readonly type: 'copy'; readonly table: string; readonly columns: readonly string[]; readonly text: string }
  | { readonly type: 'query'; readonly sql: string; readonly parameters: readonly string[] };

export function copyStep(table: string, columns: readonly string[], lines: readonly string[]): WriteStep[] {
  return lines.length === 0 ? [] : [{ type: 'copy', table, columns, text: `${lines.join('\n')}\n` }];
}

export function queryStep(sql: string, ...parameters: readonly string[]): WriteStep {
  return { type: 'query', sql, parameters };
}

/** Executes the steps within the client's transaction. */
export async function runSteps(client: pg.Client, steps: readonly WriteStep[]): Promise<void> {
  for (const step of steps) {
    if (step.type === 'copy') await copyInto(client, step.table, step.columns, step.text);
    else await client.query(step.sql, [...step.parameters]);
  }
}
