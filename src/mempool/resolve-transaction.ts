/** Computes what a pending transaction spends and pays: the ledger's effects, from what is known so far. */

import type { Network } from '../chain/networks/network.ts';
import type { Destination, Id, Outpoint, TxInput, TxOutput } from '../chain/types.ts';
import { type EffectSources, effectRulesAt, TransactionEffects } from '../ledger/transaction-effects.ts';
import type { AccountUse, DecodedPendingTransaction, TransactionResolution } from './pending-transaction.ts';

/** Looks up what a transaction uses; undefined if unknown. */
export interface TransactionLookups extends EffectSources {
  output(outpoint: Outpoint): TxOutput | undefined;
  tokenAuthority(id: Id): Destination | undefined;
}

/** Resolves a transaction as part of a block at `height`. */
export function resolveTransaction(
  network: Network,
  height: number,
  { signed }: DecodedPendingTransaction,
  sources: TransactionLookups,
): TransactionResolution {
  const { transaction, signatures } = signed;
  const effects = new TransactionEffects(effectRulesAt(network, height), sources);
  const accounts: AccountUse[] = [];
  const inputs = transaction.inputs.map((input, i) => {
    if (input.type !== 'Utxo') {
      effects.account(input);
      accounts.push(...accountUses(input, sources));
      return null;
    }
    const { outpoint } = input;
    const output = sources.output(outpoint);
    if (output !== undefined)
      return { output, secret: effects.spend(output, outpoint.sourceType === 'BlockReward', signatures[i]!) };
    effects.isFeeKnown = false;
    return null;
  });
  for (const output of transaction.outputs) effects.output(output, transaction.inputs);
  const { addresses, tokens, coinsIn, coinsOut } = effects;
  // A transaction that pays out more than it takes in means that the index and the node are not at the same block.
  const isFeeKnown = effects.isFeeKnown && coinsIn >= coinsOut;
  return {
    height,
    inputs,
    fee: isFeeKnown ? coinsIn - coinsOut : null,
    addresses,
    tokens,
    accounts,
    isFinal: effects.isFinal && isFeeKnown && accounts.every(({ owner }) => owner !== null),
  };
}

/** Returns the use of an account; none for a command to an order, which uses no nonce of an owner. */
function accountUses(input: Exclude<TxInput, { type: 'Utxo' }>, sources: TransactionLookups): AccountUse[] {
  if (input.type === 'Account') {
    const { delegationId: id, nonce } = input;
    return [{ account: 'delegation', id, nonce, owner: sources.delegationOwner(id) ?? null }];
  }
  if (input.type === 'OrderAccountCommand' || 'orderId' in input.command) return [];
  const { tokenId: id } = input.command;
  return [{ account: 'token', id, nonce: input.nonce, owner: sources.tokenAuthority(id) ?? null }];
}
