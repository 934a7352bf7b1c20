/** The options in docs/configuration.md: under the heading of their program, as the help text has them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { nodeOptions } from '../../src/config/node.ts';
import type { OptionTable } from '../../src/config/option.ts';
import { REFUSED_VARIABLES } from '../../src/config/postgres.ts';
import { SCANNER_PREFIX, scannerOptions } from '../../src/config/scanner.ts';
import { upgradeOnlyOptions } from '../../src/config/upgrade.ts';
import { optionsSharedWithUp, WEB_SERVER_PREFIX, webServerOptions } from '../../src/config/web-server.ts';
import { devnetOptions } from '../../src/devnet/options.ts';
import { UP_PREFIX, upOptions } from '../../src/up/options.ts';

const configuration = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');

const within = (table: OptionTable, other: OptionTable): OptionTable =>
  Object.fromEntries(Object.entries(table).filter(([name]) => name in other));
const without = (table: OptionTable, ...others: OptionTable[]): OptionTable =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !others.some((other) => name in other)));

/** Under each heading its options, and what its environment names begin with. */
const SECTIONS: Readonly<Record<string, { readonly options: OptionTable; readonly prefix?: string }>> = {
  'Options of the scanner and of the web server': { options: within(scannerOptions, webServerOptions) },
  'Options of the scanner only': { options: without(scannerOptions, webServerOptions), prefix: SCANNER_PREFIX },
  'Options of `upgrade` only': { options: upgradeOnlyOptions, prefix: SCANNER_PREFIX },
  'Options of the web server only': { options: without(webServerOptions, scannerOptions), prefix: WEB_SERVER_PREFIX },
  // Those that are named in a sentence above the table are not in it.
  'Options of `npm start`': {
    options: without(upOptions, optionsSharedWithUp, nodeOptions, { 'log-level': upOptions['log-level'] }),
    prefix: UP_PREFIX,
  },
};

interface Line {
  readonly fallback: string;
  readonly meaning: string;
}
type Lines = Readonly<Record<string, Line>>;

/** What stands between a heading and the next one. */
function sectionOf(heading: string): string {
  const [, text] = configuration.split(`### ${heading}\n`);
  assert.ok(text !== undefined, `docs/configuration.md has no heading "${heading}"`);
  return text.split(/^##/m, 1)[0]!;
}

const LINK = /\[([^\]]*)\]\([^)]*\)/g;

/** The lines of a section's table without their links, by the option and what stands for its value. */
function documented(section: string): Lines {
  const lines = [...section.matchAll(/^\| `(--.*?)` \| (.*?) ?\| (.*) \|$/gm)];
  return Object.fromEntries(
    lines.map(([, usage, fallback, meaning]) => [
      usage!.replaceAll('\\|', '|'),
      { fallback: fallback!.trim(), meaning: meaning!.replace(LINK, '$1') },
    ]),
  );
}

/** The same lines, as the options themselves have them. A help text may describe a default that is not a fixed value. */
function known(options: OptionTable): Lines {
  return Object.fromEntries(
    Object.entries(options).map(([name, { placeholder, help, fallbackText }]) => {
      const [, meaning, described] = /^(.*?)(?: \[default: (.*)\])?$/.exec(help)!;
      const fixed = fallbackText === undefined ? undefined : `\`${fallbackText}\``;
      const usage = placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
      const none = placeholder === undefined ? 'off' : '';
      return [usage, { fallback: fixed ?? described ?? none, meaning: meaning! }];
    }),
  );
}

for (const [heading, { options, prefix }] of Object.entries(SECTIONS)) {
  it(`docs/configuration.md documents exactly the options of the section "${heading}", with default and meaning`, () => {
    const section = sectionOf(heading);
    assert.deepEqual(documented(section), known(options));
    if (prefix !== undefined) assert.ok(section.includes(`Environment: \`${prefix}…\``), prefix);
  });
}

it('docs/configuration.md documents options that the scanner and the web server share with one meaning', () => {
  const common = within(scannerOptions, webServerOptions);
  assert.deepEqual(known(common), known(within(webServerOptions, scannerOptions)));
});

it('docs/configuration.md documents options in these sections only', () => {
  const headings = [...configuration.matchAll(/^### (Options of .*)$/gm)].map(([, heading]) => heading);
  assert.deepEqual(headings, Object.keys(SECTIONS));
});

it('docs/configuration.md documents every option of the devnet', () => {
  const section = sectionOf('Devnet options');
  const undocumented = Object.keys(devnetOptions).filter((name) => !section.includes(`\`--${name} `));
  assert.deepEqual(undocumented, []);
});

it('docs/configuration.md names every variable of PostgreSQL that is refused', () => {
  for (const variable of REFUSED_VARIABLES) assert.ok(configuration.includes(`\`${variable}\``), variable);
});
