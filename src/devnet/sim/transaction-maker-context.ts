/** The tools that make every kind of transaction, and choices that several kinds share. */
import { ATOMS_PER_COIN, MEDIAN_TIME_SPAN } from '../../chain/networks/network.ts';
import type { Atoms, Destination, Hex, SignedTransaction, TimeLock, TxOutput } from '../../chain/types.ts';
import type { Random } from './random.ts';
import { makeOutputValue, TransactionDraft } from './transaction-draft.ts';
import { ANYONE_CAN_SPEND } from './user-keys.ts';
import {
  type SimulatedOwner,
  type SimulatedToken,
  type SimulatedUtxo,
  type SimulatedWorld,
  worldMedianTime,
} from './world.ts';

const TOKENS_TRIED = 8;

export interface UserHabits {
  /** The probability that a receiver is a new user. */
  readonly newAddressChance: number;
  /** Maximum number of addresses; above it no new ones are created. */
  readonly maxAddresses: number;
  /** Unspent outputs of coins at which people begin to put them together. */
  readonly liquidOutputs: number;
  /** The probability that a user who offers coins for tokens takes the price of an open order; 0 by default. */
  readonly samePriceChance?: number;
  /** The number of tokens whose price walks, and is followed by orders and fills; 0 by default. */
  readonly markets?: number;
  /**
   * Pools make blocks as often as their stake says, and those of the first blocks last, so that a demo has some to compare. By
   * default some pools are lucky, most are not, and any may be decommissioned.
   */
  readonly drawsByStake?: boolean;
  /** The probability of what is valid and hardly ever done: outputs and spends of nothing, secret hashes of odd bytes; 0 by default. */
  readonly rareChance?: number;
}

/** Makes a transaction for the block being built; null when the world has nothing to make it of. */
export type TransactionMaker = (maker: TransactionMakerContext) => SignedTransaction | null;

export class TransactionMakerContext {
  readonly world: SimulatedWorld;
  readonly random: Random;
  readonly habits: UserHabits;
  /** Owner of the genesis coins that were not paid out yet. */
  readonly treasury: SimulatedOwner;

  constructor(world: SimulatedWorld, random: Random, habits: UserHabits, treasury: Destination) {
    this.world = world;
    this.random = random;
    this.habits = habits;
    this.treasury = world.owner(treasury);
  }

  draft(): TransactionDraft {
    const written = new TransactionDraft(this.world, this.random, this.treasury);
    if (!this.isRare()) return written;
    const nothing = this.world.nothings.pick(this.random);
    if (nothing !== undefined && !this.world.isFrozen(nothing.currency)) written.spendLast(nothing);
    return written.make(this.#outputOfNothing());
  }

  /** Is it time for something rare? */
  isRare(): boolean {
    const { rareChance = 0 } = this.habits;
    return rareChance > 0 && this.random.chance(rareChance);
  }

  /** The hash of a secret that nobody has: bytes with which texts and numbers end, or which no text has. */
  oddHash(): Hex {
    const { random } = this;
    return random.pick(['00', 'ff', '0a', '22', '27', '5c', 'c0', '41']).repeat(19) + random.pick(['00', '5c', '80']);
  }

  /** The owner of an output may also pay for its move. */
  ownerOf(utxo: SimulatedUtxo): SimulatedOwner {
    return this.world.owner(utxo.destination);
  }

  /** Somebody who signs: the early ones more often. */
  signer(): Destination {
    const { random, habits } = this;
    const { userKeys } = this.world;
    const { length } = userKeys.destinations;
    if (length === 0 || (random.chance(habits.newAddressChance) && length < habits.maxAddresses)) {
      return userKeys.newDestination();
    }
    return userKeys.destinations[random.skewed(length)]!;
  }

  /** A receiver: nearly always a signer, seldom everybody, hardly ever a script that nobody can spend. */
  receiver(): Destination {
    const { random } = this;
    if (random.chance(0.004)) return ANYONE_CAN_SPEND;
    if (random.chance(0.001)) return `03${random.hex(32)}`;
    return this.signer();
  }

  /** Whole and broken amounts over orders of magnitude. */
  coins(from: number, to: number): Atoms {
    const { random } = this;
    const amount = random.magnitude(from, to);
    if (random.chance(0.3)) return BigInt(Math.max(1, Math.round(amount))) * ATOMS_PER_COIN;
    return BigInt(Math.floor(amount * 1e6)) * 100_000n + random.bigBelow(100_000n);
  }

  /** A part of an amount, at least one atom, all of it now and then. */
  partOf(amount: Atoms): Atoms {
    if (amount <= 1n || this.random.chance(0.15)) return amount;
    return 1n + this.random.bigBelow(amount);
  }

  /** A token that can move and of which `accepts` holds; the old ones more often. */
  someToken(accepts: (token: SimulatedToken) => boolean): SimulatedToken | null {
    for (let attempt = 0; attempt < TOKENS_TRIED; attempt++) {
      const token = this.world.tokenBag.pickSkewed(this.random);
      if (token !== undefined && token.frozen === 'No' && accepts(token)) return token;
    }
    return null;
  }

  /** Zero atoms of the coin, of a token or an NFT that is not in the inputs, to anybody, or to a delegation. */
  #outputOfNothing(): TxOutput {
    const { world, random } = this;
    const held = [undefined, this.someTokenOutput(), world.nftUtxos.pick(random)][random.below(3)];
    const value = makeOutputValue(held?.currency ?? 'coin', 0n);
    const destination = this.receiver();
    const lock = this.shortLock(8);
    const delegation = world.delegationBag.pick(random);
    switch (random.below(delegation === undefined ? 4 : 5)) {
      case 0:
        return { type: 'Transfer', value, destination };
      case 1:
        return { type: 'LockThenTransfer', value, destination, lock };
      case 2:
        return { type: 'Burn', value };
      case 3: {
        const contract = { secretHash: this.oddHash(), spendKey: this.signer(), refundTimelock: lock };
        return { type: 'Htlc', value, contract: { ...contract, refundKey: this.signer() } };
      }
      default:
        return { type: 'DelegateStaking', delegationId: delegation!.id, amount: 0n };
    }
  }

  /** An output with a token that can move. */
  someTokenOutput(): SimulatedUtxo | undefined {
    return this.someToken(({ utxos }) => utxos.size > 0)?.utxos.pick(this.random);
  }

  /** A lock that opens soon, within about `blocks` blocks; now and then one that is open from the start, or just not. */
  shortLock(blocks: number): TimeLock {
    const { world, random } = this;
    if (random.chance(0.4)) return edgeLock(world, random);
    const count = BigInt(random.between(0, blocks));
    const seconds = BigInt(random.between(0, blocks * usualSeconds(world)));
    switch (random.below(4)) {
      case 0:
        return { type: 'UntilHeight', value: BigInt(world.height) + count };
      case 1:
        return { type: 'UntilTime', value: BigInt(world.timestamp) + seconds };
      case 2:
        return { type: 'ForBlockCount', value: count };
      default:
        return { type: 'ForSeconds', value: seconds };
    }
  }
}

/** The median of the seconds between the newest blocks, the one being built included: the genesis may be years older. */
function usualSeconds({ timestamps, timestamp }: SimulatedWorld): number {
  const steps = timestamps.map((time, i) => (timestamps[i + 1] ?? timestamp) - time).sort((a, b) => a - b);
  return steps[(steps.length - 1) >> 1]!;
}

/** Opens at the height or the median time of the block being built, or one before or after it. */
function edgeLock(world: SimulatedWorld, random: Random): TimeLock {
  const nextMedian = worldMedianTime([...world.timestamps, world.timestamp].slice(-MEDIAN_TIME_SPAN));
  switch (random.below(5)) {
    case 0:
      return { type: 'UntilHeight', value: BigInt(world.height - 1 + random.below(3)) };
    case 1:
      return { type: 'UntilTime', value: BigInt(nextMedian + (random.chance(0.5) ? 0 : random.between(-1, 1))) };
    case 2:
      // The median time past will be exactly this, some blocks later.
      return { type: 'UntilTime', value: BigInt(world.timestamp) };
    case 3:
      return { type: 'ForBlockCount', value: BigInt(random.below(2)) };
    default:
      return { type: 'ForSeconds', value: BigInt(random.below(2)) };
  }
}
