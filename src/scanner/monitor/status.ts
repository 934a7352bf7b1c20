/** Keeps the status of a scanner for monitoring. The scanner reports its phases, progress and failures to it. */
import pg from 'pg';
import { DecodeError } from '../../chain/scale/codec-errors.ts';
import type { IdentifiedBlock } from '../../chain/types.ts';
import { LedgerError } from '../../ledger/ledger-error.ts';
import type { ChainTip } from '../../ledger/state.ts';
import { NodeError } from '../../node/node-error.ts';
import { PostgresSilentError, PostgresUnreachableError } from '../../store/postgres/postgres-error.ts';
import { FeedError } from '../fetch/block-feed.ts';
import { ChainMovedError, DamagedBlockError } from '../fetch/verify-blocks.ts';
import { BatchWriteError } from '../write/batch-writer.ts';
import { monotonicSeconds, type ScannerErrorKind, type ScannerPhase, type StatusReport } from './status-report.ts';

export class ScannerStatus {
  #report: StatusReport = {
    network: null,
    phase: 'waiting_for_database',
    tip: null,
    nodeHeight: null,
    nodes: {},
    nodeAnsweredAt: null,
    commits: 0,
    blocks: 0,
    transactions: 0,
    reorganisations: 0,
    blocksRemoved: 0,
    deepestReorganisation: 0,
    errors: { node: 0, database: 0, ledger: 0, other: 0 },
    adding: null,
    failuresInARow: 0,
    lastError: null,
  };
  /** Called after each change. */
  onChange: (report: StatusReport) => void = () => {};

  get report(): StatusReport {
    return this.#report;
  }

  /** Enters a phase. `stopping` is the last one. */
  enter(phase: ScannerPhase): void {
    if (this.#report.phase !== 'stopping' && this.#report.phase !== phase) this.#change({ phase });
  }

  /** Notes the tip of an index that was opened or begun with the genesis. */
  opened(chain: ChainTip): void {
    this.#change({ tip: tipOf(chain) });
  }

  nodeAnswered(nodeHeight: number): void {
    this.#change({ nodeHeight, nodeAnsweredAt: monotonicSeconds() });
  }

  /** Notes that blocks were committed together, with the new tip. */
  indexed(chain: ChainTip, { blocks, transactions }: IndexedCounts): void {
    this.#change({
      tip: tipOf(chain),
      commits: this.#report.commits + 1,
      blocks: this.#report.blocks + blocks,
      transactions: this.#report.transactions + transactions,
    });
    this.succeeded();
  }

  /** Notes a reorganisation that removed this many blocks. */
  reorganised(removed: number): void {
    const { reorganisations, blocksRemoved, deepestReorganisation } = this.#report;
    this.#change({
      reorganisations: reorganisations + 1,
      blocksRemoved: blocksRemoved + removed,
      deepestReorganisation: Math.max(deepestReorganisation, removed),
    });
  }

  /** Notes the network that is indexed, the nodes, or what is being added to the index in place. */
  note(known: Partial<Pick<StatusReport, 'network' | 'nodes' | 'adding'>>): void {
    this.#change(known);
  }

  /** Notes a failure that will be retried. Returns its kind. */
  failed(error: unknown): ScannerErrorKind {
    const { phase, errors, failuresInARow } = this.#report;
    const kind = errorKind(error) ?? (phase === 'waiting_for_database' ? 'database' : 'other');
    // Failures caused by a stop do not count.
    if (phase === 'stopping') return kind;
    this.#change({
      errors: { ...errors, [kind]: errors[kind] + 1 },
      failuresInARow: failuresInARow + 1,
      lastError: { kind, text: error instanceof Error ? error.message : String(error) },
    });
    return kind;
  }

  /** Notes that an attempt succeeded, whether or not it found something new. */
  succeeded(): void {
    if (this.#report.failuresInARow > 0) this.#change({ failuresInARow: 0, lastError: null });
  }

  #change(changes: Partial<StatusReport>): void {
    this.#report = { ...this.#report, ...changes };
    this.onChange(this.#report);
  }
}

export interface IndexedCounts {
  readonly blocks: number;
  readonly transactions: number;
}

/** Counts blocks, and the transactions in them. */
export function countsOfBlocks(blocks: readonly IdentifiedBlock[]): IndexedCounts {
  let transactions = 0;
  for (const { block } of blocks) transactions += block.transactions.length;
  return { blocks: blocks.length, transactions };
}

function tipOf({ height, blockId, timestamps }: ChainTip): StatusReport['tip'] {
  return { height, blockId, timestamp: timestamps.at(-1) ?? 0 };
}

const OF_NODE = [NodeError, ChainMovedError, DamagedBlockError, DecodeError, FeedError];
const OF_DATABASE = [PostgresUnreachableError, PostgresSilentError, BatchWriteError, pg.DatabaseError];

/** Returns the kind of an error, found by its type or those of its causes; undefined if they do not tell. */
function errorKind(error: unknown): ScannerErrorKind | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof LedgerError) return 'ledger';
  if (OF_NODE.some((type) => error instanceof type)) return 'node';
  if (OF_DATABASE.some((type) => error instanceof type)) return 'database';
  return errorKind(error.cause);
}
