/** Compares the chain at the end of each hour with a count of blocks and transactions, along the walk through the chain. */

import type pg from 'pg';
import { orderAddress } from '../../src/chain/address.ts';
import { deriveOrderId } from '../../src/chain/derive-ids.ts';
import { createsNft, createsOrder, createsToken } from '../../src/chain/input-and-output-kinds.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Atoms } from '../../src/chain/types.ts';
import { CheckFindings, type CheckResult } from '../../src/store/verify/check-result.ts';
import { rowsByCursor } from '../../src/store/verify/database-cursor.ts';
import type { ReplayedBlockRow } from './recomputed-chain.ts';
import { firstUtxoInput, type RecomputedChain } from './recomputed-chain.ts';
import { RowsByPlace } from './rows-by-place.ts';
import type { ShownInput, StoredTransactionJson } from './stored-transaction-json.ts';

const HOUR_SECONDS = 3_600;

interface HourRow {
  hour: number;
  first_height: number;
  line: string;
}
interface SupplyRow {
  height: number;
  line: string;
}
interface HoldersRow {
  height: number;
  change: number;
}

interface ReplayedOrder {
  ask: Atoms;
  isFrozen: boolean;
}

const isOpen = ({ ask, isFrozen }: ReplayedOrder): boolean => !isFrozen && ask > 0n;

export class HoursCheck {
  readonly #network: Network;
  readonly #chain: RecomputedChain;
  readonly #hours: RowsByPlace<HourRow>;
  readonly #supplies: RowsByPlace<SupplyRow>;
  readonly #holderChanges: RowsByPlace<HoldersRow>;
  readonly #findings = new CheckFindings('each hour has the counts and sums of the blocks up to its end');
  /** The orders that can still be filled. */
  readonly #orders = new Map<string, ReplayedOrder>();
  #hour = -1;
  #firstHeight = 0;
  /** What the row of the hour must say up to the newest block. */
  #should = '';
  #supply = '';
  #holders = 0;
  #counts = { transactions: 0, bytes: 0, fees: 0n, trades: 0, tokens: 0, nfts: 0, openOrders: 0 };

  constructor(client: pg.Client, network: Network, chain: RecomputedChain) {
    this.#network = network;
    this.#chain = chain;
    this.#hours = new RowsByPlace(
      rowsByCursor<HourRow>(
        client,
        'told_hours',
        `select hour, first_height,
                concat_ws(' ', hour, first_height, height, timestamp, transactions, bytes, fees, trades, circulating_supply,
                          burned, staked, holders, expected_per_stake, pools, delegations, tokens, nfts, open_orders) as line
           from hours order by hour`,
      ),
      ({ hour }) => hour,
    );
    this.#supplies = new RowsByPlace(
      rowsByCursor<SupplyRow>(
        client,
        'coin_supplies',
        `select height, concat_ws(' ', circulating_supply, burned, staked) as line
           from supplies where currency = '' order by height`,
      ),
      ({ height }) => height,
    );
    this.#holderChanges = new RowsByPlace(
      rowsByCursor<HoldersRow>(
        client,
        'coin_holders',
        `select height, sum((balance > 0)::int - (balance_before > 0)::int)::int as change
           from (select height, balance, lag(balance, 1, 0::numeric) over (partition by owner order by height, position)
                        as balance_before
                   from balance_changes where currency = '') as c
          group by height order by height`,
      ),
      ({ height }) => height,
    );
  }

  /** The next transaction of the block. */
  transaction(shown: StoredTransactionJson): void {
    for (const { input } of shown.inputs) if (input.order_id !== undefined) this.#command(input);
    for (const output of shown.outputs) {
      if (createsToken(output)) this.#counts.tokens++;
      if (createsNft(output)) this.#counts.nfts++;
      if (!createsOrder(output) || output.ask_value?.type === 'TokenV0') continue;
      if (output.give_value?.type === 'TokenV0') continue;
      const id = deriveOrderId(firstUtxoInput(shown.inputs));
      if (id === null) continue;
      this.#setOrder(orderAddress(this.#network, id), { ask: BigInt(output.ask_value!.amount.atoms), isFrozen: false });
    }
  }

  #command({ command, order_id: id, fill_atoms: filled }: ShownInput['input']): void {
    const order = this.#orders.get(id!);
    if (command === 'FillOrder') {
      this.#counts.trades++;
      if (order) this.#setOrder(id!, { ...order, ask: order.ask - BigInt(filled!.atoms) });
    } else if (command === 'FreezeOrder' && order) this.#setOrder(id!, { ...order, isFrozen: true });
    else if (command === 'ConcludeOrder') this.#setOrder(id!, null);
  }

  #setOrder(id: string, order: ReplayedOrder | null): void {
    const before = this.#orders.get(id);
    this.#counts.openOrders += Number(order !== null && isOpen(order)) - Number(before !== undefined && isOpen(before));
    if (order === null) this.#orders.delete(id);
    else this.#orders.set(id, order);
  }

  /** The end of a block, after everything else was replayed. */
  async finishBlock({ height, timestamp, tx_count: transactions, size, fees }: ReplayedBlockRow): Promise<void> {
    const hour = Math.max(this.#hour, Math.floor(timestamp / HOUR_SECONDS));
    if (hour > this.#hour) {
      if (height > 0) await this.#finishHour();
      this.#hour = hour;
      this.#firstHeight = height;
    }
    const counts = this.#counts;
    counts.transactions += transactions;
    if (height > 0) counts.bytes += size;
    counts.fees += fees;
    this.#supply = (await this.#supplies.of(height)).at(-1)?.line ?? this.#supply;
    for (const { change } of await this.#holderChanges.of(height)) this.#holders += change;
    const { livePools, liveDelegations, expectedPerStake } = this.#chain;
    this.#should = [
      ...[hour, this.#firstHeight, height, timestamp, counts.transactions, counts.bytes, counts.fees, counts.trades],
      ...[this.#supply, this.#holders, expectedPerStake, livePools, liveDelegations],
      ...[counts.tokens, counts.nfts, counts.openOrders],
    ].join(' ');
  }

  async #finishHour(): Promise<void> {
    const lines = (await this.#hours.of(this.#hour)).map(({ line }) => line);
    const isSame = lines.length === 1 && lines[0] === this.#should;
    this.#findings.add(isSame ? undefined : `${lines.join(', ') || 'nothing'}, not ${this.#should}`);
  }

  async *results(): AsyncGenerator<CheckResult> {
    await this.#finishHour();
    for (const { line } of await this.#hours.rest()) this.#findings.add(`${line}, which no block begins`);
    yield this.#findings;
  }
}
