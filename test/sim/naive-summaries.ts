/**
 * What each transaction did, worked out in the plainest way from the blocks alone: one account for each address, pool,
 * delegation, order and HTLC, to which the blocks add and from which they take.
 */
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { decodeHtlcSpend } from '../../src/chain/codec/witness.ts';
import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../../src/chain/derive-ids.ts';
import { type Network, ordersVersionAt, tokenIdGenerationAt } from '../../src/chain/networks/network.ts';
import type {
  Atoms,
  Destination,
  Id,
  InputWitness,
  OrderCommand,
  OutputValue,
  SignedTransaction,
  TokenCommand,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import { keyOf } from './naive-lists.ts';

interface Side {
  readonly currency: string;
  readonly whole: Atoms;
  left: Atoms;
}

export interface NaiveSummary {
  /** By `type id currency`; the currency is `coin` or a token's address. No zeros. */
  readonly changes: ReadonlyMap<string, Atoms>;
  /** By currency: what came from nowhere, and what went there. */
  readonly minted: ReadonlyMap<string, Atoms>;
  readonly burned: ReadonlyMap<string, Atoms>;
  /** In coins. */
  readonly protocolFee: bigint;
  /** What it did besides payments, each as a line, sorted. */
  readonly actions: readonly string[];
}

/** Coins by kind of output or command: before and after the height at which the fees became smaller. */
const FEES: Readonly<Record<string, readonly [before: bigint, after: bigint]>> = {
  IssueFungibleToken: [100n, 100n],
  IssueNft: [100n, 5n],
  DataDeposit: [100n, 20n],
  MintTokens: [100n, 50n],
  UnmintTokens: [100n, 50n],
  LockTokenSupply: [100n, 50n],
  FreezeToken: [100n, 50n],
  UnfreezeToken: [100n, 50n],
  ChangeTokenAuthority: [100n, 20n],
  ChangeTokenMetadataUri: [20n, 20n],
};

export class NaiveSummaries {
  readonly #network: Network;
  readonly #feesChangeAt: number;
  readonly #outputs = new Map<string, TxOutput>();
  readonly #orders = new Map<Id, { readonly ask: Side; readonly give: Side }>();

  constructor(network: Network, feesChangeAt: number) {
    this.#network = network;
    this.#feesChangeAt = feesChangeAt;
    this.addReward(network.genesisId, decodeGenesis(network.genesis).outputs);
  }

  /** Adds the outputs of a block's reward. */
  addReward(blockId: Id, outputs: readonly TxOutput[]): void {
    for (const [index, output] of outputs.entries()) this.#outputs.set(`${blockId}:${index}`, output);
  }

  /** Adds a transaction. `poolBalance`: what its maker has in a pool before it. */
  add(
    id: Id,
    { transaction: { inputs, outputs }, signatures }: SignedTransaction,
    height: number,
    poolBalance: (pool: Id) => Atoms,
  ): NaiveSummary {
    const book = new Book();
    for (const [i, input] of inputs.entries())
      this.#input(book, input, signatures[i]!, { height, outputs, poolBalance });
    for (const [index, output] of outputs.entries()) {
      this.#outputs.set(`${id}:${index}`, output);
      this.#output(book, output, `${id}:${index}`, inputs, height);
    }
    return {
      changes: new Map([...book.changes].filter(([, atoms]) => atoms !== 0n)),
      minted: book.minted,
      burned: book.burned,
      protocolFee: book.fee,
      actions: book.actions.sort(),
    };
  }

  #fee(book: Book, kind: string, height: number): void {
    book.fee += FEES[kind]?.[height < this.#feesChangeAt ? 0 : 1] ?? 0n;
  }

  #address = (destination: Destination) => `address ${destinationAddress(this.#network, destination)}`;
  #pool = (pool: Id) => `pool ${poolAddress(this.#network, pool)}`;
  #delegation = (delegation: Id) => `delegation ${delegationAddress(this.#network, delegation)}`;
  #order = (order: Id) => `order ${orderAddress(this.#network, order)}`;
  #token = (token: Id) => tokenAddress(this.#network, token);

  /** Returns the currency and the atoms; of a legacy token none. */
  #worth(value: OutputValue): readonly [currency: string, atoms: Atoms] {
    if (value.type === 'TokenV0') return ['legacy', 0n];
    return value.type === 'Coin' ? ['coin', value.amount] : [this.#token(value.tokenId), value.amount];
  }

  #input(
    book: Book,
    input: TxInput,
    witness: InputWitness,
    at: { height: number; outputs: readonly TxOutput[]; poolBalance: (pool: Id) => Atoms },
  ): void {
    switch (input.type) {
      case 'Utxo':
        return this.#spend(book, keyOf(input.outpoint), witness, at.poolBalance);
      case 'Account':
        book.actions.push(`delegation_withdraw ${this.#delegation(input.delegationId)} ${input.amount}`);
        return book.add(this.#delegation(input.delegationId), 'coin', -input.amount);
      default:
        this.#fee(book, input.command.type, at.height);
        if ('orderId' in input.command) return this.#orderCommand(book, input.command, at.height);
        return this.#tokenCommand(book, input.command, at.outputs);
    }
  }

  #spend(book: Book, key: string, witness: InputWitness, poolBalance: (pool: Id) => Atoms): void {
    const output = this.#outputs.get(key)!;
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer': {
        const [currency, atoms] = this.#worth(output.value);
        return book.add(this.#address(output.destination), currency, -atoms);
      }
      case 'IssueNft':
        return book.add(this.#address(output.destination), this.#token(output.tokenId), -1n);
      case 'Htlc': {
        const [currency, atoms] = this.#worth(output.value);
        const spend = witness.type === 'Standard' ? decodeHtlcSpend(witness.rawSignature) : null;
        const [kind, owner] =
          spend?.type === 'Spend'
            ? ['htlc_claim', output.contract.spendKey]
            : ['htlc_refund', output.contract.refundKey];
        book.actions.push(`${kind} ${this.#address(owner!)} ${atoms} ${currency}`);
        return book.add(`htlc ${key}`, currency, -atoms);
      }
      case 'CreateStakePool':
      case 'ProduceBlockFromStake': {
        const balance = poolBalance(output.poolId);
        book.actions.push(`pool_decommission ${this.#pool(output.poolId)} ${balance}`);
        return book.add(this.#pool(output.poolId), 'coin', -balance);
      }
      default:
        throw new Error(`nothing spends ${output.type}`);
    }
  }

  #tokenCommand(book: Book, command: TokenCommand, outputs: readonly TxOutput[]): void {
    const token = this.#token(command.tokenId);
    switch (command.type) {
      case 'MintTokens':
        book.minted.set(token, (book.minted.get(token) ?? 0n) + command.amount);
        book.actions.push(`token_mint ${token} ${command.amount}`);
        return;
      case 'UnmintTokens': {
        const isBurn = (output: TxOutput) => output.type === 'Burn' && this.#worth(output.value)[0] === token;
        const atoms = outputs
          .filter(isBurn)
          .reduce((sum, output) => sum + this.#worth((output as { value: OutputValue }).value)[1], 0n);
        book.unminted.add(token);
        book.actions.push(`token_unmint ${token} ${atoms}`);
        return;
      }
      case 'LockTokenSupply':
        return void book.actions.push(`token_lock ${token}`);
      case 'FreezeToken':
        return void book.actions.push(`token_freeze ${token} ${command.isUnfreezable}`);
      case 'UnfreezeToken':
        return void book.actions.push(`token_unfreeze ${token}`);
      case 'ChangeTokenAuthority':
        return void book.actions.push(`token_authority ${token} ${this.#address(command.newAuthority)}`);
      case 'ChangeTokenMetadataUri':
        return void book.actions.push(`token_metadata ${token}`);
    }
  }

  #orderCommand(book: Book, command: OrderCommand, height: number): void {
    const { ask, give } = this.#orders.get(command.orderId)!;
    const order = this.#order(command.orderId);
    const pay = (side: Side, atoms: Atoms) => {
      side.left -= atoms;
      book.add(order, side.currency, -atoms);
    };
    switch (command.type) {
      case 'FreezeOrder':
        return void book.actions.push(`order_freeze ${order}`);
      case 'FillOrder': {
        const filled = command.fillAmount;
        const given =
          ordersVersionAt(this.#network, height) === 0
            ? (give.left * filled) / ask.left
            : (give.whole * filled) / ask.whole;
        ask.left -= filled;
        book.add(order, ask.currency, filled);
        pay(give, given);
        book.actions.push(
          `order_fill ${order} ${filled} ${ask.currency} ${given === 0n ? '' : `${given} ${give.currency}`}`,
        );
        return;
      }
      case 'ConcludeOrder': {
        const got = ask.whole - ask.left;
        const returned = [[ask.currency, got] as const, [give.currency, give.left] as const].filter(
          ([, atoms]) => atoms > 0n,
        );
        book.actions.push(
          `order_conclude ${order} ${returned
            .map(([currency, atoms]) => `${atoms} ${currency}`)
            .sort()
            .join(' ')}`,
        );
        for (const [currency, atoms] of returned) book.add(order, currency, -atoms);
      }
    }
  }

  #output(book: Book, output: TxOutput, key: string, inputs: readonly TxInput[], height: number): void {
    this.#fee(book, output.type, height);
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer': {
        const [currency, atoms] = this.#worth(output.value);
        return book.add(this.#address(output.destination), currency, atoms);
      }
      case 'Burn': {
        const [currency, atoms] = this.#worth(output.value);
        book.burned.set(currency, (book.burned.get(currency) ?? 0n) + atoms);
        if (!book.unminted.has(currency)) book.actions.push(`burn ${atoms} ${currency}`);
        return;
      }
      case 'CreateStakePool':
        book.actions.push(`pool_create ${this.#pool(output.poolId)} ${output.data.pledge}`);
        return book.add(this.#pool(output.poolId), 'coin', output.data.pledge);
      case 'CreateDelegationId': {
        const delegation = this.#delegation(deriveDelegationId(inputs)!);
        book.actions.push(
          `delegation_create ${delegation} ${this.#pool(output.poolId)} ${this.#address(output.destination)}`,
        );
        return;
      }
      case 'DelegateStaking':
        book.actions.push(`delegate ${this.#delegation(output.delegationId)} ${output.amount}`);
        return book.add(this.#delegation(output.delegationId), 'coin', output.amount);
      case 'IssueFungibleToken': {
        const generation = tokenIdGenerationAt(this.#network, height);
        // The JSON cannot tell an id that follows from an account.
        const isTold = generation === 1 || inputs[0]!.type === 'Utxo';
        const token = isTold ? this.#token(deriveTokenId(inputs, generation)!) : null;
        book.actions.push(`token_issue ${token} ${output.issuance.totalSupply.type}`);
        return;
      }
      case 'IssueNft': {
        const token = this.#token(output.tokenId);
        book.minted.set(token, 1n);
        book.actions.push(`nft_issue ${token} ${this.#address(output.destination)}`);
        return book.add(this.#address(output.destination), token, 1n);
      }
      case 'DataDeposit':
        return void book.actions.push(`data_deposit ${output.data.length / 2}`);
      case 'Htlc': {
        const [currency, atoms] = this.#worth(output.value);
        const { spendKey, refundKey } = output.contract;
        book.actions.push(`htlc_create ${atoms} ${currency} ${this.#address(spendKey)} ${this.#address(refundKey)}`);
        return book.add(`htlc ${key}`, currency, atoms);
      }
      case 'CreateOrder': {
        const id = deriveOrderId(inputs)!;
        const side = (value: OutputValue): Side => {
          const [currency, atoms] = this.#worth(value);
          return { currency, whole: atoms, left: atoms };
        };
        const order = { ask: side(output.order.ask), give: side(output.order.give) };
        this.#orders.set(id, order);
        book.actions.push(
          `order_create ${this.#order(id)} ${order.ask.whole} ${order.ask.currency} ${order.give.whole} ${order.give.currency}`,
        );
        return book.add(this.#order(id), order.give.currency, order.give.whole);
      }
      case 'ProduceBlockFromStake':
        throw new Error('only a reward has it');
    }
  }
}

class Book {
  readonly changes = new Map<string, Atoms>();
  readonly minted = new Map<string, Atoms>();
  readonly burned = new Map<string, Atoms>();
  readonly unminted = new Set<string>();
  readonly actions: string[] = [];
  fee = 0n;

  add(account: string, currency: string, atoms: Atoms): void {
    const key = `${account} ${currency}`;
    this.changes.set(key, (this.changes.get(key) ?? 0n) + atoms);
  }
}
