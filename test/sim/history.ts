/** Simulated chains as the histories that a scanner sees: each new tip leaves something and brings something. */
import { identifyBlock } from '../../src/chain/codec/block.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type { IdentifiedBlock } from '../../src/chain/types.ts';
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
