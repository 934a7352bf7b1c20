/** Properties over seeds: one by default, `SEEDS=200` for that many, `SEEDS=a,b` for those; `npm run test:all` tries three. */
import { test } from 'node:test';
import { getCallSites } from 'node:util';
import { fileScope, newScope, type Scope } from './file-scope.ts';

/** The scope of a seed's run: its resources are closed when the run ends, not after all seeds. */
export type SeedScope = Scope;

/** The seeds to try, at least one. */
export function seeds(): readonly string[] {
  const wanted = process.env.SEEDS ?? '1';
  if (!/^\d+$/.test(wanted)) return wanted.split(',').filter((seed) => seed !== '');
  return Array.from({ length: Math.max(1, Number(wanted)) }, (_, index) => `${index + 1}`);
}

/** A test that runs its body for each seed, to the end; for those that fail it says how to run them alone. */
export function testOverSeeds(name: string, body: (seed: string, scope: SeedScope) => void | Promise<void>): void {
  const file = callingFile();
  test(name, async () => {
    const tried = seeds();
    const failures: Error[] = [];
    for (const seed of tried) {
      try {
        await runSeed(seed, body);
      } catch (error) {
        const command = `SEEDS=${seed}, node --test --test-name-pattern='${name}' ${file}`;
        failures.push(new Error(`Seed ${seed} fails. Run it alone: ${command}`, { cause: error }));
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of ${tried.length} seeds fail.`);
  });
}

/** The most seeds whose shared resources are kept. */
const MAX_SHARED = 5;

/**
 * Shares a resource among several tests of a file, built once for each seed. It ends with the file. To be called at the
 * top of the file.
 */
export function oncePerSeed<T>(
  build: (seed: string, scope: SeedScope) => Promise<T>,
): (seed: string, scope: SeedScope) => Promise<T> {
  const file = fileScope();
  const built = new Map<string, Promise<T>>();
  return (seed, scope) => {
    if (seeds().length > MAX_SHARED) return build(seed, scope);
    const found = built.get(seed) ?? build(seed, file);
    built.set(seed, found);
    return found;
  };
}

async function runSeed(seed: string, body: (seed: string, scope: SeedScope) => void | Promise<void>): Promise<void> {
  const { scope, end } = newScope();
  try {
    await body(seed, scope);
  } finally {
    await end();
  }
}

/** The test file that called the function that calls this, from the project's folder on. */
export function callingFile(): string {
  const { scriptName } = getCallSites(3)[2]!;
  return scriptName.slice(scriptName.lastIndexOf('/test/') + 1);
}
