/** Sees the scanner's progress as a reader of the database does. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

interface Tip {
  readonly at: number;
  readonly height: number;
  readonly transactions: number;
  readonly isReady: boolean;
}

export interface TipSample extends Tip {
  /** The processor time up to then; NaN where nobody says. */
  readonly cpuSeconds: number;
}

const POLL_MS = 10;
const MAX_STANDSTILL_MS = 10 * 60_000;

/**
 * Each tip that was seen until `isEnd`, in order. `cpuSeconds` returns the processor time that is sampled with it. Throws when
 * nothing has moved for very long.
 */
export async function watchTip(
  client: pg.Client,
  isEnd: (tip: Tip) => boolean,
  cpuSeconds: () => number = () => Number.NaN,
): Promise<TipSample[]> {
  const samples: TipSample[] = [];
  for (let movedAt = performance.now(); ; await sleep(POLL_MS)) {
    const tip = await readTip(client);
    const last = samples.at(-1);
    if (tip && (tip.height !== last?.height || tip.isReady !== last.isReady)) {
      const sample = { ...tip, cpuSeconds: cpuSeconds() };
      samples.push(sample);
      movedAt = sample.at;
      if (isEnd(sample)) return samples;
    }
    if (performance.now() - movedAt > MAX_STANDSTILL_MS) {
      throw new Error(`the index stands still at height ${last?.height ?? 'none'}`);
    }
  }
}

const NO_SUCH_TABLE = '42P01';

async function readTip(client: pg.Client): Promise<Tip | null> {
  try {
    const { rows } = await client.query<{ height: number; transactions: number; is_ready: boolean }>(
      'select height, transaction_count as transactions, is_ready from chain_tip',
    );
    const row = rows[0];
    if (!row) return null;
    return { at: performance.now(), height: row.height, transactions: row.transactions, isReady: row.is_ready };
  } catch (error) {
    if ((error as { code?: string }).code === NO_SUCH_TABLE) return null;
    throw error;
  }
}
