/** `npm run sql -- NAME` prints the statement of a query as it is sent, with the names of its parameters; without a name, all names. */
import { globSync } from 'node:fs';
import { selectsByQueryName } from '../src/store/read/query.ts';

const folder = new URL('../src/store/', import.meta.url);
for (const file of globSync('{queries,read}/**/*.ts', { cwd: folder }).sort()) await import(new URL(file, folder).href);

const name = process.argv[2];
const select = name === undefined ? [...selectsByQueryName.keys()].sort().join('\n') : selectsByQueryName.get(name);
if (select === undefined) {
  console.error(`There is no query ${name}: \`npm run sql\` has the names of all.`);
  process.exitCode = 2;
} else {
  const indent = Math.min(
    ...[...select.matchAll(/^( *)\S/gm)].map(([, spaces]) => spaces!.length).filter((n) => n > 0),
    40,
  );
  console.log(select.replace(new RegExp(`^ {1,${indent}}`, 'gm'), '').trim());
}
