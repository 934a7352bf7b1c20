/** The messages of 400 in the sources of the API against docs/api.md. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const textOf = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');

it('each message that begins with `Invalid` is in the table of docs/api.md', () => {
  const table = textOf('docs/api.md').split('### Messages of 400\n')[1]!.split('\n#')[0]!;
  const documented = new Set([...table.matchAll(/`(Invalid [^`:]+:?)/g)].map(([, message]) => message!));
  const sent = globSync('src/{answers,api,serving}/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [...textOf(file).matchAll(/['`](Invalid [\w\- ]+:?)/g)].map(([, message]) => message!),
  );
  assert.ok(sent.length > 30);
  assert.deepEqual(
    [...new Set(sent)].filter((message) => !documented.has(message)),
    [],
  );
});
