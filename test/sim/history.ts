/** Simulated chains as the histories that a scanner sees: each new tip leaves something and brings something. */
import { isUtf8 } from 'node:buffer';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { deriveOrderId } from '../../src/chain/derive-ids.ts';
import { type Network, ordersVersionAt } from '../../src/chain/networks/network.ts';
import type { Id, IdentifiedBlock } from '../../src/chain/types.ts';
import { blockArrivals } from '../../src/devnet/sim/build-chain.ts';
import { Simulation } from '../../src/devnet/sim/simulation.ts';
import { MIX_PRESETS, type MixPreset, type TransactionMix } from '../../src/devnet/sim/transaction-mix.ts';
import type { TestIndex } from '../support/indexed-database.ts';
import type { HistoryStep, RecordedChain } from '../support/recorded-chain.ts';

/** Every kind often, but few transactions a block: tests of the tables are bound by the tables. */
const LIGHT: TransactionMix = {
  ...MIX_PRESETS.dense,
  name: 'light',
  transactionsPerBlock: 6,
  setupTransactionsPerBlock: 15,
};

/** Few tokens and many orders, so that some have the same price. */
export const TRADING: TransactionMix = {
  ...MIX_PRESETS.dense,
  name: 'trading',
  samePriceChance: 0.5,
  transactionsPerBlock: 6,
  setupTransactionsPerBlock: 15,
  weights: { ...MIX_PRESETS.dense.weights, tokenIssue: 0.1, orderCreate: 60, orderFill: 20 },
};

/** Months within few blocks, and all that pools, NFTs and contracts live through. */
export const MONTHS: TransactionMix = {
  ...MIX_PRESETS.dense,
  name: 'months',
  blockSeconds: { from: 200, to: 90_000 },
  transactionsPerBlock: 8,
  setupTransactionsPerBlock: 15,
  weights: {
    ...MIX_PRESETS.dense.weights,
    delegationCreate: 8,
    delegate: 10,
    withdraw: 12,
    nftIssue: 8,
    nftTransfer: 12,
    htlcCreate: 10,
    htlcSpend: 8,
    htlcRefund: 8,
    lock: 10,
  },
};

/** What is valid and hardly ever done, in every second transaction; few transactions, for many seeds. */
export const RARE: TransactionMix = {
  ...MONTHS,
  name: 'rare',
  rareChance: 0.5,
  transactionsPerBlock: 4,
  setupTransactionsPerBlock: 12,
  blockSeconds: { from: 100, to: 2_000 },
  weights: { ...MONTHS.weights, poolCreate: 3, poolDecommission: 3, orderCreate: 12, orderFill: 12 },
};

export interface History extends RecordedChain {
  /** Its world is that of the last tip. */
  readonly simulation: Simulation;
}

export interface HistoryOptions {
  readonly network: Network;
  readonly seed: string;
  readonly blocks: number;
  readonly mix?: TransactionMix | MixPreset;
  readonly reorganisationProbability?: number;
}

export function simulatedHistory(options: HistoryOptions): History {
  const complete = { mix: LIGHT, ...options };
  const simulation = new Simulation(complete);
  const steps: HistoryStep[] = [];
  let mainChain: IdentifiedBlock[] = [];
  let arrived: IdentifiedBlock[] = [];
  let ancestor = 0;
  for (const { block, isTip } of blockArrivals(complete, simulation)) {
    if (arrived.length === 0) ancestor = block.height - 1;
    arrived.push(identifyBlock(block.bytes));
    if (!isTip) continue;
    steps.push({ ancestor, blocks: arrived });
    mainChain = [...mainChain.slice(0, ancestor), ...arrived];
    arrived = [];
  }
  return { network: options.network, steps, mainChain, simulation };
}

/** Takes a step as the scanner does. */
export async function take(index: TestIndex, { ancestor, blocks }: HistoryStep): Promise<void> {
  if (ancestor === index.applier.chain.height) await index.follow(blocks, blocks.length);
  else await index.reorganise(ancestor, blocks);
}

/** Some of them, from all over. */
export function sample<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(all.length / count));
  return all.filter((_, index) => index % step === 0).slice(0, count);
}

/** How many rare states a chain went through, by what they are. */
export function rareStatesOf({ network, mainChain }: History): Readonly<Record<string, number>> {
  const found = {
    'kernels of another pool': 0,
    'outputs of zero atoms': 0,
    'spends of zero atoms': 0,
    'hashes that are no text': 0,
    'hashes with a byte of zero': 0,
    'fills after the upgrade of orders made before it': 0,
  };
  const nothings = new Set<string>();
  const orders = new Set<Id>();
  for (const [index, { block, transactionIds }] of mainChain.entries()) {
    const { consensus } = block.header;
    const [reward] = block.reward;
    if (consensus.type === 'PoS' && reward?.type === 'ProduceBlockFromStake')
      found['kernels of another pool'] += Number(consensus.data.stakePoolId !== reward.poolId);
    for (const [position, { transaction }] of block.transactions.entries()) {
      for (const input of transaction.inputs) {
        if (input.type === 'Utxo')
          found['spends of zero atoms'] += Number(nothings.has(`${input.outpoint.sourceId}:${input.outpoint.index}`));
        else if (input.type === 'OrderAccountCommand' && input.command.type === 'FillOrder')
          found['fills after the upgrade of orders made before it'] += Number(orders.has(input.command.orderId));
      }
      for (const [place, output] of transaction.outputs.entries()) {
        if ('value' in output && output.value.type !== 'TokenV0' && output.value.amount === 0n) {
          nothings.add(`${transactionIds[position]}:${place}`);
          found['outputs of zero atoms']++;
        }
        if (output.type === 'CreateOrder' && ordersVersionAt(network, index + 1) === 0)
          orders.add(deriveOrderId(transaction.inputs)!);
        if (output.type !== 'Htlc') continue;
        const hash = Buffer.from(output.contract.secretHash, 'hex');
        found['hashes that are no text'] += Number(!isUtf8(hash));
        found['hashes with a byte of zero'] += Number(hash.includes(0));
      }
    }
  }
  return found;
}
