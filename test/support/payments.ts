/** Payments on a simulated chain, made by hand. */
import assert from 'node:assert/strict';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { transactionId } from '../../src/chain/derive-ids.ts';
import type { Atoms, Destination, Outpoint, SignedTransaction, TxOutput } from '../../src/chain/types.ts';
import type { ServedNode } from '../../src/devnet/served-node-interface.ts';
import type { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';

/** Pays for any of these transactions. */
export const FEE_ATOMS: Atoms = 100_000_000_000n;

/** All that the largest unspent output of coins (0; 1 is the next one) holds, less a fee, to its owner. */
export function paymentOf(node: SimulatedNode, rank = 0): SignedTransaction {
  const { world } = node.simulation;
  const byAmount = world.coins.items.filter(({ output }) => output.type === 'Transfer');
  byAmount.sort((a, b) => (a.amount < b.amount ? 1 : -1));
  const { outpoint, amount, destination } = byAmount[rank]!;
  return payment(node, outpoint, destination, amount);
}

/** Spends the first output of a payment. */
export function chained(node: SimulatedNode, parent: SignedTransaction): SignedTransaction {
  const [output] = parent.transaction.outputs;
  assert.ok(output?.type === 'Transfer' && output.value.type === 'Coin');
  const outpoint = { sourceType: 'Transaction', sourceId: transactionId(parent.transaction), index: 0 } as const;
  return payment(node, outpoint, output.destination, output.value.amount);
}

/** Whom the first output of a payment is for. */
export function ownerOf({ transaction }: SignedTransaction): Destination {
  const [output] = transaction.outputs;
  assert.ok(output?.type === 'Transfer');
  return output.destination;
}

export const LOCAL = { type: 'Local', by: 'P2p' } as const;

/** Hands a transaction to a node as a wallet does. */
export function submit(node: ServedNode, signed: SignedTransaction) {
  return node.submitTransaction(signed, encodeSignedTransaction(signed), LOCAL);
}

function payment(node: SimulatedNode, outpoint: Outpoint, destination: Destination, amount: Atoms): SignedTransaction {
  const output: TxOutput = { type: 'Transfer', value: { type: 'Coin', amount: amount - FEE_ATOMS }, destination };
  return {
    transaction: { flags: 0n, inputs: [{ type: 'Utxo', outpoint }], outputs: [output] },
    signatures: [node.simulation.world.wallet.witness(destination)],
  };
}
