/** The way of a request through the files of `src`: the one that ARCHITECTURE.md describes, and never back and forth. */
import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { it, type TestContext } from 'node:test';
import { setImmediate as nextTurn, scheduler } from 'node:timers/promises';
import { busy, FIRST_POOL, filledServers, network } from '../support/filled-servers.ts';
import { listedFiles, type Visit, VisitRecorder } from '../support/visited-files.ts';
import { startTestWebServer, type TestServer } from '../support/web-server.ts';

const filled = filledServers();

const MAX_FILES = 30;
const MAX_ENTRIES = 2;
/** They write an entry field by field, with a call for each. */
const OF_FIELDS = /^src\/api\/entry\//;
/** Longer than the pause between polls of the tip, shorter than it is good for. */
const POLL_MS = 200;
const POLLS = `select from pg_stat_activity
  where datname = current_database() and application_name = 'chain-indexer web server' and state = 'active'`;

/** The files in the order in which they are entered, as ARCHITECTURE.md says: those of visits that go on from there. */
function enteredFiles(visits: readonly Visit[]): string[] {
  const files = visits.filter(({ goesOn }) => goesOn).map(({ file }) => file);
  return files.filter((file, i) => file !== files[i - 1]);
}

/** The visits of a first request of an API path: nothing is in a cache. It comes on a new connection. */
async function visitsOf(t: TestContext, path: string): Promise<Visit[]> {
  const common = { network, postgres: filled.index.postgres };
  const [other, server] = [await startTestWebServer(t, common), await startTestWebServer(t, common)];
  const agent = new Agent({ keepAlive: true });
  const ask = async ({ url }: TestServer): Promise<void> => {
    const options = { agent, headers: { 'accept-encoding': 'gzip' } };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    get(`${url}/api/v2${path}`, options, (response) => {
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
    return await recorder.during(() => ask(server));
  } finally {
    recorder.end();
    agent.destroy();
    t.mock.timers.runAll();
    t.mock.timers.reset();
  }
}

function filesOf(visits: readonly Visit[]): string[] {
  const files = [...new Set(visits.map(({ file }) => file))];
  assert.ok(files.length <= MAX_FILES, `${files.length} files:\n${files.join('\n')}`);
  return files;
}

it('a first request for an address runs the files that ARCHITECTURE.md lists, in that order, and enters none more than twice', async (t) => {
  const visits = await visitsOf(t, `/address/${busy}`);
  const files = filesOf(visits);
  assert.deepEqual(files, listedFiles('The files of a request').flat());
  const entered = enteredFiles(visits);
  const tooOften = files
    .filter((file) => !OF_FIELDS.test(file))
    .filter((file) => entered.filter((other) => other === file).length > MAX_ENTRIES);
  assert.deepEqual(tooOften, [], entered.join('\n'));
});

it('first requests for a pool and for a transaction run no more files', async (t) => {
  filesOf(await visitsOf(t, `/pool/${FIRST_POOL}`));
  const { rows } = await filled.index.query("select encode(tx_id, 'hex') as id from transactions limit 1");
  filesOf(await visitsOf(t, `/transaction/${rows[0].id}`));
});
