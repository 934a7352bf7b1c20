/** What is shown of pending transactions that depend on each other, and how index and mempool are asked in turns. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findTransaction } from '../../../src/answers/pending/find-transaction.ts';
import { PendingTransactionPresenter } from '../../../src/api/pending/pending-transaction-presenter.ts';
import { DESCRIBED_PROFILE } from '../../../src/api/response-profile/described-profile.ts';
import { delegationAddress, destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import { deriveTokenId } from '../../../src/chain/derive-ids.ts';
import { outpointKey } from '../../../src/ledger/state-rows.ts';
import { type IndexLookupResult, NOTHING_CONFIRMED } from '../../../src/mempool/confirmed-index-interface.ts';
import { internalCaller } from '../../../src/serving/resources/caller.ts';
import type { TransactionRow } from '../../../src/store/queries/transactions/transactions.ts';
import type { QueryRunner, SnapshotRows } from '../../../src/store/read/query.ts';
import {
  COIN,
  idOf,
  issuance,
  NETWORK,
  owner,
  spending,
  tokenTransfer,
  transfer,
  unsigned,
} from '../../support/fake-mempool.ts';
import { builtBefore } from '../../support/file-scope.ts';
import { HandmadePending } from '../../support/handmade-pending.ts';
import { TestIndex } from '../../support/indexed-database.ts';

const A = 'aa'.repeat(32);
const DELEGATION = 'dd'.repeat(32);
const [alice, bob] = [owner(1), owner(2)] as [string, string];
const FEES = 1_000n * COIN;

const CONFIRMED: IndexLookupResult = {
  ...NOTHING_CONFIRMED,
  outputs: new Map([[outpointKey(A, 0), transfer(FEES + 100n * COIN, alice)]]),
  delegations: new Map([[DELEGATION, alice]]),
};

const issuing = spending([[A, 0]], [issuance(alice, 3), transfer(50n * COIN, alice)]);
const TOKEN = deriveTokenId(issuing.transaction.inputs, 1)!;
const tokens = (amount: bigint, destination: string) => tokenTransfer(TOKEN, amount, destination);
const mint = unsigned(
  [
    { type: 'Utxo', outpoint: { sourceType: 'Transaction', sourceId: idOf(issuing), index: 1 } },
    { type: 'AccountCommand', nonce: 0n, command: { type: 'MintTokens', tokenId: TOKEN, amount: 1_234n } },
  ],
  [tokens(1_234n, alice)],
);
const payment = spending([[idOf(mint), 0]], [tokens(1_000n, bob), tokens(234n, alice)]);
const withdrawal = unsigned(
  [{ type: 'Account', nonce: 6n, delegationId: DELEGATION, amount: 5n * COIN }],
  [transfer(4n * COIN, bob)],
);
const unresolved = spending([['ee'.repeat(32), 3]], [transfer(COIN, bob)]);
const ALL = [issuing, mint, payment, withdrawal, unresolved];

const servers = builtBefore(async (scope) => {
  const index = await TestIndex.create(scope, NETWORK);
  const serve = (contract: 'described' | 'mintlayer-core') =>
    index.serve(scope, { contract, pending: new HandmadePending(ALL, CONFIRMED) });
  return Promise.all([serve('described'), serve('mintlayer-core')]);
});

it('pending transactions that depend on each other show amounts of a token by the decimals of its pending issuance', async () => {
  for (const server of servers()) {
    const { inputs, outputs } = await server.json(`/transaction/${idOf(payment)}`);
    assert.deepEqual(inputs[0].utxo.value.amount, { atoms: '1234', decimal: '1.234' });
    assert.deepEqual(outputs[1].value.amount, { atoms: '234', decimal: '0.234' });
    const minted = await server.json(`/transaction/${idOf(mint)}`);
    assert.deepEqual(minted.inputs[1].input.amount, { atoms: '1234', decimal: '1.234' });
    assert.equal(minted.inputs[0].utxo.destination, destinationAddress(NETWORK, alice));
  }
});

it('pending transactions that depend on each other tell a wallet the flows of tokens, and its next nonces', async () => {
  for (const server of servers()) {
    const view = await server.json(`/mempool/address/${destinationAddress(NETWORK, alice)}`);
    assert.deepEqual(view.tokens, [
      {
        token_id: tokenAddress(NETWORK, TOKEN),
        incoming: { atoms: '1468', decimal: '1.468' },
        outgoing: { atoms: '1234', decimal: '1.234' },
      },
    ]);
    assert.deepEqual(view.next_nonces, [
      { token_id: tokenAddress(NETWORK, TOKEN), nonce: 1 },
      { delegation_id: delegationAddress(NETWORK, DELEGATION), nonce: 7 },
    ]);
    assert.equal(view.new_utxos.length, 1);
    assert.deepEqual(view.new_utxos[0].utxo.value.amount, { atoms: '234', decimal: '0.234' });
  }
});

it('pending transactions that depend on each other are listed once all is known; before that they are found by id only', async () => {
  for (const server of servers()) {
    const listed = await server.json('/mempool/transactions');
    const listedIds = listed.map(({ id }: { id: string }) => id);
    assert.deepEqual(listedIds, ALL.filter((each) => each !== unresolved).map(idOf));
    for (const transaction of listed) assert.ok('fee' in transaction);
    const { count, complete } = await server.json('/mempool');
    assert.deepEqual([count, complete], [listed.length, false]);
    const found = await server.json(`/transaction/${idOf(unresolved)}`);
    assert.deepEqual([found.inputs[0].utxo, 'fee' in found], [null, false]);
  }
});

type Indexed = SnapshotRows<TransactionRow>;

const id = idOf(withdrawal);
const tipAt = (revision: number) => ({ revision, height: revision, id: '00' });
const none = (revision: number): Indexed => ({ tip: tipAt(revision), rows: [] });
const confirmed: Indexed = { tip: tipAt(1), rows: [{ body: 'confirmed' } as TransactionRow] };

/** Asks with an index that says one thing after the other, the last one again and again. */
function find(pending: HandmadePending, said: Indexed[], advertisedRevision = 1) {
  const tipWatch = { advertisedRevision } as never;
  const pendingPresenter = new PendingTransactionPresenter(
    DESCRIBED_PROFILE,
    NETWORK,
    { query: () => assert.fail('no tokens'), queryLong: () => assert.fail('no tokens') },
    () => 1,
  );
  const left = [...said];
  const query = async () => (left.length > 1 ? left.shift()! : left[0]!);
  return findTransaction(
    { pending, pendingPresenter, tipWatch },
    { query } as never as QueryRunner,
    id,
    internalCaller(),
  );
}

const ask = async (...asked: Parameters<typeof find>) => (await find(...asked)).state;

it('a transaction that a block took between the look-up in the index and in the mempool is found', async () => {
  const pending = new HandmadePending([withdrawal], CONFIRMED);
  pending.beforeFind = () => pending.pool.apply({ type: 'Confirmed', id, height: 2 });
  assert.equal(await ask(pending, [none(1), confirmed]), 'confirmed');
  assert.equal(await ask(new HandmadePending([]), [none(1), confirmed]), 'confirmed');
});

it('a transaction is not shown as pending at a tip that has it', async () => {
  const pending = new HandmadePending([withdrawal], CONFIRMED);
  assert.equal(await ask(pending, [none(1), confirmed], 2), 'confirmed');
  assert.equal(await ask(pending, [none(1), none(2)], 2), 'pending');
});

it('a look-up waits for the mempool where the index has removed a block that the mempool still knows', async () => {
  const pending = new HandmadePending([withdrawal], CONFIRMED);
  const transaction = pending.pool.get(id)!;
  pending.pool.apply({ type: 'Confirmed', id, height: 1 });
  pending.reached = async (revision) => {
    if (revision === 2) pending.pool.apply({ type: 'Added', transaction, isNew: true });
  };
  assert.equal(await ask(pending, [none(2)], 2), 'pending');
});

it('a transaction that neither index nor mempool has is not found', async () => {
  assert.deepEqual(await find(new HandmadePending([]), [none(1)]), { state: 'unknown', tip: tipAt(1), details: {} });
  const pending = new HandmadePending([withdrawal], CONFIRMED);
  const at = Date.now();
  pending.pool.apply(pending.pool.dropped(id, at));
  const details = { dropped_at: Math.floor(at / 1_000) };
  assert.deepEqual(await find(pending, [none(1)], 1), { state: 'unknown', tip: tipAt(1), details });
});
