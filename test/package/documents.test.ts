/** What the documents name of the repository is there. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('every recorded chain and every npm script that a document names exists', () => {
  const scripts = Object.keys(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts);
  const named = new Set<string>();
  for (const document of globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'test/golden/*.md'], { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, document), 'utf8');
    for (const [chain] of text.matchAll(/\bchains\/[\w.-]+\.gz\b/g)) {
      assert.ok(existsSync(join(ROOT, chain)), `${document} names ${chain}`);
      named.add(chain);
    }
    for (const [, script] of text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)) {
      assert.ok(scripts.includes(script!), `${document} names npm run ${script}`);
      named.add(script!);
    }
  }
  for (const name of ['chains/regtest-220-blocks.ndjson.gz', 'test:all']) assert.ok(named.has(name), name);
});
