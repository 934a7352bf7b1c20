import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { SCANNER_PREFIX, scannerOptions } from '../../src/config/scanner.ts';
import { UP_PREFIX, upOptions } from '../../src/config/up.ts';
import { WEB_SERVER_PREFIX, webServerOptions } from '../../src/config/web-server.ts';

test('the README tells every option with its default, and no other', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const told = [...readme.matchAll(/^\| `(--[a-z-]+)[^|]*(?:\\\|[^|]*)*\| (.*?) \|/gm)].map(([, name, fallback]) => ({
    name,
    fallback,
  }));
  const known = new Set<string>();
  for (const table of [scannerOptions, webServerOptions, upOptions]) {
    for (const [name, { fallbackText }] of Object.entries(table)) {
      known.add(`--${name}`);
      const lines = told.filter((line) => line.name === `--${name}`);
      assert.ok(lines.length > 0, `--${name} is not in the README`);
      if (fallbackText === undefined) continue;
      assert.ok(
        lines.some(({ fallback }) => fallback === `\`${fallbackText}\``),
        `the default of --${name} is ${fallbackText}`,
      );
    }
  }
  assert.deepEqual(
    told.filter(({ name }) => !known.has(name ?? '')),
    [],
  );
  for (const prefix of [SCANNER_PREFIX, WEB_SERVER_PREFIX, UP_PREFIX]) assert.ok(readme.includes(prefix), prefix);
});
