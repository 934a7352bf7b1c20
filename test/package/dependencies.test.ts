/** What `npm install` brings, as package-lock.json has it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface LockedPackage {
  readonly version: string;
  readonly resolved?: string;
  readonly engines?: { readonly node?: string };
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));
const locked = Object.entries<LockedPackage>(read('package-lock.json').packages);

/** The oldest major version of Node that a range like `^18 || >=20.1` takes. */
function oldestMajor(range: string): number {
  return Math.min(...range.split('||').map((part) => Number(/\d+/.exec(part)?.[0] ?? 0)));
}

test('npm installs without a warning on the oldest Node that package.json names', () => {
  const oldest = oldestMajor(read('package.json').engines.node);
  assert.equal(oldest, 20);
  const tooNew = locked.filter(([, { engines }]) => oldestMajor(engines?.node ?? '*') > oldest);
  const incompatible = tooNew.map(([path, { version, engines }]) => `${path}@${version} needs Node ${engines?.node}`);
  assert.deepEqual(incompatible, []);
});

test('the lock file names no registry, so that npm takes the one that it is configured for', () => {
  for (const [path, { resolved }] of locked) assert.equal(resolved, undefined, path);
});

test('the client package has the version of the server', () => {
  assert.equal(read('packages/client/package.json').version, read('package.json').version);
});
