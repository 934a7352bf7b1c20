/** Where all of a currency is: counted from the blocks alone, and from the tables alone. */

import type pg from 'pg';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { outputFromHex } from '../../src/chain/codec/output.ts';
import { isBurnOutput, isContractOutput } from '../../src/chain/input-and-output-kinds.ts';
import { type Fees, feesAt, type Network, subsidyAt } from '../../src/chain/networks/network.ts';
import type { AccountCommand, Atoms, Hex, IdentifiedBlock, OutputValue, TxOutput } from '../../src/chain/types.ts';

/** Atoms by currency; the coin is the empty text. */
export type Sums = Map<string, Atoms>;

export interface Counted {
  /** In the genesis. */
  readonly preminted: Atoms;
  /** The genesis, what blocks subsidise, what is minted and issued. */
  readonly minted: Sums;
  /** Burn outputs, and what commands, issuances and deposits cost. */
  readonly burned: Sums;
}

/** Of a main chain from height 1 on. */
export function countBlocks(network: Network, mainChain: readonly IdentifiedBlock[]): Counted {
  const minted: Sums = new Map();
  const burned: Sums = new Map();
  for (const output of decodeGenesis(network.genesis).outputs) {
    if ('value' in output) addValue(minted, output.value);
    if (output.type === 'CreateStakePool') add(minted, '', output.data.pledge);
  }
  const preminted = minted.get('') ?? 0n;
  for (const [index, { block }] of mainChain.entries()) {
    const height = index + 1;
    const fees = feesAt(network, height);
    add(minted, '', subsidyAt(network, height));
    for (const { transaction } of block.transactions) {
      for (const output of transaction.outputs) {
        if (isBurnOutput(output)) addValue(burned, output.value);
        if (output.type === 'IssueNft') add(minted, output.tokenId, 1n);
        add(burned, '', costOfOutput(fees, output));
      }
      for (const input of transaction.inputs) {
        if (input.type !== 'AccountCommand') continue;
        const { command } = input;
        if (command.type === 'MintTokens') add(minted, command.tokenId, command.amount);
        add(burned, '', costOfCommand(fees, command));
      }
    }
  }
  return { preminted, minted, burned };
}

function costOfOutput(fees: Fees, { type }: TxOutput): Atoms {
  switch (type) {
    case 'IssueNft':
      return fees.issueNft;
    case 'IssueFungibleToken':
      return fees.issueFungibleToken;
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

function costOfCommand(fees: Fees, { type }: AccountCommand): Atoms {
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

/** What the tables hold of each currency: free and locked balances, HTLCs, pools and delegations, open orders. */
export async function heldInTables(client: Pick<pg.Client, 'query'>): Promise<Sums> {
  const sums: Sums = new Map();
  const { rows } = await client.query<{ currency: string; amount: Atoms | null }>(`
    select encode(currency, 'hex') as currency, sum(total) as amount from chain_indexer.balances group by 1
    union all select '', sum(staker_balance) from chain_indexer.pools
    union all select '', sum(balance) from chain_indexer.delegations
    union all select encode(give_currency, 'hex'), give_balance from chain_indexer.orders where not is_concluded
    union all select encode(ask_currency, 'hex'), initially_asked - ask_balance
      from chain_indexer.orders where not is_concluded`);
  for (const { currency, amount } of rows) add(sums, currency, amount ?? 0n);
  for (const output of await unspentOutputs(client)) if (isContractOutput(output)) addValue(sums, output.value);
  return sums;
}

/** Who has a row in the table of balances for nothing. */
export async function emptyBalances(client: Pick<pg.Client, 'query'>): Promise<string[]> {
  const { rows } = await client.query<{ owner: Hex }>('select owner from chain_indexer.balances where total = 0');
  return rows.map(({ owner }) => owner);
}

export interface StatisticsRow {
  readonly currency: string;
  readonly circulating_supply: Atoms;
  readonly preminted: Atoms;
  readonly burned: Atoms;
  readonly staked: Atoms;
}

export async function statisticsInTables(client: Pick<pg.Client, 'query'>): Promise<StatisticsRow[]> {
  const { rows } = await client.query<StatisticsRow>(
    `select encode(currency, 'hex') as currency, circulating_supply, preminted, burned, staked
     from chain_indexer.statistics`,
  );
  return rows;
}

async function unspentOutputs(client: Pick<pg.Client, 'query'>): Promise<TxOutput[]> {
  const { rows } = await client.query<{ output: Hex }>('select output from chain_indexer.utxos');
  return rows.map(({ output }) => outputFromHex(output));
}

function add(sums: Sums, currency: string, amount: Atoms): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + amount);
}

function addValue(sums: Sums, value: OutputValue): void {
  if (value.type !== 'TokenV0') add(sums, value.type === 'Coin' ? '' : value.tokenId, value.amount);
}
