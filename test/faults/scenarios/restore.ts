/** The database of running web servers is lost, and a backup is restored: rows, keys and indexes in whatever order. */
import type { SeededRandom } from '../../../bench/seeded-random.ts';
import type { PostgresOptions } from '../../../src/store/postgres/connect.ts';
import { SCHEMA_NAME } from '../../../src/store/postgres/connect.ts';
import { tableStatements } from '../../../src/store/schema/create-and-drop-tables.ts';
import { query, withClient } from '../../support/running-scanner.ts';
import { ask, startAnswerClients } from '../answer-clients.ts';
import type { FaultyPostgres } from '../faulty-postgres.ts';
import { FIRST_TIMELINE, type Scene, type Truth } from '../scene.ts';

const INCOMPLETE = /cannot be reached|holds no chain yet|index is being built/;
/** What half of an index would answer wrongly. */
const PATHS = ['transaction', 'block', 'pool', 'token', 'order', 'statistics/coin', 'chain/tip'];
const URLS = PATHS.map((path) => `/api/v2/${path}`);

export async function restore(scene: Scene, postgres: FaultyPostgres): Promise<void> {
  const { random, scope } = scene;
  const name = `restore_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const live = await postgres.createDatabase(name);
  scope.after(() => postgres.dropDatabase(name));
  scene.startScanner(live);
  await scene.indexed(live);
  const isServed: Truth = { database: live, timeline: FIRST_TIMELINE, notReady: null };
  const first = await scene.startServer('one', [live]);
  await scene.startServer('another', [live]);
  await scene.check('before the backup', () => isServed);
  const right = new Set(await answersOf(first.port));
  await scene.stopScanner();
  const backup = await backUp(live);
  scene.startScanner(live);
  scene.mine(random.pick([0, 1, 2, 8, 12, 20]));
  await scene.indexed(live);
  await scene.check('after the backup', () => isServed);
  for (const answer of await answersOf(first.port)) right.add(answer);
  await scene.stopScanner();

  const clients = startAnswerClients(first.port, URLS, random, ({ status }) => status === 200);
  if (random.isTrue(0.5)) await query(live, `drop schema ${SCHEMA_NAME} cascade`);
  else await postgres.dropDatabase(name).then(() => postgres.createDatabase(name));
  await withClient(live, async (client) => {
    await client.query(`create schema ${SCHEMA_NAME}; set search_path = ${SCHEMA_NAME}`);
    const steps = stepsOf(backup, random);
    const needed = steps.filter(({ isLast }) => !isLast).length;
    const looks = new Set(
      random.some(
        Array.from({ length: needed }, (_, i) => i),
        3,
      ),
    );
    for (const [i, { sql, values }] of steps.entries()) {
      if (looks.has(i)) {
        if (random.isTrue(0.3)) await scene.startServer(`one since step ${i}`, [live]);
        const state = `restored up to step ${i} of ${needed}`;
        await scene.check(state, () => ({ ...isServed, notReady: INCOMPLETE, hasNoIndex: true }));
      }
      await client.query(sql, values);
    }
  });
  await scene.check('all is restored', () => isServed);
  await clients.end();
  const wrong = [...clients.answers.values()].filter(({ url, text }) => !right.has(`${url} ${text}`));
  scene.problems.push(...clients.problems);
  scene.problems.push(...wrong.map(({ url, text }) => `${url} was answered with ${text.slice(0, 200)}`));
  scene.startScanner(live);
  await scene.indexed(live);
  await scene.check('the scanner has gone on', () => isServed);
}

function answersOf(port: number): Promise<string[]> {
  return Promise.all(URLS.map(async (url) => `${url} ${(await ask(port, url)).text}`));
}

/** As `pg_dump` knows them. */
interface Backup {
  /** The statements that make the tables, without keys, indexes and triggers. */
  readonly tables: string;
  /** The rows of each table, as JSON, with the columns that are not generated. */
  readonly rows: readonly { readonly table: string; readonly columns: string; readonly rows: string }[];
  /** What is made of a table after its rows; `isLast`: what no reader needs, after all of that. */
  readonly later: readonly { readonly table: string; readonly sql: string; readonly isLast: boolean }[];
}

interface Step {
  readonly isLast?: boolean;
  readonly sql: string;
  readonly values?: unknown[];
}

async function backUp(database: PostgresOptions): Promise<Backup> {
  return withClient(database, async (client) => {
    await client.query(`set search_path = ${SCHEMA_NAME}`);
    const { rows: tables } = await client.query<{ table: string; columns: string }>(
      `select attrelid::regclass::text as table, string_agg(quote_ident(attname), ', ' order by attnum) as columns
         from pg_attribute join pg_class c on c.oid = attrelid
        where relnamespace = $1::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped and attgenerated = ''
        group by attrelid order by 1`,
      [SCHEMA_NAME],
    );
    const rows = [];
    for (const { table, columns } of tables) {
      const all = await client.query<{ rows: string }>(
        `select coalesce(json_agg(t), '[]')::text as rows from (select ${columns} from ${table}) t`,
      );
      rows.push({ table, columns, rows: all.rows[0]!.rows });
    }
    const { rows: later } = await client.query<Backup['later'][number] & { readonly undo: string }>(
      `select contype = 'f' as "isLast", conrelid::regclass::text as table, format('alter table %s drop constraint %I', conrelid::regclass, conname) as undo,
              format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as sql
         from pg_constraint where connamespace = $1::regnamespace and contype in ('p', 'u', 'f')
       union all
       select false, indrelid::regclass::text, format('drop index if exists %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
         from pg_index join pg_class c on c.oid = indexrelid
        where relnamespace = $1::regnamespace and not exists (select from pg_constraint where conindid = indexrelid)
       union all
       select true, tgrelid::regclass::text, format('drop trigger %I on %s', tgname, tgrelid::regclass), pg_get_triggerdef(t.oid)
         from pg_trigger t join pg_class c on c.oid = tgrelid where relnamespace = $1::regnamespace and not tgisinternal
        order by 1 desc`,
      [SCHEMA_NAME],
    );
    const made = tableStatements().flatMap((statement) => (statement.type === 'query' ? [statement.sql] : []));
    return { tables: [...made, ...later.map(({ undo }) => undo)].join(';'), rows, later };
  });
}

/** What a restore does, one after the other: in the order of a plain one, or so that all else may come before a table's rows. */
function stepsOf({ tables, rows, later }: Backup, random: SeededRandom): Step[] {
  const isPlain = random.isTrue(0.3);
  const ranks = new Map(rows.map(({ table }, i) => [table, isPlain ? i : random.whole(0, 1_000)]));
  const rowSteps = rows.map(({ table, columns, rows: values }) => ({
    rank: ranks.get(table)!,
    sql: `insert into ${table} (${columns}) overriding system value
          select ${columns} from json_populate_recordset(null::${table}, $1)`,
    values: [values],
  }));
  const laterSteps = later.map(({ table, sql, isLast }) => ({
    rank: isLast ? 1_000_000 : (isPlain ? rows.length : ranks.get(table)!) + random.whole(1, 100),
    sql,
    isLast,
  }));
  return [{ sql: tables }, ...[...rowSteps, ...laterSteps].sort((a, b) => a.rank - b.rank)];
}
