/**
 * What a transaction spends and pays, before a block has it: the ledger's rules (docs/indexing-rules.md#inputs,
 * docs/indexing-rules.md#outputs) without its state. What is not known leaves a gap and is no error: the index may be
 * behind the node.
 */

import { commandFee } from '../chain/burned-fees.ts';
import { htlcSpend } from '../chain/codec/witness.ts';
import { COIN, type Currency } from '../chain/currency.ts';
import { tokenIdOf } from '../chain/derive-ids.ts';
import { unknownKind } from '../chain/kind-facts.ts';
import { type Fees, feesAt, type Network, ordersVersionAt, tokenIdGenerationAt } from '../chain/networks/network.ts';
import type {
  AccountCommand,
  Atoms,
  Destination,
  Hex,
  Id,
  InputWitness,
  OrderAccountCommand,
  Outpoint,
  TxOutput,
} from '../chain/types.ts';
import type { ResolvedInput } from '../ledger/applied.ts';
import { countedValue } from '../ledger/balances.ts';
import { filledAmount, type OrderAmounts } from '../ledger/orders.ts';
import type { AccountUse, Decoded, Resolution } from './transaction.ts';

export interface OrderTerms extends OrderAmounts {
  readonly askCurrency: Currency;
  readonly giveCurrency: Currency;
}

export interface PoolTerms {
  /** What the staker gets back: pledge and rewards. */
  readonly stakerBalance: Atoms;
  readonly decommissionDestination: Destination;
}

/** Looks up what a transaction uses; undefined for what is not known. */
export interface Sources {
  output(outpoint: Outpoint): TxOutput | undefined;
  pool(id: Id): PoolTerms | undefined;
  /** Whose delegation it is. */
  delegationOwner(id: Id): Destination | undefined;
  order(id: Id): OrderTerms | undefined;
  tokenAuthority(id: Id): Destination | undefined;
}

/** Resolves a transaction as one of a block at `height`. */
export function resolve(network: Network, height: number, decoded: Decoded, sources: Sources): Resolution {
  const resolving = new Resolving(network, height, decoded, sources);
  const { inputs, outputs } = decoded.signed.transaction;
  for (let i = 0; i < inputs.length; i++) resolving.input(i);
  for (const output of outputs) resolving.output(output);
  return resolving.end();
}

type OrderCommand = OrderAccountCommand | Extract<AccountCommand, { readonly orderId: Id }>;

class Resolving {
  readonly #decoded: Decoded;
  readonly #sources: Sources;
  readonly #height: number;
  readonly #fees: Fees;
  readonly #ordersVersion: 0 | 1;
  readonly #tokenIdGeneration: 0 | 1;
  readonly #inputs: (ResolvedInput | null)[] = [];
  readonly #addresses = new Set<Destination>();
  readonly #tokens = new Set<Id>();
  readonly #accounts: AccountUse[] = [];
  #coinsIn = 0n;
  #coinsOut = 0n;
  #isFeeKnown = true;
  #isFinal = true;

  constructor(network: Network, height: number, decoded: Decoded, sources: Sources) {
    this.#decoded = decoded;
    this.#sources = sources;
    this.#height = height;
    this.#fees = feesAt(network, height);
    this.#ordersVersion = ordersVersionAt(network, height);
    this.#tokenIdGeneration = tokenIdGenerationAt(network, height);
  }

  end(): Resolution {
    const fee = this.#coinsIn - this.#coinsOut;
    return {
      height: this.#height,
      inputs: this.#inputs,
      // What takes more than it brings is not understood: the index and the node are not at the same block.
      fee: this.#isFeeKnown && fee >= 0n ? fee : null,
      addresses: this.#addresses,
      tokens: this.#tokens,
      accounts: this.#accounts,
      isFinal: this.#isFinal && this.#isFeeKnown && fee >= 0n,
    };
  }

  input(index: number): void {
    const { transaction, signatures } = this.#decoded.signed;
    const input = transaction.inputs[index]!;
    switch (input.type) {
      case 'Utxo':
        this.#inputs.push(this.#spend(input.outpoint, signatures[index]!));
        return;
      case 'Account': {
        const owner = this.#delegationOwner(input.delegationId);
        this.#accounts.push({ account: 'delegation', id: input.delegationId, nonce: input.nonce, owner });
        this.#coinsIn += input.amount;
        break;
      }
      case 'AccountCommand':
        this.#command(input.command, input.nonce);
        break;
      case 'OrderAccountCommand':
        this.#order(input.command.orderId, input.command);
        break;
      default:
        unknownKind(input);
    }
    this.#inputs.push(null);
  }

  #spend(outpoint: Outpoint, witness: InputWitness): ResolvedInput | null {
    const output = this.#sources.output(outpoint);
    if (output === undefined) {
      this.#isFeeKnown = false;
      return null;
    }
    let secret: Hex | null = null;
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer':
        this.#addresses.add(output.destination);
        this.#takeIn(output);
        break;
      case 'IssueNft':
        this.#addresses.add(output.destination);
        this.#tokens.add(output.tokenId);
        break;
      case 'Htlc': {
        const spend = witness.type === 'Standard' ? htlcSpend(witness.rawSignature) : null;
        if (spend?.type === 'Spend') secret = spend.secret;
        if (spend?.type !== 'Refund') this.#addresses.add(output.contract.spendKey);
        if (spend?.type !== 'Spend') this.#addresses.add(output.contract.refundKey);
        this.#takeIn(output);
        break;
      }
      case 'CreateStakePool':
      case 'ProduceBlockFromStake':
        this.#decommission(output.poolId, outpoint.sourceType === 'BlockReward');
        break;
      // They cannot be spent: a node would not have taken it.
      case 'Burn':
      case 'CreateDelegationId':
      case 'DelegateStaking':
      case 'IssueFungibleToken':
      case 'DataDeposit':
      case 'CreateOrder':
        this.#isFeeKnown = false;
        break;
      default:
        unknownKind(output);
    }
    return { output, secret };
  }

  #takeIn({ value }: Extract<TxOutput, { type: 'Transfer' | 'LockThenTransfer' | 'Htlc' }>): void {
    const counted = countedValue(value);
    if (counted?.currency === COIN) this.#coinsIn += counted.amount;
    else if (counted) this.#tokens.add(counted.currency);
  }

  #decommission(poolId: Id, isReward: boolean): void {
    // It grows with each block that the pool makes.
    this.#isFinal = false;
    const pool = this.#sources.pool(poolId);
    if (pool === undefined) {
      this.#isFeeKnown = false;
      return;
    }
    this.#coinsIn += pool.stakerBalance;
    if (isReward) this.#addresses.add(pool.decommissionDestination);
  }

  #command(command: AccountCommand, nonce: bigint): void {
    switch (command.type) {
      case 'FillOrder':
      case 'ConcludeOrder':
        return this.#order(command.orderId, command);
      default:
    }
    const owner = this.#sources.tokenAuthority(command.tokenId) ?? null;
    if (owner === null) this.#isFinal = false;
    this.#accounts.push({ account: 'token', id: command.tokenId, nonce, owner });
    this.#tokens.add(command.tokenId);
    this.#coinsOut += commandFee(this.#fees, command.type);
  }

  #order(id: Id, command: OrderCommand): void {
    const order = this.#sources.order(id);
    if (order === undefined) {
      this.#isFinal = false;
      if (command.type !== 'FreezeOrder') this.#isFeeKnown = false;
      return;
    }
    for (const currency of [order.askCurrency, order.giveCurrency]) if (currency !== COIN) this.#tokens.add(currency);
    switch (command.type) {
      case 'FillOrder': {
        const { fillAmount } = command;
        if (order.giveCurrency === COIN) this.#coinsIn += filledAmount(this.#ordersVersion, order, fillAmount);
        if (order.askCurrency === COIN) this.#coinsOut += fillAmount;
        if (this.#ordersVersion === 0) this.#isFinal = false;
        return;
      }
      case 'ConcludeOrder':
        if (order.giveCurrency === COIN) this.#coinsIn += order.giveBalance;
        if (order.askCurrency === COIN) this.#coinsIn += order.initiallyAsked - order.askBalance;
        // Until then it may be filled.
        this.#isFinal = false;
        return;
      case 'FreezeOrder':
        return;
      default:
        return unknownKind(command);
    }
  }

  output(output: TxOutput): void {
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer':
        this.#addresses.add(output.destination);
        return this.#giveOut(output);
      case 'Burn':
        return this.#giveOut(output);
      case 'CreateStakePool':
        this.#addresses.add(output.data.decommissionKey);
        this.#addresses.add(output.data.staker);
        this.#coinsOut += output.data.pledge;
        return;
      case 'ProduceBlockFromStake':
      case 'CreateDelegationId':
        return;
      case 'DelegateStaking': {
        const owner = this.#delegationOwner(output.delegationId);
        if (owner !== null) this.#addresses.add(owner);
        this.#coinsOut += output.amount;
        return;
      }
      case 'IssueFungibleToken': {
        const id = tokenIdOf(this.#decoded.signed.transaction.inputs, this.#tokenIdGeneration);
        if (id !== null) this.#tokens.add(id);
        this.#coinsOut += this.#fees.issueFungibleToken;
        return;
      }
      case 'IssueNft':
        this.#tokens.add(output.tokenId);
        this.#addresses.add(output.destination);
        this.#coinsOut += this.#fees.issueNft;
        return;
      case 'DataDeposit':
        this.#coinsOut += this.#fees.dataDeposit;
        return;
      case 'Htlc':
        this.#addresses.add(output.contract.spendKey);
        this.#addresses.add(output.contract.refundKey);
        return this.#giveOut(output);
      case 'CreateOrder': {
        const ask = countedValue(output.order.ask);
        const give = countedValue(output.order.give);
        if (ask === null || give === null) return;
        for (const { currency } of [ask, give]) if (currency !== COIN) this.#tokens.add(currency);
        if (give.currency === COIN) this.#coinsOut += give.amount;
        return;
      }
      default:
        return unknownKind(output);
    }
  }

  #giveOut({ value }: Extract<TxOutput, { type: 'Transfer' | 'LockThenTransfer' | 'Burn' | 'Htlc' }>): void {
    const counted = countedValue(value);
    if (counted?.currency === COIN) this.#coinsOut += counted.amount;
    else if (counted) this.#tokens.add(counted.currency);
  }

  #delegationOwner(id: Id): Destination | null {
    const owner = this.#sources.delegationOwner(id) ?? null;
    if (owner === null) this.#isFinal = false;
    return owner;
  }
}
