/** What follows from a transaction alone: what it has to do with, what it creates, its sums. Pure. */
import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import { delegationIdOf, orderIdOf, tokenIdOf } from '../../chain/derive-ids.ts';
import { type Network, tokenIdGenerationAt } from '../../chain/networks/network.ts';
import type { Atoms, Id, TxInput } from '../../chain/types.ts';
import { fractionLength } from '../parts/amount.ts';
import { exact, type InputEntryValue, type OutputValue, type TransactionValue } from './stored-json.ts';

type Value = Extract<OutputValue, { type: 'Transfer' }>['value'];

/** The tokens and NFTs whose names are shown. */
export function tokensIn(network: Network, { inputs, outputs }: Pick<TransactionValue, 'inputs' | 'outputs'>): Set<Id> {
  const addresses = new Set<string>();
  const addOf = (output: OutputValue) => {
    if (output.type === 'IssueNft') addresses.add(output.token_id);
    for (const value of valuesOf(output)) if (value.type === 'TokenV1') addresses.add(value.token_id);
  };
  for (const { input, utxo } of inputs) {
    if ('token_id' in input) addresses.add(input.token_id);
    if (utxo !== null) addOf(utxo);
  }
  for (const output of outputs) addOf(output);
  return new Set(Array.from(addresses, (address) => parseTokenId(network, address)));
}

/** The orders that commands of the transaction are for. */
export function ordersIn(network: Network, { inputs }: Pick<TransactionValue, 'inputs'>): Set<Id> {
  const orders = new Set<Id>();
  for (const { input } of inputs) if ('order_id' in input) orders.add(parseOrderId(network, input.order_id));
  return orders;
}

/** Ids that outputs do not name, because they follow from the inputs; null where the transaction creates no such thing. */
export interface CreatedIds {
  readonly delegation: Id | null;
  readonly order: Id | null;
  readonly token: Id | null;
}

/** `height`: of its block, or of the next one while it is pending. */
export function createdIds(network: Network, { inputs, outputs }: TransactionValue, height: number): CreatedIds {
  const has = (type: OutputValue['type']) => outputs.some((output) => output.type === type);
  const spends = inputs.flatMap(({ input }): TxInput[] =>
    input.input_type === 'UTXO'
      ? [{ type: 'Utxo', outpoint: { sourceType: input.source_type, sourceId: input.source_id, index: input.index } }]
      : [],
  );
  const generation = tokenIdGenerationAt(network, height);
  const isFirst = inputs[0]?.input.input_type === 'UTXO' || generation === 1;
  return {
    delegation: has('CreateDelegationId') ? delegationIdOf(spends) : null,
    order: has('CreateOrder') ? orderIdOf(spends) : null,
    token: has('IssueFungibleToken') && isFirst ? tokenIdOf(spends, generation) : null,
  };
}

/** What moves of a currency, as far as inputs and outputs say it. */
export interface CurrencySums {
  readonly currency: Currency;
  /** In the outputs that are spent, withdrawals and mints. */
  readonly inputs: Atoms;
  /** In the outputs, burned ones included. */
  readonly outputs: Atoms;
  readonly burned: Atoms;
}

/** The coin first, tokens in the order of their appearance. */
export function sumsOf(network: Network, transaction: TransactionValue): CurrencySums[] {
  const all = [...sumsByAddress(transaction)].map(([address, sums]) => ({
    currency: address === '' ? COIN : parseTokenId(network, address),
    ...sums,
  }));
  return [...all.filter(({ currency }) => currency === COIN), ...all.filter(({ currency }) => currency !== COIN)];
}

type Sums = Omit<CurrencySums, 'currency'>;

/** By the token's address, `''` for the coin. */
function sumsByAddress({ inputs, outputs }: TransactionValue): ReadonlyMap<string, Sums> {
  const all = new Map<string, { -readonly [Side in keyof Sums]: Atoms }>();
  const add = (side: keyof Sums, token: string, atoms: Atoms) => {
    let sums = all.get(token);
    if (sums === undefined) {
      sums = { inputs: 0n, outputs: 0n, burned: 0n };
      all.set(token, sums);
    }
    sums[side] += atoms;
  };
  const addOutput = (side: 'inputs' | 'outputs', output: OutputValue) => {
    const moved = movedBy(output);
    if (moved === null) return;
    add(side, moved.token, moved.atoms);
    if (side === 'outputs' && output.type === 'Burn') add('burned', moved.token, moved.atoms);
  };
  for (const { input, utxo } of inputs) {
    if (utxo !== null) addOutput('inputs', utxo);
    if (input.input_type === 'Account') add('inputs', '', BigInt(input.amount.atoms));
    if (input.input_type === 'AccountCommand' && input.command === 'MintTokens') {
      add('inputs', input.token_id, BigInt(input.amount.atoms));
    }
  }
  for (const output of outputs) addOutput('outputs', output);
  return all;
}

/** The longest fraction of each currency, so that a list is aligned: by the token's address, `''` for the coin. */
export type Fractions = ReadonlyMap<string, number>;

export function fractionsOfOutputs(outputs: readonly OutputValue[]): Fractions {
  return fractionsOf(outputs.flatMap(columnValues));
}

export function fractionsOfInputs(inputs: readonly InputEntryValue[]): Fractions {
  return fractionsOf(
    inputs.flatMap(({ input, utxo }): Value[] => {
      if (input.input_type === 'Account') return [{ type: 'Coin', amount: input.amount }];
      if (input.input_type !== 'AccountCommand' || input.command !== 'MintTokens') {
        return utxo === null ? [] : columnValues(utxo);
      }
      return [{ type: 'TokenV1', token_id: input.token_id, amount: input.amount }];
    }),
  );
}

/** What stands in the column of amounts. */
function columnValues(output: OutputValue): Value[] {
  if (output.type === 'CreateStakePool') return [{ type: 'Coin', amount: output.data.amount }];
  if (output.type === 'DelegateStaking') return [{ type: 'Coin', amount: output.amount }];
  return valuesOf(output).slice(0, 1);
}

function fractionsOf(values: readonly Value[]): Fractions {
  const fractions = new Map<string, number>();
  for (const value of values) {
    if (value.type === 'TokenV0') continue;
    const currency = value.type === 'Coin' ? '' : value.token_id;
    const length = fractionLength([exact(value.amount)]);
    fractions.set(currency, Math.max(fractions.get(currency) ?? 0, length));
  }
  return fractions;
}

/** Is there more on the inputs' side than their amounts: what a pool holds, or what orders give and take? */
export function hasHiddenAmounts({ inputs }: Pick<TransactionValue, 'inputs'>): boolean {
  return inputs.some(isHidden);
}

function isHidden({ input, utxo }: InputEntryValue): boolean {
  if (input.input_type === 'UTXO') {
    return utxo === null || utxo.type === 'CreateStakePool' || utxo.type === 'ProduceBlockFromStake';
  }
  return 'order_id' in input;
}

/** An amount of a token, by its address, or of the coin (`''`). */
interface Moved {
  readonly token: string;
  readonly atoms: Atoms;
}

/** What an output takes. A stake that a block made names no amount: the pool's balance is its. */
function movedBy(output: OutputValue): Moved | null {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'Burn':
    case 'Htlc':
      return moved(output.value);
    case 'CreateOrder':
      return moved(output.give_value);
    case 'CreateStakePool':
      return { token: '', atoms: BigInt(output.data.amount.atoms) };
    case 'DelegateStaking':
      return { token: '', atoms: BigInt(output.amount.atoms) };
    case 'IssueNft':
      return { token: output.token_id, atoms: 1n };
    case 'ProduceBlockFromStake':
    case 'CreateDelegationId':
    case 'IssueFungibleToken':
    case 'DataDeposit':
      return null;
  }
}

function moved(value: Value): Moved | null {
  switch (value.type) {
    case 'Coin':
      return { token: '', atoms: BigInt(value.amount.atoms) };
    case 'TokenV1':
      return { token: value.token_id, atoms: BigInt(value.amount.atoms) };
    case 'TokenV0':
      return null;
  }
}

/** The values that an output shows. */
function valuesOf(output: OutputValue): Value[] {
  switch (output.type) {
    case 'Transfer':
    case 'LockThenTransfer':
    case 'Burn':
    case 'Htlc':
      return [output.value];
    case 'CreateOrder':
      return [output.give_value, output.ask_value];
    case 'IssueNft':
    case 'CreateStakePool':
    case 'ProduceBlockFromStake':
    case 'CreateDelegationId':
    case 'DelegateStaking':
    case 'IssueFungibleToken':
    case 'DataDeposit':
      return [];
  }
}

/** What a transaction does, in a few words for each kind of thing, the special ones first. */
export function deedsOf({ inputs, outputs }: Pick<TransactionValue, 'inputs' | 'outputs'>): string[] {
  const deeds = new Set<string>();
  for (const entry of inputs) {
    const deed = deedOfInput(entry);
    if (deed !== null) deeds.add(deed);
  }
  for (const { type } of outputs) {
    if (type !== 'Transfer') deeds.add(OUTPUT_DEEDS[type]);
  }
  if (deeds.size === 0 || outputs.some(({ type }) => type === 'Transfer')) deeds.add(OUTPUT_DEEDS.Transfer);
  return [...deeds];
}

export const OUTPUT_DEEDS: Readonly<Record<OutputValue['type'], string>> = {
  Transfer: 'Transfer',
  LockThenTransfer: 'Locked transfer',
  Burn: 'Burn',
  CreateStakePool: 'New pool',
  ProduceBlockFromStake: 'Block reward',
  CreateDelegationId: 'New delegation',
  DelegateStaking: 'Delegate',
  IssueFungibleToken: 'New token',
  IssueNft: 'New NFT',
  DataDeposit: 'Data',
  Htlc: 'New HTLC',
  CreateOrder: 'New order',
};

export const INPUT_DEEDS = {
  withdrawal: 'Withdraw from delegation',
  claim: 'HTLC claim',
  refund: 'HTLC refund',
  closedPool: 'Close pool',
} as const;

export const COMMAND_DEEDS = {
  MintTokens: 'Mint',
  UnmintTokens: 'Unmint',
  FreezeTokens: 'Freeze token',
  UnfreezeTokens: 'Unfreeze token',
  LockTokenSupply: 'Lock supply',
  ChangeTokenAuthority: 'Change authority',
  ChangeTokenMetadataUri: 'Change metadata',
  ConcludeOrder: 'Conclude order',
  FillOrder: 'Fill order',
  FreezeOrder: 'Freeze order',
} as const;

export type Command = keyof typeof COMMAND_DEEDS;

function deedOfInput({ input, utxo }: InputEntryValue): string | null {
  switch (input.input_type) {
    case 'Account':
      return INPUT_DEEDS.withdrawal;
    case 'AccountCommand':
    case 'OrderAccountCommand':
      return COMMAND_DEEDS[input.command];
    case 'UTXO':
      if (utxo?.type === 'Htlc') return utxo.htlc.secret === null ? INPUT_DEEDS.refund : INPUT_DEEDS.claim;
      return utxo?.type === 'CreateStakePool' || utxo?.type === 'ProduceBlockFromStake' ? INPUT_DEEDS.closedPool : null;
  }
}
