/**
 * The chain replayed from the texts of its transactions alone: ids, fees, spent outputs, owners of NFTs, and shares of
 * rewards. Ids and destinations have the form of the API, amounts are in atoms.
 */
import { delegationAddress, destinationAddress, poolAddress } from '../../src/chain/address.ts';
import { RATE_BASE_ATOMS } from '../../src/chain/apr-units.ts';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { deriveDelegationId } from '../../src/chain/derive-ids.ts';
import { EXPECTED_BLOCK } from '../../src/chain/effective-stake.ts';
import {
  createsNft,
  createsPool,
  isContractOutput,
  isStakeOutput,
  type OutputKind,
} from '../../src/chain/input-and-output-kinds.ts';
import { type Network, rewardDistributionVersionAt, subsidyAt } from '../../src/chain/networks/network.ts';
import type { Atoms, Id, TxInput } from '../../src/chain/types.ts';
import { effectiveStakeOf } from '../../src/ledger/pool-stake.ts';
import { TRANSACTION_KINDS, type TransactionKind } from '../../src/ledger/transaction-kind.ts';
import type { ShownCommand, ShownInput, ShownOutput, StoredTransactionJson } from './stored-transaction-json.ts';

export interface ReplayedBlockRow {
  height: number;
  timestamp: number;
  median_time: number;
  tx_count: number;
  pool_id: Id | null;
  size: number;
  reward: string;
  kinds: string;
  fees: Atoms;
  staker_reward: Atoms;
  delegations_reward: Atoms;
  reward_rate: bigint;
}

export interface RecomputedTransaction {
  /** The kind that it counts as, and all that apply to it. */
  readonly kind: TransactionKind;
  readonly kinds: ReadonlySet<TransactionKind>;
  readonly spends: readonly ReplayedSpend[];
  /** NFTs that have another owner than before; null: nobody. */
  readonly nftOwners: ReadonlyMap<string, string | null>;
}

interface ReplayedSpend {
  readonly inputIndex: number;
  readonly sourceId: string;
  readonly outputIndex: number;
  readonly secret: string | null;
}

interface ReplayedReward {
  readonly staker: Atoms;
  readonly delegations: Atoms;
  readonly rate: bigint;
}

/** A delegation, and the day in which its balance changed last. */
interface ReplayedDelegation {
  readonly id: string;
  readonly pool: ReplayedPool;
  balance: Atoms;
  deposited: Atoms;
  withdrawn: Atoms;
  changedDay: number;
}

/** A pool, and the day in which something here changed last. */
interface ReplayedPool {
  readonly id: string;
  readonly cost: Atoms;
  readonly margin: number;
  readonly delegations: ReplayedDelegation[];
  staker: Atoms;
  delegated: Atoms;
  /** The number of delegations with a balance. */
  delegators: number;
  blocks: number;
  stakerRewards: Atoms;
  delegationRewards: Atoms;
  effectiveStake: Atoms;
  /** As the ledger's: see `Hour.expectedPerStake`. */
  expectedBase: bigint;
  changedDay: number;
  /** The index of the transaction that decommissioned it. */
  decommissionedBy: number | null;
}

/** What a row of a delegation or pool says, also that of a day. */
const delegationText = ({ id, changedDay, balance, deposited, withdrawn }: ReplayedDelegation): string =>
  [id, changedDay, balance, deposited, withdrawn].join(' ');
const poolText = (pool: ReplayedPool): string =>
  [
    ...[pool.id, pool.changedDay, pool.staker, pool.delegated, pool.delegators, pool.blocks],
    ...[pool.stakerRewards, pool.delegationRewards, pool.effectiveStake, pool.expectedBase],
  ].join(' ');

/** The transaction's kind that follows from outputs, inputs and commands. */
const KIND_OF_OUTPUT: Readonly<Record<OutputKind, TransactionKind>> = {
  Transfer: 'transfer',
  ProduceBlockFromStake: 'transfer',
  IssueFungibleToken: 'token_issue',
  IssueNft: 'nft_issue',
  CreateStakePool: 'pool_create',
  CreateDelegationId: 'delegation_create',
  DelegateStaking: 'delegate',
  CreateOrder: 'order_create',
  Htlc: 'htlc_create',
  DataDeposit: 'data_deposit',
  Burn: 'burn',
  LockThenTransfer: 'lock',
};
export const KIND_OF_COMMAND: Readonly<Record<ShownCommand, TransactionKind>> = {
  MintTokens: 'token_mint',
  UnmintTokens: 'token_unmint',
  LockTokenSupply: 'token_lock',
  FreezeTokens: 'token_freeze',
  UnfreezeTokens: 'token_unfreeze',
  ChangeTokenAuthority: 'token_authority',
  ChangeTokenMetadataUri: 'token_metadata',
  FillOrder: 'order_fill',
  FreezeOrder: 'order_freeze',
  ConcludeOrder: 'order_conclude',
};

export class RecomputedChain {
  readonly #network: Network;
  readonly #pools = new Map<string, ReplayedPool>();
  /** The delegations by their shown ids. */
  readonly delegations = new Map<string, ReplayedDelegation>();
  /** Everything that pools and delegations have. */
  staked: Atoms = 0n;
  /** The pools whose staker has something, and the delegations with a balance. */
  livePools = 0;
  liveDelegations = 0;
  /** As `Hour.expectedPerStake`, and the effective stake of all pools. */
  expectedPerStake = 0n;
  #effectiveStake: Atoms = 0n;
  readonly #changedPools = new Set<ReplayedPool>();
  /** The UTC day of the chain, in days since the epoch. */
  #day: number;
  /** Delegations and pools at the end of the day of their last change, of those that changed again. */
  #dayEnds: string[] = [];
  /** Owner of each issued NFT. */
  readonly #nfts = new Map<string, string | null>();

  constructor(network: Network) {
    this.#network = network;
    const genesis = decodeGenesis(network.genesis);
    this.#day = Math.floor(genesis.timestamp / 86_400);
    for (const output of genesis.outputs) {
      if (!createsPool(output)) continue;
      const { pledge, costPerBlock: cost, marginRatioPerThousand: margin } = output.data;
      this.#createPool(poolAddress(network, output.poolId), pledge, cost, margin);
    }
  }

  /** Begins a block. Returns the day of the chain. */
  startBlock({ timestamp, pool_id }: Pick<ReplayedBlockRow, 'timestamp' | 'pool_id'>): number {
    this.#weighChangedPools();
    if (pool_id !== null && this.#effectiveStake > 0n) this.expectedPerStake += EXPECTED_BLOCK / this.#effectiveStake;
    this.#day = Math.max(this.#day, Math.floor(timestamp / 86_400));
    return this.#day;
  }

  /** Takes the ends of days that changes since the last call made known. */
  takeDayEnds(): string[] {
    const ends = this.#dayEnds;
    this.#dayEnds = [];
    return ends;
  }

  /** Returns a delegation or pool as a text: id, day of the last change, figures, and who decommissioned the pool; undefined for an unknown id. */
  stakeText(id: string): string | undefined {
    const delegation = this.delegations.get(id);
    if (delegation !== undefined) return delegationText(delegation);
    this.#weighChangedPools();
    const pool = this.#pools.get(id);
    return pool === undefined ? undefined : `${poolText(pool)} ${pool.decommissionedBy}`;
  }

  #createPool(id: string, pledge: Atoms, cost: Atoms, margin: number): void {
    const sums = { delegated: 0n, stakerRewards: 0n, delegationRewards: 0n, effectiveStake: 0n, expectedBase: 0n };
    const counts = { delegators: 0, blocks: 0, changedDay: this.#day, decommissionedBy: null };
    this.#pools.set(id, { id, cost, margin, delegations: [], staker: 0n, ...sums, ...counts });
    this.#changePool(id, (pool) => {
      pool.staker = pledge;
    });
  }

  #changePool(id: string, change: (pool: ReplayedPool) => void): void {
    const pool = this.#pools.get(id);
    if (pool === undefined) return;
    const { staker, delegators } = pool;
    if (pool.changedDay < this.#day) this.#dayEnds.push(poolText(pool));
    pool.changedDay = this.#day;
    change(pool);
    this.#changedPools.add(pool);
    this.staked += pool.staker - staker;
    this.livePools += Number(pool.staker > 0n) - Number(staker > 0n);
    this.liveDelegations += pool.delegators - delegators;
  }

  /** Computes the effective stakes of the pools that the block changed: once for each, however many delegations it rewards. */
  #weighChangedPools(): void {
    for (const pool of this.#changedPools) {
      const stakes = { pledge: pool.staker, rewards: 0n, delegationsBalance: pool.delegated };
      const change = effectiveStakeOf(this.#network, stakes) - pool.effectiveStake;
      pool.expectedBase -= change * this.expectedPerStake;
      pool.effectiveStake += change;
      this.#effectiveStake += change;
    }
    this.#changedPools.clear();
  }

  /** `deposited` and `withdrawn`: of a transaction; what is neither is a reward. */
  #changeDelegation(delegation: ReplayedDelegation, by: Atoms, { deposited = 0n, withdrawn = 0n } = {}): void {
    if (delegation.changedDay < this.#day) this.#dayEnds.push(delegationText(delegation));
    delegation.changedDay = this.#day;
    const had = delegation.balance > 0n;
    delegation.balance += by;
    delegation.deposited += deposited;
    delegation.withdrawn += withdrawn;
    this.staked += by;
    this.#changePool(delegation.pool.id, (pool) => {
      pool.delegated += by;
      pool.delegators += Number(delegation.balance > 0n) - Number(had);
    });
  }

  transaction(shown: StoredTransactionJson, txIndex: number): RecomputedTransaction {
    const kinds = new Set<TransactionKind>();
    const spends: ReplayedSpend[] = [];
    const owners = new Map<string, string | null>();
    for (const [inputIndex, { input, utxo }] of shown.inputs.entries()) {
      kinds.add(this.#input(txIndex, input, utxo, owners));
      if (input.input_type !== 'UTXO') continue;
      const secret = utxo?.htlc?.secret?.hex ?? null;
      spends.push({ inputIndex, sourceId: input.source_id!, outputIndex: input.index!, secret });
    }
    for (const output of shown.outputs) {
      kinds.add(KIND_OF_OUTPUT[output.type]);
      this.#output(shown, output, owners);
    }
    for (const [nft, owner] of owners) {
      if (this.#nfts.get(nft) === owner) owners.delete(nft);
      else this.#nfts.set(nft, owner);
    }
    if (kinds.size > 1) kinds.delete('transfer');
    if (kinds.size === 0) kinds.add('transfer');
    return { kind: TRANSACTION_KINDS.find((kind) => kinds.has(kind))!, kinds, spends, nftOwners: owners };
  }

  /** Shares the reward of a block that a pool made; `fees` of its transactions together. */
  reward(height: number, poolId: string, fees: Atoms): ReplayedReward {
    const pool = this.#pools.get(poolId);
    if (pool === undefined) return { staker: 0n, delegations: 0n, rate: 0n };
    const { delegated } = pool;
    const reward = subsidyAt(this.#network, height) + fees;
    const own = this.#stakersPart(height, pool, reward, delegated);
    let shared = 0n;
    if (reward > own && delegated > 0n) {
      for (const delegation of pool.delegations) {
        const share = ((reward - own) * delegation.balance) / delegated;
        if (share === 0n) continue;
        this.#changeDelegation(delegation, share);
        shared += share;
      }
    }
    this.#changePool(poolId, () => {
      pool.staker += reward - shared;
      pool.blocks++;
      pool.stakerRewards += reward - shared;
      pool.delegationRewards += shared;
    });
    return {
      staker: reward - shared,
      delegations: shared,
      rate: delegated === 0n ? 0n : (shared * RATE_BASE_ATOMS) / delegated,
    };
  }

  /**
   * A second implementation of the rule (docs/indexing-rules.md#reward-distribution), on purpose: it checks the
   * ledger's.
   */
  #stakersPart(height: number, pool: ReplayedPool, reward: Atoms, delegated: Atoms): Atoms {
    const { cost, margin } = pool;
    const { staker } = pool;
    const x = reward - cost;
    if (x < 0n) return reward;
    const isV1 = rewardDistributionVersionAt(this.#network, height) === 1 && staker + delegated > 0n;
    const p = isV1 ? (x * staker) / (staker + delegated) : 0n;
    return cost + p + ((x - p) * BigInt(margin)) / 1000n;
  }

  #input(
    txIndex: number,
    input: ShownInput['input'],
    utxo: ShownOutput | null,
    owners: Map<string, string | null>,
  ): TransactionKind {
    switch (input.input_type) {
      case 'Account': {
        const delegation = this.delegations.get(input.delegation_id!);
        const withdrawn = BigInt(input.amount!.atoms);
        if (delegation) this.#changeDelegation(delegation, -withdrawn, { withdrawn });
        return 'delegation_withdraw';
      }
      case 'AccountCommand':
      case 'OrderAccountCommand':
        return KIND_OF_COMMAND[input.command!];
      case 'UTXO':
        return utxo === null ? 'transfer' : this.#spend(txIndex, utxo, owners);
    }
  }

  #spend(txIndex: number, utxo: ShownOutput, owners: Map<string, string | null>): TransactionKind {
    if (isContractOutput(utxo)) return utxo.htlc?.secret ? 'htlc_claim' : 'htlc_refund';
    if (isStakeOutput(utxo)) {
      this.#changePool(utxo.pool_id!, (pool) => {
        pool.staker = 0n;
        pool.decommissionedBy = txIndex;
      });
      return 'pool_decommission';
    }
    const nft = this.#nftIn(utxo);
    if (nft !== null) owners.set(nft, null);
    return 'transfer';
  }

  #output(shown: StoredTransactionJson, output: ShownOutput, owners: Map<string, string | null>): void {
    switch (output.type) {
      case 'CreateStakePool': {
        const { amount, cost_per_block: cost, margin_ratio_per_thousand: margin } = output.data!;
        this.#createPool(output.pool_id!, BigInt(amount.atoms), BigInt(cost.atoms), margin);
        return;
      }
      case 'CreateDelegationId': {
        const pool = this.#pools.get(output.pool_id!);
        const id = createdDelegation(this.#network, shown.inputs);
        if (pool === undefined || id === null) return;
        const delegation = { id, pool, balance: 0n, deposited: 0n, withdrawn: 0n, changedDay: this.#day };
        pool.delegations.push(delegation);
        this.delegations.set(id, delegation);
        return;
      }
      case 'DelegateStaking': {
        const delegation = this.delegations.get(output.delegation_id!);
        const deposited = BigInt(output.amount!.atoms);
        if (delegation) this.#changeDelegation(delegation, deposited, { deposited });
        return;
      }
      case 'IssueNft':
        owners.set(output.token_id!, output.destination!);
        return;
      case 'Transfer':
      case 'LockThenTransfer': {
        const nft = this.#nftIn(output);
        if (nft !== null) owners.set(nft, output.destination!);
        return;
      }
      // These change neither pools, nor delegations, nor the owner of an NFT.
      case 'Burn':
      case 'ProduceBlockFromStake':
      case 'IssueFungibleToken':
      case 'DataDeposit':
      case 'Htlc':
      case 'CreateOrder':
        return;
      default:
        output.type satisfies never;
    }
  }

  /** The NFT that an output holds. */
  #nftIn(output: ShownOutput): string | null {
    if (createsNft(output)) return output.token_id!;
    const { value } = output;
    if (value?.type !== 'TokenV1' || value.amount.atoms === '0') return null;
    return this.#nfts.has(value.token_id!) ? value.token_id! : null;
  }
}

/** The id of the delegation that a transaction with these inputs creates. */
export function createdDelegation(network: Network, inputs: readonly ShownInput[]): string | null {
  const id = deriveDelegationId(firstUtxoInput(inputs));
  return id === null ? null : delegationAddress(network, id);
}

/** The first input that spends an output, from which ids are derived; none if there is none. */
export function firstUtxoInput(inputs: readonly ShownInput[]): TxInput[] {
  const first = inputs.find(({ input }) => input.input_type === 'UTXO')?.input;
  if (first === undefined) return [];
  const outpoint = { sourceType: first.source_type!, sourceId: first.source_id!, index: first.index! };
  return [{ type: 'Utxo', outpoint }];
}

/** Returns a destination in the form of the API, null for null. */
export function ownerAddress(network: Network, owner: string | null): string | null {
  return owner === null ? null : destinationAddress(network, owner);
}
