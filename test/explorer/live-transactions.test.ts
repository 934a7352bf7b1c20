/** The pages of transactions while the chain grows and reorganises, with a node: pending, confirmed, gone. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { getPage } from '../support/html-page.ts';
import { paymentOf, submit } from '../support/payments.ts';
import { until } from '../support/until.ts';
import { sharedStack } from '../support/whole-stack.ts';
import { checkTransactionPage } from './check-transaction-page.ts';
import type { Json } from './page-values.ts';

const stack = sharedStack();

const server = () => stack().servers.described;

const EVERY_KIND = [
  ...['Transfer', 'LockThenTransfer', 'Burn', 'CreateStakePool', 'CreateDelegationId', 'DelegateStaking'],
  ...['IssueFungibleToken', 'IssueNft', 'DataDeposit', 'Htlc', 'CreateOrder'],
]
  .map((kind) => `out ${kind}`)
  .concat(
    [
      ...['Account', 'MintTokens', 'UnmintTokens', 'FreezeTokens', 'UnfreezeTokens', 'LockTokenSupply'],
      ...['ChangeTokenAuthority', 'ChangeTokenMetadataUri', 'ConcludeOrder', 'FillOrder', 'FreezeOrder'],
      ...['UTXO Transfer', 'UTXO LockThenTransfer', 'UTXO IssueNft', 'UTXO Htlc claim', 'UTXO Htlc refund'],
    ].map((kind) => `in ${kind}`),
  );

function kindsIn({ inputs, outputs }: Json): string[] {
  return [
    ...outputs.map(({ type }: Json) => `out ${type}`),
    ...inputs.map(({ input, utxo }: Json) => {
      if (input.input_type !== 'UTXO') return `in ${input.command ?? input.input_type}`;
      const htlc = utxo?.htlc && (utxo.htlc.secret ? ' claim' : ' refund');
      return `in UTXO ${utxo?.type}${htlc ?? ''}`;
    }),
  ];
}

it('transactions of every kind on a simulated chain show what the API answers', async () => {
  const left = new Map(EVERY_KIND.map((kind) => [kind, 2]));
  for (const page of await server().pages('/transaction?items=100')) {
    for (const transaction of page) {
      const wanted = kindsIn(transaction).filter((kind) => (left.get(kind) ?? 2) > 0);
      if (wanted.length === 0) continue;
      const shown = await checkTransactionPage(server(), transaction.id);
      for (const kind of wanted) {
        assert.ok(shown.includes(kind), kind);
        left.set(kind, (left.get(kind) ?? 2) - 1);
      }
    }
  }
  assert.deepEqual(
    [...left].filter(([kind, number]) => EVERY_KIND.includes(kind) && number === 2),
    [],
  );
  assert.ok(
    left.has('in UTXO CreateStakePool') || left.has('in UTXO ProduceBlockFromStake'),
    'a pool is decommissioned',
  );
});

it('the newest transactions show what the API answers, before and after reorganisations', async () => {
  for (const step of ['standing', 'grown', 'reorganised', 'reorganised again']) {
    if (step === 'grown') await stack().grow();
    if (step === 'reorganised') await stack().reorganise(3, 4);
    if (step === 'reorganised again') await stack().reorganise(1, 2);
    const ids = (await server().json('/transaction?items=25')).map(({ id }: { id: string }) => id);
    for (const id of ids) await checkTransactionPage(server(), id);
  }
});

it('a transaction that a reorganisation removes from its block says so, and where it is then', async () => {
  for (let rank = 0; !(await leavesAndComesBack(rank)); rank++) assert.ok(rank < 20, 'its input was always spent');
});

/** False if the new branch spends what the transaction spent, so that it cannot come back. */
async function leavesAndComesBack(rank: number): Promise<boolean> {
  const { node } = stack();
  const payment = paymentOf(node, rank);
  const id = transactionId(payment.transaction);
  submit(node, payment);
  await until(async () => (await server().get(`/transaction/${id}`)).status === 200, 'the server knows it');
  const state = async () => {
    const { main } = await getPage(server(), `/tx/${id}`);
    return { title: main.one('h1').text, notices: main.all('.banner').map(({ text }) => text), main };
  };
  const isTitled = (words: string) => until(async () => (await state()).title.includes(words), words);
  await isTitled('pending');
  assert.deepEqual((await state()).notices, []);
  await stack().grow();
  const confirmed = await state();
  assert.deepEqual(confirmed.notices, []);
  const contentOf = ({ main }: typeof confirmed) =>
    ['.summary', '#inputs', '#net-changes'].map((part) => main.one(part).text);
  const { block_id: removed } = await server().json(`/transaction/${id}`);
  const { height } = node.tip();

  node.reorganise(1, 2, { shared: 0 });
  await stack().settle();
  await isTitled('not in the chain');
  const gone = await state();
  const left = new RegExp(`^This transaction was in block ${height}, ${removed}, until a reorganisation removed`);
  assert.match(gone.notices[0]!, left);
  assert.match(gone.notices[0]!, /It is no longer in any block, so it has no effect\./);
  assert.ok(gone.main.links().includes(`/block/${removed}`), 'the page of the removed block is there');
  assert.deepEqual(contentOf(gone), contentOf(confirmed), 'what it did is still there');
  assert.equal((await server().get(`/transaction/${id}`)).status, 404);

  node.emptyMempool();
  if (submit(node, payment).type !== 'Accepted') return false;
  await isTitled('pending again');
  assert.match((await state()).notices[0]!, left);
  assert.match((await state()).notices[0]!, /It is pending again\.$/);

  await stack().grow();
  const again = await state();
  assert.match(again.notices[0]!, left);
  assert.match(again.notices[0]!, new RegExp(`It is now in another block, ${node.tip().height} [0-9a-f]{64}\\.$`));
  await checkTransactionPage(server(), id);
  return true;
}

it('pending transactions are shown as pending, and confirmed ones after their block', async () => {
  let pending: { id: string }[] = [];
  await until(async () => {
    pending = (await server().get('/mempool/transactions?items=20')).body;
    if (pending.length === 0) await stack().grow();
    // What a reorganisation made invalid is listed until the server has asked the node.
    const held = new Set(
      stack()
        .node.mempoolTransactions()
        .map(({ id }) => id),
    );
    return pending.length > 0 && pending.every(({ id }) => held.has(id));
  }, 'there are pending transactions');
  for (const { id } of pending) {
    const { body } = await server().get(`/transaction/${id}`);
    if (body.block_id === null) await checkTransactionPage(server(), id);
  }
  let confirmed: string | undefined;
  await until(async () => {
    await stack().grow();
    for (const { id } of pending) if ((await server().get(`/transaction/${id}`)).body.block_id) confirmed = id;
    return confirmed !== undefined;
  }, 'a block takes one');
  await checkTransactionPage(server(), confirmed!);
});

it('the page of a transaction that left the mempool without a block says when it left', async () => {
  const pending = (await server().get('/mempool/transactions?items=20')).body as Json[];
  stack().node.emptyMempool();
  await stack().grow();
  const dropped: string[] = [];
  await until(async () => {
    for (const { id } of pending) {
      const { body } = await server().get(`/transaction/${id}`);
      if (body.dropped_at !== undefined) dropped.push(id);
    }
    return dropped.length > 0 || pending.length === 0;
  }, 'one was dropped');
  for (const id of dropped.slice(0, 3)) {
    const { main } = await getPage(server(), `/tx/${id}`);
    assert.match(main.one('h1').text, /not in the chain/);
    assert.match(main.text, /It (then )?left the mempool without being confirmed, \d{4}-\d\d-\d\d /);
  }
});
