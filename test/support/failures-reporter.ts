/** A reporter of `node --test` that writes a few lines for each test that failed, and nothing for the others. */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** Enough for the message of an assertion with its first differences. */
const MAX_LINES = 12;
/** A suite fails with a test in it, which is named already. */
const OF_CHILDREN = 'subtestsFailed';

/** Yields the place, the name and the error of each failed test. */
export default async function* failures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    const error: Error & { failureType?: string } = data.details.error;
    if (error.failureType === OF_CHILDREN) continue;
    const cause = error.cause instanceof Error ? error.cause.message : String(error.cause ?? error.message);
    const place = data.file === undefined ? '' : `${relative('', data.file)}:${data.line ?? 1}  `;
    yield `${place}${data.name}\n${cause.split('\n', MAX_LINES).join('\n').replaceAll(/^/gm, '    ')}\n`;
  }
}
