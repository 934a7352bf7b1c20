/**
 * The reporter of `npm test`: a line when the tests of a process have ended, a line at once for each test that failed, and at
 * the end the whole report of what failed with the totals, as Node's reporter `spec` writes it.
 */
import { relative, resolve } from 'node:path';
import { spec as SpecReporter, type TestEvent } from 'node:test/reporters';

/** The output of a process that is shown when a test in it fails: its end. */
const MAX_OUTPUT_CHARACTERS = 20_000;

export default async function* progress(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const report = new SpecReporter();
  /** What the processes have written, by the path of their file, which some events have relative. */
  const outputs = new Map<string, string>();
  const outputOf = (file: string) => outputs.get(resolve(file)) ?? '';
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') {
      const { file, message } = event.data;
      outputs.set(resolve(file), (outputOf(file) + message).slice(-MAX_OUTPUT_CHARACTERS));
    } else if (event.type === 'test:fail') {
      report.write(event);
      const error: Error & { failureType?: string } = event.data.details.error;
      if (error.failureType !== 'subtestsFailed') yield `✖ ${event.data.name}\n`;
    } else if (event.type === 'test:diagnostic') {
      // The totals; those of a single test belong to it.
      if (event.data.nesting === 0 && event.data.file === undefined) report.write(event);
    } else if (event.type === 'test:summary' && event.data.file !== undefined) {
      const { file, counts, success, duration_ms } = event.data;
      const skipped = counts.skipped === 0 ? '' : `, ${counts.skipped} skipped`;
      const result = `${counts.passed} of ${counts.tests} tests passed${skipped}, ${(duration_ms / 1_000).toFixed(1)} s`;
      yield `${success ? '✔' : '✖'} ${nameOf(file)}: ${result}\n`;
      if (!success) yield outputOf(file);
      outputs.delete(resolve(file));
    }
  }
  report.end();
  yield* report;
}

/** The name of a group for its module (`groupModule` in test-groups.ts), the path of any other file. */
function nameOf(file: string): string {
  return /\/test-groups\/\d+-(.+)-[0-9a-f]{8}\.mjs$/.exec(file)?.[1] ?? relative('', file);
}
