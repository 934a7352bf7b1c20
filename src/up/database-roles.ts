/** The roles of the embedded PostgreSQL: the scanner and the web server get only the rights that they need. */
import pg from 'pg';
import { randomPassword } from '../embedded/superuser-password.ts';
import { OperatorError } from '../errors/operator-error.ts';
import {
  ADVISORY_LOCKS,
  type PostgresOptions,
  SCHEMA_NAME,
  withPostgresConnection,
} from '../store/postgres/connect.ts';
import { inDatabaseTransaction } from '../store/postgres/in-transaction.ts';
import { APPLICATION_NAME } from './prepare-database.ts';

/** The owner of the chains' databases and of the index in each. */
const SCANNER_ROLE = 'chain_indexer_scanner';
/** A role that can only read. */
const WEB_SERVER_ROLE = 'chain_indexer_web_server';

/**
 * Returns the logins of the programs for the database that the superuser `admin` names. Creates missing roles, gives
 * them new passwords, which are stored nowhere, and hands over the schema of an index that an earlier release created as
 * the superuser; all in one transaction. Throws an `OperatorError` if PostgreSQL refuses that.
 */
export async function ensureRoles(admin: PostgresOptions) {
  const passwords = { scanner: randomPassword(), webServer: randomPassword() };
  await withPostgresConnection(admin, APPLICATION_NAME, (client) =>
    inDatabaseTransaction(client, async () => {
      // A statement with a password must never appear in the log.
      await client.query(`set local log_min_error_statement = panic; set local log_statement = 'none'`);
      await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.roles]);
      await client.query(roleSql(SCANNER_ROLE, passwords.scanner));
      await client.query(roleSql(WEB_SERVER_ROLE, passwords.webServer));
      await client.query(`grant pg_read_all_data to ${WEB_SERVER_ROLE}`);
      await client.query(`alter role ${WEB_SERVER_ROLE} set default_transaction_read_only = on`);
      const database = pg.escapeIdentifier(admin.database);
      await client.query(`alter database ${database} owner to ${SCANNER_ROLE}`);
      // Everybody has this right by default, but a temporary table is a write, too.
      await client.query(`revoke temporary on database ${database} from public`);
      await client.query(HAND_OVER);
    }),
  ).catch((error: Error) => {
    throw new OperatorError(
      `The roles of the programs in the database ${admin.database} cannot be made: ${error.message}. ` +
        "PostgreSQL's log says more.",
      { cause: error, exitCode: 1 },
    );
  });
  return {
    scanner: { ...admin, user: SCANNER_ROLE, password: passwords.scanner },
    webServer: { ...admin, user: WEB_SERVER_ROLE, password: passwords.webServer },
  };
}

const roleSql = (role: string, password: string) => `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${role}') then create role ${role}; end if;
  end $$;
  alter role ${role} with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password '${password}'`;

/** Lets the scanner's role build an index in a schema that the superuser of an earlier release made. */
const HAND_OVER = `
  do $$ begin
    if to_regnamespace('${SCHEMA_NAME}') is not null then alter schema ${SCHEMA_NAME} owner to ${SCANNER_ROLE}; end if;
  end $$`;
