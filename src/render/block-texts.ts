import type { Id } from '../chain/types.ts';
import type { AppliedBlock } from '../ledger/applied.ts';
import type { Utxo } from '../ledger/rows.ts';
import { renderHeader, renderOutputs } from './block.ts';
import { renderOutput } from './output.ts';
import { outpointJson, type RenderContext } from './text.ts';
import { renderTransaction } from './transaction.ts';

/** The finished texts of a block. */
export interface BlockTexts {
  readonly header: string;
  readonly reward: string;
  /** Which block it is, as the fields of an object. */
  readonly place: string;
  /** One per transaction. */
  readonly transactions: readonly string[];
  /** One per entry of `AppliedBlock.outputs`: `{"outpoint":…,"utxo":…`. */
  readonly entries: readonly string[];
}

export function renderBlock(context: RenderContext, applied: AppliedBlock): BlockTexts {
  const { block, id } = applied.identified;
  const outputTexts: string[][] = [];
  const transactions = applied.transactions.map((transaction) => {
    const outputs = transaction.transaction.outputs.map((output) => renderOutput(context, output));
    outputTexts.push(outputs);
    return renderTransaction(context, transaction, outputs);
  });
  const entries = applied.outputs.map((utxo) => {
    const source = applied.transactions[utxo.position];
    return source
      ? entry(source.id, utxo, outputTexts[utxo.position]?.[utxo.outputIndex] ?? '')
      : entry(id, utxo, renderOutput(context, utxo.output));
  });
  return {
    header: renderHeader(block.header),
    reward: renderOutputs(context, block.reward),
    place: blockPlace(id, applied.height, block.header.timestamp),
    transactions,
    entries,
  };
}

/** The fields of an object that says which block something is in. */
export function blockPlace(id: Id, height: number, timestamp: number): string {
  return `"block_id":"${id}","height":${height},"timestamp":${timestamp}`;
}

/**
 * The entry of a UTXO list: where the output is, and the output (`utxoText` is what `renderOutput` gives). Its last brace
 * is left away: more may be said in a list.
 */
export function entry(sourceId: string, utxo: Utxo, utxoText: string): string {
  const sourceType = utxo.isReward ? 'BlockReward' : 'Transaction';
  return `{"outpoint":${outpointJson({ index: utxo.outputIndex, sourceId, sourceType })}${BEFORE_OUTPUT}${utxoText}`;
}

const BEFORE_OUTPUT = ',"utxo":';

/** The output that an entry shows, as `renderOutput` gave it: the outpoint before it holds no other "utxo". */
export function outputOf(entryText: string): string {
  return entryText.slice(entryText.indexOf(BEFORE_OUTPUT) + BEFORE_OUTPUT.length);
}
