/**
 * What transactions, the ends of locks and rewards change of balances and supplies, from the texts of transactions alone
 * (docs/indexing-rules.md#balances-with-a-past). Ids and destinations have the form of the API; the coin is an empty text.
 */
import { destinationAddress, orderAddress, poolAddress } from '../../src/chain/address.ts';
import { commandFee, outputFee } from '../../src/chain/burned-fees.ts';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { deriveOrderId } from '../../src/chain/derive-ids.ts';
import {
  type CommandKind,
  createsDelegation,
  createsNft,
  createsOrder,
  createsPool,
  createsToken,
  isBurnOutput,
  isPaymentOutput,
} from '../../src/chain/input-and-output-kinds.ts';
import { burnedFeesAt, type Network } from '../../src/chain/networks/network.ts';
import type { Atoms } from '../../src/chain/types.ts';
import { createdDelegation, firstUtxoInput, KIND_OF_COMMAND } from './recomputed-chain.ts';
import type {
  ShownCommand,
  ShownInput,
  ShownOutput,
  ShownValue,
  StoredTransactionJson,
} from './stored-transaction-json.ts';

/** What is added to the balance of an owner in a currency, and to its locked part. */
interface ReplayedChange {
  change: Atoms;
  locked: Atoms;
}
/** By owner and currency: `ownerCurrencyKey`. */
export type ReplayedChanges = Map<string, ReplayedChange>;

export const ownerCurrencyKey = (owner: string, currency: string): string => `${owner} ${currency}`;

interface ReplayedSupply {
  circulating: Atoms;
  preminted: Atoms;
  burned: Atoms;
  staked: Atoms;
}

interface LockedOutput {
  readonly pair: string;
  readonly amount: Atoms;
  /** It is locked below this height and this median time. */
  readonly height: number;
  readonly time: number;
}

export class RecomputedPast {
  readonly #network: Network;
  /** The locked outputs, by transaction and index. */
  readonly #locked = new Map<string, LockedOutput>();
  /** The height and the median time at which the next of them is unlocked, or earlier. */
  #nextHeight = Number.POSITIVE_INFINITY;
  #nextTime = Number.POSITIVE_INFINITY;
  /** Decommission keys of pools, owners of delegations, conclude keys of orders with coins, by their ids. */
  readonly #owners = new Map<string, string>();
  readonly #supplies = new Map<string, ReplayedSupply>();
  /** The supplies before the block, as text, of the currencies that it has touched. */
  readonly #suppliesBefore = new Map<string, string>();
  /** What was minted of each token and not unminted. */
  readonly #minted = new Map<string, Atoms>();
  #block = { height: 0, timestamp: 0, median: 0 };

  constructor(network: Network) {
    this.#network = network;
  }

  /** Begins a block. Returns the changes of the locks that end with it. */
  startBlock(height: number, timestamp: number, median: number): ReplayedChanges {
    this.#block = { height, timestamp, median };
    const changes: ReplayedChanges = new Map();
    if (height < this.#nextHeight && median < this.#nextTime) return changes;
    [this.#nextHeight, this.#nextTime] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const [key, output] of this.#locked) {
      if (this.#isLocked(output)) {
        if (output.height > height) this.#nextHeight = Math.min(this.#nextHeight, output.height);
        if (output.time > median) this.#nextTime = Math.min(this.#nextTime, output.time);
        continue;
      }
      this.#locked.delete(key);
      if (output.amount > 0n) add(changes, output.pair, 0n, -output.amount);
    }
    return changes;
  }

  #isLocked({ height, time }: LockedOutput): boolean {
    return height > this.#block.height || time > this.#block.median;
  }

  /** Returns the changes of a transaction, who paid its fee, and what it did with tokens. */
  transaction(shown: StoredTransactionJson) {
    const changes: ReplayedChanges = new Map();
    const events: string[] = [];
    const fees = burnedFeesAt(this.#network, this.#block.height);
    const owners = new Set<string>();
    for (const [index, { input, utxo }] of shown.inputs.entries()) {
      const owner = this.#ownerOfCoins(input, utxo);
      if (owner !== null) owners.add(owner);
      if (utxo !== null) this.#spend(`${input.source_id}:${input.index}`, utxo, changes);
      if (input.command === undefined) continue;
      this.#burn('', commandFee(fees, commandKind(input.command)));
      if (input.token_id !== undefined) events.push(this.#tokenEvent(index, input, shown.outputs));
    }
    for (const [index, output] of shown.outputs.entries()) {
      this.#burn('', outputFee(fees, output.type));
      this.#output(output, `${shown.id}:${index}`, changes);
      if (createsDelegation(output)) {
        this.#owners.set(createdDelegation(this.#network, shown.inputs)!, output.destination!);
      }
      if (createsOrder(output)) {
        const id = deriveOrderId(firstUtxoInput(shown.inputs));
        const hasCoins = output.ask_value?.type === 'Coin' || output.give_value?.type === 'Coin';
        if (id !== null && hasCoins) this.#owners.set(orderAddress(this.#network, id), output.conclude_key!);
      }
      // Its text does not say its token; a check of its own compares the issuances with the tokens.
      if (createsToken(output)) {
        events.push([index, 'token_issue', '', '', 0, output.authority, output.metadata_uri!.hex, ''].join(' '));
      }
      if (createsNft(output)) events.push([index, 'nft_issue', output.token_id, 1, 1, '', '', ''].join(' '));
    }
    const fee = BigInt(shown.fee.atoms);
    const lost = (owner: string) => -(changes.get(ownerCurrencyKey(owner, ''))?.change ?? 0n);
    const payer = [...owners].find((owner) => lost(owner) >= fee) ?? [...owners][0] ?? null;
    if (fee > 0n && payer !== null) add(changes, ownerCurrencyKey(payer, ''), 0n, 0n);
    return { changes, payer, fee, events };
  }

  /** Returns the owner of the first input that spends an output or withdraws from a delegation; before `transaction`. */
  firstOwner({ inputs }: StoredTransactionJson): string | null {
    for (const { input, utxo } of inputs) {
      if (utxo !== null) return this.#spenderOf(utxo);
      if (input.input_type === 'Account') return this.#owners.get(input.delegation_id!) ?? null;
    }
    return null;
  }

  /** Returns the changes of the outputs of a block's reward. They are never locked. */
  reward(outputs: readonly ShownOutput[]): ReplayedChanges {
    const changes: ReplayedChanges = new Map();
    for (const output of outputs) {
      if (createsPool(output)) {
        this.#owners.set(output.pool_id!, output.data!.decommission_key);
        this.#premint('', BigInt(output.data!.amount.atoms));
      }
      if (!isPaymentOutput(output)) continue;
      const value = countedValue(output.value);
      if (value === null || value.amount === 0n) continue;
      add(changes, ownerCurrencyKey(output.destination!, value.currency), value.amount, 0n);
      this.#premint(value.currency, value.amount);
    }
    return changes;
  }

  /**
   * Ends a block, with its subsidy and what is staked after it. Returns the supplies that it changed, each as its currency
   * and the amounts.
   */
  finishBlock(subsidy: Atoms, staked: Atoms): string[] {
    const coins = this.#supply('');
    coins.circulating += subsidy;
    coins.staked = staked;
    const changed: string[] = [];
    for (const [currency, before] of this.#suppliesBefore) {
      const after = supplyText(this.#supplies.get(currency)!);
      if (after !== before) changed.push(`${currency} ${after}`);
    }
    this.#suppliesBefore.clear();
    return changed;
  }

  #ownerOfCoins(input: ShownInput['input'], utxo: ShownOutput | null): string | null {
    if (input.input_type === 'Account') return this.#owners.get(input.delegation_id!) ?? null;
    if (input.command === 'ConcludeOrder') return this.#owners.get(input.order_id!) ?? null;
    if (utxo === null || (utxo.pool_id === undefined && utxo.value?.type !== 'Coin')) return null;
    return this.#spenderOf(utxo);
  }

  #spenderOf(utxo: ShownOutput): string | null {
    if (utxo.pool_id !== undefined) return this.#owners.get(utxo.pool_id) ?? null;
    if (utxo.htlc !== undefined) return utxo.htlc.secret === null ? utxo.htlc.refund_key : utxo.htlc.spend_key;
    return utxo.destination ?? null;
  }

  #spend(key: string, utxo: ShownOutput, changes: ReplayedChanges): void {
    const held = heldBy(utxo);
    const locked = this.#locked.get(key);
    this.#locked.delete(key);
    if (held !== null) add(changes, held.pair, -held.amount, locked === undefined ? 0n : -held.amount);
  }

  #output(output: ShownOutput, key: string, changes: ReplayedChanges): void {
    const burned = isBurnOutput(output) ? countedValue(output.value) : null;
    if (burned !== null) this.#burn(burned.currency, burned.amount);
    if (createsPool(output)) this.#owners.set(output.pool_id!, output.data!.decommission_key);
    if (createsNft(output)) this.#supply(output.token_id!).circulating += 1n;
    const held = heldBy(output);
    if (held === null) return;
    const lock = { ...held, ...lockEnd(output.lock, this.#block) };
    const isLocked = this.#isLocked(lock);
    add(changes, held.pair, held.amount, isLocked ? held.amount : 0n);
    if (!isLocked) return;
    this.#locked.set(key, lock);
    if (lock.height > this.#block.height) this.#nextHeight = Math.min(this.#nextHeight, lock.height);
    if (lock.time > this.#block.median) this.#nextTime = Math.min(this.#nextTime, lock.time);
  }

  #tokenEvent(index: number, input: ShownInput['input'], outputs: readonly ShownOutput[]): string {
    const { command, token_id: token } = input;
    let amount: Atoms | '' = '';
    let supply = this.#minted.get(token!) ?? 0n;
    if (command === 'MintTokens') {
      amount = BigInt(input.amount!.atoms);
      supply += amount;
      this.#supply(token!).circulating += amount;
    }
    if (command === 'UnmintTokens') {
      const burned = outputs.filter((output) => isBurnOutput(output) && output.value?.token_id === token);
      amount = burned.reduce((sum, { value }) => sum + BigInt(value!.amount.atoms), 0n);
      supply -= amount;
    }
    this.#minted.set(token!, supply);
    const uri = input.metadata_uri === undefined ? '' : Buffer.from(input.metadata_uri).toString('hex');
    const rest = [input.new_authority ?? '', uri, input.is_token_unfreezable ?? ''];
    return [index, KIND_OF_COMMAND[command!], token, amount, supply, ...rest].join(' ');
  }

  #burn(currency: string, amount: Atoms): void {
    if (amount === 0n) return;
    const supply = this.#supply(currency);
    supply.burned += amount;
    supply.circulating -= amount;
  }

  #premint(currency: string, amount: Atoms): void {
    const supply = this.#supply(currency);
    supply.preminted += amount;
    supply.circulating += amount;
  }

  /** The supply of a currency, which is about to change. */
  #supply(currency: string): ReplayedSupply {
    let supply = this.#supplies.get(currency);
    if (supply === undefined) {
      supply = { circulating: 0n, preminted: 0n, burned: 0n, staked: 0n };
      this.#supplies.set(currency, supply);
    }
    if (!this.#suppliesBefore.has(currency)) this.#suppliesBefore.set(currency, supplyText(supply));
    return supply;
  }
}

/** The outputs of the genesis in the form of the API, as far as `reward` reads them. */
export function genesisOutputs(network: Network): ShownOutput[] {
  return decodeGenesis(network.genesis).outputs.flatMap((output): ShownOutput[] => {
    if (isPaymentOutput(output)) {
      if (output.value.type !== 'Coin') return [];
      const value = { type: 'Coin', amount: { atoms: `${output.value.amount}` } };
      return [{ type: output.type, destination: destinationAddress(network, output.destination), value }];
    }
    if (!createsPool(output)) return [];
    const { pledge, costPerBlock, marginRatioPerThousand, decommissionKey } = output.data;
    const data = {
      amount: { atoms: `${pledge}` },
      cost_per_block: { atoms: `${costPerBlock}` },
      margin_ratio_per_thousand: marginRatioPerThousand,
      decommission_key: destinationAddress(network, decommissionKey),
    };
    return [{ type: output.type, pool_id: poolAddress(network, output.poolId), data }];
  });
}

function supplyText({ circulating, preminted, burned, staked }: ReplayedSupply): string {
  return [circulating, preminted, burned, staked].join(' ');
}

function add(changes: ReplayedChanges, pair: string, change: Atoms, locked: Atoms): void {
  const sum = changes.get(pair) ?? { change: 0n, locked: 0n };
  sum.change += change;
  sum.locked += locked;
  changes.set(pair, sum);
}

/** What of an output is part of a balance, if it is anything. */
function heldBy(output: ShownOutput): { pair: string; amount: Atoms } | null {
  if (createsNft(output)) return { pair: ownerCurrencyKey(output.destination!, output.token_id!), amount: 1n };
  const known = isPaymentOutput(output) ? countedValue(output.value) : null;
  if (known === null || known.amount === 0n) return null;
  return { pair: ownerCurrencyKey(output.destination!, known.currency), amount: known.amount };
}

/** Legacy tokens are never counted. */
export function countedValue(value: ShownValue | undefined): { currency: string; amount: Atoms } | null {
  if (value === undefined || value.type === 'TokenV0') return null;
  return { currency: value.token_id ?? '', amount: BigInt(value.amount.atoms) };
}

function lockEnd(lock: ShownOutput['lock'], block: { height: number; timestamp: number }) {
  if (lock === undefined) return { height: 0, time: 0 };
  const value = typeof lock.content === 'number' ? lock.content : lock.content.timestamp;
  switch (lock.type) {
    case 'UntilHeight':
      return { height: value, time: 0 };
    case 'ForBlockCount':
      return { height: block.height + value, time: 0 };
    case 'UntilTime':
      return { height: 0, time: value };
    case 'ForSeconds':
      return { height: 0, time: block.timestamp + value };
  }
}

function commandKind(shown: ShownCommand): CommandKind {
  if (shown === 'FreezeTokens') return 'FreezeToken';
  return shown === 'UnfreezeTokens' ? 'UnfreezeToken' : shown;
}
