/** Compares blocks, spends, NFT owners and delegations with the texts of all transactions, in one walk along the chain. */

import type pg from 'pg';
import { delegationAddress, poolAddress, tokenAddress } from '../../src/chain/address.ts';
import { medianTime, nextTimestamps } from '../../src/chain/median-time.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { Atoms, Hex, Id } from '../../src/chain/types.ts';
import { KIND_NUMBERS, TRANSACTION_KINDS, type TransactionKind } from '../../src/ledger/transaction-kind.ts';
import { CheckFindings, type CheckResult } from '../../src/store/verify/check-result.ts';
import { rowsByCursor } from '../../src/store/verify/database-cursor.ts';
import { HoursCheck } from './hour-checks.ts';
import { BalanceHistoryCheck } from './past-checks.ts';
import {
  ownerAddress,
  RecomputedChain,
  type RecomputedTransaction,
  type ReplayedBlockRow,
} from './recomputed-chain.ts';
import { RowsByPlace } from './rows-by-place.ts';
import type { StoredTransactionJson } from './stored-transaction-json.ts';

/** Texts may be as long as a block. */
const TRANSACTIONS_AT_ONCE = 200;

interface TransactionRow {
  tx_index: number;
  size: number;
  output_count: number;
  kind: number;
  actors: string | null;
  body: string;
}
interface SpendRow {
  tx_index: number;
  input_index: number;
  output_index: number;
  source: Id;
  secret: Hex | null;
}
interface OwnerRow {
  tx_index: number;
  token_id: Id;
  owner: string | null;
}

/** Makes the checks within the client's transaction. */
export async function* checkRecomputedChain(client: pg.Client, network: Network): AsyncGenerator<CheckResult> {
  yield* new ChainCheck(client, network).results();
}

class ChainCheck {
  readonly #client: pg.Client;
  readonly #network: Network;
  readonly #chain: RecomputedChain;
  readonly #transactions = new CheckFindings('each transaction has the outputs that it says, and room in its block');
  readonly #kinds = new CheckFindings('each transaction is of the kind that it says');
  readonly #spends = new CheckFindings('each spend names its input, and the secret that it revealed');
  readonly #blocks = new CheckFindings(
    'each block says what its transactions are and pay, and how its reward was shared',
  );
  readonly #medians = new CheckFindings('each block has the median of the times up to it');
  readonly #owners = new CheckFindings('each owner of an NFT is one that a transaction gave it to');

  constructor(client: pg.Client, network: Network) {
    this.#client = client;
    this.#network = network;
    this.#chain = new RecomputedChain(network);
  }

  async *results(): AsyncGenerator<CheckResult> {
    const transactions = rowsByCursor<TransactionRow>(
      this.#client,
      'texts',
      'select tx_index, size, output_count, kind, actors, body from transactions order by tx_index',
      TRANSACTIONS_AT_ONCE,
    );
    const spends = new RowsByPlace(
      rowsByCursor<SpendRow>(
        this.#client,
        'named_spends',
        `select at.first_tx_index + s.spent_position as tx_index, s.input_index, s.output_index,
                coalesce(x.tx_id, b.block_id) as source, s.secret
           from spends s
           join blocks at on at.height = s.spent_height
           join blocks b on b.height = s.height
           left join transactions x on s.position < b.tx_count and x.tx_index = b.first_tx_index + s.position
          where s.spent_position is not null
          order by 1, 2`,
      ),
      ({ tx_index }) => tx_index,
    );
    const owners = new RowsByPlace(
      rowsByCursor<OwnerRow>(
        this.#client,
        'given_nfts',
        'select tx_index, token_id, owner from nft_owners order by tx_index, token_id',
      ),
      ({ tx_index }) => tx_index,
    );
    const past = new BalanceHistoryCheck(this.#client, this.#network, this.#chain);
    const hours = new HoursCheck(this.#client, this.#network, this.#chain);
    let timestamps: readonly number[] = [];
    const columns = `height, timestamp, median_time, tx_count, pool_id, size, reward, kinds, fees, staker_reward,
                     delegations_reward, reward_rate`;
    for await (const block of rowsByCursor<ReplayedBlockRow>(
      this.#client,
      'told_blocks',
      `select ${columns} from blocks order by height`,
    )) {
      timestamps = nextTimestamps(timestamps, block.timestamp);
      const median = medianTime(timestamps);
      this.#medians.add(
        block.median_time === median ? undefined : `block ${block.height}: ${block.median_time}, not ${median}`,
      );
      await past.startBlock(block);
      const kinds = new Map<TransactionKind, number>();
      let fees = 0n;
      let size = 0;
      for (let left = block.tx_count; left > 0; left--) {
        const next = await transactions.next();
        if (next.done) break;
        const row = next.value;
        const shown = JSON.parse(row.body) as StoredTransactionJson;
        const replayed = this.#chain.transaction(shown, row.tx_index);
        await past.transaction(shown, replayed.kinds, row.actors);
        hours.transaction(shown);
        kinds.set(replayed.kind, (kinds.get(replayed.kind) ?? 0) + 1);
        fees += BigInt(shown.fee.atoms);
        size += row.size;
        this.#transactions.add(
          row.output_count === shown.outputs.length && row.size > 0
            ? undefined
            : `transaction ${row.tx_index}: ${row.output_count} outputs, it shows ${shown.outputs.length}`,
        );
        this.#kinds.add(
          row.kind === KIND_NUMBERS[replayed.kind]
            ? undefined
            : `transaction ${row.tx_index} is a ${replayed.kind}, not a ${TRANSACTION_KINDS[row.kind]}`,
        );
        this.#compareSpends(row.tx_index, replayed, await spends.of(row.tx_index));
        this.#compareOwners(row.tx_index, replayed, await owners.of(row.tx_index));
      }
      if (size >= block.size)
        this.#transactions.add(`block ${block.height}: ${block.size} bytes, its transactions ${size}`);
      this.#compareBlock(block, kinds, fees);
      await past.finishBlock(block);
      await hours.finishBlock(block);
    }
    for (const row of await spends.rest()) this.#spends.add(`transaction ${row.tx_index} has no input for it`);
    for (const row of await owners.rest()) this.#owners.add(`transaction ${row.tx_index} is not there`);
    yield this.#transactions;
    yield this.#kinds;
    yield this.#spends;
    yield this.#blocks;
    yield this.#medians;
    yield this.#owners;
    yield* past.results();
    yield* hours.results();
    yield await this.#delegations();
  }

  #compareSpends(txIndex: number, { spends }: RecomputedTransaction, rows: readonly SpendRow[]): void {
    const should = spends.map(({ inputIndex, sourceId, outputIndex, secret }) =>
      [inputIndex, sourceId, outputIndex, secret].join(' '),
    );
    const is = rows.map(({ input_index, source, output_index, secret }) =>
      [input_index, source, output_index, secret].join(' '),
    );
    for (let i = 0; i < Math.max(should.length, is.length); i++) {
      this.#spends.add(
        should[i] === is[i]
          ? undefined
          : `transaction ${txIndex}: ${is[i] ?? 'nothing'}, not ${should[i] ?? 'nothing'}`,
      );
    }
  }

  #compareOwners(txIndex: number, { nftOwners }: RecomputedTransaction, rows: readonly OwnerRow[]): void {
    const should = new Map(nftOwners);
    for (const { token_id, owner } of rows) {
      const nft = tokenAddress(this.#network, token_id);
      const isRight = should.has(nft) && should.get(nft) === ownerAddress(this.#network, owner);
      this.#owners.add(isRight ? undefined : `transaction ${txIndex} did not give ${nft} to ${owner}`);
      if (isRight) should.delete(nft);
    }
    for (const nft of should.keys()) this.#owners.add(`transaction ${txIndex} gave ${nft} to somebody else`);
  }

  #compareBlock(block: ReplayedBlockRow, kinds: ReadonlyMap<TransactionKind, number>, fees: Atoms): void {
    const { height, pool_id: poolId } = block;
    const reward =
      poolId === null || height === 0
        ? { staker: 0n, delegations: 0n, rate: 0n }
        : this.#chain.reward(height, poolAddress(this.#network, poolId), fees);
    const inOrder = TRANSACTION_KINDS.filter((kind) => kinds.has(kind));
    const should = [
      JSON.stringify(Object.fromEntries(inOrder.map((kind) => [kind, kinds.get(kind)]))),
      ...[fees, reward.staker, reward.delegations, reward.rate],
    ].join(' ');
    const is = [block.kinds, block.fees, block.staker_reward, block.delegations_reward, block.reward_rate].join(' ');
    this.#blocks.add(is === should ? undefined : `block ${height}: ${is}, not ${should}`);
  }

  async #delegations(): Promise<CheckResult> {
    const findings = new CheckFindings('each delegation has what was put in and its rewards, less what was taken out');
    const rows = rowsByCursor<{ delegation_id: Id; balance: Atoms }>(
      this.#client,
      'delegated',
      'select delegation_id, balance from delegations',
    );
    let count = 0;
    for await (const { delegation_id, balance } of rows) {
      count++;
      const id = delegationAddress(this.#network, delegation_id);
      const should = this.#chain.delegations.get(id)?.balance;
      findings.add(balance === should ? undefined : `${id}: ${balance}, not ${should}`);
    }
    const { size } = this.#chain.delegations;
    if (size > count) findings.add(`${size - count} that were created are not there`);
    return findings;
  }
}
