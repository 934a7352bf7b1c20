/** What those see who watch a scanner that waits or fails: /metrics, /health and /ready, over real sockets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { query } from '../../support/running-scanner.ts';
import { eventually, until } from '../../support/until.ts';
import { BLOCKS, chain, tip, watched } from './watched-scanner.ts';

describe('a monitored scanner', { concurrency: 3 }, () => {
  it('a monitored scanner counts what it did since its start only, when the index was there before', async (t) => {
    const { scanner, becomesReady } = await watched(t);
    await becomesReady();
    await scanner.stop();
    await scanner.start();
    await becomesReady();
    const metric = await scanner.metrics();
    assert.equal(metric('height_blocks'), BLOCKS);
    assert.equal(metric('blocks_total'), 0);
    assert.equal(metric('transactions_total'), 0);
  });

  it('a monitored scanner shows a block that contradicts the ledger as long as it cannot get past it', async (t) => {
    const near = 40;
    const { node, scanner, database, becomesReady, refuses } = await watched(t, { height: near });
    await scanner.reaches(chain[near - 1]!.id);
    await becomesReady();
    // What the next blocks spend is not there any more.
    await query(database, 'create table public.hidden as select * from chain_indexer.utxos');
    await scanner.stop();
    await query(database, 'delete from chain_indexer.utxos');
    await scanner.start();
    node.grow(chain.slice(near));
    await refuses(/^pausing after a failure; failed [3-9] times in a row, the last time \(ledger\): .*already spent/);
    const metric = await eventually('the errors', async () => {
      const metric = await scanner.metrics();
      return metric('errors_total{kind="ledger"}')! >= 3 ? metric : undefined;
    });
    assert.ok(metric('consecutive_failures')! >= 3);
    assert.equal(metric('errors_total{kind="node"}'), 0);
    assert.equal(metric('height_blocks'), near);
    assert.equal((await scanner.says('/health')).code, 200);
    await query(
      database,
      'insert into chain_indexer.utxos select * from public.hidden on conflict do nothing; drop table public.hidden',
    );
    await scanner.reaches(tip.id);
    await becomesReady();
  });

  for (const [command, height, phase] of [
    ['CREATE TABLE', 20, 'creating'],
    ['CREATE INDEX', BLOCKS, 'building_indexes'],
  ] as const) {
    it(`a monitored scanner shows the phase ${phase} while PostgreSQL is at it`, async (t) => {
      const { scanner, becomesReady, refuses } = await watched(t, {
        height,
        async prepare(_node, postgres) {
          await query(
            postgres,
            `create function public.dawdle() returns event_trigger language plpgsql as
               $$ begin perform pg_catalog.pg_sleep(0.1); end $$;
             create event trigger dawdle on ddl_command_start when tag in ('${command}') execute function public.dawdle()`,
          );
          return undefined;
        },
      });
      await until(async () => (await scanner.says('/health')).said.phase === phase, `the phase ${phase}`);
      const said = await refuses(/^(creating the index|building the indexes for reading)$/);
      assert.equal(said.phase, phase);
      await becomesReady();
    });
  }
});
