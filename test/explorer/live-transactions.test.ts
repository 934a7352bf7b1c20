/** The pages of transactions while the chain grows and reorganises, with a node: pending, confirmed, gone. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { getPage } from '../support/html-page.ts';
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

it('a transaction that a reorganisation removes is never shown in the block that is gone', async () => {
  const [newest] = await server().json('/transaction?items=1');
  const before = await getPage(server(), `/tx/${newest.id}`);
  assert.ok(before.main.fact('Block').links().includes(`/block/${newest.block_id}`));
  await stack().reorganise(2, 3);
  const answer = await server().get(`/transaction/${newest.id}`);
  const response = await fetch(`${server().url}/tx/${newest.id}`, { headers: { accept: 'text/html' } });
  const text = await response.text();
  assert.equal(response.status, answer.status);
  assert.ok(!text.includes(newest.block_id));
  if (answer.status === 200) await checkTransactionPage(server(), newest.id);
});

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

it('a transaction that left without a block is not found, with the time when it left', async () => {
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
    const { main } = await getPage(server(), `/tx/${id}`, 404);
    assert.match(main.text, /It was pending, and left the mempool unconfirmed at \d{4}-\d\d-\d\d /);
  }
});
