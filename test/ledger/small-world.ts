/** A world with one thing of each kind, made of a genesis and a block, for tests of single blocks on top of it. */
import { deriveDelegationId, deriveOrderId, deriveTokenId, transactionId } from '../../src/chain/derive-ids.ts';
import { regtestPos } from '../../src/chain/networks/known-networks.ts';
import type { Network } from '../../src/chain/networks/network.ts';
import type {
  ConsensusData,
  Id,
  IdentifiedBlock,
  OutputValue,
  SignedTransaction,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import type { AppliedBlock } from '../../src/ledger/applied-block.ts';
import { applyBlock, applyGenesis } from '../../src/ledger/apply-block.ts';
import { LedgerState } from '../../src/ledger/state.ts';

export const network = regtestPos;
export const COIN = 10n ** 11n;
export const OWNER = `01${'0a'.repeat(20)}`;
export const POOL = 'f0'.repeat(32);
export const GENESIS = '00'.repeat(32);
export const FIRST_BLOCK = '01'.repeat(32);
export const SECOND_BLOCK = '02'.repeat(32);
const THIRD_BLOCK = '03'.repeat(32);

export const coins = (amount: bigint): OutputValue => ({ type: 'Coin', amount });
export const tokens = (tokenId: Id, amount: bigint): OutputValue => ({ type: 'TokenV1', tokenId, amount });
export const spend = (
  sourceId: Id,
  index: number,
  sourceType: 'Transaction' | 'BlockReward' = 'Transaction',
): TxInput => ({
  type: 'Utxo',
  outpoint: { sourceType, sourceId, index },
});
export const transfer = (value: OutputValue): TxOutput => ({ type: 'Transfer', value, destination: OWNER });
export const signed = (inputs: readonly TxInput[], outputs: readonly TxOutput[] = []): SignedTransaction => ({
  transaction: { flags: 0n, inputs, outputs },
  signatures: inputs.map(() => ({ type: 'NoSignature', data: null })),
});

/** The inputs of the first block's transaction, and what was made of them. */
export const FIRST_INPUTS = [spend(GENESIS, 0, 'BlockReward')];
export const DELEGATION = deriveDelegationId(FIRST_INPUTS)!;
export const TOKEN = deriveTokenId(FIRST_INPUTS, 1)!;
export const ORDER = deriveOrderId(FIRST_INPUTS)!;
export const ISSUANCE: TxOutput = {
  type: 'IssueFungibleToken',
  issuance: {
    ticker: '',
    numberOfDecimals: 1,
    metadataUri: '',
    totalSupply: { type: 'Unlimited' },
    authority: OWNER,
    isFreezable: true,
  },
};
const FIRST = signed(FIRST_INPUTS, [
  transfer(coins(500n * COIN)),
  { type: 'LockThenTransfer', value: coins(9n), destination: OWNER, lock: { type: 'UntilHeight', value: 1000n } },
  { type: 'CreateDelegationId', poolId: POOL, destination: OWNER },
  { type: 'DelegateStaking', delegationId: DELEGATION, amount: 70n },
  ISSUANCE,
  { type: 'CreateOrder', order: { concludeKey: OWNER, ask: coins(300n), give: tokens(TOKEN, 100n) } },
]);
export const FIRST_ID = transactionId(FIRST.transaction);
/** What that transaction left to be spent: free coins, and locked ones. */
export const FREE = spend(FIRST_ID, 0);
export const LOCKED = spend(FIRST_ID, 1);

export interface BlockParts {
  readonly transactions?: readonly SignedTransaction[];
  readonly reward?: readonly TxOutput[];
  readonly consensus?: ConsensusData;
}

/** A block as the ledger takes it: the ids say what they are of, nobody hashes them again. */
export function block(
  id: Id,
  prevBlockId: Id,
  { transactions = [], reward = [], consensus = { type: 'None' } }: BlockParts,
): IdentifiedBlock {
  const header = { prevBlockId, txMerkleRoot: '', witnessMerkleRoot: '', timestamp: 1_700_000_000, consensus };
  return {
    id,
    block: { header, signature: null, reward, transactions },
    transactionIds: transactions.map(({ transaction }) => transactionId(transaction)),
    transactionSizes: transactions.map(() => 0),
    rewardHash: '',
    size: 0,
  };
}

/** Applies a block on top of the first one. */
export function applySecond(state: LedgerState, parts: BlockParts, of: Network = network): AppliedBlock {
  return applyBlock(state, of, block(SECOND_BLOCK, FIRST_BLOCK, parts));
}

/** And one on top of that. */
export function applyThird(state: LedgerState, parts: BlockParts): AppliedBlock {
  return applyBlock(state, network, block(THIRD_BLOCK, SECOND_BLOCK, parts));
}

/** A pool, and in the first block a delegation, a token, an order, free coins and locked ones. */
export function smallWorld(firstBlock: BlockParts = {}): LedgerState {
  const state = new LedgerState({ isWhole: true });
  const data = {
    pledge: 40n,
    staker: OWNER,
    vrfPublicKey: '',
    decommissionKey: OWNER,
    marginRatioPerThousand: 0,
    costPerBlock: 0n,
  };
  const outputs: TxOutput[] = [transfer(coins(1000n * COIN)), { type: 'CreateStakePool', poolId: POOL, data }];
  applyGenesis(state, network, { message: '', timestamp: 1_600_000_000, outputs }, GENESIS);
  applyBlock(state, network, block(FIRST_BLOCK, GENESIS, { transactions: [FIRST], ...firstBlock }));
  return state;
}
