/**
 * The effects of a transaction, confirmed or pending: the addresses and tokens that it concerns, and the coins that it takes
 * in and pays out (docs/indexing-rules.md#owners-and-histories, docs/indexing-rules.md#transaction-fee). If a lookup finds
 * nothing, the effects are incomplete; that is no error, because the index may be behind the node of the transaction.
 */

import { commandFee, outputFee } from '../chain/burned-fees.ts';
import { decodeHtlcSpend } from '../chain/codec/witness.ts';
import { COIN, type Currency } from '../chain/currency.ts';
import { deriveTokenId } from '../chain/derive-ids.ts';
import {
  assertNever,
  createsNft,
  isBalanceOutput,
  isContractOutput,
  isSpendable,
  isStakeOutput,
} from '../chain/input-and-output-kinds.ts';
import {
  type BurnedFees,
  burnedFeesAt,
  type Network,
  ordersVersionAt,
  tokenIdGenerationAt,
} from '../chain/networks/network.ts';
import type {
  Atoms,
  Destination,
  Hex,
  Id,
  InputWitness,
  OrderCommand,
  OutputValue,
  TxInput,
  TxOutput,
} from '../chain/types.ts';
import { filledAmount, newOrderTerms, type OrderTerms } from './order-terms.ts';

/** The rules that effects depend on, at one height. */
export interface EffectRules {
  readonly fees: BurnedFees;
  readonly ordersVersion: 0 | 1;
  readonly tokenIdGeneration: 0 | 1;
}

export function effectRulesAt(network: Network, height: number): EffectRules {
  return {
    fees: burnedFeesAt(network, height),
    ordersVersion: ordersVersionAt(network, height),
    tokenIdGeneration: tokenIdGenerationAt(network, height),
  };
}

export interface PoolTerms {
  /** The staker's balance: pledge and rewards. */
  readonly stakerBalance: Atoms;
  readonly decommissionDestination: Destination;
}

/** Looks up what a transaction uses; undefined if unknown. */
export interface EffectSources {
  pool(id: Id): PoolTerms | undefined;
  /** Owner of the delegation. */
  delegationOwner(id: Id): Destination | undefined;
  order(id: Id): OrderTerms | undefined;
}

/** Adds up inputs and outputs. Each is added in order, before it is applied to the state. */
export class TransactionEffects {
  /** The addresses whose history includes the transaction. */
  readonly addresses = new Set<Destination>();
  /** The tokens that the transaction concerns. */
  readonly tokens = new Set<Id>();
  coinsIn: Atoms = 0n;
  /** The coins in its outputs, with the burned fees. */
  coinsOut: Atoms = 0n;
  /** False if an unknown source brings or takes coins. */
  isFeeKnown = true;
  /** False if something is unknown, or may change with each block until the transaction is in one. */
  isFinal = true;
  readonly #rules: EffectRules;
  readonly #sources: EffectSources;

  constructor(rules: EffectRules, sources: EffectSources) {
    this.#rules = rules;
    this.#sources = sources;
  }

  /** Adds an output that is spent; returns the secret that the spend of an HTLC reveals. */
  spend(output: TxOutput, isReward: boolean, witness: InputWitness): Hex | null {
    if (isBalanceOutput(output)) {
      this.addresses.add(output.destination);
      if (createsNft(output)) this.tokens.add(output.tokenId);
      else this.#takeIn(output.value);
    } else if (isContractOutput(output)) {
      const spend = witness.type === 'Standard' ? decodeHtlcSpend(witness.rawSignature) : null;
      if (spend?.type !== 'Refund') this.addresses.add(output.contract.spendKey);
      if (spend?.type !== 'Spend') this.addresses.add(output.contract.refundKey);
      this.#takeIn(output.value);
      if (spend?.type === 'Spend') return spend.secret;
    } else if (isStakeOutput(output)) {
      this.#decommission(output.poolId, isReward);
    } else if (isSpendable(output)) {
      assertNever(output);
    } else {
      this.isFeeKnown = false;
    }
    return null;
  }

  #decommission(poolId: Id, isReward: boolean): void {
    // The pool's balance grows with each block that it makes.
    this.isFinal = false;
    const pool = this.#sources.pool(poolId);
    if (pool === undefined) {
      this.isFeeKnown = false;
      return;
    }
    this.coinsIn += pool.stakerBalance;
    if (isReward) this.addresses.add(pool.decommissionDestination);
  }

  /** Adds an input that spends no output; returns what is burned for it. */
  account(input: Exclude<TxInput, { type: 'Utxo' }>): Atoms {
    switch (input.type) {
      case 'Account':
        this.coinsIn += input.amount;
        return 0n;
      case 'AccountCommand':
      case 'OrderAccountCommand': {
        const fee = commandFee(this.#rules.fees, input.command.type);
        this.coinsOut += fee;
        if ('orderId' in input.command) this.#order(input.command);
        else this.tokens.add(input.command.tokenId);
        return fee;
      }
      default:
        return assertNever(input);
    }
  }

  #order(command: OrderCommand): void {
    const order = this.#sources.order(command.orderId);
    if (order === undefined) {
      this.isFinal = false;
      if (command.type !== 'FreezeOrder') this.isFeeKnown = false;
      return;
    }
    this.#addTokens(order.askCurrency, order.giveCurrency);
    switch (command.type) {
      case 'FillOrder': {
        const { ordersVersion } = this.#rules;
        if (order.giveCurrency === COIN) this.coinsIn += filledAmount(ordersVersion, order, command.fillAmount);
        if (order.askCurrency === COIN) this.coinsOut += command.fillAmount;
        if (ordersVersion === 0) this.isFinal = false;
        return;
      }
      case 'ConcludeOrder':
        if (order.giveCurrency === COIN) this.coinsIn += order.giveBalance;
        if (order.askCurrency === COIN) this.coinsIn += order.initiallyAsked - order.askBalance;
        // The order may be filled before the transaction is in a block.
        this.isFinal = false;
        return;
      case 'FreezeOrder':
        return;
      default:
        assertNever(command);
    }
  }

  /** Adds an output of a transaction with these inputs; returns what is burned for it. */
  output(output: TxOutput, inputs: readonly TxInput[]): Atoms {
    this.#output(output, inputs);
    const fee = outputFee(this.#rules.fees, output.type);
    if (fee !== 0n) this.coinsOut += fee;
    return fee;
  }

  #output(output: TxOutput, inputs: readonly TxInput[]): void {
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer':
        this.addresses.add(output.destination);
        return this.#payOut(output.value);
      case 'Burn':
        return this.#payOut(output.value);
      case 'CreateStakePool':
        this.addresses.add(output.data.decommissionKey);
        this.addresses.add(output.data.staker);
        this.coinsOut += output.data.pledge;
        return;
      case 'DelegateStaking': {
        const owner = this.#sources.delegationOwner(output.delegationId);
        if (owner === undefined) this.isFinal = false;
        else this.addresses.add(owner);
        this.coinsOut += output.amount;
        return;
      }
      case 'IssueFungibleToken': {
        const id = deriveTokenId(inputs, this.#rules.tokenIdGeneration);
        if (id !== null) this.tokens.add(id);
        return;
      }
      case 'IssueNft':
        this.tokens.add(output.tokenId);
        this.addresses.add(output.destination);
        return;
      case 'Htlc':
        this.addresses.add(output.contract.spendKey);
        this.addresses.add(output.contract.refundKey);
        return this.#payOut(output.value);
      case 'CreateOrder': {
        const terms = newOrderTerms(output.order);
        if (terms === null) return;
        this.#addTokens(terms.askCurrency, terms.giveCurrency);
        if (terms.giveCurrency === COIN) this.coinsOut += terms.giveBalance;
        return;
      }
      case 'ProduceBlockFromStake':
      case 'CreateDelegationId':
      case 'DataDeposit':
        return;
      default:
        assertNever(output);
    }
  }

  #takeIn(value: OutputValue): void {
    this.coinsIn += this.#coinsOf(value);
  }

  #payOut(value: OutputValue): void {
    this.coinsOut += this.#coinsOf(value);
  }

  /** Returns the coins of a value. Notes the token of other values, except for legacy tokens, which are never counted. */
  #coinsOf(value: OutputValue): Atoms {
    switch (value.type) {
      case 'Coin':
        return value.amount;
      case 'TokenV1':
        this.tokens.add(value.tokenId);
        return 0n;
      case 'TokenV0':
        return 0n;
    }
  }

  #addTokens(ask: Currency, give: Currency): void {
    if (ask !== COIN) this.tokens.add(ask);
    if (give !== COIN) this.tokens.add(give);
  }
}
