/**
 * What blocks, pools, NFTs and contracts of a simulated chain lived through, worked out in the plainest way: from the blocks
 * (what they hold and spend), and from the simulation's own account of them, which is played again block by block (who has how much).
 */

import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { effectiveStake } from '../../src/chain/effective-stake.ts';
import { subsidyAt } from '../../src/chain/networks/network.ts';
import type {
  Atoms,
  Destination,
  Hex,
  Id,
  IdentifiedBlock,
  SignedTransaction,
  TxOutput,
} from '../../src/chain/types.ts';
import { Simulation, type SimulationOptions } from '../../src/devnet/sim/simulation.ts';
import { type SimulatedPool, type SimulatedWorld, worldMedianTime } from '../../src/devnet/sim/world.ts';
import { encodeBlock } from '../support/encode-blocks.ts';
import { keyOf, type Spent, type TakingPart } from './naive-lists.ts';

export interface NaiveBlock {
  readonly height: number;
  readonly id: Id;
  readonly timestamp: number;
  readonly poolId: Id;
  readonly size: number;
  readonly target: bigint;
  /** The effective stakes of the active pools before it. */
  readonly stakes: ReadonlyMap<Id, Atoms>;
  readonly transactionIds: readonly Id[];
  readonly transactionSizes: readonly number[];
  readonly kinds: Readonly<Record<string, number>>;
  readonly fees: Atoms;
  readonly stakerReward: Atoms;
  readonly delegationsReward: Atoms;
  /** Floor of the delegations' reward for each 10^18 atoms that were delegated before it. */
  readonly rate: bigint;
}

export interface NaiveHtlc {
  readonly outpoint: string;
  readonly place: readonly [height: number, position: number, index: number];
  readonly spent: Spent | null;
  readonly isClaimed: boolean;
}

/** Kinds by the types of outputs, inputs and commands that make them; the first that applies is a transaction's kind. */
const KINDS: readonly (readonly [kind: string, ...marks: string[]])[] = [
  ['token_issue', 'IssueFungibleToken'],
  ['nft_issue', 'IssueNft'],
  ['token_mint', 'MintTokens'],
  ['token_unmint', 'UnmintTokens'],
  ['token_lock', 'LockTokenSupply'],
  ['token_freeze', 'FreezeToken'],
  ['token_unfreeze', 'UnfreezeToken'],
  ['token_authority', 'ChangeTokenAuthority'],
  ['token_metadata', 'ChangeTokenMetadataUri'],
  ['pool_create', 'CreateStakePool'],
  ['pool_decommission', 'spent CreateStakePool', 'spent ProduceBlockFromStake'],
  ['delegation_create', 'CreateDelegationId'],
  ['delegate', 'DelegateStaking'],
  ['delegation_withdraw', 'Account'],
  ['order_create', 'CreateOrder'],
  ['order_fill', 'FillOrder'],
  ['order_freeze', 'FreezeOrder'],
  ['order_conclude', 'ConcludeOrder'],
  ['htlc_create', 'Htlc'],
  ['htlc_claim', 'claimed Htlc'],
  ['htlc_refund', 'refunded Htlc'],
  ['data_deposit', 'DataDeposit'],
  ['burn', 'Burn'],
  ['lock', 'LockThenTransfer'],
];

/** The target of a compact form whose sign bit is free: three bytes, and zeros up to the length. */
export function naiveTarget(compact: number): bigint {
  const [length, ...digits] = Buffer.from(compact.toString(16).padStart(8, '0'), 'hex');
  return BigInt(
    `0x${Buffer.from(digits)
      .toString('hex')
      .padEnd(2 * length!, '0')}`,
  );
}

const MONTH = 720n * 3_600n;
const DAY = 86_400n;

/** Of a main chain, played again to its end. */
export class NaiveFacts {
  /** From height 1. */
  readonly blocks: NaiveBlock[] = [];
  readonly mainChain: readonly IdentifiedBlock[];
  readonly world: SimulatedWorld;
  readonly outputCounts = new Map<Id, number>();
  /** Who had an NFT after which transaction, oldest first. */
  readonly nftOwners = new Map<Id, { readonly transactionId: Id; readonly owner: Destination | null }[]>();
  readonly names = new Map<Id, string>();
  readonly #genesisTime: number;
  readonly #htlcs: { secretHash: Hex; outpoint: string; place: NaiveHtlc['place'] }[] = [];
  readonly #taking: TakingPart;
  /** Transaction and number of the inputs that claim an HTLC. */
  readonly #claims: ReadonlySet<string>;

  constructor(options: SimulationOptions, mainChain: readonly IdentifiedBlock[], taking: TakingPart) {
    this.mainChain = mainChain;
    this.#taking = taking;
    const claims = taking.htlcsSpent.filter(({ isRefund }) => !isRefund);
    this.#claims = new Set(claims.map(({ transactionId, input }) => `${transactionId} ${input}`));
    const simulation = new Simulation(options);
    this.world = simulation.world;
    this.#genesisTime = this.world.timestamp;
    for (const [index, block] of mainChain.entries()) this.#block(simulation, block, index + 1);
  }

  #block(simulation: Simulation, { id, block, transactionIds, size }: IdentifiedBlock, height: number): void {
    const { consensus, timestamp } = block.header;
    if (consensus.type !== 'PoS') throw new Error('a simulated block has proof of stake');
    const { stakePoolId } = consensus.data;
    const stakes = this.#stakes();
    const poolBefore = { ...simulation.world.pools.get(stakePoolId)! };
    const kinds: Record<string, number> = {};
    let delegated = poolBefore.delegationsBalance;
    for (const [position, signed] of block.transactions.entries()) {
      const kind = this.#transaction(signed, transactionIds[position]!, height, position);
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
    simulation.restore(encodeBlock(block));
    const pool = simulation.world.pools.get(stakePoolId)!;
    for (const { transaction } of block.transactions) {
      for (const output of transaction.outputs) {
        if (output.type === 'DelegateStaking' && this.#poolOf(output.delegationId) === stakePoolId) {
          delegated += output.amount;
        }
      }
      for (const input of transaction.inputs) {
        if (input.type === 'Account' && this.#poolOf(input.delegationId) === stakePoolId) delegated -= input.amount;
      }
    }
    const stakerReward = pool.stakerBalance - poolBefore.stakerBalance;
    const delegationsReward = pool.delegationsBalance - delegated;
    this.blocks.push({
      ...{ height, id, timestamp, poolId: stakePoolId, size, transactionIds, kinds, stakerReward, delegationsReward },
      transactionSizes: block.transactions.map((signed) => encodeSignedTransaction(signed).length),
      fees: stakerReward + delegationsReward - subsidyAt(simulation.network, height),
      stakes,
      target: naiveTarget(consensus.data.compactTarget),
      rate: delegated === 0n ? 0n : (delegationsReward * 10n ** 18n) / delegated,
    });
  }

  #poolOf(delegationId: Id): Id {
    return this.world.delegations.get(delegationId)!.pool.id;
  }

  /** Notes what it does; gives its kind. */
  #transaction({ transaction }: SignedTransaction, id: Id, height: number, position: number): string {
    const marks = new Set<string>();
    const owners = new Map<Id, Destination | null>();
    for (const [inputIndex, input] of transaction.inputs.entries()) {
      if (input.type === 'Account') marks.add('Account');
      else if (input.type !== 'Utxo') marks.add(input.command.type);
      else {
        const { output } = this.#taking.created.get(keyOf(input.outpoint))!;
        const isClaimed = this.#claims.has(`${id} ${inputIndex}`);
        marks.add(output.type !== 'Htlc' ? `spent ${output.type}` : isClaimed ? 'claimed Htlc' : 'refunded Htlc');
        if (output.type !== 'Htlc') for (const [tokenId] of nftIn(output, this.nftOwners)) owners.set(tokenId, null);
      }
    }
    for (const [index, output] of transaction.outputs.entries()) {
      marks.add(output.type);
      if (output.type === 'Htlc') {
        const { secretHash } = output.contract;
        this.#htlcs.push({ secretHash, outpoint: `${id}:${index}`, place: [height, position, index] });
      }
      if (output.type === 'IssueNft') {
        this.names.set(output.tokenId, Buffer.from(output.metadata.name, 'hex').toString());
        this.nftOwners.set(output.tokenId, []);
      }
      for (const [tokenId, owner] of nftIn(output, this.nftOwners)) if (owner !== null) owners.set(tokenId, owner);
    }
    this.outputCounts.set(id, transaction.outputs.length);
    for (const [tokenId, owner] of owners) {
      const known = this.nftOwners.get(tokenId)!;
      if (known.length === 0 || known.at(-1)!.owner !== owner) known.push({ transactionId: id, owner });
    }
    return KINDS.find(([, ...of]) => of.some((mark) => marks.has(mark)))?.[0] ?? 'transfer';
  }

  /** By the hash of their secret, newest first. */
  htlcs(): Map<Hex, NaiveHtlc[]> {
    const byHash = new Map<Hex, NaiveHtlc[]>();
    for (const { secretHash, outpoint, place } of this.#htlcs.toReversed()) {
      const spent = this.#taking.spent.get(outpoint) ?? null;
      const isClaimed = spent !== null && this.#claims.has(`${spent.transactionId} ${spent.inputIndex}`);
      byHash.set(secretHash, [...(byHash.get(secretHash) ?? []), { outpoint, place, spent, isClaimed }]);
    }
    return byHash;
  }

  /**
   * The pools that are not decommissioned, by id, with the figures that lists show of them. `rate`: of the month, or of a month since the
   * creation or a day; −1 where nothing was delegated.
   */
  activePools() {
    const active = [...this.world.pools.values()].filter(({ stakerBalance }) => stakerBalance > 0n);
    const stakes = this.#stakes();
    return active
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((pool) => {
        const month = this.window(pool.id, 720);
        const rate = month.reduce((sum, block) => sum + block.rate, 0n);
        const age = BigInt(this.blocks.at(-1)!.timestamp - this.#timeOf(pool.creationHeight));
        const divisor = age < DAY ? DAY : age < MONTH ? age : MONTH;
        return {
          pool,
          stake: stakes.get(pool.id)!,
          allStake: sum([...stakes.values()]),
          expectedBlocks: this.#expectedBlocks(pool.id),
          expectedApr: this.#expectedApr(pool, stakes),
          expectedRank:
            (this.#expectedPerBlock(pool) * stakes.get(pool.id)!) / (pool.stakerBalance + pool.delegationsBalance),
          delegationCount: pool.delegations.filter(({ balance }) => balance > 0n).length,
          blocks: {
            day: this.window(pool.id, 24).length,
            month: month.length,
            total: this.blocks.filter(({ poolId }) => poolId === pool.id).length,
          },
          rate: rate === 0n && pool.delegationsBalance === 0n ? -1n : (rate * MONTH) / divisor,
        };
      });
  }

  #stakes(): Map<Id, Atoms> {
    const active = [...this.world.pools.values()].filter(({ stakerBalance }) => stakerBalance > 0n);
    const { finalSupply } = this.world.network;
    return new Map(
      active.map(({ id, stakerBalance, delegationsBalance }) => [
        id,
        effectiveStake(finalSupply, stakerBalance, delegationsBalance),
      ]),
    );
  }

  /**
   * The shares of all effective stake that a pool had before each block of the month, together; in units of 10^−30. The stake at the
   * end of the month's first day counts for all its blocks, and their mean for the blocks of its first hour.
   */
  #expectedBlocks(poolId: Id): bigint {
    const hours = this.#hours();
    const dayOf = (i: number) => Math.floor(hours[i]! / 24);
    const perStake = this.blocks.map(({ stakes }) => 10n ** 30n / sum([...stakes.values()]));
    const before = this.blocks.length - this.inWindow(720).length - 1;
    const lastOfDay = this.blocks.findLastIndex((_, i) => before >= 0 && dayOf(i) === dayOf(before));
    const ofHour = this.blocks.flatMap((_, i) => (hours[i] === hours[before] ? [i] : []));
    const later = ofHour.filter((i) => i > before).length;
    let expected = 0n;
    let ofFirstDay = (sum(ofHour.map((i) => perStake[i]!)) * BigInt(later)) / BigInt(Math.max(ofHour.length, 1));
    for (const [i, block] of this.blocks.entries()) {
      if (i <= before || ofHour.includes(i)) continue;
      if (i <= lastOfDay) ofFirstDay += perStake[i]!;
      else expected += perStake[i]! * (block.stakes.get(poolId) ?? 0n);
    }
    return expected + ofFirstDay * (this.blocks[lastOfDay + 1]?.stakes.get(poolId) ?? 0n);
  }

  /** What a delegated coin is expected to earn in a year at the present stakes, in millionths. */
  #expectedApr(pool: SimulatedPool, stakes: ReadonlyMap<Id, Atoms>): bigint {
    const blocks = BigInt(this.inWindow(720).length) * 8_760n * stakes.get(pool.id)!;
    const share = 1_000n * 720n * sum([...stakes.values()]) * (pool.stakerBalance + pool.delegationsBalance);
    return (this.#expectedPerBlock(pool) * blocks * 10n ** 6n) / share;
  }

  /** What the delegators of a pool are expected to get of a block, in thousandths of an atom. */
  #expectedPerBlock({ costPerBlock, marginRatioPerThousand }: SimulatedPool): bigint {
    const month = this.inWindow(720).length;
    const before = this.blocks.length - month - 1;
    const hours = this.#hours();
    const counted = this.blocks.filter((_, i) => before < 0 || hours[i]! > hours[before]!);
    const fees = sum(counted.map((block) => block.fees)) / BigInt(Math.max(counted.length, 1));
    const left = subsidyAt(this.world.network, this.blocks.length + 1) + fees - costPerBlock;
    return left < 0n ? 0n : left * BigInt(1_000 - marginRatioPerThousand);
  }

  /** The hour of each block: it never goes back. */
  #hours(): number[] {
    const times = this.blocks.map(({ timestamp }) => timestamp);
    return times.map((_, i) => Math.floor(Math.max(this.#genesisTime, ...times.slice(0, i + 1)) / 3_600));
  }

  #timeOf(height: number): number {
    return this.blocks[height - 1]?.timestamp ?? this.#genesisTime;
  }

  /** A pool's blocks of the last hours up to the tip. */
  window(poolId: Id, hours: number): NaiveBlock[] {
    return this.inWindow(hours).filter((block) => block.poolId === poolId);
  }

  /** All blocks of the last hours up to the tip. */
  inWindow(hours: number): NaiveBlock[] {
    const since = this.blocks.at(-1)!.timestamp - hours * 3_600;
    return this.blocks.filter((block) => block.timestamp > since);
  }

  /** Who has something of each currency, free or locked; the coin is the empty text. */
  holders(): Map<string, Set<Destination>> {
    const holders = new Map<string, Set<Destination>>();
    for (const { output, destination, currency, amount } of this.world.utxos.values()) {
      if (output.type !== 'Transfer' && output.type !== 'LockThenTransfer' && output.type !== 'IssueNft') continue;
      if (amount === 0n) continue;
      const key = currency === 'coin' ? '' : currency;
      holders.set(key, (holders.get(key) ?? new Set()).add(destination));
    }
    return holders;
  }

  /** The outputs of an address that are under a lock, by when they open; at equal times in the order of the chain. */
  unlocks(owner: Destination): { readonly outpoint: string; readonly opensAt: number }[] {
    const { world } = this;
    const median = worldMedianTime(world.timestamps);
    const order = new Map([...this.#taking.created.keys()].map((key, index) => [key, index]));
    const locked = [...world.utxos.values()].filter(
      ({ destination, output, freeAtHeight, freeAtTime }) =>
        destination === owner &&
        output.type === 'LockThenTransfer' &&
        (freeAtHeight > world.height || freeAtTime > median),
    );
    return locked
      .map(({ outpoint, freeAtHeight, freeAtTime }) => ({
        outpoint: keyOf(outpoint),
        opensAt: freeAtTime > median ? freeAtTime : world.timestamp + (freeAtHeight - world.height) * 120,
      }))
      .sort((a, b) => a.opensAt - b.opensAt || order.get(a.outpoint)! - order.get(b.outpoint)!);
  }
}

const sum = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n);

/** The NFT that an output moves, and whom to. */
function* nftIn(output: TxOutput, nfts: ReadonlyMap<Id, unknown>): Generator<[Id, Destination | null]> {
  if (output.type === 'IssueNft') yield [output.tokenId, output.destination];
  if (!('value' in output) || output.value.type !== 'TokenV1' || !nfts.has(output.value.tokenId)) return;
  if (output.type === 'Burn' || output.type === 'Htlc') yield [output.value.tokenId, null];
  else if (output.value.amount > 0n) yield [output.value.tokenId, output.destination];
}
