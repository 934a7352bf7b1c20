/**
 * What every transaction, every end of a lock and every reward of a chain changed of who has what, worked out in the plainest
 * way: from the blocks, by adding up unspent outputs before and after. It knows nothing of the tables.
 */
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { decodeHtlcSpend } from '../../src/chain/codec/witness.ts';
import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../../src/chain/derive-ids.ts';
import { type Network, tokenIdGenerationAt } from '../../src/chain/networks/network.ts';
import type {
  Atoms,
  Destination,
  Id,
  IdentifiedBlock,
  InputWitness,
  OutputValue,
  SignedTransaction,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import { type LockOpening, lockOpensAt, NO_LOCK } from '../../src/devnet/sim/rules/locks.ts';
import { worldMedianTime } from '../../src/devnet/sim/world.ts';
import { KINDS } from './naive-facts.ts';
import { keyOf } from './naive-lists.ts';

/** An unspent output that is part of a balance. */
interface Piece {
  readonly owner: Destination;
  readonly currency: string;
  readonly amount: Atoms;
  readonly opens: LockOpening;
}

interface Held {
  readonly balance: Atoms;
  readonly locked: Atoms;
}

const pairOf = ({ owner, currency }: Pick<Piece, 'owner' | 'currency'>): string => `${owner} ${currency}`;

/** Of a main chain. `feeOf`: the fee of each transaction. */
export class NaivePast {
  /** A line for each change of a balance: height, position, owner, currency, change, balance, locked, fee, kinds. */
  readonly changes: string[] = [];
  /** A line for each event of a token: token, height, position, index, kind, amount, supply. */
  readonly tokenEvents: string[] = [];
  readonly #network: Network;
  readonly #feeOf: (transactionId: Id) => Atoms;
  readonly #created = new Map<string, TxOutput>();
  readonly #unspent = new Map<string, Piece>();
  readonly #supplies = new Map<Id, Atoms>();
  /** Decommission keys of pools, owners of delegations, conclude keys of orders that ask or give coins. */
  readonly #keys = new Map<Id, Destination>();
  #height = 0;
  #median: number;
  #timestamps: number[];

  constructor(network: Network, mainChain: readonly IdentifiedBlock[], feeOf: (transactionId: Id) => Atoms) {
    this.#network = network;
    this.#feeOf = feeOf;
    const genesis = decodeGenesis(network.genesis);
    this.#timestamps = [genesis.timestamp];
    this.#median = genesis.timestamp;
    this.#step(0, 'reward', () => this.#reward(network.genesisId, genesis.outputs));
    for (const block of mainChain) this.#block(block);
  }

  #block({ block, id, transactionIds }: IdentifiedBlock): void {
    this.#step(-1, 'unlocked', (touched) => {
      const before = new Set([...this.#unspent.values()].filter((piece) => this.#isLocked(piece)));
      this.#height++;
      this.#timestamps = [...this.#timestamps, block.header.timestamp].slice(-11);
      this.#median = worldMedianTime(this.#timestamps);
      for (const piece of before) if (!this.#isLocked(piece)) touched.add(pairOf(piece));
    });
    for (const [position, signed] of block.transactions.entries()) {
      this.#transaction(signed, transactionIds[position]!, position);
    }
    this.#step(block.transactions.length, 'reward', (touched) => this.#reward(id, block.reward, touched));
  }

  #transaction({ transaction, signatures }: SignedTransaction, id: Id, position: number): void {
    const { inputs, outputs } = transaction;
    const marks = new Set<string>();
    let payer: Destination | undefined;
    const fee = this.#feeOf(id);
    this.#step(
      position,
      () => this.#kindsOf(marks),
      (touched, before) => {
        const owners = inputs.map((input, index) => this.#input(input, signatures[index]!, marks, touched));
        for (const [index, output] of outputs.entries()) {
          marks.add(output.type);
          this.#output(inputs, output, `${id}:${index}`, touched);
        }
        if (fee === 0n) return;
        const after = this.#allHeld();
        const coinsOf = (held: ReadonlyMap<string, Held>, owner: Destination) =>
          (held.get(pairOf({ owner, currency: '' })) ?? NOTHING).balance;
        const payers = owners.filter((owner) => owner !== null);
        payer = payers.find((owner) => coinsOf(before, owner) - coinsOf(after, owner) >= fee) ?? payers[0];
        if (payer !== undefined) touched.add(pairOf({ owner: payer, currency: '' }));
      },
      (owner, currency) => (currency === '' && owner === payer ? fee : 0n),
    );
    this.#noteTokenEvents(inputs, outputs, position);
  }

  /** Spends what an input names. Returns the owner of coins that it brings. */
  #input(input: TxInput, witness: InputWitness, marks: Set<string>, touched: Set<string>): Destination | null {
    if (input.type === 'Account') {
      marks.add('Account');
      return this.#keys.get(input.delegationId)!;
    }
    if (input.type !== 'Utxo') {
      marks.add(input.command.type);
      return input.command.type === 'ConcludeOrder' ? (this.#keys.get(input.command.orderId) ?? null) : null;
    }
    const key = keyOf(input.outpoint);
    const output = this.#created.get(key)!;
    const piece = this.#unspent.get(key);
    this.#unspent.delete(key);
    if (piece !== undefined && piece.amount > 0n) touched.add(pairOf(piece));
    switch (output.type) {
      case 'Htlc': {
        const isClaim = witness.type === 'Standard' && decodeHtlcSpend(witness.rawSignature)?.type === 'Spend';
        marks.add(isClaim ? 'claimed Htlc' : 'refunded Htlc');
        const { spendKey, refundKey } = output.contract;
        return output.value.type !== 'Coin' ? null : isClaim ? spendKey : refundKey;
      }
      case 'CreateStakePool':
      case 'ProduceBlockFromStake':
        marks.add(`spent ${output.type}`);
        return this.#keys.get(output.poolId)!;
      default:
        return piece?.currency === '' ? piece.owner : null;
    }
  }

  #output(inputs: readonly TxInput[], output: TxOutput, key: string, touched: Set<string>): void {
    this.#created.set(key, output);
    const timestamp = this.#timestamps.at(-1)!;
    if (output.type === 'Transfer') this.#add(key, output.destination, output.value, NO_LOCK, touched);
    if (output.type === 'LockThenTransfer') {
      this.#add(key, output.destination, output.value, lockOpensAt(output.lock, this.#height, timestamp), touched);
    }
    if (output.type === 'IssueNft') {
      const value = { type: 'TokenV1', tokenId: output.tokenId, amount: 1n } as const;
      this.#add(key, output.destination, value, NO_LOCK, touched);
    }
    if (output.type === 'CreateStakePool') this.#keys.set(output.poolId, output.data.decommissionKey);
    if (output.type === 'CreateDelegationId') this.#keys.set(deriveDelegationId(inputs)!, output.destination);
    if (output.type === 'CreateOrder') {
      const { ask, give, concludeKey } = output.order;
      if (ask.type === 'Coin' || give.type === 'Coin') this.#keys.set(deriveOrderId(inputs)!, concludeKey);
    }
  }

  #add(key: string, owner: Destination, value: OutputValue, opens: LockOpening, touched: Set<string>): void {
    if (value.type === 'TokenV0') return;
    const piece = { owner, currency: value.type === 'Coin' ? '' : value.tokenId, amount: value.amount, opens };
    this.#unspent.set(key, piece);
    if (value.amount > 0n) touched.add(pairOf(piece));
  }

  /** A reward is never locked. */
  #reward(id: Id, outputs: readonly TxOutput[], touched = new Set<string>()): void {
    for (const [index, output] of outputs.entries()) {
      const free = output.type === 'LockThenTransfer' ? ({ ...output, type: 'Transfer' } as TxOutput) : output;
      this.#output([], free, `${id}:${index}`, touched);
    }
  }

  /** Runs a part of a block, and notes what it changed of the pairs that it touched. */
  #step(
    position: number,
    kinds: string | (() => readonly string[]),
    run: (touched: Set<string>, before: ReadonlyMap<string, Held>) => void,
    feeOf: (owner: Destination, currency: string) => Atoms = () => 0n,
  ): void {
    const before = this.#allHeld();
    const touched = new Set<string>();
    run(touched, before);
    const after = this.#allHeld();
    // The genesis does not say what it touches.
    for (const pair of position === 0 && this.#height === 0 ? after.keys() : touched) {
      const [owner, currency] = pair.split(' ') as [string, string];
      const { balance, locked } = after.get(pair) ?? NOTHING;
      const change = balance - (before.get(pair) ?? NOTHING).balance;
      const sign = change > 0n ? ['received'] : change < 0n ? ['sent'] : [];
      const all = [...sign, ...(typeof kinds === 'string' ? [kinds] : kinds())].sort().join(',');
      const fee = feeOf(owner, currency);
      this.changes.push([this.#height, position, owner, currency, change, balance, locked, fee, all].join(' '));
    }
  }

  #allHeld(): Map<string, Held> {
    const held = new Map<string, Held>();
    for (const piece of this.#unspent.values()) {
      if (piece.amount === 0n) continue;
      const { balance, locked } = held.get(pairOf(piece)) ?? NOTHING;
      const ofLocked = this.#isLocked(piece) ? piece.amount : 0n;
      held.set(pairOf(piece), { balance: balance + piece.amount, locked: locked + ofLocked });
    }
    return held;
  }

  #isLocked({ opens }: Piece): boolean {
    return opens.height > this.#height || opens.time > this.#median;
  }

  #kindsOf(marks: ReadonlySet<string>): readonly string[] {
    const kinds = KINDS.filter(([, ...of]) => of.some((mark) => marks.has(mark))).map(([kind]) => kind);
    return kinds.length === 0 ? ['transfer'] : kinds;
  }

  #noteTokenEvents(inputs: readonly TxInput[], outputs: readonly TxOutput[], position: number): void {
    const note = (tokenId: Id, index: number, kind: string, amount: Atoms | null, change: Atoms) => {
      const supply = (this.#supplies.get(tokenId) ?? 0n) + change;
      this.#supplies.set(tokenId, supply);
      this.tokenEvents.push([tokenId, this.#height, position, index, kind, amount ?? '', supply].join(' '));
    };
    for (const [index, input] of inputs.entries()) {
      if (input.type !== 'AccountCommand' || 'orderId' in input.command) continue;
      const { command } = input;
      const kind = KINDS.find(([, mark]) => mark === command.type)![0];
      if (command.type === 'MintTokens') note(command.tokenId, index, kind, command.amount, command.amount);
      else if (command.type !== 'UnmintTokens') note(command.tokenId, index, kind, null, 0n);
      else {
        const burned = outputs
          .flatMap((output) => (output.type === 'Burn' ? [output.value] : []))
          .reduce(
            (sum, value) => sum + (value.type === 'TokenV1' && value.tokenId === command.tokenId ? value.amount : 0n),
            0n,
          );
        note(command.tokenId, index, kind, burned, -burned);
      }
    }
    for (const [index, output] of outputs.entries()) {
      if (output.type === 'IssueNft') note(output.tokenId, index, 'nft_issue', 1n, 1n);
      if (output.type !== 'IssueFungibleToken') continue;
      const tokenId = deriveTokenId(inputs, tokenIdGenerationAt(this.#network, this.#height))!;
      note(tokenId, index, 'token_issue', null, 0n);
    }
  }
}

const NOTHING: Held = { balance: 0n, locked: 0n };
