/** What a typical transaction costs, against those that people sent. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { feeExamples, minimumFee } from '../../src/answers/fee-examples.ts';
import { decodeBlock } from '../../src/chain/codec/block.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { burnedFeesAt } from '../../src/chain/networks/network.ts';
import type { SignedTransaction } from '../../src/chain/types.ts';
import { RECORDED_BLOCKS } from '../chain/codec/recorded-blocks.ts';

const network = networkByName('mainnet');
/** An amount takes one to nine bytes, the usual one eight. */
const BYTES_OF_AMOUNT = { more: 1, fewer: 7 };

it('a usual transaction is as large as those of its kind in real blocks', async () => {
  const usual = new Map<string, number>(feeExamples(network, 1).map((each) => [each.kind, each.bytes]));
  const compared = new Set<string>();
  for (const { bytes } of RECORDED_BLOCKS) {
    for (const signed of decodeBlock(bytes).transactions) {
      const kind = kindOf(signed);
      if (kind === null) continue;
      const size = encodeSignedTransaction(signed).length;
      const expected = usual.get(kind)!;
      const { inputs, outputs } = signed.transaction;
      // A withdrawal has an amount and a nonce of its own.
      const amounts = outputs.length + 2 * inputs.filter(({ type }) => type === 'Account').length;
      const isLikely =
        size <= expected + amounts * BYTES_OF_AMOUNT.more && size >= expected - amounts * BYTES_OF_AMOUNT.fewer;
      assert.ok(isLikely, `${kind}: ${size} bytes, about ${expected} expected`);
      compared.add(kind);
    }
  }
  assert.deepEqual([...compared].sort(), ['Delegate', 'SendCoins', 'Withdraw']);
});

it('a usual transaction burns what the protocol takes at its height', () => {
  for (const height of [1, 1_000_000]) {
    const fees = burnedFeesAt(network, height);
    const burned = new Map(feeExamples(network, height).map((each) => [each.kind, each.burned]));
    assert.deepEqual(
      [...burned].filter(([, fee]) => fee > 0n),
      [
        ['IssueToken', fees.issueFungibleToken],
        ['MintTokens', fees.tokenSupplyChange],
        ['UnmintTokens', fees.tokenSupplyChange],
        ['LockTokenSupply', fees.tokenSupplyChange],
        ['FreezeToken', fees.tokenFreeze],
        ['UnfreezeToken', fees.tokenFreeze],
        ['ChangeTokenAuthority', fees.tokenChangeAuthority],
        ['ChangeTokenMetadataUri', fees.tokenChangeMetadataUri],
        ['IssueNft', fees.issueNft],
        ['DepositData', fees.dataDeposit],
      ],
    );
    assert.equal(burned.get('SendCoins'), 0n);
  }
});

it('a usual transaction pays at least the rate: what is left of an atom counts as one', () => {
  assert.deepEqual(
    [minimumFee(1_000, 7n), minimumFee(1, 7n), minimumFee(143, 7n), minimumFee(0, 7n)],
    [7n, 1n, 2n, 0n],
  );
});

/** The usual transaction that one is like, with one signature and the addresses of keys; null for any other. */
function kindOf({ transaction: { inputs, outputs }, signatures }: SignedTransaction): string | null {
  const [witness] = signatures;
  const isSigned = inputs.length === 1 && witness?.type === 'Standard' && witness.rawSignature.length === 2 * 99;
  const isOfKeys = outputs.every((output) => !('destination' in output) || output.destination.startsWith('01'));
  const isOfCoins = outputs.every((output) => !('value' in output) || output.value.type === 'Coin');
  if (!isSigned || !isOfKeys || !isOfCoins) return null;
  switch ([inputs[0]!.type, ...outputs.map(({ type }) => type).sort()].join()) {
    case 'Utxo,Transfer,Transfer':
      return 'SendCoins';
    case 'Utxo,DelegateStaking,Transfer':
      return 'Delegate';
    case 'Account,LockThenTransfer':
      return 'Withdraw';
    default:
      return null;
  }
}
