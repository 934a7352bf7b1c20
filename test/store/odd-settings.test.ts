/** Settings that a role may have for other programs: they change no table and no answer. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { createGenesisIndex, prepareNewIndex } from '../../src/scanner/database/database-state.ts';
import { BatchApplier } from '../../src/scanner/sync/apply-batches.ts';
import { WriterSession } from '../../src/store/write/writer-session.ts';
import { upgrading as network } from '../devnet/sim/networks.ts';
import { knownIds } from '../fuzz/known-ids.ts';
import { documentedRequest } from '../fuzz/request-arbitrary.ts';
import { requireRightIndex } from '../replay/replay.ts';
import { MONTHS, simulatedHistory, take } from '../sim/history.ts';
import { dumpTables, TestIndex } from '../support/indexed-database.ts';
import { testDatabase, testRole } from '../support/postgres.ts';
import { query, withClient } from '../support/running-scanner.ts';
import { startTestWebServer } from '../support/web-server.ts';

const ODD: Readonly<Record<string, string>> = {
  search_path: 'public, pg_catalog',
  bytea_output: 'escape',
  client_encoding: 'LATIN1',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  backslash_quote: 'on',
  quote_all_identifiers: 'on',
  row_security: 'on',
  timezone: 'Pacific/Chatham',
  datestyle: 'SQL, DMY',
  intervalstyle: 'iso_8601',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  statement_timeout: '200ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '100ms',
  idle_session_timeout: '300ms',
  enable_indexscan: 'off',
  enable_indexonlyscan: 'off',
  enable_bitmapscan: 'off',
  enable_nestloop: 'off',
  enable_sort: 'off',
  enable_hashagg: 'off',
  enable_seqscan: 'on',
  plan_cache_mode: 'force_custom_plan',
  jit: 'on',
  jit_above_cost: '0',
  work_mem: '64kB',
  join_collapse_limit: '1',
  from_collapse_limit: '1',
  geqo_threshold: '2',
  default_statistics_target: '1',
  client_min_messages: 'debug1',
};

const REQUESTS = 400;

/** `/status` tells how old the tip is: a second may pass between the two requests. */
const withoutAge = (text: string) => text.replace(/"age_seconds":\d+/, '"age_seconds":0');

it('settings that a role has for other programs change no table and no answer, whatever they are', async (t) => {
  const history = simulatedHistory({ network, seed: 'odd', blocks: 60, mix: MONTHS, reorganisationProbability: 0.1 });
  const usual = await TestIndex.create(t, network, { isWhole: true });

  const postgres = await testDatabase(t);
  const odd = await testRole(t, postgres);
  await query(postgres, `alter database ${postgres.database} owner to ${odd.user}`);
  const settings = { ...ODD, default_transaction_read_only: 'off' };
  for (const [name, value] of Object.entries(settings)) {
    const values = name === 'search_path' ? value : `'${value}'`;
    await query(postgres, `alter role ${odd.user} set ${name} = ${values}`);
  }
  const session = await WriterSession.open(odd);
  t.after(() => session.close());
  const applier = new BatchApplier(network);
  await createGenesisIndex(session, await prepareNewIndex(applier));
  await session.prepare();
  const written = new TestIndex(odd, session, applier);

  for (const step of history.steps) {
    await take(usual, step);
    await take(written, step);
  }
  assert.deepEqual(await withClient(postgres, dumpTables), await usual.dump());
  await query(postgres, `alter role ${odd.user} set default_transaction_read_only = on`);
  await requireRightIndex(odd, network);

  const expected = await startTestWebServer(t, { network, postgres });
  const seen = await startTestWebServer(t, { network, postgres: odd });
  const requests = fc.sample(documentedRequest(expected.operations, await knownIds(expected, network.coinTicker)), {
    numRuns: REQUESTS,
    seed: 53,
  });
  const found = new Set<number>();
  for (const { path } of requests) {
    const [right, answer] = [await expected.request(path), await seen.request(path)];
    assert.deepEqual([answer.status, withoutAge(answer.text)], [right.status, withoutAge(right.text)], path);
    found.add(right.status);
  }
  assert.ok(found.has(200) && found.has(404));
});
