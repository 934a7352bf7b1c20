/** What lists say of transactions: found in the stored texts, it is what the whole texts say. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { tokenAddress } from '../../src/chain/address.ts';
import { decodeBlock } from '../../src/chain/codec/block.ts';
import { exactAmountOfJson } from '../../src/explorer/read/stored-json.ts';
import {
  extractTransactionOutline,
  extractTransactionOutlineForToken,
  outlineOfPending,
  type TransactionOutline,
} from '../../src/explorer/read/transaction-outline.ts';
import { actionsOfTransaction, sumsByCurrency } from '../../src/explorer/read/transaction-sums-and-actions.ts';
import { renderOutput } from '../../src/render/output.ts';
import { type ParsedOutput, parseTransactionJson } from '../../src/render/stored-json.ts';
import { renderTransaction } from '../../src/render/transaction.ts';
import { RECORDED_BLOCKS } from '../chain/codec/recorded-blocks.ts';
import { collectAll } from '../support/garbage-collection.ts';
import { goldenServers } from '../support/golden-servers.ts';

const golden = goldenServers();
const ID = 'ab'.repeat(32);
const COIN = { amount: { atoms: '5', decimal: '0.00000000005' }, type: 'Coin' };
const TOKEN = { amount: { atoms: '7', decimal: `?${ID}` }, token_id: 'rmltk1', type: 'TokenV1' };
const LOCK = { content: 5, type: 'ForBlockCount' };
const NAMES = `","type":"Burn"}],"is_replaceable":true,"outputs":[{"type":"Transfer","value":{"amount":{"atoms":"9"`;

function coinsOf(output: ParsedOutput): bigint {
  const value = 'value' in output ? output.value : 'give_value' in output ? output.give_value : null;
  if (value?.type === 'Coin') return exactAmountOfJson(value.amount).atoms;
  if (output.type === 'CreateStakePool') return exactAmountOfJson(output.data.amount).atoms;
  return output.type === 'DelegateStaking' ? exactAmountOfJson(output.amount).atoms : 0n;
}

/** The same by all of the text. */
function outlineOf(text: string): TransactionOutline {
  const transaction = parseTransactionJson(text);
  const { id, fee, inputs, outputs } = transaction;
  return {
    id,
    fee: fee === undefined ? null : exactAmountOfJson(fee),
    inputCount: inputs.length,
    outputCount: outputs.length,
    coins: outputs.reduce((sum, output) => sum + coinsOf(output), 0n),
    actions: actionsOfTransaction(transaction),
  };
}

function transaction(inputs: readonly object[], outputs: readonly object[]): string {
  return JSON.stringify({ flags: 0, id: ID, inputs, is_replaceable: false, outputs, version_byte: 1 });
}

it('the outline of a transaction is that of the whole text, for every transaction of a recorded chain', async () => {
  const { rows } = await golden.index.query<{ body: string }>('select body from transactions');
  assert.ok(rows.length > 200);
  for (const { body } of rows) assert.deepEqual(extractTransactionOutline(body), outlineOf(body));
});

it('the outline of a long transaction is made once, as that of the whole text, and does not keep the text in memory', () => {
  const output = { destination: 'r', type: 'Transfer', value: COIN };
  const outputs = Array.from({ length: 20_000 }, () => output);
  const [before, after] = transaction([], outputs).split(ID) as [string, string];
  collectAll();
  const heapBefore = process.memoryUsage().heapUsed;
  const outlines = Array.from({ length: 60 }, (_, i) => {
    const text = before + i.toString(16).padStart(64, '0') + after;
    assert.ok(text.length > 1_000_000);
    const outline = extractTransactionOutline(text);
    if (i < 3) assert.deepEqual(outline, outlineOf(text));
    assert.equal(extractTransactionOutline(text), outline);
    return outline;
  });
  collectAll();
  const grown = process.memoryUsage().heapUsed - heapBefore;
  assert.ok(grown < 20e6, `${grown} bytes`);
  assert.equal(new Set(outlines.map(({ id }) => id)).size, 60);
});

it('the outline of a pending transaction is that of its whole text', () => {
  const context = { network: golden.network, decimalsOf: () => 0 };
  const signed = RECORDED_BLOCKS.flatMap(({ bytes }) => decodeBlock(bytes).transactions);
  const kinds = new Set<string>();
  for (const each of signed) {
    const { transaction } = each;
    const outputs = transaction.outputs.map((output) => renderOutput(context, output));
    for (const { type } of transaction.outputs) kinds.add(type);
    const known = { id: ID, transaction, inputs: transaction.inputs.map(() => null), fee: 5n };
    const resolution = { addresses: new Set<string>(), tokens: new Set<string>(), accounts: [], isFinal: true };
    const pending = { ...known, ...resolution, signed: each, sizeBytes: 1, height: 1, origin: 'local' as const };
    const text = renderTransaction(context, known, outputs);
    assert.deepEqual(outlineOfPending(golden.network, pending), extractTransactionOutline(text));
  }
  assert.ok(kinds.size >= 10, [...kinds].join());
});

it('the outline of a transaction has what moves of each token', async () => {
  const { rows } = await golden.index.query<{ body: string; token_id: string }>(
    'select x.body, l.token_id from token_transactions l join transactions x on x.tx_index = l.tx_index',
  );
  assert.ok(rows.length > 50);
  let burns = 0;
  for (const { body, token_id: token } of rows) {
    const sum = sumsByCurrency(golden.network, parseTransactionJson(body)).find(({ currency }) => currency === token);
    const { moved, burned } = extractTransactionOutlineForToken(body, tokenAddress(golden.network, token));
    assert.deepEqual([moved, burned], [sum?.outputs ?? 0n, sum?.burned ?? 0n], body);
    if (burned > 0n) burns++;
  }
  assert.ok(burns > 0);
});

it('the outline of a transaction counts a token where it is given, burned or issued as an NFT, and not where it is asked for', () => {
  const other = { ...TOKEN, token_id: 'rmltk1x' };
  for (const [output, moved, burned] of [
    [{ destination: 'a', type: 'Transfer', value: TOKEN }, 7n, 0n],
    [{ destination: 'a', lock: LOCK, type: 'LockThenTransfer', value: TOKEN }, 7n, 0n],
    [{ destination: 'a', type: 'Transfer', value: other }, 0n, 0n],
    [{ type: 'Burn', value: TOKEN }, 7n, 7n],
    [{ data: {}, destination: 'a', token_id: TOKEN.token_id, type: 'IssueNft' }, 1n, 0n],
    [{ ask_value: COIN, conclude_key: 'a', give_value: TOKEN, type: 'CreateOrder' }, 7n, 0n],
    [{ ask_value: TOKEN, conclude_key: 'a', give_value: COIN, type: 'CreateOrder' }, 0n, 0n],
  ] as const) {
    const burn = { type: 'Burn', value: COIN };
    const text = transaction([{ input: {}, utxo: { type: 'Burn', value: TOKEN } }], [burn, output, burn]);
    const outline = extractTransactionOutlineForToken(text, TOKEN.token_id);
    assert.deepEqual([outline.moved, outline.burned], [moved, burned], text);
  }
});

it('the outline of a transaction is right for inputs and outputs of every kind', () => {
  const spend = { index: 0, input_type: 'UTXO', source_id: ID, source_type: 'Transaction' };
  const htlc = (secret: object | null) => ({
    htlc: { refund_key: 'a', refund_timelock: LOCK, secret, secret_hash: { hex: '', string: '' }, spend_key: 'b' },
    type: 'Htlc',
    value: COIN,
  });
  const pool = { data: { amount: COIN.amount, cost_per_block: COIN.amount, staker: 'a' }, pool_id: 'b' };
  const nft = { data: { name: { hex: '', string: NAMES } }, destination: 'a', token_id: 'b', type: 'IssueNft' };
  const inputs = [
    { input: spend, utxo: null },
    { input: spend, utxo: { destination: NAMES, type: 'Transfer', value: COIN } },
    { input: spend, utxo: htlc(null) },
    { input: spend, utxo: htlc({ hex: '00', string: NAMES }) },
    { input: spend, utxo: { ...pool, type: 'CreateStakePool' } },
    { input: { account_type: 'x', amount: COIN.amount, delegation_id: 'a', input_type: 'Account' }, utxo: null },
    { input: { amount: COIN.amount, command: 'MintTokens', input_type: 'AccountCommand' }, utxo: null },
    { input: { command: 'FillOrder', fill_atoms: {}, input_type: 'OrderAccountCommand' }, utxo: null },
  ];
  const outputs = [
    nft,
    { destination: 'a', lock: LOCK, type: 'LockThenTransfer', value: COIN },
    { destination: 'a', lock: LOCK, type: 'LockThenTransfer', value: TOKEN },
    { type: 'Burn', value: COIN },
    { type: 'Burn', value: { type: 'TokenV0' } },
    { ...pool, type: 'CreateStakePool' },
    { destination: 'a', pool_id: 'b', type: 'ProduceBlockFromStake' },
    { destination: 'a', pool_id: 'b', type: 'CreateDelegationId' },
    { amount: COIN.amount, delegation_id: 'a', type: 'DelegateStaking' },
    {
      authority: 'a',
      metadata_uri: { hex: '', string: NAMES },
      total_supply: { amount: COIN.amount, type: 'Fixed' },
      type: 'IssueFungibleToken',
    },
    { data: [1, 2, 3], type: 'DataDeposit' },
    htlc(null),
    { ask_value: COIN, conclude_key: 'a', give_value: TOKEN, type: 'CreateOrder' },
    { ask_value: TOKEN, conclude_key: 'a', give_value: COIN, type: 'CreateOrder' },
  ];
  const transfer = { destination: NAMES, type: 'Transfer', value: COIN };
  const texts = [
    transaction([], []),
    transaction(inputs, [...outputs, transfer]),
    ...inputs.map((input) => transaction([input], [])),
    ...outputs.map((output) => transaction([], [output])),
    ...outputs.map((output) => transaction([inputs[1]!], [transfer, output])),
  ];
  for (const text of texts) assert.deepEqual(extractTransactionOutline(text), outlineOf(text), text);
  assert.equal(extractTransactionOutline(texts[1]!).coins, 35n);
});
