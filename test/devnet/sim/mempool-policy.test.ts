import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SignedTransaction } from '../../../src/chain/types.ts';
import { TRANSACTION_MAKERS } from '../../../src/devnet/sim/kinds/transaction-makers.ts';
import { SimulatedNode } from '../../../src/devnet/sim/simulated-node.ts';
import { TransactionMakerContext } from '../../../src/devnet/sim/transaction-maker-context.ts';
import { mixPresetByName } from '../../../src/devnet/sim/transaction-mix.ts';
import { worldOutpointKey } from '../../../src/devnet/sim/world.ts';
import { submit } from '../../support/payments.ts';
import { regtestPos } from './networks.ts';

/** A node with a chain of so many blocks. */
async function grownTo(height: number): Promise<SimulatedNode> {
  const node = await SimulatedNode.open({ network: regtestPos, mix: 'demo', seed: 'node' });
  node.growTo(height);
  return node;
}

/** A transfer that somebody's wallet sends: valid on top of all that waits. */
function made(node: SimulatedNode): SignedTransaction {
  const { world, random } = node.simulation;
  const treasury = world.userKeys.destinations[0]!;
  for (;;) {
    const signed = TRANSACTION_MAKERS.transfer(
      new TransactionMakerContext(world, random, mixPresetByName('demo')!, treasury),
    );
    if (signed !== null) return signed;
  }
}

/** The text of the refusal. */
function refusal(node: SimulatedNode, signed: SignedTransaction): string {
  const pending = node.mempoolTransactions().length;
  const result = submit(node, signed);
  assert.ok(result.type === 'Refused');
  assert.equal(node.mempoolTransactions().length, pending);
  return result.reason;
}

test('the mempool of a simulated node refuses what a node refuses, and says why', async () => {
  const node = await grownTo(15);
  const good = made(node);
  const { transaction, signatures } = good;
  const [input] = transaction.inputs;
  assert.ok(input?.type === 'Utxo');
  const changed = (change: Partial<SignedTransaction['transaction']>): SignedTransaction => ({
    transaction: { ...transaction, ...change },
    signatures,
  });
  const unknown = { ...input.outpoint, sourceId: '11'.repeat(32) };
  assert.match(
    refusal(node, changed({ inputs: [{ type: 'Utxo', outpoint: unknown }, ...transaction.inputs.slice(1)] })),
    /^Orphan transaction error: Orphans not supported for transactions originating at local node p2p$/,
  );
  const [output, ...others] = transaction.outputs;
  assert.ok(output?.type === 'Transfer' && output.value.type === 'Coin');
  const amount = output.value.amount + 10n ** 20n;
  assert.match(
    refusal(node, changed({ outputs: [{ ...output, value: { type: 'Coin', amount } }, ...others] })),
    /Insufficient inputs/,
  );
  const token = { type: 'TokenV1' as const, tokenId: '22'.repeat(32), amount: 1n };
  assert.match(refusal(node, changed({ outputs: [{ ...output, value: token }] })), /Token 22+ does not exist/);
  const other = { type: 'NoSignature', data: null } as const;
  assert.match(
    refusal(node, { transaction, signatures: signatures.map(() => other) }),
    /Signature verification failed: input 0/,
  );
  const nothing = { transaction: { ...transaction, inputs: [] }, signatures: [] };
  assert.match(refusal(node, nothing), /no inputs/);
  assert.match(refusal(node, changed({ outputs: [] })), /^Transaction has no outputs$/);
  // All of it to the receivers, nothing for the miner.
  const spent = transaction.inputs.map((each) => {
    assert.ok(each.type === 'Utxo');
    return node.simulation.world.utxos.get(worldOutpointKey(each.outpoint))!;
  });
  assert.ok(spent.every(({ currency }) => currency === 'coin'));
  const coins = spent.reduce((sum, utxo) => sum + utxo.amount, 0n);
  assert.match(
    refusal(node, changed({ outputs: [{ ...output, value: { type: 'Coin', amount: coins } }] })),
    /does not pay sufficient fees to be relayed \(tx_fee: 0\.00000000000, min_relay_fee: 0\.\d{11}\)$/,
  );
  assert.equal(submit(node, good).type, 'Accepted');
  assert.match(refusal(node, changed({ flags: 1n - transaction.flags })), /^Orphan transaction error/);
});
