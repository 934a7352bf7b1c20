/** Properties over seeds: a few by default, `SEEDS=200` for so many, `SEEDS=a,b` for those. */
import { test } from 'node:test';

const FEW = 3;

/** The seeds to try, at least one. */
export function seeds(few = FEW): readonly string[] {
  const wanted = process.env.SEEDS ?? `${few}`;
  if (!/^\d+$/.test(wanted)) return wanted.split(',').filter((seed) => seed !== '');
  return Array.from({ length: Math.max(1, Number(wanted)) }, (_, index) => `${index + 1}`);
}

/** A test that runs its body for each seed; when one fails, it says how to run that one alone. */
export function testOverSeeds(
  name: string,
  file: string,
  body: (seed: string) => void | Promise<void>,
  few?: number,
): void {
  test(name, async () => {
    for (const seed of seeds(few)) {
      try {
        await body(seed);
      } catch (error) {
        const command = `SEEDS=${seed}, node --test --test-name-pattern='${name}' ${relative(file)}`;
        throw new Error(`Seed ${seed} fails. Run it alone: ${command}`, { cause: error });
      }
    }
  });
}

/** Of the project's folder, from a module's URL. */
function relative(url: string): string {
  return url.slice(url.lastIndexOf('/test/') + 1);
}
