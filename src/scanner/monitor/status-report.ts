/** The status of a scanner and its counts since the start: a plain value, so that it can go to another thread. */
import type { Id } from '../../chain/types.ts';

/** The scanner's phases. `pausing`: it failed, and waits before it tries again. */
export const SCANNER_PHASES = [
  'waiting_for_database',
  'waiting_for_node',
  'creating',
  'bulk_sync',
  'building_indexes',
  'following',
  'reorganising',
  'pausing',
  'stopping',
] as const;
export type ScannerPhase = (typeof SCANNER_PHASES)[number];

/** The cause of an error: the node or its data, the database, a block that contradicts the ledger, or another. */
const SCANNER_ERROR_KINDS = ['node', 'database', 'ledger', 'other'] as const;
export type ScannerErrorKind = (typeof SCANNER_ERROR_KINDS)[number];

export interface StatusReport {
  /** The name of the network; null until the scanner begins. */
  readonly network: string | null;
  readonly phase: ScannerPhase;
  /** The newest committed block; null while it is unknown. */
  readonly tip: { readonly height: number; readonly blockId: Id; readonly timestamp: number } | null;
  readonly nodeHeight: number | null;
  /** 1 for the node in use, 0 for the others, by address. */
  readonly nodes: Readonly<Record<string, number>>;
  /** The time when the node last reported its height, of `monotonicSeconds`. */
  readonly nodeAnsweredAt: number | null;
  /** Transactions of the database that committed blocks since the start. */
  readonly commits: number;
  /** Blocks committed since the start, including those of new branches. */
  readonly blocks: number;
  readonly transactions: number;
  readonly reorganisations: number;
  /** Blocks removed by all reorganisations together, and by the deepest one. */
  readonly blocksRemoved: number;
  readonly deepestReorganisation: number;
  readonly errors: Readonly<Record<ScannerErrorKind, number>>;
  /** What is being added to the index in place while blocks are indexed; null if it is complete. */
  readonly adding: { readonly text: string; readonly percent: number } | null;
  /** The number of errors since the last success; 0 if the last attempt succeeded. */
  readonly failuresInARow: number;
  /** The last of these errors. */
  readonly lastError: { readonly kind: ScannerErrorKind; readonly text: string } | null;
}

/** Returns the seconds of a monotonic clock that all threads of the process share. */
export function monotonicSeconds(): number {
  return Number(process.hrtime.bigint()) / 1e9;
}
