/** The owners and the value of an output. */
import { COIN, type Currency } from './currency.ts';
import {
  assertNever,
  createsNft,
  createsPool,
  isBalanceOutput,
  isContractOutput,
  isSpendable,
  isStakeOutput,
  type SpendableOutput,
} from './input-and-output-kinds.ts';
import type { Atoms, Destination, OutputValue, TxOutput } from './types.ts';

/**
 * Returns the destination under which an output is listed while it is unspent
 * (docs/indexing-rules.md#owners-and-histories).
 */
export function ownerOfOutput(output: SpendableOutput): Destination {
  if (isBalanceOutput(output)) return output.destination;
  if (isContractOutput(output)) return output.contract.spendKey;
  if (isStakeOutput(output)) return createsPool(output) ? output.data.decommissionKey : output.destination;
  return assertNever(output);
}

/** Returns an HTLC's refund key; null if it is the owner, or if the output is no HTLC. */
export function refundOwnerOfOutput(output: SpendableOutput): Destination | null {
  if (!isContractOutput(output)) return null;
  const { spendKey, refundKey } = output.contract;
  return refundKey === spendKey ? null : refundKey;
}

/** Returns the owner and the refund owner; none for an output that is not part of the UTXO set. */
export function ownersOfOutput(output: TxOutput): readonly Destination[] {
  if (!isSpendable(output)) return [];
  const refundOwner = refundOwnerOfOutput(output);
  return refundOwner === null ? [ownerOfOutput(output)] : [ownerOfOutput(output), refundOwner];
}

interface CountedValue {
  readonly currency: Currency;
  readonly amount: Atoms;
}

/** Returns the currency and the amount of a value; null for legacy tokens, which are never counted. */
export function currencyAndAmount(value: OutputValue): CountedValue | null {
  switch (value.type) {
    case 'Coin':
      return { currency: COIN, amount: value.amount };
    case 'TokenV1':
      return { currency: value.tokenId, amount: value.amount };
    case 'TokenV0':
      return null;
  }
}

/** Returns the part of an unspent output in its owner's balance; null if it has none. */
export function valueInBalance(output: TxOutput): CountedValue | null {
  if (!isBalanceOutput(output)) return null;
  return createsNft(output) ? { currency: output.tokenId, amount: 1n } : currencyAndAmount(output.value);
}
