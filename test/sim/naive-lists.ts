/**
 * What the lists of the API hold, worked out in the plainest way from the blocks (who took part in what) and from the
 * simulation's own account (what there is now). Ids and destinations as hex.
 */

import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { decodeHtlcSpend } from '../../src/chain/codec/witness.ts';
import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../../src/chain/derive-ids.ts';
import { assertNever, isContractOutput, isUtxoInput } from '../../src/chain/input-and-output-kinds.ts';
import { type Network, tokenIdGenerationAt } from '../../src/chain/networks/network.ts';
import type {
  Destination,
  Hex,
  Id,
  IdentifiedBlock,
  InputWitness,
  Outpoint,
  OutputValue,
  SignedTransaction,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import { lockOpensAt } from '../../src/devnet/sim/rules/locks.ts';
import { type SimulatedWorld, worldMedianTime } from '../../src/devnet/sim/world.ts';

interface Created {
  readonly output: TxOutput;
  readonly isReward: boolean;
}

/** Where an output was spent. */
export interface Spent {
  readonly height: number;
  readonly blockId: Id;
  /** Null for the kernel of a block. */
  readonly transactionId: Id | null;
  readonly inputIndex: number;
}

/** A spend of an HTLC, by an input of a transaction. */
export interface HtlcSpent {
  readonly transactionId: Id;
  readonly input: number;
  readonly secretHash: Hex;
  readonly isRefund: boolean;
}

/** Who and which tokens each transaction has to do with (docs/indexing-rules.md#owners-and-histories). */
export class TakingPart {
  /** All transactions, oldest first. */
  readonly transactions: Id[] = [];
  readonly ofAddress = new Map<Destination, Id[]>();
  readonly ofToken = new Map<Id, Id[]>();
  readonly tickers = new Map<Id, string>();
  readonly htlcsSpent: HtlcSpent[] = [];
  /** By `source:index`. */
  readonly spent = new Map<string, Spent>();
  /** All outputs, in the order of the chain. */
  readonly created = new Map<string, Created>();
  readonly #decommissionKeys = new Map<Id, Destination>();
  readonly #delegators = new Map<Id, Destination>();
  readonly #orderTokens = new Map<Id, Id[]>();

  constructor(network: Network, mainChain: readonly IdentifiedBlock[]) {
    for (const [index, output] of decodeGenesis(network.genesis).outputs.entries()) {
      this.#create(network.genesisId, index, output, true);
    }
    for (const [place, { block, id, transactionIds }] of mainChain.entries()) {
      const height = place + 1;
      const { consensus } = block.header;
      if (consensus.type === 'PoS') {
        this.#spendAll(consensus.data.kernelInputs, { height, blockId: id, transactionId: null });
      }
      for (const [position, signed] of block.transactions.entries()) {
        const transactionId = transactionIds[position]!;
        this.#transaction(signed, transactionId, tokenIdGenerationAt(network, height));
        this.#spendAll(signed.transaction.inputs, { height, blockId: id, transactionId });
      }
      for (const [index, output] of block.reward.entries()) this.#create(id, index, output, true);
    }
  }

  #create(source: Id, index: number, output: TxOutput, isReward: boolean): void {
    this.created.set(`${source}:${index}`, { output, isReward });
    if (output.type === 'CreateStakePool') this.#decommissionKeys.set(output.poolId, output.data.decommissionKey);
  }

  #spendAll(inputs: readonly TxInput[], spent: Omit<Spent, 'inputIndex'>): void {
    for (const [inputIndex, input] of inputs.entries()) {
      if (isUtxoInput(input)) this.spent.set(keyOf(input.outpoint), { ...spent, inputIndex });
    }
  }

  #transaction({ transaction, signatures }: SignedTransaction, id: Id, generation: 0 | 1): void {
    const addresses = new Set<Destination>();
    const tokens = new Set<Id>();
    for (const [index, input] of transaction.inputs.entries()) {
      this.#input(input, signatures[index]!, addresses, tokens);
      if (isUtxoInput(input)) this.#spendHtlc(keyOf(input.outpoint), signatures[index]!, id, index);
    }
    transaction.outputs.forEach((output, index) => {
      this.#create(id, index, output, false);
      this.#output(transaction.inputs, output, generation, addresses, tokens);
    });
    this.transactions.push(id);
    for (const address of addresses) this.ofAddress.set(address, [...(this.ofAddress.get(address) ?? []), id]);
    for (const token of tokens) this.ofToken.set(token, [...(this.ofToken.get(token) ?? []), id]);
  }

  #input(input: TxInput, witness: InputWitness, addresses: Set<Destination>, tokens: Set<Id>): void {
    switch (input.type) {
      case 'Utxo':
        return this.#spend(keyOf(input.outpoint), witness, addresses, tokens);
      case 'Account':
        return;
      case 'AccountCommand':
      case 'OrderAccountCommand': {
        const { command } = input;
        const named = 'orderId' in command ? this.#orderTokens.get(command.orderId)! : [command.tokenId];
        for (const token of named) tokens.add(token);
        return;
      }
      default:
        return assertNever(input);
    }
  }

  #spend(key: string, witness: InputWitness, addresses: Set<Destination>, tokens: Set<Id>): void {
    const { output, isReward } = this.created.get(key)!;
    for (const token of tokensIn(output)) tokens.add(token);
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer':
      case 'IssueNft':
        addresses.add(output.destination);
        return;
      case 'Htlc': {
        const { spendKey, refundKey } = output.contract;
        const spend = witness.type === 'Standard' ? decodeHtlcSpend(witness.rawSignature) : null;
        addresses.add(spend?.type === 'Spend' ? spendKey : refundKey);
        return;
      }
      case 'CreateStakePool':
      case 'ProduceBlockFromStake':
        if (isReward) addresses.add(this.#decommissionKeys.get(output.poolId)!);
        return;
      case 'Burn':
      case 'CreateDelegationId':
      case 'DelegateStaking':
      case 'IssueFungibleToken':
      case 'DataDeposit':
      case 'CreateOrder':
        throw new Error(`${output.type} cannot be spent`);
      default:
        return assertNever(output);
    }
  }

  #spendHtlc(key: string, witness: InputWitness, transactionId: Id, input: number): void {
    const { output } = this.created.get(key)!;
    if (!isContractOutput(output) || witness.type !== 'Standard') return;
    const isRefund = decodeHtlcSpend(witness.rawSignature)?.type === 'Refund';
    this.htlcsSpent.push({ transactionId, input, secretHash: output.contract.secretHash, isRefund });
  }

  /** Notes who takes part in it, and what it creates besides itself. */
  #output(
    inputs: readonly TxInput[],
    output: TxOutput,
    generation: 0 | 1,
    addresses: Set<Destination>,
    tokens: Set<Id>,
  ): void {
    for (const token of tokensIn(output)) tokens.add(token);
    switch (output.type) {
      case 'Transfer':
      case 'LockThenTransfer':
        addresses.add(output.destination);
        return;
      case 'IssueNft':
        this.tickers.set(output.tokenId, textOf(output.metadata.ticker));
        addresses.add(output.destination);
        return;
      case 'IssueFungibleToken': {
        const tokenId = deriveTokenId(inputs, generation)!;
        this.tickers.set(tokenId, textOf(output.issuance.ticker));
        tokens.add(tokenId);
        return;
      }
      case 'CreateDelegationId':
        this.#delegators.set(deriveDelegationId(inputs)!, output.destination);
        return;
      case 'CreateOrder':
        this.#orderTokens.set(deriveOrderId(inputs)!, tokensOf(output.order.ask, output.order.give));
        return;
      case 'Htlc':
        addresses.add(output.contract.spendKey).add(output.contract.refundKey);
        return;
      case 'CreateStakePool':
        addresses.add(output.data.decommissionKey).add(output.data.staker);
        return;
      case 'DelegateStaking':
        addresses.add(this.#delegators.get(output.delegationId)!);
        return;
      case 'Burn':
      case 'DataDeposit':
      case 'ProduceBlockFromStake':
        return;
      default:
        return assertNever(output);
    }
  }
}

const textOf = (hex: Hex): string => Buffer.from(hex, 'hex').toString();
export const keyOf = ({ sourceId, index }: Outpoint): string => `${sourceId}:${index}`;

function tokensOf(...values: readonly OutputValue[]): Id[] {
  return values.flatMap((value) => (value.type === 'TokenV1' ? [value.tokenId] : []));
}

/** The tokens that an output names: of its value, of an order's two sides, or its own NFT. */
function tokensIn(output: TxOutput): Id[] {
  if (output.type === 'IssueNft') return [output.tokenId];
  if (output.type === 'CreateOrder') return tokensOf(output.order.ask, output.order.give);
  return 'value' in output ? tokensOf(output.value) : [];
}

const byId = (a: { id: Id }, b: { id: Id }): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
const ids = (things: readonly { id: Id }[]): Id[] => things.map(({ id }) => id);

export function poolsByHeight({ pools }: SimulatedWorld): Id[] {
  const live = [...pools.values()].filter(({ stakerBalance }) => stakerBalance > 0n);
  return ids(live.sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b)));
}

export function poolsByPledge({ pools }: SimulatedWorld): Id[] {
  const live = [...pools.values()].filter(({ stakerBalance }) => stakerBalance > 0n);
  return ids(live.sort((a, b) => Number(b.stakerBalance - a.stakerBalance) || byId(a, b)));
}

export function openOrders({ orders }: SimulatedWorld): Id[] {
  const open = [...orders.values()].filter(
    ({ isConcluded, isFrozen, askBalance }) => !isConcluded && !isFrozen && askBalance > 0n,
  );
  return ids(open.sort((a, b) => b.creationHeight - a.creationHeight || byId(a, b)));
}

export function openOrdersOfPair(world: SimulatedWorld, first: string, second: string): Id[] {
  return openOrders(world).filter((id) => {
    const { ask, give } = world.orders.get(id)!;
    return (ask.currency === first && give.currency === second) || (ask.currency === second && give.currency === first);
  });
}

/** Fungible tokens, then NFTs. */
export function tokenIds({ tokens, nfts }: SimulatedWorld): Id[] {
  return [...ids([...tokens.values()].sort(byId)), ...ids([...nfts.values()].sort(byId))];
}

/** Those whose ticker contains a text, in any case. */
export function tokensByTicker(world: SimulatedWorld, tickers: ReadonlyMap<Id, string>, text: string): Id[] {
  return tokenIds(world).filter((id) => tickers.get(id)!.toLowerCase().includes(text.toLowerCase()));
}

export function tokensOfAuthority({ tokens }: SimulatedWorld, authority: Destination): Id[] {
  return ids([...tokens.values()].filter((token) => token.authority === authority).sort(byId));
}

export function delegationsOf({ delegations }: SimulatedWorld, owner: Destination): Id[] {
  return ids([...delegations.values()].filter((delegation) => delegation.owner === owner).sort(byId));
}

/** Outpoints of all that lies unspent at an address, free or locked; of an HTLC also at its refund key. */
export function unspentOf({ utxos, pools }: SimulatedWorld, owner: Destination): string[] {
  const found: string[] = [];
  for (const { output, outpoint, destination } of utxos.values()) {
    if (ownersOf(pools, output, destination).includes(owner)) found.push(keyOf(outpoint));
  }
  return found.sort();
}

function ownersOf(pools: SimulatedWorld['pools'], output: TxOutput, destination: Destination): readonly Destination[] {
  switch (output.type) {
    case 'Htlc':
      return [output.contract.spendKey, output.contract.refundKey];
    case 'ProduceBlockFromStake':
      return [output.destination];
    case 'CreateStakePool':
      return [pools.get(output.poolId)!.decommissionKey];
    case 'Transfer':
    case 'LockThenTransfer':
    case 'IssueNft':
      return [destination];
    case 'Burn':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'DataDeposit':
    case 'CreateOrder':
      throw new Error(`${output.type} is never unspent`);
  }
}

/** Those of them that may be spent now: under no lock, and HTLCs at their refund key once the next block may refund them. */
export function spendableOf(world: SimulatedWorld, owner: Destination): string[] {
  const spendable = new Set<string>();
  const median = worldMedianTime(world.timestamps);
  for (const { output, outpoint, freeAtHeight, freeAtTime, height, timestamp } of world.utxos.values()) {
    if (isContractOutput(output) && output.contract.spendKey !== owner) {
      const opens = lockOpensAt(output.contract.refundTimelock, height, timestamp);
      if (opens.height <= world.height + 1 && opens.time <= median) spendable.add(keyOf(outpoint));
    } else if (isContractOutput(output) || (freeAtHeight <= world.height && freeAtTime <= median)) {
      spendable.add(keyOf(outpoint));
    }
  }
  return unspentOf(world, owner).filter((key) => spendable.has(key));
}
