/**
 * Properties that are tried for a while: 2 seconds each, `FUZZ=60` for a minute each. When one fails, the error holds the
 * command that tries the very same case again.
 */
import { test } from 'node:test';
import fc from 'fast-check';
import { callingFile } from '../support/seeds.ts';

const SECONDS = Number(process.env.FUZZ ?? 2);

/** A test that checks values of `arbitrary`, one after the other, until the time is over or one fails. */
export function fuzz<Value>(
  name: string,
  arbitrary: () => fc.Arbitrary<Value>,
  check: (value: Value) => Promise<void>,
): void {
  const file = callingFile();
  test(name, async (t) => {
    let tried = 0;
    const property = fc.asyncProperty(arbitrary(), async (value) => {
      tried++;
      await check(value);
    });
    const { FUZZ_SEED: seed, FUZZ_PATH: path } = process.env;
    const details = await fc.check(property, {
      numRuns: Number.MAX_SAFE_INTEGER,
      interruptAfterTimeLimit: SECONDS * 1_000,
      ...(seed === undefined ? {} : { seed: Number(seed) }),
      ...(path === undefined ? {} : { path, endOnFailure: true }),
    });
    t.diagnostic(`${tried} tried with seed ${details.seed}`);
    if (!details.failed || details.counterexample === null) return;
    throw new Error(
      `${fc.stringify(details.counterexample[0]).slice(0, 1_000)} fails. Try it again:\n` +
        `  FUZZ_SEED=${details.seed} FUZZ_PATH=${details.counterexamplePath} node --test --test-name-pattern='${name}' ${file}`,
      { cause: details.errorInstance },
    );
  });
}
