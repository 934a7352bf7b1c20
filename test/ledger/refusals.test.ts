/** What the ledger refuses: blocks that contradict what came before them, each with its reason and its place. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type {
  AccountCommand,
  ConsensusData,
  Id,
  IdentifiedBlock,
  OrderAccountCommand,
  OutputValue,
  SignedTransaction,
  TxInput,
  TxOutput,
} from '../../src/chain/types.ts';
import { applyBlock } from '../../src/ledger/apply-block.ts';
import { LedgerError } from '../../src/ledger/ledger-error.ts';
import type { LedgerState } from '../../src/ledger/state.ts';
import { outpointKey } from '../../src/ledger/state-rows.ts';
import {
  applySecond,
  type BlockParts,
  block,
  COIN,
  coins,
  DELEGATION,
  FIRST_BLOCK,
  FIRST_ID,
  FIRST_INPUTS,
  FREE,
  GENESIS,
  ISSUANCE,
  LOCKED,
  network,
  ORDER,
  OWNER,
  POOL,
  SECOND_BLOCK,
  signed,
  smallWorld,
  spend,
  TOKEN,
  tokens,
  transfer,
} from './small-world.ts';

const UNKNOWN = 'ee'.repeat(32);

/** What the ledger says to a block. */
function refusal(state: LedgerState, identified: IdentifiedBlock): string {
  try {
    applyBlock(state, network, identified);
  } catch (error) {
    assert.ok(error instanceof LedgerError, String(error));
    return error.message;
  }
  assert.fail('the ledger took the block');
}

/** Fails unless the second block is refused for that. */
function assertBlockRefused(state: LedgerState, parts: BlockParts, reason: string): void {
  const message = refusal(state, block(SECOND_BLOCK, FIRST_BLOCK, parts));
  assert.equal(message, `block ${SECOND_BLOCK} at height 2: ${reason}`);
}

/** Fails unless the last of the transactions, in the second block, is refused for that. */
function assertRefused(transactions: readonly SignedTransaction[], reason: string, state = smallWorld()): void {
  const message = refusal(state, block(SECOND_BLOCK, FIRST_BLOCK, { transactions }));
  const place = `block ${SECOND_BLOCK} at height 2, transaction ${transactionId(transactions.at(-1)!.transaction)}`;
  assert.equal(message, `${place}: ${reason}`);
}

/** Fails unless a transaction is taken as it is, but refused for that once a row of the state is another one. */
function assertRefusedAfter(damage: (state: LedgerState) => void, transaction: SignedTransaction, reason: string) {
  applySecond(smallWorld(), { transactions: [transaction] });
  const damaged = smallWorld();
  damage(damaged);
  assertRefused([transaction], reason, damaged);
}

const withdrawal = (delegationId: Id, amount: bigint): TxInput => ({
  type: 'Account',
  nonce: 0n,
  delegationId,
  amount,
});
const command = (given: AccountCommand): TxInput => ({ type: 'AccountCommand', nonce: 0n, command: given });
const orderCommand = (given: OrderAccountCommand): TxInput => ({ type: 'OrderAccountCommand', command: given });
const madeBy = (stakePoolId: Id, kernelInputs: readonly TxInput[] = []): ConsensusData => ({
  type: 'PoS',
  data: { kernelInputs, kernelWitness: [], stakePoolId, vrfData: '', compactTarget: 0 },
});

it('the ledger refuses a block whose parent is not the tip', () => {
  assert.equal(
    refusal(smallWorld(), block(SECOND_BLOCK, UNKNOWN, {})),
    `block ${SECOND_BLOCK} at height 2: its parent is ${UNKNOWN}, the tip is ${FIRST_BLOCK}`,
  );
});

it('the ledger refuses a block whose kernel input is unknown, or already spent', () => {
  const unknown = madeBy(POOL, [spend(UNKNOWN, 3, 'BlockReward')]);
  const spent = madeBy(POOL, FIRST_INPUTS);
  for (const [consensus, key] of [
    [unknown, `${UNKNOWN}00000003`],
    [spent, `${GENESIS}00000000`],
  ] as const) {
    assertBlockRefused(smallWorld(), { consensus }, `the kernel input ${key} is unknown or already spent`);
  }
});

it('the ledger refuses a block of an unknown pool', () => {
  assertBlockRefused(smallWorld(), { consensus: madeBy(UNKNOWN) }, `unknown pool ${UNKNOWN}`);
});

it('the ledger refuses a transaction that pays out more than it spends', () => {
  assertRefused(
    [signed([FREE], [transfer(coins(500n * COIN + 1n))])],
    `it spends ${500n * COIN} atoms and pays out ${500n * COIN + 1n}`,
  );
});

it('the ledger refuses a transaction that spends an output that nobody made', () => {
  assertRefused([signed([spend(UNKNOWN, 7)])], `the output ${UNKNOWN}:7 is unknown or already spent`);
});

it('the ledger refuses a transaction that spends an output twice, or one that another has spent', () => {
  const reason = `the output ${FIRST_ID}:0 is unknown or already spent`;
  assertRefused([signed([FREE, FREE])], reason);
  assertRefused([signed([FREE]), signed([FREE, LOCKED])], reason);
  assertRefused([signed(FIRST_INPUTS)], `the output ${GENESIS}:0 is unknown or already spent`);
});

it('the ledger refuses a transaction that spends an output of a kind that cannot be spent', () => {
  const key = outpointKey(FIRST_ID, 0);
  assertRefusedAfter(
    ({ utxos }) => utxos.set(key, { ...utxos.get(key)!, output: { type: 'Burn', value: coins(1n) } }),
    signed([FREE]),
    'an output of the kind Burn cannot be spent',
  );
});

it('the ledger refuses a transaction that spends more of a balance than there is, free or locked', () => {
  assertRefusedAfter(
    ({ balances }) => balances.set(OWNER, { ...balances.get(OWNER)!, amount: 5n }),
    signed([FREE]),
    `the balance of ${OWNER} would fall below zero: 5 − ${500n * COIN}`,
  );
  assertRefusedAfter(
    ({ balances }) => balances.set(OWNER, { ...balances.get(OWNER)!, locked: 5n }),
    signed([LOCKED]),
    `the locked balance of ${OWNER} would fall below zero: 5 − 9`,
  );
});

it('the ledger refuses a transaction that decommissions an unknown pool', () => {
  const output: TxOutput = { type: 'ProduceBlockFromStake', destination: OWNER, poolId: UNKNOWN };
  assertRefused(
    [signed([spend(FIRST_BLOCK, 0, 'BlockReward')])],
    `unknown pool ${UNKNOWN}`,
    smallWorld({ reward: [output] }),
  );
});

it('the ledger refuses a transaction that takes more stake away than there is', () => {
  assertRefusedAfter(
    ({ statistics }) => statistics.set('', { ...statistics.get('')!, staked: 39n }),
    signed([spend(GENESIS, 1, 'BlockReward')]),
    'the staked total would fall below zero: 39 − 40',
  );
});

it('the ledger refuses a transaction that burns more than there is in circulation', () => {
  assertRefused(
    [signed([FREE], [{ type: 'Burn', value: tokens(TOKEN, 5n) }])],
    'the circulating supply would fall below zero: 0 − 5',
  );
});

it('the ledger refuses, of delegations, one that is made of no output, or to an unknown pool', () => {
  const create = (poolId: Id): TxOutput => ({ type: 'CreateDelegationId', poolId, destination: OWNER });
  assertRefused([signed([withdrawal(DELEGATION, 1n)], [create(POOL)])], 'a delegation needs a UTXO input');
  assertRefused([signed([FREE], [create(UNKNOWN)])], `unknown pool ${UNKNOWN}`);
});

it('the ledger refuses, of delegations, staking into an unknown one, or into one of an unknown pool', () => {
  const stake = (delegationId: Id) => signed([FREE], [{ type: 'DelegateStaking', delegationId, amount: 1n }]);
  assertRefused([stake(UNKNOWN)], `unknown delegation ${UNKNOWN}`);
  assertRefusedAfter(({ pools }) => pools.set(POOL, null), stake(DELEGATION), `unknown pool ${POOL}`);
});

it('the ledger refuses, of delegations, a withdrawal from an unknown one, or from one of an unknown pool', () => {
  assertRefused([signed([withdrawal(UNKNOWN, 1n)])], `unknown delegation ${UNKNOWN}`);
  const known = signed([withdrawal(DELEGATION, 1n)]);
  assertRefusedAfter(({ pools }) => pools.set(POOL, null), known, `unknown pool ${POOL}`);
});

it('the ledger refuses, of delegations, a withdrawal of more than lies in it, or in its pool', () => {
  assertRefused([signed([withdrawal(DELEGATION, 71n)])], 'the balance of a delegation would fall below zero: 70 − 71');
  assertRefusedAfter(
    ({ pools }) => pools.set(POOL, { ...pools.get(POOL)!, delegationsBalance: 69n }),
    signed([withdrawal(DELEGATION, 70n)]),
    'the delegated total of a pool would fall below zero: 69 − 70',
  );
});

it('the ledger refuses, of tokens, an issuance without an output that gives it its id', () => {
  const reason = 'an issuance needs an input to derive the token id from';
  assertRefused([signed([withdrawal(DELEGATION, 1n)], [ISSUANCE])], reason);
});

it('the ledger refuses, of tokens, a command for an unknown one', () => {
  const mint = command({ type: 'MintTokens', tokenId: UNKNOWN, amount: 1n });
  assertRefused([signed([FREE, mint])], `unknown token ${UNKNOWN}`);
});

it('the ledger refuses, of tokens, unminting more than was minted', () => {
  const mint = command({ type: 'MintTokens', tokenId: TOKEN, amount: 7n });
  const unmint = command({ type: 'UnmintTokens', tokenId: TOKEN });
  const burn: TxOutput = { type: 'Burn', value: tokens(TOKEN, 8n) };
  assertRefused(
    [signed([FREE, mint], [transfer(coins(200n * COIN))]), signed([unmint], [burn])],
    'the supply of a token would fall below zero: 7 − 8',
  );
});

const create = (ask: OutputValue, give: OutputValue): TxOutput => ({
  type: 'CreateOrder',
  order: { concludeKey: OWNER, ask, give },
});
const fill = (fillAmount: bigint) => signed([FREE, orderCommand({ type: 'FillOrder', orderId: ORDER, fillAmount })]);

it('the ledger refuses, of orders, one that is made of no output', () => {
  const order = create(coins(1n), tokens(TOKEN, 1n));
  assertRefused([signed([withdrawal(DELEGATION, 1n)], [order])], 'an order needs a UTXO input');
});

it('the ledger refuses, of orders, one that gives an unknown token', () => {
  assertRefused([signed([FREE], [create(coins(1n), tokens(UNKNOWN, 1n))])], `unknown token ${UNKNOWN}`);
});

it('the ledger refuses, of orders, every command for an unknown one', () => {
  const orderId = UNKNOWN;
  for (const input of [
    orderCommand({ type: 'FillOrder', orderId, fillAmount: 1n }),
    orderCommand({ type: 'FreezeOrder', orderId }),
    orderCommand({ type: 'ConcludeOrder', orderId }),
    command({ type: 'FillOrder', orderId, fillAmount: 1n, destination: OWNER }),
    command({ type: 'ConcludeOrder', orderId }),
  ]) {
    assertRefused([signed([FREE, input])], `unknown order ${UNKNOWN}`);
  }
});

it('the ledger refuses, of orders, a fill of more than is asked, or that takes more than is given', () => {
  assertRefused([fill(301n)], 'the ask balance of an order would fall below zero: 300 − 301');
  assertRefusedAfter(
    ({ orders }) => orders.set(ORDER, { ...orders.get(ORDER)!, giveBalance: 99n }),
    fill(300n),
    'the give balance of an order would fall below zero: 99 − 100',
  );
});
