/** The index that plans are looked at on: as large as a chain of years. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import type { Network } from '../src/chain/networks/network.ts';
import type { Destination } from '../src/chain/types.ts';
import { balanceChangeKindBit } from '../src/ledger/balance-change-kinds.ts';
import type { PostgresOptions } from '../src/store/postgres/connect.ts';
import { indexStatements } from '../src/store/schema/create-and-drop-tables.ts';
import { STORAGE_VERSION } from '../src/store/schema/database-identity.ts';
import { createTables } from '../test/support/create-tables.ts';
import type { Bed } from './test-bed.ts';

export interface LargeDatabase {
  readonly postgres: PostgresOptions;
  readonly transactions: number;
  /** The number of pools, tokens, NFTs and holders, and the minimum number of orders and delegations. */
  readonly listLength: number;
}

/** Lists that are shorter than a chain's transactions are by this factor. */
const SHORTER = 5;

/** The destination of the address with this number in `large-database.sql`. Number 0 has so much of everything. */
export function largeDatabaseOwner(n: number): Destination {
  return `01${createHash('sha256').update(`owner${n}`).digest('hex').slice(0, 40)}`;
}

/** `more`: statements with further rows, before the indexes are built. */
export async function createLargeDatabase(
  bed: Bed,
  network: Network,
  transactions: number,
  more: readonly string[] = [],
): Promise<LargeDatabase> {
  const listLength = Math.floor(transactions / SHORTER);
  const postgres = await bed.createDatabase(`of_${transactions}_transactions`);
  const client = await bed.connect(postgres);
  await client.query('set synchronous_commit = off');
  await fill(client, network, transactions, listLength, more);
  await client.query(`set maintenance_work_mem = '256MB'`);
  for (const statement of indexStatements()) await client.query(statement);
  await client.query('vacuum (analyze)');
  await bed.disconnect(client);
  return { postgres, transactions, listLength };
}

/** Fills the database in one transaction: rows of a table created in it need no write-ahead log. */
async function fill(
  client: pg.Client,
  network: Network,
  transactions: number,
  listLength: number,
  more: readonly string[],
): Promise<void> {
  const sql = await readFile(new URL('./large-database.sql', import.meta.url), 'utf8');
  const values: Readonly<Record<string, string>> = {
    $N: `${transactions}`,
    $L: `${listLength}`,
    $VERSION: STORAGE_VERSION,
    $NETWORK: network.name,
    $GENESIS: network.genesisId,
    $RECEIVED: `${balanceChangeKindBit('received') | balanceChangeKindBit('transfer')}`,
    $SENT: `${balanceChangeKindBit('sent') | balanceChangeKindBit('transfer')}`,
    $UNLOCKED: `${balanceChangeKindBit('unlocked')}`,
  };
  await client.query('begin');
  await createTables(client);
  await client.query(sql.replace(/\$[A-Z]+/g, (name) => values[name] ?? name));
  for (const statement of more) await client.query(statement);
  await client.query('commit');
}
