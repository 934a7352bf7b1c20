/** Compares what balances, supplies, tokens and stakes were, and the fills of orders, with the texts of all transactions, along the walk through the chain. */

import type pg from 'pg';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { medianTime, nextTimestamps } from '../../src/chain/median-time.ts';
import { type Network, subsidyAt } from '../../src/chain/networks/network.ts';
import type { Atoms, Hex, Id } from '../../src/chain/types.ts';
import { type BalanceChangeKind, balanceChangeKinds } from '../../src/ledger/balance-change-kinds.ts';
import { CheckFindings, type CheckResult } from '../../src/store/verify/check-result.ts';
import { rowsByCursor } from '../../src/store/verify/database-cursor.ts';
import { ownerAddress, type RecomputedChain, type ReplayedBlockRow } from './recomputed-chain.ts';
import { RecomputedFills } from './recomputed-fills.ts';
import { genesisOutputs, ownerCurrencyKey, RecomputedPast, type ReplayedChanges } from './recomputed-past.ts';
import { RowsByPlace } from './rows-by-place.ts';
import type { ShownOutput, StoredTransactionJson } from './stored-transaction-json.ts';

interface ChangeRow {
  height: number;
  position: number;
  kinds: number;
  owner: string;
  currency: Hex;
  change: Atoms;
  balance: Atoms;
  locked: Atoms;
  fee: Atoms;
  balance_before: Atoms;
  locked_before: Atoms;
}
interface EventRow {
  height: number;
  position: number;
  event_index: number;
  token_id: Id;
  kind: string;
  amount: Atoms | null;
  supply: Atoms;
  actor: string | null;
  authority: string | null;
  metadata_uri: Hex | null;
  is_unfreezable: boolean | null;
}
interface FillRow {
  height: number;
  position: number;
  input_index: number;
  is_buy: boolean;
  order_id: Id;
  base: Hex;
  quote: Hex;
  base_amount: Atoms;
  quote_amount: Atoms;
  taker: string | null;
}
interface SupplyRow {
  height: number;
  currency: Hex;
  circulating_supply: Atoms;
  preminted: Atoms;
  burned: Atoms;
  staked: Atoms;
}
interface DelegationRow {
  delegation_id: Id;
  day: number;
  balance: Atoms;
  deposited: Atoms;
  withdrawn: Atoms;
}
interface PoolRow {
  pool_id: Id;
  day: number;
  staker_balance: Atoms;
  delegations_balance: Atoms;
  delegation_count: number;
  blocks_total: number;
  staker_rewards: Atoms;
  delegation_rewards: Atoms;
  effective_stake: Atoms;
  expected_base: bigint;
}
type AtHeight<Row> = Row & { height: number };

/** A place in the chain as one number: more positions than a block can have transactions. */
const POSITIONS = 2 ** 21;
const placeOf = ({ height, position }: { height: number; position: number }): number => height * POSITIONS + position;

/** The block that is being walked through, and the transaction in it. */
interface Place {
  readonly height: number;
  position: number;
}

const CHANGES = `
  select *, lag(balance, 1, 0::numeric) over pair as balance_before, lag(locked, 1, 0::numeric) over pair as locked_before
    from balance_changes window pair as (partition by owner, currency order by height, position) order by height, position`;

export class BalanceHistoryCheck {
  readonly #client: pg.Client;
  readonly #network: Network;
  readonly #chain: RecomputedChain;
  readonly #past: RecomputedPast;
  readonly #changes: RowsByPlace<ChangeRow>;
  readonly #events: RowsByPlace<EventRow>;
  readonly #filled: RecomputedFills;
  readonly #fills: RowsByPlace<FillRow>;
  readonly #supplies: RowsByPlace<SupplyRow>;
  readonly #delegationDays: RowsByPlace<AtHeight<DelegationRow>>;
  readonly #poolDays: RowsByPlace<AtHeight<PoolRow>>;
  /** The authorities over tokens, by their addresses. */
  readonly #authorities = new Map<string, string>();
  #timestamps: readonly number[] = [];
  #at: Place = { height: 0, position: -1 };
  readonly #ofChanges = new CheckFindings('each change of a balance is what a transaction, a lock or a reward did');
  readonly #ofEvents = new CheckFindings('each event of a token is a command or an issuance');
  readonly #ofActors = new CheckFindings('each command but fills names who gave it');
  readonly #ofFills = new CheckFindings('each fill of an order is a command, with what it moved and who took it');
  readonly #ofSupplies = new CheckFindings('each supply follows from what was minted and burned');
  readonly #ofStakes = new CheckFindings('each day of a delegation or pool follows from its deposits and rewards');

  constructor(client: pg.Client, network: Network, chain: RecomputedChain) {
    this.#client = client;
    this.#network = network;
    this.#chain = chain;
    this.#past = new RecomputedPast(network);
    const ofHeight = ({ height }: { height: number }): number => height;
    this.#changes = new RowsByPlace(rowsByCursor<ChangeRow>(client, 'told_changes', CHANGES), placeOf);
    this.#events = new RowsByPlace(
      rowsByCursor<EventRow>(
        client,
        'told_events',
        'select * from token_events order by height, position, event_index',
      ),
      placeOf,
    );
    this.#filled = new RecomputedFills(network);
    this.#fills = new RowsByPlace(
      rowsByCursor<FillRow>(client, 'told_fills', 'select * from fills order by height, position, input_index'),
      placeOf,
    );
    this.#supplies = new RowsByPlace(
      rowsByCursor<SupplyRow>(client, 'told_supplies', 'select * from supplies order by height'),
      ofHeight,
    );
    this.#delegationDays = new RowsByPlace(
      rowsByCursor<AtHeight<DelegationRow>>(
        client,
        'told_delegation_days',
        'select * from delegation_days order by height',
      ),
      ofHeight,
    );
    this.#poolDays = new RowsByPlace(
      rowsByCursor<AtHeight<PoolRow>>(client, 'told_pool_days', 'select * from pool_days order by height'),
      ofHeight,
    );
  }

  /** The locks that end with a block. */
  async startBlock(block: ReplayedBlockRow): Promise<void> {
    const { height, timestamp } = block;
    this.#timestamps = nextTimestamps(this.#timestamps, timestamp);
    this.#chain.startBlock(block);
    this.#at = { height, position: -1 };
    const unlocked = this.#past.startBlock(height, timestamp, medianTime(this.#timestamps));
    await this.#compareChanges(unlocked, ['unlocked']);
    this.#at.position = 0;
  }

  /** The next transaction of the block. `kinds`: all that apply to it. `actors`: of its row. */
  async transaction(
    shown: StoredTransactionJson,
    kinds: ReadonlySet<BalanceChangeKind>,
    actors: string | null,
  ): Promise<void> {
    const fills = this.#filled.transaction(shown, this.#at.height, this.#past.firstOwner(shown));
    const { changes, payer, fee, events } = this.#past.transaction(shown);
    await this.#compareChanges(changes, [...kinds], payer === null ? '' : ownerCurrencyKey(payer, ''), fee);
    const rows = await this.#events.of(placeOf(this.#at));
    this.#compare(
      this.#ofEvents,
      events,
      rows.map((row) => this.#eventText(row)),
    );
    this.#compareActors(shown, actors, rows);
    const filled = await this.#fills.of(placeOf(this.#at));
    this.#compare(
      this.#ofFills,
      fills,
      filled.map((row) => this.#fillText(row)),
    );
    this.#at.position++;
  }

  #compareActors({ inputs, outputs }: StoredTransactionJson, actors: string | null, events: readonly EventRow[]): void {
    const should = new Map<number, string | undefined>();
    for (const [index, { input }] of inputs.entries()) {
      const { command, order_id: order, token_id: token, new_authority: next } = input;
      if (command === undefined || command === 'FillOrder') continue;
      should.set(index, order === undefined ? this.#authorities.get(token!) : this.#filled.concludeKeyOf(order));
      if (next !== undefined) this.#authorities.set(token!, next);
    }
    this.#compare(
      this.#ofActors,
      should.size === 0 ? [] : [JSON.stringify([...should.values()])],
      actors === null ? [] : [actors],
    );
    for (const { kind, token_id, event_index, actor } of events) {
      const isIssuance = kind === 'token_issue' || kind === 'nft_issue';
      const giver = isIssuance ? null : should.get(event_index);
      this.#compare(this.#ofActors, [`${giver}`], [`${ownerAddress(this.#network, actor)}`]);
      const authority = outputs[event_index]?.authority;
      if (isIssuance && authority) this.#authorities.set(tokenAddress(this.#network, token_id), authority);
    }
  }

  /** The reward of the block, and what it leaves. */
  async finishBlock({ height, pool_id, reward }: ReplayedBlockRow): Promise<void> {
    const outputs = height === 0 ? genesisOutputs(this.#network) : (JSON.parse(reward) as ShownOutput[]);
    await this.#compareChanges(this.#past.reward(outputs), ['reward']);
    const subsidy = height > 0 && pool_id !== null ? subsidyAt(this.#network, height) : 0n;
    const supplies = await this.#supplies.of(height);
    this.#compare(
      this.#ofSupplies,
      this.#past.finishBlock(subsidy, this.#chain.staked),
      supplies.map(({ currency, circulating_supply, preminted, burned, staked }) =>
        [this.#currency(currency), circulating_supply, preminted, burned, staked].join(' '),
      ),
    );
    const delegations = await this.#delegationDays.of(height);
    const pools = await this.#poolDays.of(height);
    this.#compare(this.#ofStakes, this.#chain.takeDayEnds(), [
      ...delegations.map((row) => this.#delegationText(row)),
      ...pools.map((row) => this.#poolText(row)),
    ]);
  }

  async *results(): AsyncGenerator<CheckResult> {
    const nowhere = ({ height }: { height: number }): string => `a row of block ${height}, which is not there`;
    for (const row of await this.#changes.rest()) this.#ofChanges.add(nowhere(row));
    for (const row of await this.#events.rest()) this.#ofEvents.add(nowhere(row));
    for (const row of await this.#fills.rest()) this.#ofFills.add(nowhere(row));
    for (const row of await this.#supplies.rest()) this.#ofSupplies.add(nowhere(row));
    for (const row of await this.#delegationDays.rest()) this.#ofStakes.add(nowhere(row));
    for (const row of await this.#poolDays.rest()) this.#ofStakes.add(nowhere(row));
    yield this.#ofChanges;
    yield this.#ofEvents;
    yield this.#ofActors;
    yield this.#ofFills;
    yield this.#ofSupplies;
    yield this.#ofStakes;
    yield await this.#stakes();
  }

  async #stakes(): Promise<CheckResult> {
    const findings = new CheckFindings('each delegation and pool says what it got, and the day of its last change');
    const compare = (text: string): void => {
      const should = this.#chain.stakeText(text.slice(0, text.indexOf(' ')));
      findings.add(text === should ? undefined : `${text}, not ${should}`);
    };
    const delegations = rowsByCursor<DelegationRow>(
      this.#client,
      'told_delegations',
      'select delegation_id, changed_day as day, balance, deposited, withdrawn from delegations',
    );
    for await (const row of delegations) compare(this.#delegationText(row));
    const pools = rowsByCursor<PoolRow & { decommissioned_by: number | null }>(
      this.#client,
      'told_pools',
      `select pool_id, changed_day as day, staker_balance, delegations_balance, delegation_count, blocks_total, staker_rewards,
              delegation_rewards, effective_stake, expected_base, decommissioned_by from pools`,
    );
    for await (const row of pools) compare(`${this.#poolText(row)} ${row.decommissioned_by}`);
    return findings;
  }

  #delegationText(row: DelegationRow): string {
    const id = delegationAddress(this.#network, row.delegation_id);
    return [id, row.day, row.balance, row.deposited, row.withdrawn].join(' ');
  }

  #poolText(row: PoolRow): string {
    return [
      ...[poolAddress(this.#network, row.pool_id), row.day, row.staker_balance, row.delegations_balance],
      ...[row.delegation_count, row.blocks_total, row.staker_rewards, row.delegation_rewards],
      ...[row.effective_stake, row.expected_base],
    ].join(' ');
  }

  /** Compares the rows of this place, and those before it that no place asked for. `payer`: the pair with the fee. */
  async #compareChanges(
    changes: ReplayedChanges,
    kinds: readonly BalanceChangeKind[],
    payer = '',
    fee: Atoms = 0n,
  ): Promise<void> {
    const rows = await this.#changes.of(placeOf(this.#at));
    if (rows.length === 0 && changes.size === 0) return;
    const should = [...changes].map(([pair, { change, locked }]) => {
      const sign: readonly BalanceChangeKind[] = change > 0n ? ['received'] : change < 0n ? ['sent'] : [];
      const all = [...sign, ...kinds].sort().join(',');
      return [pair, this.#at.position, change, change, locked, pair === payer ? fee : 0n, all].join(' ');
    });
    const is = rows.map((row) => {
      const pair = ownerCurrencyKey(destinationAddress(this.#network, row.owner), this.#currency(row.currency));
      const all = balanceChangeKinds(row.kinds).sort().join(',');
      const [more, moreLocked] = [row.balance - row.balance_before, row.locked - row.locked_before];
      return [pair, row.position, row.change, more, moreLocked, row.fee, all].join(' ');
    });
    this.#compare(this.#ofChanges, should, is);
  }

  #eventText(row: EventRow): string {
    const { event_index, kind, token_id, amount, supply, authority, metadata_uri, is_unfreezable } = row;
    const token = kind === 'token_issue' ? '' : tokenAddress(this.#network, token_id);
    const newAuthority = authority === null ? '' : destinationAddress(this.#network, authority);
    const rest = [newAuthority, metadata_uri ?? '', is_unfreezable ?? ''];
    return [event_index, kind, token, amount ?? '', supply, ...rest].join(' ');
  }

  #fillText({ input_index, order_id, is_buy, base, quote, base_amount, quote_amount, taker }: FillRow): string {
    const ofBase = [this.#currency(base), base_amount];
    const ofQuote = [this.#currency(quote), quote_amount];
    const sides = is_buy ? [...ofQuote, ...ofBase] : [...ofBase, ...ofQuote];
    const owner = taker === null ? '' : destinationAddress(this.#network, taker);
    return [input_index, orderAddress(this.#network, order_id), ...sides, owner].join(' ');
  }

  #currency(currency: Hex): string {
    return currency === '' ? '' : tokenAddress(this.#network, currency);
  }

  #compare(findings: CheckFindings, should: string[], is: string[]): void {
    should.sort();
    is.sort();
    for (let i = 0; i < Math.max(should.length, is.length); i++) {
      const isSame = should[i] === is[i];
      const where = `block ${this.#at.height}`;
      findings.add(isSame ? undefined : `${where}: ${is[i] ?? 'nothing'}, not ${should[i] ?? 'nothing'}`);
    }
  }
}
