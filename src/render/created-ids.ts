/** The ids of things that a transaction creates without naming them: they follow from its inputs (docs/protocol.md#ids). */

import { deriveDelegationId, deriveOrderId, deriveTokenId } from '../chain/derive-ids.ts';
import { createsDelegation, createsOrder, createsToken } from '../chain/input-and-output-kinds.ts';
import { type Network, tokenIdGenerationAt } from '../chain/networks/network.ts';
import type { Id, TxInput } from '../chain/types.ts';
import type { ParsedTransaction } from './stored-json.ts';

/** Null for things that the transaction does not create. */
export interface CreatedIds {
  readonly delegation: Id | null;
  readonly order: Id | null;
  readonly token: Id | null;
}

type InputsAndOutputs = Pick<ParsedTransaction, 'inputs' | 'outputs'>;

/** `height`: the height of its block, or of the next one while it is pending. */
export function derivedIds(network: Network, transaction: InputsAndOutputs, height: number): CreatedIds {
  const { inputs, outputs } = transaction;
  return {
    ...createdByOutpoint(transaction),
    token: outputs.some(createsToken) ? issuedToken(inputs, tokenIdGenerationAt(network, height)) : null,
  };
}

/** Returns the ids that follow from the first output that is spent. */
export function createdByOutpoint({ inputs, outputs }: InputsAndOutputs): Omit<CreatedIds, 'token'> {
  return {
    delegation: outputs.some(createsDelegation) ? deriveDelegationId(spendsOf(inputs)) : null,
    order: outputs.some(createsOrder) ? deriveOrderId(spendsOf(inputs)) : null,
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
