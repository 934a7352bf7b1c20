/**
 * Every query against the tables as they are: the columns that PostgreSQL gives have the types that the compiler believes,
 * none is missing, and none is null in a table that the type of a row says is not.
 *
 * The files of queries are copied, so that what they do not export can be named, and the compiler compares.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Query, SqlValue } from '../../../src/store/read/query.ts';
import { filledDatabase } from '../../support/filled-database.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

type AnyQuery = Query<readonly SqlValue[], unknown>;

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const QUERIES = join(ROOT, 'src/store/queries');
/** As `connect.ts` parses them, by PostgreSQL's number of the type. */
const TYPES: Readonly<Record<number, string>> = {
  ...{ 16: 'boolean', 17: 'string', 20: 'number', 21: 'number', 23: 'number', 25: 'string', 1700: 'bigint' },
};

/** Compares the row of a query with what PostgreSQL gives: an error of the compiler if they differ. */
const COMPARISON = `
type RowOf<Q> = Q extends { readonly rowType?: infer Row } ? NonNullable<Row>
  : Q extends (...any: never) => Promise<{ readonly rows: (infer Row)[] }> ? Row : never;
type Wrong<Row, Given, NotNull> = {
  [Column in keyof Row]: Column extends keyof Given
    ? [Exclude<Row[Column], null>] extends [Given[Column]]
      ? Column extends NotNull ? never : null extends Row[Column] ? never : 'may be null'
      : 'has another type'
    : 'is missing';
}[keyof Row] extends infer Reasons ? [Reasons] extends [never] ? true : Reasons : never;
`;

/** The other folders are imported where they are. */
const copyOf = (source: string): string => {
  const constants = [...source.matchAll(/^(?:export )?const (\w+)/gm)].map(([, name]) => name);
  const imports = source
    .replaceAll(`from '../../../`, `from '${ROOT}src/`)
    .replaceAll(/from '\.\.\/\.\.\/(?!\.)/g, `from '${ROOT}src/store/`);
  return `${imports}\nexport const constants = { ${constants.join(', ')} };\n`;
};

/** The queries of a file with how its copy names them. */
function* queriesOf(constants: Readonly<Record<string, unknown>>): Generator<[path: string, query: AnyQuery]> {
  for (const [name, value] of Object.entries(constants)) {
    const query = queryOf(value);
    if (query !== null) yield [`(typeof constants)['${name}']`, query];
    else if (typeof value === 'object' && value !== null)
      for (const [key, part] of Object.entries(value)) {
        if (isQuery(part)) yield [`(typeof constants)['${name}']['${key}']`, part];
      }
  }
}

const isQuery = (value: unknown): value is AnyQuery =>
  typeof value === 'object' && value !== null && 'sql' in value && 'arguments' in value;

/** A query, or the one that a function of \`queryFunction\` runs. */
function queryOf(value: unknown): AnyQuery | null {
  if (typeof value !== 'function') return isQuery(value) ? value : null;
  let asked: AnyQuery | null = null;
  const query = (each: AnyQuery) => {
    asked = each;
    return new Promise(() => {});
  };
  try {
    value({ query });
  } catch {}
  return asked;
}

/** The type of the rows that PostgreSQL gives, and the names of those columns that are not null in their table, or in none. */
async function typesFromDatabase(client: pg.Client, { sql, arguments: taken, name }: AnyQuery) {
  const { fields: own } = await client.query(
    sql,
    taken.map(() => null),
  );
  const { rows } = await client.query<{ name: string }>(
    `select f.name from unnest($1::oid[], $2::int[], $3::text[]) f (relation, number, name)
     left join pg_attribute a on a.attrelid = f.relation and a.attnum = f.number
     where a.attnotnull is distinct from false`,
    [own.map((field) => field.tableID), own.map((field) => field.columnID), own.map((field) => field.name)],
  );
  const columns = own.map((field) => {
    const type = TYPES[field.dataTypeID];
    assert.ok(type, `${name}: ${field.name} has a type that the program does not read`);
    return `${field.name}: ${type}`;
  });
  const notNull = rows.map((row) => row.name);
  return { row: `{ ${columns.join('; ')} }`, notNull: notNull.map((each) => `'${each}'`).join(' | ') || 'never' };
}

it('every query gives rows of the type that the compiler believes', async (t) => {
  const client = await filledDatabase(t, '');
  const directory = await temporaryDirectory(t);
  const files = (await readdir(QUERIES, { recursive: true })).filter((file) => file.endsWith('.ts'));
  for (const file of files) {
    await mkdir(join(directory, dirname(file)), { recursive: true });
    await writeFile(join(directory, file), copyOf(await readFile(join(QUERIES, file), 'utf8')));
  }
  const names = new Set<string>();
  for (const file of files) {
    const { constants } = await import(join(directory, file));
    const checks: string[] = [];
    for (const [path, query] of queriesOf(constants)) {
      names.add(query.name);
      const { row, notNull } = await typesFromDatabase(client, query);
      checks.push(`/* ${query.name} */ true satisfies Wrong<RowOf<${path}>, ${row}, ${notNull}>;`);
    }
    const copy = join(directory, file);
    await writeFile(copy, `${await readFile(copy, 'utf8')}${COMPARISON}${checks.join('\n')}\n`);
  }
  assert.ok(names.size > 110, `${names.size} queries`);
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'package.json'), '{ "type": "module" }');
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { noUnusedLocals: false },
    include: ['*/*.ts'],
  };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, [tsc, '-p', directory], (_, stdout) => resolve(stdout)),
  );
  assert.deepEqual(
    output.split('\n').filter((line) => /error/.test(line)),
    [],
  );
});
