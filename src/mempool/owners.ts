import type { Destination, TxOutput } from '../chain/types.ts';

/** The owners of an output, as in the index; none if it is not part of the UTXO set. */
export function ownersOf(output: TxOutput): readonly Destination[] {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'IssueNft':
    case 'ProduceBlockFromStake':
      return [output.destination];
    case 'CreateStakePool':
      return [output.data.decommissionKey];
    case 'Htlc':
      return [output.contract.spendKey, output.contract.refundKey];
    case 'Burn':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'DataDeposit':
    case 'CreateOrder':
      return [];
  }
}
