/** Finds what a transaction uses that existed before it: outputs, delegations, orders and tokens. */
import { assertNever, isDelegatingOutput } from './input-and-output-kinds.ts';
import type { Id, Outpoint, Transaction, TxInput } from './types.ts';

/** Called for everything that a transaction uses, perhaps several times for the same. */
export interface ReferenceCallbacks {
  output(outpoint: Outpoint): void;
  delegation(id: Id): void;
  order(id: Id): void;
  /** Called for tokens that a command names, not for tokens that are only paid. */
  token(id: Id): void;
}

export function forEachReference({ inputs, outputs }: Omit<Transaction, 'flags'>, uses: ReferenceCallbacks): void {
  for (const input of inputs) tellUseOfInput(input, uses);
  for (const output of outputs) if (isDelegatingOutput(output)) uses.delegation(output.delegationId);
}

function tellUseOfInput(input: TxInput, uses: ReferenceCallbacks): void {
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
      return assertNever(input);
  }
}
