/** The schema of the index: dropped for a new one, and what is left of it. */

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type pg from 'pg';
import { networkByName } from '../../../src/chain/networks/known-networks.ts';
import { openPostgresConnection, type PostgresOptions } from '../../../src/store/postgres/connect.ts';
import { dropTables } from '../../../src/store/schema/create-and-drop-tables.ts';
import { requireOwnOrEmptyDatabase } from '../../../src/store/schema/database-identity.ts';
import { createTables } from '../../support/create-tables.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { testDatabase, testRole } from '../../support/postgres.ts';
import { query } from '../../support/running-scanner.ts';

const network = networkByName('regtest');

async function connect(t: TestContext, postgres: PostgresOptions): Promise<pg.Client> {
  const client = await openPostgresConnection(postgres, 'test');
  t.after(() => client.end());
  return client;
}

async function contentOf(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select identity as name from pg_depend cross join lateral pg_identify_object(classid, objid, 0)
      where refclassid = 'pg_namespace'::regclass and refobjid = to_regnamespace($1) and deptype = 'n' order by 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
}

it('dropping the index leaves what web servers are granted in the schema, now and for tables to come', async (t) => {
  const { postgres, session } = await TestIndex.create(t, network);
  const reader = await testRole(t, postgres);
  await session.writer.query(`
      grant usage on schema chain_indexer to ${reader.user};
      alter default privileges in schema chain_indexer grant select on tables to ${reader.user}`);
  await dropTables(session.writer);
  await createTables(session.writer);
  assert.deepEqual((await query(reader, 'select height from chain_indexer.chain_tip')).rows, []);
});

it('dropping the index drops every object in the schema and nothing outside it', async (t) => {
  const { session } = await TestIndex.create(t, network);
  const { writer } = session;
  await writer.query(`
      create view tips as select * from chain_tip;
      create materialized view above_tips as select * from tips;
      create sequence "a Sequence";
      create type mood as enum ('good');
      create type pair as (a mood, b mood);
      create domain positive as int check (value > 0);
      create function height_of(tips) returns int language sql return $1.height;
      create procedure nothing() language sql as '';
      create function next_number() returns bigint language sql as $f$ select nextval('"a Sequence"') $f$;
      create table moods (id serial, n bigint default next_number(), mood mood, other positive);
      create table numbered (id int generated always as identity);
      create schema another;
      create table another.blocks (height int)`);
  await dropTables(writer);
  assert.deepEqual(await contentOf(writer, 'chain_indexer'), []);
  assert.deepEqual(await contentOf(writer, 'another'), ['another.blocks']);
  assert.equal(await requireOwnOrEmptyDatabase(writer, network), 'empty');
});

it('dropping the index leaves the functions of an extension that was made there', async (t) => {
  const { session } = await TestIndex.create(t, network);
  const { rowCount } = await session.writer.query(`select from pg_available_extensions where name = 'citext'`);
  if (rowCount === 0) return t.skip('this PostgreSQL has no such extension');
  await session.writer.query('create extension citext schema chain_indexer');
  await dropTables(session.writer);
  await session.writer.query(`select 'a'::chain_indexer.citext`);
});

it('dropping the index works for the owner of the database, where there is no schema yet', async (t) => {
  const postgres = await testDatabase(t);
  const owner = await testRole(t, postgres);
  await query(postgres, `alter database ${postgres.database} owner to ${owner.user}`);
  const client = await connect(t, owner);
  await dropTables(client);
  await createTables(client);
  await dropTables(client);
  assert.deepEqual(await contentOf(client, 'chain_indexer'), []);
});

it('dropping the index drops nothing when something outside needs it', async (t) => {
  const { session } = await TestIndex.create(t, network);
  const before = await contentOf(session.writer, 'chain_indexer');
  await session.writer.query('create view public.heights as select height from chain_indexer.blocks');
  await assert.rejects(dropTables(session.writer), {
    name: 'OperatorError',
    message: /^the index cannot be dropped, .*view public\.heights depends on table blocks.*Nothing was changed/,
  });
  assert.deepEqual(await contentOf(session.writer, 'chain_indexer'), before);
});
