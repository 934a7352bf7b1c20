/** How deep a reorganisation may be: one number in the code, and the texts that name it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MAX_REORGANISATION_DEPTH } from '../../src/chain/reorganisation-depth.ts';
import { MAX_REMOVED_BLOCKS } from '../../src/store/write/reorganisation-log.ts';
import { UNDO_DEPTH } from '../../src/store/write/undo-log.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OWN_FILE = 'src/chain/reorganisation-depth.ts';

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
/** As one line: where a text is broken into lines does not matter. */
const flat = (file: string): string => textOf(file).replace(/\s+/g, ' ');
const written = (count: number): string => count.toLocaleString('en-US');
const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => `${folder}/${file}`);

const SOURCES = filesBelow('src', '.ts');
/** A changelog says what a release could do. */
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md'),
  ...filesBelow('docs', '.md'),
  ...filesBelow('deploy', '.md'),
];

/** Each place of the documents that names the number of blocks, or one that derives from it. */
const NAMED: readonly (readonly [file: string, text: string])[] = [
  ['docs/api.md', `the id was unknown or more than ${written(MAX_REORGANISATION_DEPTH)} blocks old`],
  ['docs/api.md', `it remembers the newest ${written(MAX_REMOVED_BLOCKS)} removed blocks.`],
  ['docs/api.md', `behind the cursor, by ${written(MAX_REORGANISATION_DEPTH)} blocks at most`],
  ['docs/api.md', `A response that is more than ${written(MAX_REORGANISATION_DEPTH)} blocks deep`],
  ['docs/indexing-rules.md', `the newest ${written(MAX_REMOVED_BLOCKS)} blocks that reorganisations removed`],
  ['docs/indexing-rules.md', `Each of the newest ${written(UNDO_DEPTH)} blocks has an undo record`],
  ['docs/indexing-rules.md', `undo records only for the newest ${written(UNDO_DEPTH)} blocks of the chain.`],
  ['docs/mesh.md', `No node follows a reorganisation of more than ${written(MAX_REORGANISATION_DEPTH)} blocks.`],
  ['docs/operation.md', `| reorganisation of up to ${written(UNDO_DEPTH)} blocks |`],
  [
    'docs/operation.md',
    `deepest_reorganisation_blocks > ${UNDO_DEPTH / 10}\` | – | a reorganisation was deeper than a tenth of what can be undone`,
  ],
  ['docs/mesh.md', `No node follows a reorganisation of more than ${written(MAX_REORGANISATION_DEPTH)} blocks.`],
  ['docs/mesh.md', `"max_reorg_depth": ${MAX_REORGANISATION_DEPTH},`],
  ['docs/protocol.md', `A node accepts reorganisations of at most ${written(MAX_REORGANISATION_DEPTH)} blocks.`],
];

test('the comment of the depth of a reorganisation lists the files that derive from it, and no other', () => {
  const users = SOURCES.filter((file) => textOf(file).includes("/chain/reorganisation-depth.ts'"));
  const listed = [...textOf(OWN_FILE).matchAll(/^ \* - (src\/[\w/.-]+\.ts): /gm)].map(([, file]) => file!);
  assert.deepEqual(listed.sort(), users.sort());
});

test('no other file of src has a number of blocks or a depth that equals that of a reorganisation', () => {
  const constants = /\b(\w*(?:BLOCKS|DEPTH|REORGANISATION)\w*) = ([\d_]+);/g;
  const numbers = [MAX_REORGANISATION_DEPTH, MAX_REMOVED_BLOCKS];
  const same = SOURCES.flatMap((file) =>
    [...textOf(file).matchAll(constants)]
      .filter(([, , digits]) => numbers.includes(Number(digits!.replaceAll('_', ''))))
      .map(([, name]) => `${file}: ${name}`),
  );
  assert.deepEqual(same, [`${OWN_FILE}: MAX_REORGANISATION_DEPTH`]);
});

test('the documents name the depth of a reorganisation as it is', () => {
  const missing = NAMED.filter(([file, text]) => !flat(file).includes(text));
  assert.deepEqual(missing, []);
});

test('the documents name the depth of a reorganisation nowhere else, so that no place is forgotten when it changes', () => {
  const others = DOCUMENTS.filter((file) => {
    const rest = NAMED.reduce((text, [of, named]) => (of === file ? text.replaceAll(named, '') : text), flat(file));
    return rest.includes(`${written(MAX_REORGANISATION_DEPTH)} blocks`);
  });
  assert.deepEqual(others, []);
});
