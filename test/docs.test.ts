/** The references between code and documents: what a comment or a link names exists. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CODE_FOLDERS = ['src', 'bin', 'test', 'bench', 'deploy', '.ci'];
/** The words that this test searches for are in its own source. */
const OWN_FILE = 'test/docs.test.ts';
const CODE_FILE = /\.(ts|mjs|sql|sh|lua|yaml|yml|cfg|conf|service|env)$|\/run$/;

const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`);
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const SCRIPTS = Object.keys(JSON.parse(textOf('package.json')).scripts);
const FILES = CODE_FOLDERS.flatMap(filesBelow);
const CODE = FILES.filter((file) => CODE_FILE.test(file) && file !== OWN_FILE);
const FILE_NAMES = new Set(CODE.map((file) => basename(file)));
const DOCUMENTS = [
  ...readdirSync(ROOT).filter((file) => file.endsWith('.md')),
  ...['docs', 'deploy', 'test'].flatMap(filesBelow).filter((file) => file.endsWith('.md')),
];

const withoutCode = (markdown: string): string => markdown.replace(/^ *```[\s\S]*?^ *```/gm, '');

const SYMBOL = '`#?[A-Za-z_]\\w*`';
const FILE = '`(?:[\\w./@-]+/)?[\\w.-]+\\.(?:ts|mjs|js|sql)`';
const listOf = (item: string): string => `${item}(?:(?:, | and |, and )${item})*`;
/** A statement of a document that files have symbols: "`a` and `b` in `x.ts`", "`a` (`x.ts`)", "`x.ts`: `a`", "`x.ts` (`a`)". */
const SYMBOLS_OF_FILES = [
  new RegExp(`(?<symbols>${listOf(SYMBOL)})(?: in | of | \\()(?<files>${listOf(FILE)})`, 'g'),
  new RegExp(`(?<files>${FILE})(?:: | \\()(?<symbols>${listOf(SYMBOL)})`, 'g'),
];

/** Does the file define this name: as a declaration, a member, or anything in SQL? */
function defines(file: string, name: string): boolean {
  if (file.endsWith('.sql')) return new RegExp(`\\b${name}\\b`).test(textOf(file));
  const declaration = `(?:function\\*?|class|interface|type|const|let) ${name}\\b`;
  const member = `^ +(?:(?:async|static|readonly|abstract|get) )*#?${name}\\??[(<:,]`;
  return new RegExp(`${declaration}|${member}`, 'm').test(textOf(file));
}

/** The anchors that a Markdown file has, as GitHub makes them of its headings. */
function anchorsOf(file: string): string[] {
  return [...withoutCode(textOf(file)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with a reference to a file and perhaps a heading; null when both exist. */
function problemOf(file: string, anchor: string | undefined): string | null {
  if (!existsSync(join(ROOT, file))) return `there is no file ${file}`;
  if (anchor === undefined || anchorsOf(file).includes(anchor)) return null;
  return `${file} has no heading #${anchor}`;
}

/** The places of code that match, each with what is wrong with it. */
function problemsInCode(pattern: RegExp, judge: (match: RegExpExecArray) => string | null): string[] {
  return CODE.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, i) =>
        [...line.matchAll(pattern)].flatMap((match) => {
          const problem = judge(match);
          return problem === null ? [] : [`${file}:${i + 1}: ${problem}`];
        }),
      ),
  );
}

it('the code refers to documents and headings that exist', () => {
  const references = /\bdocs\/([a-z-]+\.md)(?:#([\w-]*[\w]))?/g;
  const problems = problemsInCode(references, ([, file, anchor]) => problemOf(`docs/${file}`, anchor));
  assert.deepEqual(problems, []);
  assert.ok(CODE.some((file) => textOf(file).includes('docs/indexing-rules.md#reward-distribution')));
});

it('the code cites no numbered section, and no text that is not in the repository', () => {
  const citations =
    /\bsections? (?:\d|[A-Z]\b)|\b(?:indexing rules|wire[- ]format|contract facts|protocol facts|service description)\b|"where (?:mintlayer-core is wrong|the shapes differ)"/gi;
  const problems = problemsInCode(citations, ([text]) => `"${text}"`);
  assert.deepEqual(problems, []);
});

for (const document of DOCUMENTS) {
  it(`${document} links to files and headings that exist`, () => {
    const links = [...withoutCode(textOf(document)).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const problems = links.flatMap(([, path, anchor]) => {
      const file = path === '' ? document : normalize(join(dirname(document), path!));
      return problemOf(file, anchor) ?? [];
    });
    assert.deepEqual(problems, []);
  });

  it(`${document} names files of the repository that exist`, () => {
    const named = [
      ...textOf(document).matchAll(/`((?:src|bin|test|bench|deploy|docs|chains|\.ci)\/[\w./@-]*[\w@-])\/?`/g),
    ];
    const missing = named.map(([, path]) => path!).filter((path) => !existsSync(join(ROOT, path)));
    // A file of a folder that the text has just named.
    const alone = [...textOf(document).matchAll(/`([a-z][\w-]*\.(?:ts|mjs|sql))`/g)].map(([, name]) => name!);
    assert.deepEqual([...missing, ...alone.filter((name) => !FILE_NAMES.has(name))], []);
  });

  it(`${document} names symbols that are in the file that it says`, () => {
    const text = textOf(document).replace(/\n */g, ' ');
    const missing = SYMBOLS_OF_FILES.flatMap((statement) => [...text.matchAll(statement)]).flatMap(
      ({ 0: said, groups }) => {
        const files = groups!.files!.split(/, and |, | and /).flatMap((quoted) => {
          const path = quoted.slice(1, -1);
          return path.includes('/') ? [path] : FILES.filter((file) => basename(file) === path);
        });
        const symbols = groups!.symbols!.match(/\w+/g)!.filter((word) => word !== 'and');
        return symbols
          .filter((symbol) => !files.some((file) => defines(file, symbol)))
          .map((symbol) => `${symbol}: ${said}`);
      },
    );
    assert.deepEqual(missing, []);
  });

  it(`${document} names recorded chains and npm scripts that exist`, () => {
    const text = textOf(document);
    for (const [chain] of text.matchAll(/\bchains\/[\w.-]+\.gz\b/g)) assert.ok(existsSync(join(ROOT, chain)), chain);
    for (const [, script] of text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)) assert.ok(SCRIPTS.includes(script!), script!);
  });

  it(`${document} has each row of its tables on one line`, () => {
    const broken = withoutCode(textOf(document))
      .split('\n')
      .filter((line) => line.startsWith('|') && !line.endsWith('|'));
    assert.deepEqual(broken, []);
  });

  it(`${document} has each heading once, so that a link to it is never ambiguous`, () => {
    // A changelog has "Added" in every release.
    if (document === 'CHANGELOG.md') return;
    const anchors = anchorsOf(document);
    const repeated = anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i);
    assert.deepEqual(repeated, []);
  });
}

it('the code samples of CONTRIBUTING.md are lines of the files that they name, in their order', () => {
  const samples = [...textOf('CONTRIBUTING.md').matchAll(/^ *```ts\n([\s\S]*?)^ *```/gm)].map(([, sample]) => sample!);
  // Each part of a sample begins with a comment that names its file.
  const parts = samples.flatMap((sample) => sample.trim().split(/^ *(?=\/\/ (?:src|bench|test)\/)/m));
  assert.ok(parts.length > 0);
  for (const part of parts) {
    const [comment, ...lines] = part.trim().split('\n');
    const file = /^\/\/ ((?:src|bench|test)\/[\w./-]+\.ts)/.exec(comment!)?.[1];
    assert.ok(file, `this sample names no file:\n${part}`);
    let rest = textOf(file)
      .split('\n')
      .map((line) => line.trim());
    for (const line of lines) {
      const found = rest.indexOf(line.trim());
      assert.notEqual(found, -1, `${file} lacks this line, or has it elsewhere: ${line}`);
      rest = rest.slice(found + 1);
    }
  }
});

const MAX_WORDS = {
  'README.md': 1_000,
  'ARCHITECTURE.md': 3_700,
  'CONTRIBUTING.md': 3_000,
  'docs/operation.md': 6_000,
};
for (const [document, maxWords] of Object.entries(MAX_WORDS)) {
  it(`${document} stays short enough to be read`, () => {
    const words = textOf(document).match(/\S+/g)!.length;
    assert.ok(words <= maxWords, `${words} words`);
  });
}
