/** Checks whether the web server's database user finds an index, none yet, or one that it may not read. */
import pg from 'pg';
import { type PostgresOptions, SCHEMA_NAME } from '../postgres/connect.ts';

export interface Privileges {
  readonly hasTip: boolean;
  readonly hasUsage: boolean;
  /** The tables that the user may not read, separated by commas. */
  readonly unreadable: string;
}

/** Queries the catalog, which every user may read: a query for a missing table would be an error in PostgreSQL's log. */
export const PRIVILEGES_QUERY = {
  name: 'privileges',
  sql: `select coalesce(bool_or(c.relname = 'chain_tip'), false) as "hasTip",
               coalesce(bool_and(has_schema_privilege(n.oid, 'usage')), true) as "hasUsage",
               coalesce(string_agg(c.relname, ', ' order by c.relname)
                          filter (where not has_table_privilege(c.oid, 'select')), '') as unreadable
        from pg_namespace n
        join pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p')
        where n.nspname = '${SCHEMA_NAME}'`,
};

/** The privilege that the user lacks, in a few words; null when it may read everything. */
export function missingPrivileges({ hasUsage, unreadable }: Privileges): string | null {
  if (!hasUsage) return `it has no USAGE on the schema ${SCHEMA_NAME}`;
  return unreadable === '' ? null : `it has no SELECT on ${unreadable}`;
}

/** Advice for the administrator: how to let the user read the index. */
export function grantHint({ user }: PostgresOptions): string {
  return (
    `As an administrator of the database: GRANT pg_read_all_data TO ${pg.escapeIdentifier(user)}; or grant USAGE on the ` +
    `schema ${SCHEMA_NAME}, and SELECT on its tables, also by default privileges for those that the scanner makes later.`
  );
}

/** The message for a connection that PostgreSQL refuses the user, with advice for the administrator. */
export function connectHint({ user, database }: PostgresOptions, { message }: Error): string {
  return (
    `user ${user} may not connect to the database ${database}: ${message}. As an administrator: ` +
    `GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(database)} TO ${pg.escapeIdentifier(user)}.`
  );
}
