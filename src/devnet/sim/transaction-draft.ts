/** Builds a transaction: its inputs and outputs, the payer, and the change. */
import { isUtxoInput } from '../../chain/input-and-output-kinds.ts';
import type {
  Atoms,
  Destination,
  InputWitness,
  OutputValue,
  SignedTransaction,
  TimeLock,
  TxInput,
  TxOutput,
} from '../../chain/types.ts';
import { MIN_ATOMS_PER_KILOBYTE } from '../fee-rates.ts';
import type { Random } from './random.ts';
import { valueNeededByOutput } from './rules/apply-outputs.ts';
import type { SimulatedCurrency, SimulatedOwner, SimulatedUtxo, SimulatedWorld } from './world.ts';

const MIN_FEE_ATOMS_PER_BYTE = MIN_ATOMS_PER_KILOBYTE / 1000n;
/** Change below this goes to the fee. */
const DUST_ATOMS = 1_000_000_000n;
const MAX_GATHERED_INPUTS = 24;
const PAYERS_TRIED = 6;
/** Upper bounds in bytes. */
const TRANSACTION_BYTES = 24;
const TRANSFER_BYTES = 62;

export function makeOutputValue(currency: SimulatedCurrency, amount: Atoms): OutputValue {
  return currency === 'coin' ? { type: 'Coin', amount } : { type: 'TokenV1', tokenId: currency, amount };
}

function outputBytes(output: TxOutput): number {
  switch (output.type) {
    case 'Transfer':
    case 'Burn':
    case 'DelegateStaking':
      return TRANSFER_BYTES + ('value' in output && output.value.type !== 'Coin' ? 40 : 0);
    case 'LockThenTransfer':
      return TRANSFER_BYTES + 52;
    case 'CreateDelegationId':
    case 'ProduceBlockFromStake':
      return 70;
    case 'CreateStakePool':
    case 'Htlc':
    case 'CreateOrder':
      return 185;
    case 'IssueFungibleToken':
      return 100 + (output.issuance.ticker.length + output.issuance.metadataUri.length) / 2;
    case 'IssueNft': {
      const { name, description, ticker, iconUri, additionalMetadataUri, mediaUri, mediaHash } = output.metadata;
      const texts = name + description + ticker + iconUri + additionalMetadataUri + mediaUri + mediaHash;
      return 130 + texts.length / 2;
    }
    case 'DataDeposit':
      return 5 + output.data.length / 2;
  }
}

function inputBytes(input: TxInput): number {
  switch (input.type) {
    case 'Utxo':
      return 38;
    case 'Account':
    case 'OrderAccountCommand':
      return 60;
    case 'AccountCommand':
      return 130 + ('metadataUri' in input.command ? input.command.metadataUri.length / 2 : 0);
  }
}

function witnessBytes(witness: InputWitness): number {
  return witness.type === 'Standard' ? 6 + witness.rawSignature.length / 2 : 2;
}

export class TransactionDraft {
  readonly #world: SimulatedWorld;
  readonly #random: Random;
  readonly #treasury: SimulatedOwner;
  readonly #inputs: TxInput[] = [];
  readonly #witnesses: InputWitness[] = [];
  readonly #outputs: TxOutput[] = [];
  readonly #spent = new Set<SimulatedUtxo>();
  #last: SimulatedUtxo | null = null;
  #coinsIn = 0n;
  #coinsOut = 0n;
  #bytes = TRANSACTION_BYTES;

  /** `treasury` pays where nobody else can. */
  constructor(world: SimulatedWorld, random: Random, treasury: SimulatedOwner) {
    this.#world = world;
    this.#random = random;
    this.#treasury = treasury;
  }

  /** Sum of the coins added so far. */
  get coinsIn(): Atoms {
    return this.#coinsIn;
  }

  spends(utxo: SimulatedUtxo): boolean {
    return this.#spent.has(utxo);
  }

  /** Spends an output; `witness` where the key's own signature is not what is needed. */
  spend(utxo: SimulatedUtxo, witness: InputWitness = this.#world.userKeys.witness(utxo.destination)): this {
    this.#spent.add(utxo);
    this.#put({ type: 'Utxo', outpoint: utxo.outpoint }, witness);
    if (utxo.currency === 'coin') this.#coinsIn += utxo.amount;
    return this;
  }

  /** Spends an output after all others: ids of what is created follow from the first. */
  spendLast(utxo: SimulatedUtxo): this {
    this.#last = utxo;
    return this;
  }

  /** Takes coins that stand in an account or in an order. */
  takeCoins(amount: Atoms): this {
    this.#coinsIn += amount;
    return this;
  }

  /** Adds coins that go neither to an output nor to the fee: of commands, issuances, payments into an order. */
  costs(amount: Atoms): this {
    this.#coinsOut += amount;
    return this;
  }

  /** A command or an account, signed by its authority; orders V1 are filled by anybody. */
  act(input: TxInput, authority: Destination | null): this {
    const witness: InputWitness =
      authority === null ? { type: 'NoSignature', data: null } : this.#world.userKeys.witness(authority);
    this.#put(input, witness);
    return this;
  }

  make(output: TxOutput): this {
    this.#outputs.push(output);
    this.#bytes += outputBytes(output);
    const taken = valueNeededByOutput(output);
    if (taken?.currency === 'coin') this.#coinsOut += taken.amount;
    return this;
  }

  transfer(currency: SimulatedCurrency, amount: Atoms, destination: Destination): this {
    return this.make({ type: 'Transfer', value: makeOutputValue(currency, amount), destination });
  }

  lock(currency: SimulatedCurrency, amount: Atoms, destination: Destination, lock: TimeLock): this {
    return this.make({ type: 'LockThenTransfer', value: makeOutputValue(currency, amount), destination, lock });
  }

  burn(currency: SimulatedCurrency, amount: Atoms): this {
    return this.make({ type: 'Burn', value: makeOutputValue(currency, amount) });
  }

  /** An order. */
  offer(concludeKey: Destination, ask: OutputValue, give: OutputValue): this {
    return this.make({ type: 'CreateOrder', order: { concludeKey, ask, give } });
  }

  /** The unused part of an output stays with its owner. */
  keepRest(utxo: SimulatedUtxo, used: Atoms): this {
    return used < utxo.amount ? this.transfer(utxo.currency, utxo.amount - used, utxo.destination) : this;
  }

  /** The fee of the transaction so far: the relay minimum, or a little more. */
  fee(): Atoms {
    const percent = 100n + BigInt(this.#random.skewed(80));
    return (BigInt(Math.ceil(this.#bytes)) * MIN_FEE_ATOMS_PER_BYTE * percent) / 100n;
  }

  /** Puts in coins of `payer`, of nobody else, until costs and fee are covered. False if they do not suffice. */
  gather(payer: SimulatedOwner): boolean {
    const { items } = payer.coins;
    if (items.length === 0) return this.#coinsIn >= this.#needed();
    const start = this.#random.below(items.length);
    const tried = Math.min(items.length, MAX_GATHERED_INPUTS);
    for (let step = 0; step < tried && this.#coinsIn < this.#needed(); step++) {
      const utxo = items[(start + step) % items.length]!;
      if (!this.#spent.has(utxo)) this.spend(utxo);
    }
    return this.#coinsIn >= this.#needed();
  }

  /**
   * Adds inputs of one payer for what is missing: `first` if possible, else others at random, else the treasury. The change goes
   * to the payer; null if none has enough.
   */
  paidBy(first: SimulatedOwner | null): SignedTransaction | null {
    if (this.#coinsIn >= this.#needed() && first !== null) return this.withChangeTo(first.destination);
    const before = { inputs: this.#inputs.length, coinsIn: this.#coinsIn, bytes: this.#bytes };
    for (let attempt = 0; attempt < PAYERS_TRIED; attempt++) {
      const chosen = this.#random.chance(0.5) ? null : first;
      const payer = attempt === 0 && chosen !== null ? chosen : this.#somebody();
      const candidate = attempt === PAYERS_TRIED - 1 || payer === null ? this.#treasury : payer;
      if (this.gather(candidate)) return this.withChangeTo(candidate.destination);
      this.#drop(before);
    }
    return null;
  }

  /** Completes the transaction; the rest of the coins goes to `destination`. */
  withChangeTo(destination: Destination): SignedTransaction | null {
    if (this.#last !== null) this.spend(this.#last);
    this.#bytes += TRANSFER_BYTES;
    const change = this.#coinsIn - this.#coinsOut - this.fee();
    if (change >= DUST_ATOMS) {
      const output: TxOutput = { type: 'Transfer', value: { type: 'Coin', amount: change }, destination };
      const index = this.#random.below(this.#outputs.length + 1);
      this.#outputs.splice(index, 0, output);
    }
    return this.signed();
  }

  /** The transaction so far; null when it does not pay its fee. */
  signed(): SignedTransaction | null {
    if (this.#coinsIn < this.#coinsOut + BigInt(Math.ceil(this.#bytes)) * MIN_FEE_ATOMS_PER_BYTE) return null;
    if (this.#outputs.length === 0 && this.#inputs.length === 0) return null;
    const flags = this.#random.chance(0.02) ? 1n : 0n;
    return { transaction: { flags, inputs: this.#inputs, outputs: this.#outputs }, signatures: this.#witnesses };
  }

  #somebody(): SimulatedOwner | null {
    const utxo = this.#world.coins.pick(this.#random);
    return utxo === undefined ? null : this.#world.owner(utxo.destination);
  }

  #needed(): Atoms {
    return this.#coinsOut + (BigInt(Math.ceil(this.#bytes)) + BigInt(TRANSFER_BYTES)) * 2n * MIN_FEE_ATOMS_PER_BYTE;
  }

  #put(input: TxInput, witness: InputWitness): void {
    this.#inputs.push(input);
    this.#witnesses.push(witness);
    this.#bytes += inputBytes(input) + witnessBytes(witness);
  }

  /** Removes the inputs of a payer with too few coins. */
  #drop({ inputs, coinsIn, bytes }: { inputs: number; coinsIn: Atoms; bytes: number }): void {
    for (const input of this.#inputs.splice(inputs)) {
      if (!isUtxoInput(input)) continue;
      for (const utxo of this.#spent) if (utxo.outpoint === input.outpoint) this.#spent.delete(utxo);
    }
    this.#witnesses.splice(inputs);
    this.#coinsIn = coinsIn;
    this.#bytes = bytes;
  }
}
