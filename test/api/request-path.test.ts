/** Which files of `src` a request runs, by what the engine counts: those that ARCHITECTURE.md lists. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { it } from 'node:test';
import { busy, filledServers, network } from '../support/filled-servers.ts';
import { serveIndex } from '../support/web-server.ts';

const filled = filledServers();

const ROOT = new URL('../../', import.meta.url);
const MAX_FILES = 40;
/** A timer. */
const WITHOUT_REQUESTS = 'src/api/garbage-collection.ts';

/** The files of which a function is called while the work is done. */
async function filesUsedBy(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .map(({ url }) => url.replace(ROOT.href, ''))
    .filter((file) => file.startsWith('src/') && file !== WITHOUT_REQUESTS);
}

it('a first request for an address runs the files that ARCHITECTURE.md lists, and no others', async (t) => {
  // One that has nothing in its cache.
  const { server } = await serveIndex(t, network, { index: filled.index });
  const used = await filesUsedBy(() => server.get(`/address/${busy}`));
  const [, section] = readFileSync(new URL('ARCHITECTURE.md', ROOT), 'utf8').split('### The files of a request\n');
  const listed = [...section!.split('\n#', 1)[0]!.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!);
  assert.deepEqual(used.sort(), listed.sort());
  assert.ok(used.length <= MAX_FILES, `${used.length} files`);
});
