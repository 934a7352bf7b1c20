/** The owner of an NFT (docs/indexing-rules.md#nfts): null only when burned, or held by an order or an HTLC. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deriveOrderId, transactionId } from '../../src/chain/derive-ids.ts';
import type { SignedTransaction, TimeLock, TxOutput } from '../../src/chain/types.ts';
import { applyBlock } from '../../src/ledger/apply-block.ts';
import { balanceKey } from '../../src/ledger/rows.ts';
import { block, coins, FIRST_BLOCK, FREE, network, OWNER, signed, smallWorld, spend, tokens } from './small-world.ts';

const NFT = 'f1'.repeat(32);
const OTHER = `01${'0b'.repeat(20)}`;
const THIRD = `01${'0c'.repeat(20)}`;

const issue = signed(
  [FREE],
  [
    {
      type: 'IssueNft',
      tokenId: NFT,
      destination: OWNER,
      metadata: {
        ...{ creator: null, name: '', description: '', ticker: '', iconUri: '' },
        ...{ additionalMetadataUri: '', mediaUri: '', mediaHash: '' },
      },
    },
  ],
);
const pay = (destination: string, amount = 1n): TxOutput => ({
  type: 'Transfer',
  value: tokens(NFT, amount),
  destination,
});
const lockTo = (destination: string, lock: TimeLock): TxOutput => ({
  type: 'LockThenTransfer',
  value: tokens(NFT, 1n),
  destination,
  lock,
});
/** Spends the first output of a transaction. */
const after = (made: SignedTransaction, ...outputs: readonly TxOutput[]) =>
  signed([spend(transactionId(made.transaction), 0)], outputs);

/** Who owns the NFT, and its balances, after these blocks of transactions; it is issued in the first. */
function ownerAfter(...blocks: readonly (readonly SignedTransaction[])[]) {
  const state = smallWorld();
  let previous = FIRST_BLOCK;
  for (const [i, transactions] of [[issue], ...blocks].entries()) {
    const id = `0${i + 2}`.repeat(32);
    applyBlock(state, network, block(id, previous, { transactions }));
    previous = id;
  }
  const held = [OWNER, OTHER, THIRD].flatMap((owner) => {
    const balance = state.balances.get(balanceKey(owner, NFT));
    return balance === null ? [] : [{ owner, free: balance.amount, locked: balance.locked }];
  });
  return { owner: state.nfts.get(NFT)!.owner, held, statistics: state.statistics.get(NFT)! };
}

const given = after(issue, pay(OTHER));

it('an NFT is whose it was issued to', () => {
  const { owner, held, statistics } = ownerAfter();
  assert.deepEqual([owner, held], [OWNER, [{ owner: OWNER, free: 1n, locked: 0n }]]);
  assert.deepEqual([statistics.circulatingSupply, statistics.burned], [1n, 0n]);
});

it('an NFT is whom it was paid to last, also within one block', () => {
  assert.equal(ownerAfter([given]).owner, OTHER);
  const { owner, held } = ownerAfter([given, after(given, pay(THIRD))]);
  assert.deepEqual([owner, held], [THIRD, [{ owner: THIRD, free: 1n, locked: 0n }]]);
});

it('an NFT is not whom nothing of it was paid to', () => {
  const nothing = signed([], [pay(THIRD, 0n)]);
  assert.equal(ownerAfter([nothing]).owner, OWNER);
  assert.equal(ownerAfter([nothing], [after(nothing)]).owner, OWNER);
});

for (const lock of [
  { type: 'UntilHeight', value: 4n },
  { type: 'ForBlockCount', value: 1n },
] as const) {
  it(`an NFT is his whom it is locked for, before and after its lock ${lock.type} ends`, () => {
    const locked = after(issue, lockTo(OTHER, lock));
    const before = ownerAfter([locked]);
    assert.deepEqual([before.owner, before.held], [OTHER, [{ owner: OTHER, free: 0n, locked: 1n }]]);
    const free = ownerAfter([locked], []);
    assert.deepEqual([free.owner, free.held], [OTHER, [{ owner: OTHER, free: 1n, locked: 0n }]]);
  });
}

it('an NFT is nobody’s when it is burned', () => {
  const { owner, held, statistics } = ownerAfter([after(issue, { type: 'Burn', value: tokens(NFT, 1n) })]);
  assert.deepEqual([owner, held], [null, []]);
  assert.deepEqual([statistics.circulatingSupply, statistics.burned], [0n, 1n]);
});

it('an NFT is nobody’s while an order gives it, and his again whom the order pays', () => {
  const order = { concludeKey: OWNER, ask: coins(1n), give: tokens(NFT, 1n) };
  const ordered = after(issue, { type: 'CreateOrder', order });
  assert.deepEqual([ownerAfter([ordered]).owner, ownerAfter([ordered]).held], [null, []]);
  const orderId = deriveOrderId(ordered.transaction.inputs)!;
  const concluded = signed(
    [{ type: 'OrderAccountCommand', command: { type: 'ConcludeOrder', orderId } }],
    [pay(THIRD)],
  );
  assert.equal(ownerAfter([ordered], [concluded]).owner, THIRD);
});
