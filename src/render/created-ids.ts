/** The ids of things that a transaction creates without naming them: they follow from its inputs (docs/protocol.md#ids). */
import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../chain/derive-ids.ts';
import { outputKindProperties } from '../chain/input-and-output-kinds.ts';
import { type Network, tokenIdGenerationAt } from '../chain/networks/network.ts';
import type { Id, TxInput } from '../chain/types.ts';
import type { ParsedTransaction } from './stored-json.ts';

/** Null for things that the transaction does not create. */
export interface CreatedIds {
  readonly delegation: Id | null;
  readonly order: Id | null;
  readonly token: Id | null;
}

/** `height`: the height of its block, or of the next one while it is pending. */
export function derivedIds(
  network: Network,
  { inputs, outputs }: Pick<ParsedTransaction, 'inputs' | 'outputs'>,
  height: number,
): CreatedIds {
  const created = outputs.map(({ type }) => outputKindProperties(type).creates);
  return {
    delegation: created.includes('delegation') ? deriveDelegationId(spendsOf(inputs)) : null,
    order: created.includes('order') ? deriveOrderId(spendsOf(inputs)) : null,
    token: created.includes('token') ? issuedToken(inputs, tokenIdGenerationAt(network, height)) : null,
  };
}

function issuedToken(inputs: ParsedTransaction['inputs'], generation: 0 | 1): Id | null {
  const isFirst = inputs[0]?.input.input_type === 'UTXO' || generation === 1;
  return isFirst ? deriveTokenId(spendsOf(inputs), generation) : null;
}

function spendsOf(inputs: ParsedTransaction['inputs']): TxInput[] {
  return inputs.flatMap(({ input }): TxInput[] =>
    input.input_type === 'UTXO'
      ? [{ type: 'Utxo', outpoint: { sourceType: input.source_type, sourceId: input.source_id, index: input.index } }]
      : [],
  );
}
