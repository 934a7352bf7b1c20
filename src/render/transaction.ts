/** Transactions as JSON. */
import type { Atoms, ResolvedInput, TxInput } from '../chain/types.ts';
import type { AppliedTransaction } from '../ledger/applied-block.ts';
import { amountJson, type RenderContext } from './common-values.ts';
import { NULL_JSON, uncheckedJson } from './compose-json.ts';
import { renderInput } from './input.ts';
import { renderOutput } from './output.ts';
import type { PENDING_TRANSACTION_SCHEMA } from './schemas/transaction.ts';
import type { ComponentJson, JsonTextOf } from './schemas/value-of-schema.ts';

/**
 * Renders a transaction without the fields that depend on its block or the tip (docs/api.md#transactions-in-json).
 * `outputs`: its outputs as rendered by `renderOutput`. An unknown fee is left out.
 */
export function renderTransaction(
  context: RenderContext,
  applied: Pick<AppliedTransaction, 'id' | 'transaction' | 'inputs'> & { readonly fee: Atoms | null },
  outputs: readonly ComponentJson<'Output'>[],
): JsonTextOf<typeof PENDING_TRANSACTION_SCHEMA> {
  const { transaction, inputs, fee } = applied;
  let entries = '';
  for (let i = 0; i < inputs.length; i++) {
    if (i > 0) entries += ',';
    entries += renderInputEntry(context, transaction.inputs[i]!, inputs[i] ?? null);
  }
  const feeField = fee === null ? '' : `"fee":${amountJson(fee, context.network.coinDecimals)},`;
  return uncheckedJson(
    `{${feeField}"flags":${transaction.flags}` +
      `,"id":"${applied.id}"` +
      `,"inputs":[${entries}]` +
      `,"is_replaceable":${(transaction.flags & 1n) !== 0n}` +
      `,"outputs":[${outputs.join(',')}]` +
      `,"version_byte":1}`,
  );
}

/** Renders an input entry. `resolved`: the output that the input spends; null if it spends none, or an unknown one. */
function renderInputEntry(
  context: RenderContext,
  input: TxInput,
  resolved: ResolvedInput | null,
): ComponentJson<'InputEntry'> {
  const utxo = resolved === null ? NULL_JSON : renderOutput(context, resolved.output, resolved.secret);
  return uncheckedJson(`{"input":${renderInput(context, input)},"utxo":${utxo}}`);
}
