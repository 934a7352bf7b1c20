import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../src/embedded/free-port.ts';
import { OperatorError } from '../../src/errors/operator-error.ts';
import type { PostgresOptions } from '../../src/store/postgres/connect.ts';
import { createMissingDatabase, indexedTipId } from '../../src/up/prepare-database.ts';
import { startHttpServer } from '../support/http-server.ts';
import { testDatabase } from '../support/postgres.ts';
import { query } from '../support/running-scanner.ts';

async function refusal(options: PostgresOptions): Promise<string> {
  const error = await createMissingDatabase(options).then(
    () => assert.fail('no refusal'),
    (failure: unknown) => failure,
  );
  assert.ok(error instanceof OperatorError, String(error));
  return error.message;
}

test('a database that is missing is created, and one that is there is kept', async (t) => {
  const postgres = await testDatabase(t);
  const options = { ...postgres, database: `${postgres.database}-new` };
  t.after(() => query({ ...postgres, database: 'postgres' }, `drop database "${options.database}"`));
  await createMissingDatabase(options);
  await query(options, 'create table mine (n int)');
  await createMissingDatabase(options);
  await query(options, 'select n from mine');
  assert.equal(await indexedTipId(options), undefined);
});

test('what is wrong with PostgreSQL reads as in the other programs', async (t) => {
  const postgres = await testDatabase(t);
  const { user } = postgres;
  assert.equal(
    await refusal({ ...postgres, password: 'wrong' }),
    `PostgreSQL refuses the password of user ${user}. Check --postgres-password.`,
  );
  assert.equal(
    await refusal({ ...postgres, password: '' }),
    `PostgreSQL asks user ${user} for a password. Give it with --postgres-password.`,
  );
  assert.match(
    await refusal({ ...postgres, port: await freePort() }),
    /is not reachable: nothing listens there\. Is it/,
  );
});

test('something else than PostgreSQL cannot be used', async (t) => {
  const { port } = await startHttpServer(t, () => {});
  const options = { host: '127.0.0.1', port, user: 'me', password: 'p', database: 'mine', maxConnections: 1 };
  assert.match(await refusal(options), /^PostgreSQL at 127\.0\.0\.1:\d+ (cannot be used|is not reachable): /);
});
