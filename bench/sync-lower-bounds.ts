/** Measures the two unavoidable parts of a sync, hashing and COPY, separately in the same run, for comparison. */

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { identifyBlock } from '../src/chain/codec/block.ts';
import { createTables } from '../test/support/create-tables.ts';
import type { Bed } from './test-bed.ts';

/** Decodes and hashes blocks in one thread, and does nothing else with them. */
export function measureHashing(blocks: readonly Buffer[]) {
  for (const block of blocks.slice(0, 500)) identifyBlock(block);
  const start = performance.now();
  let bytes = 0;
  for (const block of blocks) bytes += identifyBlock(block).size;
  const seconds = (performance.now() - start) / 1000;
  return { blocks: blocks.length, megabytes: bytes / 1e6, blocksPerSecond: blocks.length / seconds };
}

/** Copies the rows of an index into empty tables of the same kind, in the same format, table by table, and nothing else. */
export async function measureCopy(bed: Bed, source: pg.Client) {
  const target = await bed.connect(await bed.createDatabase('limit_copy'));
  try {
    await createTables(target);
    await target.query('set synchronous_commit = off');
    const { rows: tables } = await source.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'chain_indexer'::regnamespace and relkind = 'r'
         -- Triggers fill these from orders and fills.
         and relname not in ('price_levels', 'markets', 'candles')
       order by relname`,
    );
    const total = { rows: 0, bytes: 0, milliseconds: 0 };
    for (const { name } of tables) {
      const data = await buffer(source.query(copyTo(`copy ${name} to stdout with (format binary)`)));
      const start = performance.now();
      const stream = target.query(copyFrom(`copy ${name} from stdin with (format binary)`));
      await pipeline(Readable.from(pieces(data)), stream);
      total.milliseconds += performance.now() - start;
      total.rows += stream.rowCount;
      total.bytes += data.length;
    }
    return { rows: total.rows, megabytes: total.bytes / 1e6, seconds: total.milliseconds / 1000 };
  } finally {
    await bed.disconnect(target);
  }
}

function* pieces(data: Buffer): Generator<Buffer> {
  const size = 256 * 1024;
  for (let start = 0; start < data.length; start += size) yield data.subarray(start, start + size);
}
