/** Whose functions and tables our statements mean: ours and PostgreSQL's, whatever others put beside them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { destinationAddress } from '../../src/chain/address.ts';
import { BatchWriter } from '../../src/scanner/write/batch-writer.ts';
import { openPostgresConnection } from '../../src/store/postgres/connect.ts';
import { openLongStatementConnection } from '../../src/store/postgres/long-statement-connection.ts';
import { sqlStatement } from '../../src/store/write/transferable-statements.ts';
import { requireRightIndex } from '../replay/replay.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { testRole } from '../support/postgres.ts';
import { query } from '../support/running-scanner.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { startTestWebServer } from '../support/web-server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = 'chain_indexer';

async function pathOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ path: string }>(`select current_setting('search_path') as path`);
  return rows[0]?.path;
}

it('a connection to PostgreSQL looks names up in our schema only, whatever its role and its database have for others', async (t) => {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  const role = await testRole(t, index.postgres);
  const { writer, reader } = index.session;
  await writer.query(`alter role ${role.user} set search_path = public, chain_indexer`);
  await writer.query(`alter database ${index.postgres.database} set search_path = public`);
  const opened = [await openPostgresConnection(role, 'test'), await openLongStatementConnection(role, 'test')];
  for (const client of [...opened, writer, reader]) assert.equal(await pathOf(client), PATH);
  for (const client of opened) await client.end();

  const bulk = new BatchWriter(index.postgres, () => {});
  t.after(() => bulk.close());
  const check = `do $$ begin assert current_setting('search_path') = '${PATH}', 'another search_path'; end $$`;
  await bulk.write({ statements: [sqlStatement(check)], commits: true });
  const wrong = bulk.write({ statements: [sqlStatement(check.replace(`'${PATH}'`, `'public'`))], commits: true });
  await assert.rejects(wrong, /another search_path/);
});

it('a connection to PostgreSQL is made in one place, for every program', () => {
  const files = ['src', 'bin', 'bench'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  const makers = files
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => /new (pg\.)?(Client|Pool)\(/.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(makers, ['src/store/postgres/connect.ts']);
});

it("a role that may create functions in the schema public changes no answer and no check with a function that fits our statements better than PostgreSQL's own", async (t) => {
  const index = await TestIndex.create(t, SIMULATED_NETWORK);
  await index.followBytes(lightChain(60, 12).map(({ bytes }) => bytes));
  const { postgres, session } = index;
  const stranger = await testRole(t, postgres);
  await session.writer.query(`grant create on schema public to ${stranger.user}`);
  const { rows } = await session.writer.query<{ owner: string }>(
    'select owner from outputs where owner is not null group by owner order by count(*) desc limit 1',
  );
  const address = destinationAddress(SIMULATED_NETWORK, rows[0]!.owner);
  // A server of its own each time: nothing is kept from the one before.
  const answers = async () => {
    const server = await startTestWebServer(t, { network: SIMULATED_NETWORK, postgres });
    return [
      await server.json(`/address/${address}/all-utxos?cursor=&items=1`),
      await server.json(`/address/${address}/spendable-utxos?cursor=&items=1`),
      await server.json(`/address/${address}`),
    ];
  };
  const before = await answers();
  assert.equal(before[0].items.length, 1);

  const trap = `as $$ select 'hijacked by ' || current_user $$ language sql`;
  await query(
    stranger,
    `create function public.concat_ws(text, int, int, int, text, text) returns text ${trap};
       create function public.concat_ws(text, int, int, int, text, text, text, text) returns text ${trap};
       create function public.encode(bytea, text, variadic text[] default '{}') returns text ${trap};
       create view public.blocks as select 1 as height`,
  );
  const own = await query<{ said: string }>(
    stranger,
    `set search_path = public; select concat_ws(''::text, 1, 1, 1, ''::text, ''::text) as said`,
  );
  assert.match(JSON.stringify(own), /hijacked by/, 'the trap is one for who looks there');
  assert.deepEqual(await answers(), before);
  await requireRightIndex(postgres, SIMULATED_NETWORK);
});
