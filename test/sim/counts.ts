/** Where all of a currency is: counted from the blocks alone, and from the tables alone. */

import type pg from 'pg';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { outputFromHex } from '../../src/chain/codec/output.ts';
import { isBurnOutput, isContractOutput } from '../../src/chain/input-and-output-kinds.ts';
import { type BurnedFees, burnedFeesAt, type Network, subsidyAt } from '../../src/chain/networks/network.ts';
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

/** The fee of each output and command that has one. */
const FEE_NAMES: Readonly<Partial<Record<TxOutput['type'] | AccountCommand['type'], keyof BurnedFees>>> = {
  IssueNft: 'issueNft',
  IssueFungibleToken: 'issueFungibleToken',
  DataDeposit: 'dataDeposit',
  MintTokens: 'tokenSupplyChange',
  UnmintTokens: 'tokenSupplyChange',
  LockTokenSupply: 'tokenSupplyChange',
  FreezeToken: 'tokenFreeze',
  UnfreezeToken: 'tokenFreeze',
  ChangeTokenAuthority: 'tokenChangeAuthority',
  ChangeTokenMetadataUri: 'tokenChangeMetadataUri',
};

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
    const fees = burnedFeesAt(network, height);
    const burnFee = ({ type }: TxOutput | AccountCommand) => {
      const name = FEE_NAMES[type];
      if (name !== undefined) add(burned, '', fees[name]);
    };
    add(minted, '', subsidyAt(network, height));
    for (const { transaction } of block.transactions) {
      for (const output of transaction.outputs) {
        if (isBurnOutput(output)) addValue(burned, output.value);
        if (output.type === 'IssueNft') add(minted, output.tokenId, 1n);
        burnFee(output);
      }
      for (const input of transaction.inputs) {
        if (input.type !== 'AccountCommand') continue;
        const { command } = input;
        if (command.type === 'MintTokens') add(minted, command.tokenId, command.amount);
        burnFee(command);
      }
    }
  }
  return { preminted, minted, burned };
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
  const { rows: unspent } = await client.query<{ output: Hex }>('select output from chain_indexer.utxos');
  for (const output of unspent.map((row) => outputFromHex(row.output))) {
    if (isContractOutput(output)) addValue(sums, output.value);
  }
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

function add(sums: Sums, currency: string, amount: Atoms): void {
  sums.set(currency, (sums.get(currency) ?? 0n) + amount);
}

function addValue(sums: Sums, value: OutputValue): void {
  if (value.type !== 'TokenV0') add(sums, value.type === 'Coin' ? '' : value.tokenId, value.amount);
}
