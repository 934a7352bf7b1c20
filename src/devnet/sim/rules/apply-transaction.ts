/** Puts one transaction into the block being built, wholly or not at all. */
import { burnedFees } from '../../../chain/burned-fees.ts';
import { isCommandInput, isUtxoInput, outputKindProperties } from '../../../chain/input-and-output-kinds.ts';
import type { Atoms, Id, SignedTransaction, TxInput, TxOutput } from '../../../chain/types.ts';
import type { SimulatedCurrency, SimulatedWorld } from '../world.ts';
import { applyFreezing, applyInputToWorld } from './apply-inputs.ts';
import { applyOutputToWorld, burnCoins } from './apply-outputs.ts';
import { InputOutputBalance } from './input-output-balance.ts';
import { refuseTransaction } from './refusal.ts';

/**
 * Applies `signed` to the world and gives its fee in atoms.
 *
 * Throws TransactionRefusal, with the world as it was, when a node would not take it: an input that is unknown, spent
 * or locked, a wrong nonce, amounts that do not balance, a second pool, delegation, token or order (docs/protocol.md#ids).
 */
export function applyTransactionToWorld(world: SimulatedWorld, signed: SignedTransaction, id: Id): Atoms {
  const { transaction, signatures } = signed;
  const start = world.journal.mark();
  const sheet = new InputOutputBalance();
  try {
    checkCounts(transaction.inputs, transaction.outputs);
    for (let index = 0; index < transaction.inputs.length; index++) {
      applyInputToWorld(world, sheet, transaction, transaction.inputs[index]!, signatures[index]!);
    }
    for (let index = 0; index < transaction.outputs.length; index++) {
      applyOutputToWorld(world, sheet, transaction, id, index);
    }
    for (const input of transaction.inputs) applyFreezing(world, input);
    const burned = burnedFees(world.network, world.height, transaction);
    sheet.giveOut('coin', burned);
    if (burned > 0n) burnCoins(world, burned);
    const fee = sheet.fee();
    for (const [currency, amount] of sheet.forsaken()) forsake(world, currency, amount);
    return fee;
  } catch (error) {
    world.journal.undo(start);
    throw error;
  }
}

function forsake(world: SimulatedWorld, currency: SimulatedCurrency, amount: Atoms): void {
  const kept = world.tokens.get(currency) ?? world.nfts.get(currency);
  if (kept !== undefined) world.journal.set(kept, 'forsaken', kept.forsaken + amount);
}

function checkCounts(inputs: readonly TxInput[], outputs: readonly TxOutput[]): void {
  if (inputs.length === 0) refuseTransaction('The transaction has no inputs');
  if (inputs.filter(isCommandInput).length > 1) refuseTransaction('Multiple account commands in one transaction');
  let issuances = 0;
  const seen = new Set<string>();
  for (const { type } of outputs) {
    const { creates } = outputKindProperties(type);
    if (creates === null) continue;
    if (creates === 'token' || creates === 'nft') issuances++;
    else if (seen.has(type)) refuseTransaction(`Multiple ${type} outputs in one transaction`);
    seen.add(type);
  }
  if (issuances > 1) refuseTransaction('Multiple token issuances in one transaction');
  if (seen.size > 0 && !inputs.some(isUtxoInput))
    refuseTransaction('No input from which the id of what is created could follow');
}
