/**
 * The operations of transactions (docs/mesh.md#operations). All operations of an account sum to its balance. Burns and fees are
 * no operations: they are what the inputs have more than the outputs.
 */
import { orderAddress, parseOrderId, parsePoolId, parseTokenId } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { assertNever, isStakeOutput, OUTPUT_KINDS } from '../../chain/input-and-output-kinds.ts';
import { type Network, ordersVersionAt } from '../../chain/networks/network.ts';
import type { Atoms, Id } from '../../chain/types.ts';
import { filledAmount } from '../../ledger/order-terms.ts';
import { hasLockEnded, lockEnd } from '../../ledger/time-lock.ts';
import { derivedIds } from '../../render/created-ids.ts';
import { COMMAND_NAMES } from '../../render/schemas/transaction.ts';
import type { ComponentValue } from '../../render/schemas/value-of-schema.ts';
import type { ParsedInput, ParsedInputEntry, ParsedOutput, ParsedTransaction } from '../../render/stored-json.ts';
import type { BlockAtRow } from '../../store/queries/blocks/block-by-id-or-height.ts';
import { listOrdersAt, type OrderAtRow } from '../../store/queries/orders/orders-at-height.ts';
import { LOCKED_SUB_ACCOUNT } from './account-identifier.ts';
import { readCurrencies } from './currencies.ts';
import type { MeshSnapshot } from './mesh-route.ts';
import { type PoolStakes, readPoolStakes } from './pool-stakes.ts';
import type { MeshOperation, MeshTransaction } from './schemas.ts';

/** Outputs and commands have the names of the chain; the last three are what a block itself does. */
export const OPERATION_TYPES: readonly string[] = [
  ...['Spend', 'Withdraw', ...OUTPUT_KINDS, ...new Set(COMMAND_NAMES)],
  ...['Unlock', 'StakerReward', 'DelegationReward'],
];

export const SUCCESS = 'SUCCESS';

/** An operation whose currency is not written yet. */
export interface OperationDraft extends Pick<MeshOperation, 'type' | 'account' | 'coin_change' | 'metadata'> {
  /** What the account gets or, below zero, gives. */
  readonly moved?: { readonly currency: Currency; readonly atoms: Atoms } | undefined;
}

/** `id`: of the transaction; of what a block itself does, the block's. */
export interface DraftedTransaction extends Pick<MeshTransaction, 'metadata'> {
  readonly id: Id;
  readonly operations: readonly OperationDraft[];
}

/** A block as locks see it; of a pending transaction, the next one. */
type BlockPlace = Pick<BlockAtRow, 'height' | 'timestamp' | 'median_time'>;

/** A transaction and its position in its block. */
type PlacedTransaction = readonly [position: number, transaction: ParsedTransaction];

interface Sources {
  readonly network: Network;
  readonly block: BlockPlace;
  readonly orders: readonly OrderAtRow[];
  readonly pools: ReadonlyMap<Id, PoolStakes | null>;
}

/** Makes the operations of transactions of a block. */
export async function draftTransactions(
  snapshot: MeshSnapshot,
  block: BlockPlace,
  placed: readonly PlacedTransaction[],
): Promise<DraftedTransaction[]> {
  const { network } = snapshot;
  const inputs = placed.flatMap(([, transaction]) => transaction.inputs);
  const orderIds = inputs.flatMap(({ input }) => ('order_id' in input ? [parseOrderId(network, input.order_id)] : []));
  const poolIds = inputs.flatMap(({ utxo }) =>
    utxo !== null && isStakeOutput(utxo) ? [parsePoolId(network, utxo.pool_id)] : [],
  );
  const orders = orderIds.length === 0 ? [] : await snapshot.read(listOrdersAt, orderIds, block.height);
  const pools = new Map<Id, PoolStakes | null>();
  for (const poolId of poolIds) pools.set(poolId, await readPoolStakes(snapshot, poolId, block.height));
  const sources = { network, block, orders, pools };
  return placed.map(([position, transaction]) => {
    const { id, fee, outputs } = transaction;
    const { order } = derivedIds(network, transaction, block.height);
    const operations = [
      ...transaction.inputs.flatMap((entry, index) => inputDrafts(sources, entry, position, index)),
      ...outputs.map((output, index) => outputDraft(sources, output, `${id}:${index}`, order)),
    ];
    return { id, operations, ...(fee && { metadata: { fee: fee.atoms } }) };
  });
}

/** Writes the currencies of transactions. Pending ones have a status, too: the official SDK wants it. */
export async function presentTransactions(
  snapshot: MeshSnapshot,
  drafts: readonly DraftedTransaction[],
): Promise<MeshTransaction[]> {
  const used = drafts.flatMap(({ operations }) => operations.flatMap(({ moved }) => moved?.currency ?? []));
  const currencies = await readCurrencies(snapshot, used);
  return drafts.map(({ id, operations, metadata }) => ({
    transaction_identifier: { hash: id },
    operations: operations.map(({ moved, ...operation }, index) => ({
      operation_identifier: { index },
      ...operation,
      status: SUCCESS,
      ...(moved && { amount: currencies.amount(moved.atoms, moved.currency) }),
    })),
    ...(metadata && { metadata }),
  }));
}

export const movesCoins = (address: string, atoms: Atoms) => ({
  account: { address },
  moved: { currency: COIN, atoms },
});

function inputDrafts(sources: Sources, entry: ParsedInputEntry, position: number, index: number): OperationDraft[] {
  const { network, pools } = sources;
  const { input, utxo } = entry;
  switch (input.input_type) {
    case 'UTXO': {
      const coin_identifier = { identifier: `${input.source_id}:${input.index}` };
      if (utxo !== null && isStakeOutput(utxo)) {
        const stakes = pools.get(parsePoolId(network, utxo.pool_id));
        return [{ type: 'Spend', ...(stakes && movesCoins(utxo.pool_id, -stakes.stakerBalanceBefore)) }];
      }
      const held = utxo && movedByOutput(network, utxo, coin_identifier.identifier);
      if (!held) return [{ type: 'Spend', metadata: coin_identifier }];
      const moved = { ...held.moved, atoms: -held.moved.atoms };
      return [{ type: 'Spend', ...held, moved, coin_change: { coin_identifier, coin_action: 'coin_spent' } }];
    }
    case 'Account':
      return [{ type: 'Withdraw', ...movesCoins(input.delegation_id, -BigInt(input.amount.atoms)) }];
    case 'AccountCommand':
    case 'OrderAccountCommand': {
      if ('order_id' in input) return orderDrafts(sources, input, position, index);
      const minted = input.command === 'MintTokens' ? { amount: input.amount.atoms } : {};
      return [{ type: input.command, metadata: { token_id: input.token_id, ...minted } }];
    }
    default:
      return assertNever(input);
  }
}

/** What a command moves into its order and out of it. */
function orderDrafts(
  { network, block, orders }: Sources,
  input: Extract<ParsedInput, { readonly order_id: string }>,
  position: number,
  index: number,
): OperationDraft[] {
  const { command: type, order_id: address } = input;
  const orderId = parseOrderId(network, address);
  const fills = orders.filter(({ order_id }) => order_id === orderId);
  const [order] = fills;
  if (order === undefined || type === 'FreezeOrder') return [{ type, metadata: { order_id: address } }];
  const { initially_asked, initially_given, asked, given } = order;
  const moves = (currency: Currency, atoms: Atoms) => ({ type, account: { address }, moved: { currency, atoms } });
  if (type === 'ConcludeOrder') {
    // No fill follows it, not even in its block.
    return [moves(order.give_currency, given - initially_given), moves(order.ask_currency, -asked)];
  }
  const fill = fills.find((row) => row.position === position && row.input_index === index);
  const paid = BigInt(input.fill_atoms.atoms);
  // Of a pending fill, which is to come after all that the order has now.
  const terms = {
    initiallyAsked: initially_asked,
    askBalance: initially_asked - asked,
    initiallyGiven: initially_given,
    giveBalance: initially_given - given,
  };
  const got = fill?.fill_given ?? filledAmount(ordersVersionAt(network, block.height), terms, paid);
  return [moves(order.ask_currency, paid), moves(order.give_currency, -got)];
}

/** `order`: the order that its transaction creates. */
function outputDraft(sources: Sources, output: ParsedOutput, identifier: string, order: Id | null): OperationDraft {
  const { network, block } = sources;
  const { type } = output;
  switch (output.type) {
    case 'Transfer':
    case 'IssueNft':
    case 'Htlc':
      return createdDraft(network, output, identifier);
    case 'LockThenTransfer': {
      const created = createdDraft(network, output, identifier);
      if (created.account === undefined || hasEnded(output.lock, block)) return created;
      return { ...created, account: { ...created.account, ...LOCKED_SUB_ACCOUNT } };
    }
    case 'CreateStakePool':
      return { type, ...movesCoins(output.pool_id, BigInt(output.data.amount.atoms)) };
    case 'DelegateStaking':
      return { type, ...movesCoins(output.delegation_id, BigInt(output.amount.atoms)) };
    case 'CreateOrder': {
      const moved = movementOf(network, output.give_value);
      // An order with legacy tokens does not exist for the index.
      const isKept = moved !== null && movementOf(network, output.ask_value) !== null;
      return { type, ...(isKept && order && { account: { address: orderAddress(network, order) }, moved }) };
    }
    case 'Burn':
      return { type, metadata: { value: output.value } };
    case 'CreateDelegationId':
    case 'ProduceBlockFromStake':
      return { type, metadata: { pool_id: output.pool_id } };
    case 'IssueFungibleToken':
    case 'DataDeposit':
      return { type };
    default:
      return assertNever(output);
  }
}

/** Makes the operation of a new output that is a coin. */
export function createdDraft(network: Network, output: ParsedOutput, identifier: string): OperationDraft {
  const held = movedByOutput(network, output, identifier);
  const coin_change = { coin_identifier: { identifier }, coin_action: 'coin_created' } as const;
  return { type: output.type, ...(held && { ...held, coin_change }) };
}

/** Returns the account of an output that is a coin, and what the output holds; null for others, and for legacy tokens. */
export function movedByOutput(network: Network, output: ParsedOutput, identifier: string) {
  const held = (address: string, moved: ReturnType<typeof movementOf>) => moved && { account: { address }, moved };
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
      return held(output.destination, movementOf(network, output.value));
    case 'IssueNft':
      return held(output.destination, { currency: parseTokenId(network, output.token_id), atoms: 1n });
    case 'Htlc':
      return held(identifier, movementOf(network, output.value));
    default:
      return null;
  }
}

/** Legacy tokens are never counted. */
function movementOf(network: Network, value: ComponentValue<'Value'>) {
  if (value.type === 'TokenV0') return null;
  const currency = value.type === 'Coin' ? COIN : parseTokenId(network, value.token_id);
  return { currency, atoms: BigInt(value.amount.atoms) };
}

function hasEnded({ type, content }: ComponentValue<'Lock'>, { height, ...block }: BlockPlace): boolean {
  const value = BigInt(typeof content === 'object' ? content.timestamp : content);
  return hasLockEnded(lockEnd({ type, value }, height, block.timestamp), height, block.median_time);
}
