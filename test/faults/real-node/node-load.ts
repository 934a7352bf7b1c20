/** What a real node is given: recorded blocks, branches of them, pending transactions, and SIGKILL at random moments. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeededRandom } from '../../../bench/seeded-random.ts';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import type { Atoms, Id, IdentifiedBlock, Outpoint, SignedTransaction } from '../../../src/chain/types.ts';
import { ChainFile } from '../../../src/devnet/chain-file-reader.ts';
import { type NodeDaemon, RpcError } from './node-daemon.ts';

/** Pays for any of these transactions. */
const FEE: Atoms = 100_000_000_000n;
const ANYONE_CAN_SPEND = '00';
const MAX_BLOCKS_BACK = 5;

export interface RecordedBlock extends IdentifiedBlock {
  readonly hex: string;
}

export async function readRecordedBlocks(path: string): Promise<RecordedBlock[]> {
  await using file = await ChainFile.open(path);
  const blocks: RecordedBlock[] = [];
  for (let block = await file.next(); block !== undefined; block = await file.next()) {
    blocks.push({ ...identifyBlock(block.bytes), hex: block.bytes.toString('hex') });
  }
  return blocks;
}

export class NodeLoad {
  readonly #node: NodeDaemon;
  /** The address of the API. */
  readonly #api: string;
  readonly #random: SeededRandom;
  /** How often something was done, and why transactions were refused. */
  readonly counts: Record<string, number> = {};
  readonly #submitted = new Map<Id, RecordedBlock>();

  constructor(node: NodeDaemon, api: string, random: SeededRandom) {
    this.#node = node;
    this.#api = api;
    this.#random = random;
  }

  /**
   * Submits the first `count` blocks; once one of them is the node's tip, slowly, and with payments and transactions of
   * later blocks before them.
   */
  async takeChain(blocks: readonly RecordedBlock[], count: number, pauseMs: number): Promise<void> {
    const random = this.#random;
    let isSeen = false;
    for (const [at, block] of blocks.slice(0, count).entries()) {
      await this.#submitBlock(block);
      isSeen ||= (await this.#node.patientCall('chainstate_best_block_id')) === block.id;
      if (!isSeen) continue;
      await sleep(random.whole(0, 2 * pauseMs));
      if (random.isTrue(0.06)) await this.#goBack();
      if (random.isTrue(0.4)) {
        const soon = blocks.slice(at + 1, at + 5).flatMap((later) => later.block.transactions);
        for (const signed of random.some(soon, random.whole(1, 6))) await this.#submit(signed);
      }
      if (random.isTrue(0.4)) await this.submitPayments();
    }
  }

  /** Leaves a chain, from its first block on, for what the node has besides, and comes back. */
  async leaveAndReturn(first: Id): Promise<void> {
    await this.#node.patientCall('chainstate_invalidate_block', first);
    this.#count('whole chains left');
    await sleep(this.#random.whole(2_000, 8_000));
    await this.#node.patientCall('chainstate_reset_block_failure_flags', first);
    await sleep(this.#random.whole(2_000, 8_000));
  }

  /** Pays what anyone can spend, and perhaps pays on what that paid. */
  async submitPayments(): Promise<void> {
    const found = await this.#spendable();
    if (found === undefined) return;
    const first = payment(found);
    await this.#submit(first);
    const sourceId = transactionId(first.transaction);
    const next = payment({ outpoint: { sourceType: 'Transaction', sourceId, index: 0 }, amount: found.amount - FEE });
    if (this.#random.isTrue(0.5)) await this.#submit(next);
  }

  /** Begins to kill the node and to start it again; the returned function resolves when that has ended and it runs. */
  startKilling(pauseMs: number): () => Promise<void> {
    const random = this.#random;
    let isOver = false;
    const kill = async () => {
      await this.#node.kill();
      this.#count('kills of the node');
    };
    const killing = (async () => {
      for (;;) {
        await sleep(random.whole(0, 2 * pauseMs));
        if (isOver) return;
        await kill();
        await sleep(random.isTrue(0.3) ? 0 : random.whole(0, 4_000));
        this.#node.start();
        if (random.isTrue(0.2)) {
          // While it starts.
          await sleep(random.whole(0, 700));
          await kill();
          this.#node.start();
        }
        await this.#node.answers();
      }
    })();
    return () => {
      isOver = true;
      return killing;
    };
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  async #submitBlock(block: RecordedBlock): Promise<void> {
    this.#submitted.set(block.id, block);
    try {
      await this.#node.patientCall('chainstate_submit_block', block.hex);
      this.#count('blocks submitted');
    } catch (error) {
      const { message } = error as RpcError;
      if (/already/.test(message)) return this.#count('blocks that the node had taken when it was killed');
      const parent = this.#submitted.get(block.block.header.prevBlockId);
      if (!/not found|orphan/i.test(message) || parent === undefined) throw error;
      this.#count('blocks that the node had lost');
      await this.#submitBlock(parent);
      await this.#submitBlock(block);
    }
  }

  /** The tip goes back by some blocks, and forth again. */
  async #goBack(): Promise<void> {
    const node = this.#node;
    const height = await node.patientCall('chainstate_best_block_height');
    if (height <= MAX_BLOCKS_BACK) return;
    const lost = height - this.#random.whole(0, MAX_BLOCKS_BACK - 1);
    const id = await node.patientCall('chainstate_block_id_at_height', lost);
    await node.patientCall('chainstate_invalidate_block', id);
    this.#count('times the tip went back');
    await sleep(this.#random.whole(0, 1_500));
    await node.patientCall('chainstate_reset_block_failure_flags', id);
  }

  /** By our API or by the node's. */
  async #submit(signed: SignedTransaction): Promise<void> {
    const hex = encodeSignedTransaction(signed).toString('hex');
    const refused = (by: string, why: string) =>
      this.#count(`${by}: ${why.replaceAll(/[0-9a-f]{64}|\d{4,}/g, '…').slice(0, 160)}`);
    if (this.#random.isTrue(0.3)) {
      try {
        await this.#node.call('mempool_submit_transaction', hex, {});
        this.#count('transactions taken by the node');
      } catch (error) {
        refused('refused by the node', error instanceof RpcError ? error.message : 'no answer');
      }
      return;
    }
    const response = await fetch(`${this.#api}/transaction`, { method: 'POST', body: hex });
    const text = await response.text();
    if (!response.ok) return refused(`refused by POST /transaction with ${response.status}`, text);
    this.#count('transactions taken by POST /transaction');
    const asked = await fetch(`${this.#api}/transaction/${transactionId(signed.transaction)}`);
    await asked.body?.cancel();
    this.#count(`transactions that GET /transaction answered with ${asked.status} right after that`);
  }

  /** An output of coins on the main chain. */
  async #spendable(): Promise<Spendable | undefined> {
    const newestFirst: RecordedBlock[] = [];
    let id = await this.#node.patientCall('chainstate_best_block_id');
    for (let block = this.#submitted.get(id); block !== undefined; block = this.#submitted.get(id)) {
      newestFirst.push(block);
      id = block.block.header.prevBlockId;
    }
    const found = spendableOutputs(newestFirst);
    return found.length === 0 ? undefined : this.#random.pick(found);
  }
}

export interface Spendable {
  readonly outpoint: Outpoint;
  readonly amount: Atoms;
}

/** Returns the outputs of coins that anyone can spend and nobody has spent, on the chain of these blocks. */
export function spendableOutputs(newestFirst: readonly RecordedBlock[]): Spendable[] {
  const spent = new Set<string>();
  const found: Spendable[] = [];
  // From the tip down, so that what spends an output is seen before it.
  for (const { block, transactionIds } of newestFirst) {
    for (const { transaction } of block.transactions) {
      for (const input of transaction.inputs) {
        if (input.type === 'Utxo') spent.add(`${input.outpoint.sourceId}-${input.outpoint.index}`);
      }
    }
    for (const [at, { transaction }] of block.transactions.entries()) {
      for (const [index, output] of transaction.outputs.entries()) {
        const sourceId = transactionIds[at]!;
        if (output.type !== 'Transfer' || output.value.type !== 'Coin') continue;
        if (output.destination !== ANYONE_CAN_SPEND || spent.has(`${sourceId}-${index}`)) continue;
        const { amount } = output.value;
        if (amount > 3n * FEE) found.push({ outpoint: { sourceType: 'Transaction', sourceId, index }, amount });
      }
    }
  }
  return found;
}

/** Spends an output, for the fee of one transaction. */
export function payment({ outpoint, amount }: Spendable): SignedTransaction {
  const value = { type: 'Coin', amount: amount - FEE } as const;
  const output = { type: 'Transfer', value, destination: ANYONE_CAN_SPEND } as const;
  return {
    transaction: { flags: 0n, inputs: [{ type: 'Utxo', outpoint }], outputs: [output] },
    signatures: [{ type: 'NoSignature', data: null }],
  };
}
