/** The definition of a Mintlayer network, and the rules that depend on the height (docs/protocol.md#networks). */
import type { Atoms, Hex, Id } from '../types.ts';

/** A network that does not exist, or a description that cannot be used. The message says what to correct. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** The seconds that the protocol aims at between a block and its parent, on every network. */
export const TARGET_BLOCK_SECONDS = 120;

/** Atoms of one coin; the protocol's fees and subsidies are set in coins. */
export const ATOMS_PER_COIN = 100_000_000_000n;
/**
 * The number of newest timestamps whose median is the median time past
 * (docs/indexing-rules.md#time-locks-and-median-time-past).
 */
export const MEDIAN_TIME_SPAN = 11;
/** The most bytes of the transactions of a block, with their number before them. */
export const MAX_BLOCK_BYTES = 1_048_576;
/** The largest height, which no chain reaches. Heights are stored as signed 32-bit numbers. */
export const MAX_HEIGHT = 0x7fff_ffff;

/** The human-readable part of each kind of address (docs/protocol.md#addresses). */
export interface AddressPrefixes {
  readonly anyoneCanSpend: string;
  readonly publicKeyHash: string;
  readonly publicKey: string;
  readonly scriptHash: string;
  readonly classicMultisig: string;
  readonly poolId: string;
  readonly delegationId: string;
  readonly tokenId: string;
  readonly orderId: string;
  readonly vrfPublicKey: string;
}

/** The consensus from `height` on. */
export interface ConsensusUpgrade {
  readonly height: number;
  readonly type: 'None' | 'PoW' | 'PoS';
  /** Blocks that what leaves a pool or a delegation must be locked for. */
  readonly maturity: number;
}

/** The heights from which the newer rules hold. */
interface ChainstateUpgrades {
  readonly rewardDistributionV1: number;
  readonly tokensFeeV1: number;
  readonly dataDepositFeeV1: number;
  readonly ordersV1: number;
  readonly tokenIdGenerationV1: number;
  /** Below it, the kernel of a block may be an output of another pool than the one that makes the block. */
  readonly kernelOfOwnPool: number;
}

/** The subsidy from `height` on: a block mints `atoms`. */
export interface SubsidyStep {
  readonly height: number;
  readonly atoms: Atoms;
}

export interface Network {
  readonly name: string;
  readonly coinTicker: string;
  readonly coinDecimals: number;
  /** Four bytes. */
  readonly magic: Hex;
  readonly rpcPort: number;
  readonly p2pPort: number;
  readonly prefixes: AddressPrefixes;
  /** The encoded genesis. */
  readonly genesis: Hex;
  readonly genesisId: Id;
  /** Ascending by height, like the next. */
  readonly consensus: readonly ConsensusUpgrade[];
  readonly subsidy: readonly SubsidyStep[];
  /** The atoms when everything is minted; the weight of a pool is capped at a part of it. */
  readonly finalSupply: Atoms;
  readonly upgrades: ChainstateUpgrades;
}

/** The burned fee of each kind of output or command, in atoms. */
export interface BurnedFees {
  readonly issueFungibleToken: Atoms;
  readonly issueNft: Atoms;
  /** Mint, unmint and lock, each. */
  readonly tokenSupplyChange: Atoms;
  /** Freeze and unfreeze, each. */
  readonly tokenFreeze: Atoms;
  readonly tokenChangeAuthority: Atoms;
  readonly tokenChangeMetadataUri: Atoms;
  readonly dataDeposit: Atoms;
}

/** Returns the atoms that a block at that height mints; nothing at height 0 (docs/protocol.md#subsidy). */
export function subsidyAt(network: Network, height: number): Atoms {
  return stepAt(network.subsidy, height)?.atoms ?? 0n;
}

/**
 * Returns the atoms that there will be when the last step of the subsidy begins, burned ones included. `premine`: the atoms
 * before the first block (docs/protocol.md#final-supply).
 */
export function finalSupplyOf(premine: Atoms, subsidy: readonly SubsidyStep[]): Atoms {
  const firstBlock = (step: SubsidyStep): bigint => BigInt(Math.max(step.height, 1));
  return subsidy.slice(1).reduce((supply, step, i) => {
    const before = subsidy[i]!;
    return supply + before.atoms * (firstBlock(step) - firstBlock(before));
  }, premine);
}

/** The fees at that height (docs/protocol.md#burned-fees). */
export function burnedFeesAt({ upgrades }: Network, height: number): BurnedFees {
  return {
    ...(height < upgrades.tokensFeeV1 ? TOKEN_FEES_V0 : TOKEN_FEES_V1),
    dataDeposit: coins(height < upgrades.dataDepositFeeV1 ? 100n : 20n),
  };
}

/** Returns the version of the division of rewards (docs/indexing-rules.md#reward-distribution). */
export function rewardDistributionVersionAt({ upgrades }: Network, height: number): 0 | 1 {
  return height < upgrades.rewardDistributionV1 ? 0 : 1;
}

/** Returns the version of order commands and of the calculation of fills (docs/indexing-rules.md#orders). */
export function ordersVersionAt({ upgrades }: Network, height: number): 0 | 1 {
  return height < upgrades.ordersV1 ? 0 : 1;
}

/** Returns the version of the derivation of a token's id from an input (docs/protocol.md#ids). */
export function tokenIdGenerationAt({ upgrades }: Network, height: number): 0 | 1 {
  return height < upgrades.tokenIdGenerationV1 ? 0 : 1;
}

/** May the kernel of a block at that height be an output of another pool (docs/protocol.md#kernels-of-another-pool)? */
export function allowsForeignKernel({ upgrades }: Network, height: number): boolean {
  return height < upgrades.kernelOfOwnPool;
}

/**
 * Returns the number of blocks for which payouts of a decommissioned pool or a delegation must be locked
 * (docs/protocol.md#maturity).
 */
export function maturityAt(network: Network, height: number): number {
  return stepAt(network.consensus, height)?.maturity ?? 0;
}

function stepAt<T extends { readonly height: number }>(steps: readonly T[], height: number): T | undefined {
  for (let i = steps.length - 1; i >= 0; i--) if (steps[i]!.height <= height) return steps[i];
  return undefined;
}

const coins = (count: bigint): Atoms => count * ATOMS_PER_COIN;

const TOKEN_FEES_V0 = {
  issueFungibleToken: coins(100n),
  issueNft: coins(100n),
  tokenSupplyChange: coins(100n),
  tokenFreeze: coins(100n),
  tokenChangeAuthority: coins(100n),
  tokenChangeMetadataUri: coins(20n),
};
const TOKEN_FEES_V1 = {
  issueFungibleToken: coins(100n),
  issueNft: coins(5n),
  tokenSupplyChange: coins(50n),
  tokenFreeze: coins(50n),
  tokenChangeAuthority: coins(20n),
  tokenChangeMetadataUri: coins(20n),
};
