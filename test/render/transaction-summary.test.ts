/** What cannot be told of a transaction, and what several orders give and take together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderAddress, tokenAddress } from '../../src/chain/address.ts';
import { decimalText } from '../../src/chain/decimal-text.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { ATOMS_PER_COIN } from '../../src/chain/networks/network.ts';
import type { ParsedInputEntry, ParsedOutput, ParsedTransaction } from '../../src/render/stored-json.ts';
import { summarizeTransaction } from '../../src/render/transaction-summary.ts';

const network = networkByName('regtest');
const TOKEN = tokenAddress(network, '01'.repeat(32));
const ORDERS = ['02', '03'].map((byte) => orderAddress(network, byte.repeat(32)));
const amount = (atoms: number) => ({ atoms: `${atoms}`, decimal: decimalText(BigInt(atoms), 2) });
const coins = (atoms: bigint) => ({ atoms: `${atoms}`, decimal: decimalText(atoms, network.coinDecimals) });

function paid(destination: string, atoms: number, token: string | null = null): ParsedOutput {
  const value =
    token === null
      ? ({ type: 'Coin', amount: coins(BigInt(atoms)) } as const)
      : ({ type: 'TokenV1', token_id: token, amount: amount(atoms) } as const);
  return { type: 'Transfer', destination, value };
}

function spend(utxo: ParsedOutput | null, index = 0): ParsedInputEntry {
  const source = { source_type: 'Transaction', source_id: '04'.repeat(32), index } as const;
  return { input: { input_type: 'UTXO', ...source }, utxo };
}

const fill = (order: number, atoms: number): ParsedInputEntry => ({
  input: {
    input_type: 'OrderAccountCommand',
    command: 'FillOrder',
    order_id: ORDERS[order]!,
    fill_atoms: { atoms: `${atoms}` },
  },
  utxo: null,
});

const conclude = (order: number): ParsedInputEntry => ({
  input: { input_type: 'OrderAccountCommand', command: 'ConcludeOrder', order_id: ORDERS[order]! },
  utxo: null,
});

function summary(inputs: ParsedInputEntry[], outputs: ParsedOutput[], fee: number | null) {
  const transaction: ParsedTransaction = {
    ...(fee !== null && { fee: coins(BigInt(fee)) }),
    ...{ flags: 0, id: '05'.repeat(32), inputs, is_replaceable: false, outputs, version_byte: 1 },
  };
  return summarizeTransaction(network, transaction, 1);
}

const changesOf = ({ netChanges }: ReturnType<typeof summary>) =>
  netChanges!.map(({ account, currency, atoms }) => [account.type, account.id, currency.token, Number(atoms)]);

test('two fills of one market are told by their sums, without saying which order gave how much', () => {
  const inputs = [spend(paid('rmt1a', 1_000)), fill(0, 300), fill(1, 200)];
  const told = summary(inputs, [paid('rmt1a', 490), paid('rmt1a', 75, TOKEN)], 10);
  assert.deepEqual(told.actions, [
    {
      type: 'order_fill',
      order_ids: ORDERS,
      paid: [{ type: 'Coin', amount: coins(500n) }],
      received: [{ type: 'TokenV1', token_id: TOKEN, amount: amount(75) }],
    },
  ]);
  assert.deepEqual(changesOf(told), [
    ['address', 'rmt1a', '', -510],
    ['address', 'rmt1a', TOKEN, 75],
    [null, null, TOKEN, -75],
    [null, null, '', 500],
  ]);
});

test('a fill is not told if the inputs have more or less left over than it pays', () => {
  const told = summary([spend(paid('rmt1a', 1_000)), fill(0, 300)], [paid('rmt1a', 490)], 10);
  assert.deepEqual(told.actions, [{ type: 'order_fill', order_ids: [ORDERS[0]], paid: null, received: null }]);
  assert.deepEqual(changesOf(told), [
    ['address', 'rmt1a', '', -510],
    [null, null, '', 500],
  ]);
});

test('two concluded orders give together what the outputs have', () => {
  const told = summary([conclude(0), conclude(1)], [paid('rmt1a', 90), paid('rmt1a', 7, TOKEN)], 10);
  assert.deepEqual(told.actions, [
    { type: 'order_conclude', order_id: ORDERS[0], by: null, returned: null },
    { type: 'order_conclude', order_id: ORDERS[1], by: null, returned: null },
  ]);
  assert.deepEqual(changesOf(told), [
    ['address', 'rmt1a', '', 90],
    ['address', 'rmt1a', TOKEN, 7],
    [null, null, '', -100],
    [null, null, TOKEN, -7],
  ]);
});

test('an order whose id is not known is another account than the orders that give together', () => {
  const ask = { type: 'Coin', amount: coins(5n) } as const;
  const created: ParsedOutput = { type: 'CreateOrder', conclude_key: 'rmt1a', ask_value: ask, give_value: ask };
  assert.deepEqual(changesOf(summary([conclude(0), conclude(1)], [created], 10)), [
    ['order', null, '', 5],
    [null, null, '', -15],
  ]);
});

test('tokens that a transaction leaves over are missing from the sender only', () => {
  const told = summary([spend(paid('rmt1a', 10)), spend(paid('rmt1a', 5, TOKEN), 1)], [paid('rmt1b', 3, TOKEN)], 10);
  assert.deepEqual(changesOf(told), [
    ['address', 'rmt1a', '', -10],
    ['address', 'rmt1a', TOKEN, -5],
    ['address', 'rmt1b', TOKEN, 3],
  ]);
});

test('net changes are unknown while the fee is', () => {
  const told = summary([spend(null)], [paid('rmt1b', 3)], null);
  assert.equal(told.netChanges, null);
  assert.deepEqual(told.actions, [
    { type: 'transfer', to: 'rmt1b', value: { type: 'Coin', amount: coins(3n) }, is_to_sender: false },
  ]);
});

test('what an order gives also pays the fee and the protocol fee', () => {
  const told = summary([conclude(0)], [paid('rmt1a', 90), { type: 'DataDeposit', data: [1, 2, 3] }], 10);
  const protocolFee = 20n * ATOMS_PER_COIN;
  assert.equal(told.protocolFee, protocolFee);
  assert.deepEqual(changesOf(told), [
    ['address', 'rmt1a', '', 90],
    ['order', ORDERS[0], '', -Number(protocolFee + 100n)],
  ]);
});
