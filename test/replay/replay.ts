/**
 * The oracle of the index: a second implementation of the chain's rules. It replays the chain from the JSON of stored
 * transactions, and compares what must follow with the tables. It shares no code with `src/ledger` but effective stakes, time
 * locks and fragments of names, which have tests of their own.
 */
import assert from 'node:assert/strict';
import type pg from 'pg';
import type { Network } from '../../src/chain/networks/network.ts';
import { closePostgresConnection, type PostgresOptions } from '../../src/store/postgres/connect.ts';
import type { CheckResult } from '../../src/store/verify/check-result.ts';
import { checkWholeIndex, openSnapshot } from '../../src/store/verify/verify.ts';
import { checkAmounts } from './amount-checks.ts';
import { checkRecomputedChain } from './recomputed-chain-checks.ts';
import { checkRecounts } from './recount-checks.ts';

/** All checks of `verify` and of the replay, within the client's transaction. */
export async function* checkAndReplay(client: pg.Client, network: Network): AsyncGenerator<CheckResult> {
  yield* checkWholeIndex(client);
  yield* checkRecounts(client, network);
  yield* checkAmounts(client, network);
  yield* checkRecomputedChain(client, network);
}

/** Makes all checks of one snapshot, and yields their results. */
export async function* replayIndex(postgres: PostgresOptions, network: Network): AsyncGenerator<CheckResult> {
  const client = await openSnapshot(postgres, network);
  try {
    yield* checkAndReplay(client, network);
  } finally {
    await closePostgresConnection(client);
  }
}

/** Fails unless all checks find nothing. */
export async function requireRightIndex(postgres: PostgresOptions, network: Network): Promise<void> {
  for await (const { name, differences, examples } of replayIndex(postgres, network)) {
    assert.deepEqual({ name, differences, examples }, { name, differences: 0, examples: [] });
  }
}
