/** The way of a request through the files of `src`: the one that ARCHITECTURE.md describes, and never back and forth. */
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { it } from 'node:test';
import { setImmediate as nextTurn, scheduler } from 'node:timers/promises';
import { busy, filledServers, network } from '../support/filled-servers.ts';
import { listedFiles, type Visit, VisitRecorder } from '../support/visited-files.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const filled = filledServers();

const MAX_FILES = 26;
const MAX_ENTRIES = 2;
/** Longer than the pause between polls of the tip, shorter than it is good for. */
const POLL_MS = 200;
const POLLS = `select from pg_stat_activity
  where datname = current_database() and application_name = 'chain-indexer web server' and state = 'active'`;

/** The files in the order in which they are entered, as ARCHITECTURE.md says: those of visits that go on from there. */
function enteredFiles(visits: readonly Visit[]): string[] {
  const files = visits.filter(({ goesOn }) => goesOn).map(({ file }) => file);
  return files.filter((file, i) => file !== files[i - 1]);
}

it('a first request for an address runs the files that ARCHITECTURE.md lists, in that order, and enters none more than twice', async (t) => {
  // They have nothing in their caches. The request comes on a new connection.
  const common = { network, postgres: filled.index.postgres };
  const [other, server] = [await startTestWebServer(t, common), await startTestWebServer(t, common)];
  const agent = new Agent({ keepAlive: true });
  const ask = async ({ url }: TestServer): Promise<void> => {
    const options = { agent, headers: { 'accept-encoding': 'gzip' } };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    get(`${url}/api/v2/address/${busy}`, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!));
    }).on('error', reject);
    assert.equal(await promise, 200);
    // The server's end of the response.
    await nextTurn();
  };

  const recorder = await VisitRecorder.after(() => ask(other));
  // No server of this process polls the tip meanwhile: timers do that, and the first request after a pause.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  try {
    await server.get('/chain/tip');
    // On a busy machine the last poll may take long.
    do await scheduler.wait(POLL_MS);
    while ((await filled.index.query(POLLS)).rowCount !== 0);
    await nextTurn();
    const visits = await recorder.during(() => ask(server));
    const files = [...new Set(visits.map(({ file }) => file))];
    assert.deepEqual(files, listedFiles('The files of a request').flat());
    assert.ok(files.length <= MAX_FILES, `${files.length} files`);
    const entered = enteredFiles(visits);
    const tooOften = files.filter((file) => entered.filter((other) => other === file).length > MAX_ENTRIES);
    assert.deepEqual(tooOften, [], entered.join('\n'));
  } finally {
    recorder.end();
    agent.destroy();
    t.mock.timers.runAll();
  }
});
