/** What a transaction uses that was there before it. */
import { isDelegatingOutput, unknownKind } from './kind-facts.ts';
import type { Id, Outpoint, Transaction, TxInput } from './types.ts';

/** Told each thing; the same one maybe several times. */
export interface Uses {
  output(outpoint: Outpoint): void;
  delegation(id: Id): void;
  order(id: Id): void;
  /** By a command; tokens that are only paid are not told. */
  token(id: Id): void;
}

export function forEachUse({ inputs, outputs }: Omit<Transaction, 'flags'>, uses: Uses): void {
  for (const input of inputs) tellUseOfInput(input, uses);
  for (const output of outputs) if (isDelegatingOutput(output)) uses.delegation(output.delegationId);
}

function tellUseOfInput(input: TxInput, uses: Uses): void {
  switch (input.type) {
    case 'Utxo':
      return uses.output(input.outpoint);
    case 'Account':
      return uses.delegation(input.delegationId);
    case 'AccountCommand':
    case 'OrderAccountCommand':
      if ('orderId' in input.command) return uses.order(input.command.orderId);
      return uses.token(input.command.tokenId);
    default:
      return unknownKind(input);
  }
}
