/** What each transaction of a simulated chain did, as its JSON tells it, against a naive account of its block. */
import assert from 'node:assert/strict';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { ATOMS_PER_COIN } from '../../src/chain/networks/network.ts';
import type { Atoms, IdentifiedBlock } from '../../src/chain/types.ts';
import { Simulation } from '../../src/devnet/sim/simulation.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import type { AppliedTransaction } from '../../src/ledger/applied-block.ts';
import { applyBlock, applyGenesis } from '../../src/ledger/apply-block.ts';
import { LedgerState } from '../../src/ledger/state.ts';
import { TRANSACTION_KINDS } from '../../src/ledger/transaction-kind.ts';
import type { Action } from '../../src/render/actions.ts';
import { renderBlock } from '../../src/render/stored-block.ts';
import { type ParsedTransaction, parseTransactionJson } from '../../src/render/stored-json.ts';
import { summarizeTransaction, type TransactionSummary } from '../../src/render/transaction-summary.ts';
import { upgrading as network, UPGRADES } from '../devnet/sim/networks.ts';
import { oncePerSeed, testOverSeeds } from '../support/seeds.ts';
import { MONTHS } from './history.ts';
import { NaiveSummaries, type NaiveSummary } from './naive-summaries.ts';

const BLOCKS = 120;

interface Told {
  readonly applied: AppliedTransaction;
  readonly json: ParsedTransaction;
  readonly summary: TransactionSummary;
  readonly naive: NaiveSummary;
}

const toldOf = oncePerSeed(async (seed) => {
  const mix = Number(seed) % 2 === 0 ? MONTHS : { ...MIX_PRESETS.dense, transactionsPerBlock: 12 };
  const state = new LedgerState({ isWhole: true });
  applyGenesis(state, network, decodeGenesis(network.genesis), network.genesisId);
  const naive = new NaiveSummaries(network, UPGRADES.tokens_fee_v1);
  const blocks = new Simulation({ network, seed, mix }).mine(BLOCKS);
  return blocks.flatMap(({ bytes }) => toldOfBlock(state, naive, identifyBlock(bytes)));
});

function toldOfBlock(state: LedgerState, naive: NaiveSummaries, identified: IdentifiedBlock): Told[] {
  const height = state.chain.height + 1;
  const { block, id, transactionIds } = identified;
  const pools = new Map<string, Atoms>();
  const poolBalance = (id: string) => {
    const pool = state.pools.peek(id);
    return pool ? pool.pledge + pool.rewards : pools.get(id)!;
  };
  for (const { transaction } of block.transactions) {
    for (const output of transaction.outputs) {
      if (output.type === 'CreateStakePool') pools.set(output.poolId, output.data.pledge);
    }
  }
  const expected = block.transactions.map((signed, i) => naive.add(transactionIds[i]!, signed, height, poolBalance));
  naive.addReward(id, block.reward);
  const applied = applyBlock(state, network, identified);
  const decimalsOf = (token: string) => state.tokens.get(token)?.decimals ?? (state.nfts.get(token) ? 0 : null);
  const { transactions } = renderBlock({ network, decimalsOf }, applied);
  return transactions.map((text, i) => {
    const json = parseTransactionJson(text);
    return {
      applied: applied.transactions[i]!,
      json,
      summary: summarizeTransaction(network, json, height),
      naive: expected[i]!,
    };
  });
}

type Value = Extract<Action, { type: 'burn' }>['value'];
const valueText = (value: Value) => {
  assert.notEqual(value.type, 'TokenV0');
  return value.type === 'TokenV0' ? '' : `${value.amount.atoms} ${value.type === 'Coin' ? 'coin' : value.token_id}`;
};
const valuesText = (values: readonly Value[] | null) =>
  values === null ? 'unknown' : values.map(valueText).sort().join(' ');

/** An action as the naive account writes it; null for a payment. */
function lineOf(action: Action): string | null {
  switch (action.type) {
    case 'token_issue':
      return `token_issue ${action.token_id} ${action.total_supply}`;
    case 'nft_issue':
      return `nft_issue ${action.token_id} address ${action.to}`;
    case 'token_mint':
    case 'token_unmint':
      return `${action.type} ${action.token_id} ${action.amount.atoms}`;
    case 'token_lock':
    case 'token_unfreeze':
    case 'token_metadata':
      return `${action.type} ${action.token_id}`;
    case 'token_freeze':
      return `token_freeze ${action.token_id} ${action.is_token_unfreezable}`;
    case 'token_authority':
      return `token_authority ${action.token_id} address ${action.new_authority}`;
    case 'pool_create':
      return `pool_create pool ${action.pool_id} ${action.pledge.atoms}`;
    case 'pool_decommission':
      return `pool_decommission pool ${action.pool_id} ${valuesText(action.returned).replace(' coin', '')}`;
    case 'delegation_create':
      return `delegation_create delegation ${action.delegation_id} pool ${action.pool_id} address ${action.owner}`;
    case 'delegate':
    case 'delegation_withdraw':
      return `${action.type} delegation ${action.delegation_id} ${action.amount.atoms}`;
    case 'order_create':
      return `order_create order ${action.order_id} ${valueText(action.ask)} ${valueText(action.give)}`;
    case 'order_fill':
      return `order_fill order ${action.order_ids.join()} ${valuesText(action.paid)} ${valuesText(action.received)}`;
    case 'order_freeze':
      return `order_freeze order ${action.order_id}`;
    case 'order_conclude':
      return `order_conclude order ${action.order_id} ${valuesText(action.returned)}`;
    case 'htlc_create':
      return `htlc_create ${valueText(action.value)} address ${action.spend_key} address ${action.refund_key}`;
    case 'htlc_claim':
      return `htlc_claim address ${action.spend_key} ${valueText(action.value)}`;
    case 'htlc_refund':
      return `htlc_refund address ${action.refund_key} ${valueText(action.value)}`;
    case 'data_deposit':
      return `data_deposit ${action.size}`;
    case 'burn':
      return `burn ${valueText(action.value)}`;
    case 'lock':
    case 'transfer':
      return null;
  }
}

testOverSeeds(
  'the actions, net changes and protocol fees of all transactions are those of their blocks',
  async (seed, scope) => {
    const kinds = new Set<string>();
    for (const { json, applied, summary, naive } of await toldOf(seed, scope)) {
      const told = new Map(
        summary.netChanges!.map(({ account, currency, atoms }) => [
          `${account.type} ${account.id} ${currency.token || 'coin'}`,
          atoms,
        ]),
      );
      assert.deepEqual([...told].sort(), [...naive.changes].sort(), json.id);
      assert.deepEqual(summary.actions.flatMap((action) => lineOf(action) ?? []).sort(), naive.actions, json.id);
      assert.equal(summary.protocolFee, naive.protocolFee * ATOMS_PER_COIN);
      // A lock or a transfer may be what another action pays out.
      assert.ok(summary.actions.length > 0, json.id);
      const toldKinds = new Set<string>(summary.actions.map(({ type }) => type));
      for (const kind of toldKinds) kinds.add(kind);
      if (applied.kind !== 'lock' && applied.kind !== 'burn')
        assert.equal(summary.actions[0]!.type, applied.kind, json.id);
    }
    assert.deepEqual([...kinds].sort(), [...TRANSACTION_KINDS].sort());
  },
);

testOverSeeds(
  'net changes, fee, protocol fee and burns are all that was minted, in each currency',
  async (seed, scope) => {
    for (const { json, summary, naive } of await toldOf(seed, scope)) {
      const sums = new Map<string, Atoms>();
      const add = (currency: string, atoms: Atoms) => sums.set(currency, (sums.get(currency) ?? 0n) + atoms);
      for (const { currency, atoms } of summary.netChanges!) add(currency.token || 'coin', atoms);
      add('coin', BigInt(json.fee!.atoms) + summary.protocolFee);
      for (const [currency, atoms] of naive.burned) add(currency, atoms);
      for (const [currency, atoms] of naive.minted) add(currency, -atoms);
      for (const [currency, sum] of sums) assert.equal(sum, 0n, `${json.id} ${currency}`);
    }
  },
);

testOverSeeds(
  'a transaction that only pays lists each payment to another address, and what a sender has gained',
  async (seed, scope) => {
    let [payments, gains] = [0, 0];
    for (const { json, applied, summary, naive } of await toldOf(seed, scope)) {
      if (applied.kind !== 'transfer') continue;
      const senders = new Set(
        json.inputs.flatMap(({ utxo }) => (utxo !== null && 'destination' in utxo ? [utxo.destination] : [])),
      );
      const sent = json.outputs.flatMap((output) => (output.type === 'Transfer' ? [output] : []));
      const others = sent.filter(({ destination }) => !senders.has(destination));
      const gained = [...naive.changes].filter(([key, atoms]) => atoms > 0n && senders.has(key.split(' ')[1]!));
      const isOwnAlone = others.length + gained.length === 0;
      const told = summary.actions.flatMap((action) => (action.type === 'transfer' ? [action] : []));
      const listed = (isOwnAlone ? sent : others).map(
        ({ destination, value }) => `${destination} ${valueText(value)} ${isOwnAlone}`,
      );
      assert.deepEqual(
        told.map(({ to, value, is_to_sender }) => `${to} ${valueText(value)} ${is_to_sender}`).sort(),
        [...listed, ...gained.map(([key, atoms]) => `${key.split(' ')[1]} ${atoms} ${key.split(' ')[2]} false`)].sort(),
        json.id,
      );
      payments += others.length;
      gains += gained.length;
    }
    assert.ok(payments > 0 && gains > 0);
  },
);
