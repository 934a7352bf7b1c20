/** Every table of the ledger's state. */
import type { LedgerState } from '../../../ledger/state.ts';
import { balances } from './balances.ts';
import { delegations } from './delegations.ts';
import { nameFragments } from './name-fragments.ts';
import { nfts } from './nfts.ts';
import { orders } from './orders.ts';
import { pools } from './pools.ts';
import { statistics } from './statistics.ts';
import { tickerFragments } from './ticker-fragments.ts';
import { tokens } from './tokens.ts';
import { utxos } from './utxos.ts';

/** One for each table of the ledger's state, by its name there. */
export const STATE_TABLES = {
  utxos,
  balances,
  pools,
  delegations,
  tokens,
  nfts,
  orders,
  statistics,
  tickerFragments,
  nameFragments,
} satisfies Record<keyof LedgerState['tables'], unknown>;

export type StateTableName = keyof typeof STATE_TABLES;
export const STATE_TABLE_NAMES = Object.keys(STATE_TABLES) as StateTableName[];
