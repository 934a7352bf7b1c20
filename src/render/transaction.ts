import type { JsonOf } from '../api/schemas/json-types.ts';
import type { Output } from '../api/schemas/output.ts';
import type { InputEntry, PendingTransaction } from '../api/schemas/transaction.ts';
import type { Atoms, TxInput } from '../chain/types.ts';
import type { AppliedTransaction, ResolvedInput } from '../ledger/applied.ts';
import { renderInput } from './input.ts';
import { arrayJson, booleanJson, NULL_JSON, numberJson, objectJson, plainJson } from './json.ts';
import { renderOutput } from './output.ts';
import { amountJson, type RenderContext } from './text.ts';

/**
 * A transaction without what moves or depends on its block: the "base transaction" of the indexing rules, 5.2.
 * `outputs` are its outputs as `renderOutput` gives them. A fee that is not known is left out.
 */
export function renderTransaction(
  context: RenderContext,
  applied: Pick<AppliedTransaction, 'id' | 'transaction' | 'inputs'> & { readonly fee: Atoms | null },
  outputs: readonly JsonOf<typeof Output>[],
): JsonOf<typeof PendingTransaction> {
  const { transaction, fee } = applied;
  return objectJson({
    fee: fee === null ? undefined : amountJson(fee, context.network.coinDecimals),
    flags: numberJson(transaction.flags),
    id: plainJson(applied.id),
    inputs: arrayJson(transaction.inputs.map((input, i) => renderInputEntry(context, input, applied.inputs[i]))),
    is_replaceable: booleanJson((transaction.flags & 1n) !== 0n),
    outputs: arrayJson(outputs),
    version_byte: numberJson(1),
  });
}

/** `resolved`: the output that the input spends; null where it spends none, or none that is known. */
function renderInputEntry(
  context: RenderContext,
  input: TxInput,
  resolved: ResolvedInput | null | undefined,
): JsonOf<typeof InputEntry> {
  return objectJson({
    input: renderInput(context, input),
    utxo: resolved ? renderOutput(context, resolved.output, resolved.secret) : NULL_JSON,
  });
}
