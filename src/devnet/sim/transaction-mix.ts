/** The frequencies of the kinds of transactions in a simulated chain. */

import type { BlockInterval } from './block-times.ts';
import { SIMULATED_KINDS, type SimulatedTransactionKind } from './kinds/transaction-makers.ts';
import type { UserHabits } from './transaction-maker-context.ts';

export interface TransactionMix extends UserHabits {
  readonly name: string;
  /** Keys in use from the start. */
  readonly addresses: number;
  /** Mean of a block once the set-up is done. */
  readonly transactionsPerBlock: number;
  /** Blocks are filled up to this many bytes instead of to a number of transactions. */
  readonly blockBytes?: number;
  /** Seconds between blocks; about two minutes unless given. */
  readonly blockSeconds?: BlockInterval;
  readonly weights: Partial<Record<SimulatedTransactionKind, number>>;
  /** Transactions that come first, in this order. */
  readonly setup: Partial<Record<SimulatedTransactionKind, number>>;
  readonly setupTransactionsPerBlock: number;
  /** While the chain grows on its own, transactions come one by one and wait from one block to the one after the next. */
  readonly waitsInMempool?: boolean;
}

/** The weights of the kinds in the demo, and per thousand transactions of the main network. */
const USUAL_WEIGHTS = {
  transfer: [26, 690],
  sameBlock: [3, 6],
  manyCurrencies: [3, 6],
  lock: [6, 9.4],
  burn: [2, 1.5],
  dataDeposit: [2, 2],
  poolCreate: [0.45, 0.17],
  poolDecommission: [0.5, 0.17],
  delegationCreate: [1.2, 2.7],
  delegate: [6, 56],
  withdraw: [3, 35],
  tokenIssue: [0.8, 0.84],
  tokenMint: [4, 4.5],
  tokenUnmint: [2, 1.5],
  tokenLock: [0.4, 0.1],
  tokenFreeze: [0.5, 0.15],
  tokenUnfreeze: [2, 0.3],
  tokenAuthority: [1, 1.2],
  tokenMetadataChange: [1, 1.7],
  tokenTransfer: [10, 106],
  tokenBurn: [1, 0.5],
  nftIssue: [1.6, 7.9],
  nftTransfer: [4, 11.4],
  nftBurn: [0.7, 0.5],
  orderCreate: [5, 24.6],
  orderFill: [7, 28],
  orderFreeze: [1, 0.4],
  orderConclude: [2, 15],
  htlcCreate: [4, 10.9],
  htlcSpend: [2, 7],
  htlcRefund: [2, 5],
} as const satisfies Partial<Record<SimulatedTransactionKind, readonly [demo: number, mainnet: number]>>;

function usualWeights(column: 0 | 1): TransactionMix['weights'] {
  return Object.fromEntries(Object.entries(USUAL_WEIGHTS).map(([kind, weights]) => [kind, weights[column]]));
}

/** Something happens on every endpoint within the first blocks. */
const demo: TransactionMix = {
  name: 'demo',
  waitsInMempool: true,
  markets: 4,
  drawsByStake: true,
  addresses: 60,
  newAddressChance: 0.03,
  maxAddresses: 800,
  liquidOutputs: 2_000,
  transactionsPerBlock: 7,
  setup: {
    split: 2,
    poolCreate: 4,
    delegationCreate: 8,
    delegate: 12,
    tokenIssue: 6,
    tokenMint: 8,
    nftIssue: 4,
    orderCreate: 4,
    htlcCreate: 3,
    lock: 4,
    transfer: 10,
  },
  setupTransactionsPerBlock: 14,
  weights: { ...usualWeights(0), orderCreate: 8, orderFill: 20, orderConclude: 3 },
};

/** The main network's habits, after a set-up of 100 pools, 3,000 delegations and 200 tokens. */
const mainnet: TransactionMix = {
  name: 'mainnet',
  drawsByStake: true,
  addresses: 2_500,
  newAddressChance: 0.01,
  maxAddresses: 20_000,
  liquidOutputs: 60_000,
  transactionsPerBlock: 3,
  setup: {
    split: 201,
    poolCreate: 100,
    delegationCreate: 3_000,
    delegate: 3_000,
    tokenIssue: 200,
    tokenMint: 200,
    nftIssue: 100,
    orderCreate: 300,
  },
  setupTransactionsPerBlock: 300,
  weights: usualWeights(1),
};

/** Every kind often: for tests. */
const dense: TransactionMix = {
  name: 'dense',
  addresses: 40,
  newAddressChance: 0.02,
  maxAddresses: 600,
  liquidOutputs: 1_500,
  transactionsPerBlock: 12,
  setup: { split: 2, poolCreate: 6, delegationCreate: 10, delegate: 12, tokenIssue: 10, tokenMint: 12, nftIssue: 5 },
  setupTransactionsPerBlock: 30,
  weights: {
    ...Object.fromEntries(SIMULATED_KINDS.map((kind) => [kind, 4])),
    split: 0.1,
    payout: 0.4,
    consolidation: 0.3,
    transfer: 10,
    poolCreate: 1.5,
    poolDecommission: 1.2,
    tokenFreeze: 0.6,
    tokenLock: 1,
    nftBurn: 1,
  },
};

/** Blocks near the size limit. */
const large: TransactionMix = {
  ...demo,
  name: 'large',
  markets: 0,
  drawsByStake: false,
  waitsInMempool: false,
  addresses: 800,
  liquidOutputs: 30_000,
  transactionsPerBlock: 0,
  blockBytes: 1_000_000,
  setup: { ...demo.setup, split: 60 },
  setupTransactionsPerBlock: 60,
  weights: { ...usualWeights(0), payout: 6, consolidation: 24, dataDeposit: 30, transfer: 60 },
};

export const MIX_PRESETS = { demo, mainnet, dense, large } as const;
export type MixPreset = keyof typeof MIX_PRESETS;

/** Returns the preset with this name; undefined if there is none. */
export function mixPresetByName(name: string): TransactionMix | undefined {
  return Object.hasOwn(MIX_PRESETS, name) ? MIX_PRESETS[name as MixPreset] : undefined;
}

/** Draws kinds as often as their weights say. */
export function cumulatedWeights(mix: TransactionMix) {
  const kinds: SimulatedTransactionKind[] = [];
  const cumulated: number[] = [];
  let sum = 0;
  for (const kind of SIMULATED_KINDS) {
    const weight = mix.weights[kind] ?? 0;
    if (weight <= 0) continue;
    sum += weight;
    kinds.push(kind);
    cumulated.push(sum);
  }
  return { kinds, cumulated };
}
