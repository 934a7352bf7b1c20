/** The causes of 503: the table of the code against the documentation, and against the files that it names. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  CAUSES_OF_503,
  type CauseOf503,
  causeOfStoreError,
  RETRY_AFTER,
  unavailable,
} from '../../../src/serving/errors/causes-of-503.ts';
import { toApiError } from '../../../src/serving/route/error-response.ts';
import { StoreError } from '../../../src/store/read/store-error.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OWN_FILE = 'src/serving/errors/causes-of-503.ts';

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const filesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`);

const CAUSES = Object.entries(CAUSES_OF_503);

it('the causes of 503 are in docs/api.md, each with its message, and no other', () => {
  const section = textOf('docs/api.md').split('### Causes of 503\n')[1]!.split('\n## ')[0]!;
  const rows = section.split('\n').filter((line) => /^\| [^|]* \| `.*` \| \d+ \|$/.test(line));
  const expected = CAUSES.map(([name, message]) => {
    const text = typeof message === 'string' ? message : (message as (of: never) => string)('…' as never);
    return `| ${name} | \`${text}\` | ${RETRY_AFTER[name as CauseOf503] ?? 1} |`;
  });
  assert.deepEqual(rows, expected);
});

it('each cause of 503 is thrown somewhere', () => {
  const thrown = ['src/answers', 'src/api', 'src/explorer', 'src/serving'].flatMap((folder) =>
    filesOf(folder).flatMap((file) =>
      [...textOf(file).matchAll(/\b(?:unavailable|nodeUnavailable)\((?:[^(),']+, )?'([^']+)'/g)].map(
        ([, name]) => name!,
      ),
    ),
  );
  const ofStore = (['unavailable', 'too slow', 'not ready', 'missing privileges', 'stopping'] as const).map(
    causeOfStoreError,
  );
  assert.deepEqual(new Set([...thrown, ...ofStore, 'node of another network']), new Set(Object.keys(CAUSES_OF_503)));
});

it('the causes of 503 are all in one table: no other file of the web server makes that status', () => {
  const others = ['src/answers', 'src/api', 'src/serving']
    .flatMap(filesOf)
    .filter((file) => file !== OWN_FILE && /ApiError\(\s*503|status: 503|writeHead\(\s*503/.test(textOf(file)));
  assert.deepEqual(others, []);
  assert.match(textOf(OWN_FILE), /ApiError\(503/);
});

it('the causes of 503 have messages of their own, so that one of them says which it was', () => {
  const messages = CAUSES.map(([, message]) => String(message));
  assert.equal(new Set(messages).size, messages.length);
  const error = unavailable('index incomplete', 7);
  assert.deepEqual([error.status, error.retryAfter], [503, 5]);
  assert.match(error.body, /^\{"error":"The index is being built: the scanner has reached height 7 and /);
});

it('the causes of 503 include each error of the store that is no fault of ours', () => {
  let rechecked = 0;
  const logged: string[] = [];
  const context = {
    tipWatch: { recheckPrivileges: () => rechecked++ },
    throttledLog: { warn: (kind: string) => logged.push(kind), error: (kind: string) => logged.push(kind) },
  } as unknown as Parameters<typeof toApiError>[0];
  const expected: readonly (readonly [StoreError['kind'], keyof typeof CAUSES_OF_503])[] = [
    ['unavailable', 'database away'],
    ['too slow', 'database too slow'],
    ['not ready', 'no chain'],
    ['missing privileges', 'missing privileges'],
    ['stopping', 'stopping'],
  ];
  for (const [kind, cause] of expected) {
    const { status, body, retryAfter } = toApiError(context, new StoreError(kind));
    assert.deepEqual([status, body, retryAfter], [503, JSON.stringify({ error: CAUSES_OF_503[cause] }), 1]);
  }
  assert.deepEqual([rechecked, logged], [1, ['too slow']]);
  const { status, body } = toApiError(context, new StoreError('fault'));
  assert.deepEqual([status, body], [500, '{"error":"Internal server error"}']);
});
