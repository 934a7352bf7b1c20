/** What inputs change: hashed timelock contracts, and accounts at the ends of their numbers. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { transactionId } from '../../src/chain/derive-ids.ts';
import { ScaleWriter } from '../../src/chain/scale/writer.ts';
import type { HashedTimelockContract, InputWitness, OutputValue, TimeLock, TxOutput } from '../../src/chain/types.ts';
import type { AppliedTransaction } from '../../src/ledger/applied-block.ts';
import { balanceKey, outpointKey } from '../../src/ledger/state-rows.ts';
import {
  applySecond,
  applyThird,
  COIN,
  coins,
  FREE,
  OWNER,
  signed,
  smallWorld,
  spend,
  transfer,
} from './small-world.ts';

const SPENDER = `01${'0b'.repeat(20)}`;
const REFUNDED = `01${'0c'.repeat(20)}`;
const SECRET = 'ab'.repeat(32);
const SIGNATURE = byteVector('cd'.repeat(99));
/** A signature by one of two keys (docs/protocol.md#witnesses). */
const MULTISIG = byteVector(`0400${'00'.repeat(65)}0108${`0002${'ee'.repeat(32)}`.repeat(2)}`);

/** Bytes with their length before them. */
function byteVector(hex: string): string {
  const writer = new ScaleWriter();
  writer.byteVector(hex);
  return writer.finish().toString('hex');
}

const standard = (rawSignature: string): InputWitness => ({ type: 'Standard', sighashType: 1, rawSignature });

function contract(more: Partial<HashedTimelockContract> = {}): HashedTimelockContract {
  const refundTimelock: TimeLock = { type: 'ForBlockCount', value: 10n };
  return { secretHash: '00'.repeat(20), spendKey: SPENDER, refundKey: REFUNDED, refundTimelock, ...more };
}

/** A world whose second block puts 400 coins, or what is given, into a contract. */
function worldWith(of: HashedTimelockContract, value: OutputValue = coins(400n * COIN)) {
  const state = smallWorld();
  const made = signed([FREE], [{ type: 'Htlc', value, contract: of }]);
  const { transactions } = applySecond(state, { transactions: [made] });
  const id = transactionId(made.transaction);
  return { state, id, making: transactions[0]!, utxo: state.utxos.get(outpointKey(id, 0))! };
}

/** What the transaction is that spends the contract with a witness, into nothing but fees unless told otherwise. */
function spentBy(witness: InputWitness, of = contract(), outputs: readonly TxOutput[] = []): AppliedTransaction {
  const { state, id } = worldWith(of);
  const spending = { ...signed([spend(id, 0)], outputs), signatures: [witness] };
  return applyThird(state, { transactions: [spending] }).transactions[0]!;
}

const historyOf = ({ addresses }: AppliedTransaction) => [...addresses].sort();
const secretOf = ({ inputs }: AppliedTransaction) => inputs[0]!.secret;

it('an HTLC is history of both keys when it is made, and nobody’s balance', () => {
  const { state, making, utxo } = worldWith(contract());
  assert.deepEqual(historyOf(making), [OWNER, SPENDER, REFUNDED].sort());
  for (const key of [SPENDER, REFUNDED]) assert.equal(state.balances.get(balanceKey(key, '')), null);
  assert.deepEqual([utxo.owner, utxo.refundOwner], [SPENDER, REFUNDED]);
  // It is no time lock of the output itself: whoever knows the secret may spend it at once.
  assert.deepEqual([utxo.unlockHeight, utxo.unlockTime], [null, null]);
  assert.equal(making.fee, 100n * COIN);
});

it('an HTLC is listed once when both keys are the same', () => {
  const { utxo, making } = worldWith(contract({ refundKey: SPENDER }));
  assert.deepEqual([utxo.owner, utxo.refundOwner], [SPENDER, null]);
  assert.deepEqual(historyOf(making), [OWNER, SPENDER].sort());
});

for (const [lock, refundHeight, refundTime] of [
  [{ type: 'UntilHeight', value: 9n }, 9, null],
  [{ type: 'ForBlockCount', value: 9n }, 11, null],
  [{ type: 'UntilTime', value: 9n }, null, 9],
  [{ type: 'ForSeconds', value: 9n }, null, 1_700_000_009],
  [{ type: 'UntilHeight', value: (1n << 64n) - 1n }, Number.MAX_SAFE_INTEGER, null],
  [{ type: 'ForSeconds', value: (1n << 64n) - 1n }, null, Number.MAX_SAFE_INTEGER],
] as const) {
  it(`an HTLC may be refunded when its lock ${lock.type} ${lock.value} has ended`, () => {
    const { utxo } = worldWith(contract({ refundTimelock: lock }));
    assert.deepEqual([utxo.refundHeight, utxo.refundTime], [refundHeight, refundTime]);
  });
}

it('an HTLC gives its coins to the transaction that spends it, and a balance only to whom that pays', () => {
  const spending = spentBy(standard(`00${SECRET}${SIGNATURE}`), contract(), [transfer(coins(399n * COIN))]);
  assert.equal(spending.fee, COIN);
  assert.deepEqual(historyOf(spending), [OWNER, SPENDER].sort());
});

for (const [how, signature] of [
  ['a signature', SIGNATURE],
  ['signatures of several', MULTISIG],
  ['a signature of nobody', '00'],
] as const) {
  it(`an HTLC is history of the spend key, with its secret, when that comes with ${how}`, () => {
    const spending = spentBy(standard(`00${SECRET}${signature}`));
    assert.deepEqual([historyOf(spending), secretOf(spending)], [[SPENDER], SECRET]);
  });

  it(`an HTLC is history of the refund key, without a secret, when it is refunded with ${how}`, () => {
    const refund = spentBy(standard(`01${signature}`));
    assert.deepEqual([historyOf(refund), secretOf(refund)], [[REFUNDED], null]);
  });
}

// The node lets none of these pass; whoever it was, one of the two keys it must have been.
for (const [how, witness] of [
  ['no signature', { type: 'NoSignature', data: null }],
  ['data instead of a signature', { type: 'NoSignature', data: `00${SECRET}${SIGNATURE}` }],
  ['an empty signature', standard('')],
  ['a signature that is neither spend nor refund', standard(`02${SIGNATURE}`)],
  ['a bare signature', standard(SIGNATURE)],
  ['a secret that is cut', standard(`00${SECRET.slice(2)}`)],
  ['a secret without a signature', standard(`00${SECRET}`)],
  ['a refund with more behind it', standard(`01${SIGNATURE}00`)],
] as const satisfies readonly (readonly [string, InputWitness])[]) {
  it(`an HTLC is history of both keys, without a secret, when it is spent with ${how}`, () => {
    const spending = spentBy(witness);
    assert.deepEqual([historyOf(spending), secretOf(spending)], [[SPENDER, REFUNDED].sort(), null]);
  });
}

it('an NFT in an HTLC belongs to nobody until the contract pays it to somebody', () => {
  const state = smallWorld();
  const nft = 'f1'.repeat(32);
  const empty = { creator: null, name: '', description: '', ticker: '', iconUri: '' };
  const metadata = { ...empty, additionalMetadataUri: '', mediaUri: '', mediaHash: '' };
  const value: OutputValue = { type: 'TokenV1', tokenId: nft, amount: 1n };
  const issue = signed([FREE], [{ type: 'IssueNft', tokenId: nft, metadata, destination: OWNER }]);
  const lock = signed([spend(transactionId(issue.transaction), 0)], [{ type: 'Htlc', value, contract: contract() }]);
  const making = applySecond(state, { transactions: [issue, lock] });
  assert.equal(state.nfts.get(nft)?.owner, null);
  assert.equal(state.balances.get(balanceKey(OWNER, nft)), null);
  assert.deepEqual([...making.transactions[1]!.tokens], [nft]);

  const paying = signed(
    [spend(transactionId(lock.transaction), 0)],
    [{ type: 'Transfer', value, destination: SPENDER }],
  );
  const taken = { ...paying, signatures: [standard(`00${SECRET}${SIGNATURE}`)] };
  const paid = applyThird(state, { transactions: [taken] });
  assert.equal(state.nfts.get(nft)?.owner, SPENDER);
  assert.deepEqual([...paid.transactions[0]!.tokens], [nft]);
});
