import type { Atoms } from '../chain/types.ts';
import type { AppliedTransaction } from '../ledger/applied.ts';
import { renderInput } from './input.ts';
import { renderOutput } from './output.ts';
import { amountJson, type RenderContext } from './text.ts';

/**
 * A transaction without what moves or depends on its block: what a block shows of it
 * (docs/api.md#transactions-in-json). `outputs` are its outputs as `renderOutput` gives them. A fee that is not known
 * is left out.
 */
export function renderTransaction(
  context: RenderContext,
  applied: Pick<AppliedTransaction, 'id' | 'transaction' | 'inputs'> & { readonly fee: Atoms | null },
  outputs: readonly string[],
): string {
  const { transaction, inputs } = applied;
  let inputTexts = '';
  for (let i = 0; i < inputs.length; i++) {
    const resolved = inputs[i];
    const utxo = resolved ? renderOutput(context, resolved.output, resolved.secret) : 'null';
    if (i > 0) inputTexts += ',';
    inputTexts += `{"input":${renderInput(context, transaction.inputs[i]!)},"utxo":${utxo}}`;
  }
  const isReplaceable = (transaction.flags & 1n) !== 0n;
  const fee = applied.fee === null ? '' : `"fee":${amountJson(applied.fee, context.network.coinDecimals)},`;
  return `{${fee}"flags":${transaction.flags},"id":"${applied.id}","inputs":[${inputTexts}],"is_replaceable":${isReplaceable},"outputs":[${outputs.join(',')}],"version_byte":1}`;
}
