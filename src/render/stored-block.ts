/** The JSON of a block that is stored: its header, its reward, its transactions and outputs. */
import { destinationAddress } from '../chain/address.ts';
import type { Destination, Genesis, Id } from '../chain/types.ts';
import type { AppliedBlock } from '../ledger/applied-block.ts';
import { type RenderContext, timestampJson } from './common-values.ts';
import { arrayJson, objectJson, plainJson, textJson } from './compose-json.ts';
import { renderHeader } from './header.ts';
import { renderOutput, renderOutputs } from './output.ts';
import { outputEntryJson } from './output-entry.ts';
import type { GENESIS_SCHEMA as GenesisSchema } from './schemas/block-header-and-genesis.ts';
import type { ComponentJson, JsonTextOf } from './schemas/value-of-schema.ts';
import { renderTransaction } from './transaction.ts';

/** The JSON of a block that is stored when it is indexed. */
export interface BlockTexts {
  readonly header: string;
  readonly reward: string;
  /** The reference to the block, as fields of an object: see {@link blockReference}. */
  readonly blockReference: string;
  /** One per transaction. */
  readonly transactions: readonly string[];
  /** For each transaction {@link AppliedTransaction.actors} as a JSON array; null for those without. */
  readonly actors: readonly (string | null)[];
  /** One text per entry of `AppliedBlock.outputs`: `{"outpoint":…,"utxo":…`. */
  readonly entries: readonly string[];
}

export function renderBlock(context: RenderContext, applied: AppliedBlock): BlockTexts {
  const { block, id } = applied.identified;
  const outputTexts: ComponentJson<'Output'>[][] = [];
  const transactions = applied.transactions.map((transaction) => {
    const outputs = transaction.transaction.outputs.map((output) => renderOutput(context, output));
    outputTexts.push(outputs);
    return renderTransaction(context, transaction, outputs);
  });
  const entries = applied.outputs.map((utxo) => {
    const source = applied.transactions[utxo.position];
    return source
      ? outputEntryJson(source.id, utxo, outputTexts[utxo.position]?.[utxo.outputIndex] ?? '')
      : outputEntryJson(id, utxo, renderOutput(context, utxo.output));
  });
  return {
    header: renderHeader(block.header),
    reward: renderOutputs(context, block.reward),
    blockReference: blockReference(id, applied.height, block.header.timestamp),
    transactions,
    actors: applied.transactions.map(({ actors }) => actorsJson(context, actors)),
    entries,
  };
}

function actorsJson({ network }: RenderContext, actors: readonly Destination[]): string | null {
  if (actors.length === 0) return null;
  return arrayJson(actors.map((actor) => plainJson(destinationAddress(network, actor))));
}

/** Renders the body of `/chain/genesis`. */
export function renderGenesis(context: RenderContext, genesis: Genesis, id: Id): JsonTextOf<typeof GenesisSchema> {
  return objectJson({
    block_id: plainJson(id),
    genesis_message: textJson(genesis.message),
    timestamp: timestampJson(genesis.timestamp),
    utxos: renderOutputs(context, genesis.outputs),
  });
}

/** Id, height and timestamp of a block, as the fields of an object without its braces. */
export function blockReference(id: Id, height: number, timestamp: number): string {
  return `"block_id":"${id}","height":${height},"timestamp":${timestamp}`;
}
