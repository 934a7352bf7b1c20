/** Every table of the ledger's state. */
import type { LedgerState } from '../../../ledger/state.ts';
import { balanceTable } from './balances.ts';
import { delegationTable } from './delegations.ts';
import { nameFragmentTable } from './name-fragments.ts';
import { nftTable } from './nfts.ts';
import { orderTable } from './orders.ts';
import { poolTable } from './pools.ts';
import { statisticsTable } from './statistics.ts';
import { tickerFragmentTable } from './ticker-fragments.ts';
import { tokenTable } from './tokens.ts';
import { utxoTable } from './utxos.ts';

/** One for each table of the ledger's state, by its name there. */
export const STATE_TABLES = {
  utxos: utxoTable,
  balances: balanceTable,
  pools: poolTable,
  delegations: delegationTable,
  tokens: tokenTable,
  nfts: nftTable,
  orders: orderTable,
  statistics: statisticsTable,
  tickerFragments: tickerFragmentTable,
  nameFragments: nameFragmentTable,
} satisfies Record<keyof LedgerState['tables'], unknown>;

export type StateTableName = keyof typeof STATE_TABLES;
export const STATE_TABLE_NAMES = Object.keys(STATE_TABLES) as StateTableName[];
