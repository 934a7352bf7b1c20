/** What a transaction burns for what it does, by the rules of its height (docs/protocol.md#burned-fees). Pure. */
import { type Fees, feesAt, type Network } from './networks/network.ts';
import type { AccountCommand, Atoms, Transaction, TxOutput } from './types.ts';

/** `height`: of its block, or of the next one. */
export function burnedFees(network: Network, height: number, { inputs, outputs }: Transaction): Atoms {
  const fees = feesAt(network, height);
  let sum = 0n;
  for (const input of inputs) if (input.type === 'AccountCommand') sum += commandFee(fees, input.command.type);
  for (const { type } of outputs) sum += outputFee(fees, type);
  return sum;
}

/** What a command burns; commands of orders burn nothing. */
export function commandFee(fees: Fees, type: AccountCommand['type']): Atoms {
  switch (type) {
    case 'MintTokens':
    case 'UnmintTokens':
    case 'LockTokenSupply':
      return fees.tokenSupplyChange;
    case 'FreezeToken':
    case 'UnfreezeToken':
      return fees.tokenFreeze;
    case 'ChangeTokenAuthority':
      return fees.tokenChangeAuthority;
    case 'ChangeTokenMetadataUri':
      return fees.tokenChangeMetadataUri;
    case 'FillOrder':
    case 'ConcludeOrder':
      return 0n;
  }
}

function outputFee(fees: Fees, type: TxOutput['type']): Atoms {
  switch (type) {
    case 'IssueFungibleToken':
      return fees.issueFungibleToken;
    case 'IssueNft':
      return fees.issueNft;
    case 'DataDeposit':
      return fees.dataDeposit;
    case 'Transfer':
    case 'LockThenTransfer':
    case 'Burn':
    case 'CreateStakePool':
    case 'ProduceBlockFromStake':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'Htlc':
    case 'CreateOrder':
      return 0n;
  }
}
