/** What lists say of transactions, and of those that are too long to be parsed. */

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { outlineOfText } from '../../src/answers/transaction-outline.ts';
import { parseTransactionJson } from '../../src/render/stored-json.ts';
import { collectAll } from '../support/garbage-collection.ts';
import { goldenServers } from '../support/golden-servers.ts';

const golden = goldenServers();
const ID = 'ab'.repeat(32);
const COIN = { amount: { atoms: '5', decimal: '0.00000000005' }, type: 'Coin' };
const LOCK = { content: 5, type: 'ForBlockCount' };
const NAMES = `","type":"Burn"}],"is_replaceable":true,"outputs":[{"type":"Transfer","value":{"amount":{"atoms":"9"`;

it('the outline of each transaction of a recorded chain has its fee and counts, and all that it did', async () => {
  const { rows } = await golden.index.query<{ body: string; height: number }>('select body, height from transactions');
  assert.ok(rows.length > 200);
  for (const { body, height } of rows) {
    const { id, fee, inputs, outputs } = parseTransactionJson(body);
    const { summary, commands, netChanges, ...outline } = outlineOfText(golden.network, body, height);
    const counts = { inputCount: inputs.length, outputCount: outputs.length };
    assert.deepEqual(outline, { id, fee: BigInt(fee!.atoms), ...counts });
    assert.ok(netChanges !== null);
    const owners = inputs.flatMap(({ utxo }) => {
      if (utxo?.type === 'Htlc') return [utxo.htlc.secret === null ? utxo.htlc.refund_key : utxo.htlc.spend_key];
      return utxo?.type === 'Transfer' || utxo?.type === 'LockThenTransfer' || utxo?.type === 'IssueNft'
        ? [utxo.destination]
        : [];
    });
    const all = [...new Set(owners)];
    const less = all.filter((owner) => netChanges.some(({ account, atoms }) => account.id === owner && atoms < 0n));
    assert.deepEqual(summary?.payers, less.length > 0 ? less : all);
    assert.ok(summary?.first, id);
    assert.equal(commands.length, 'by' in summary.first ? 1 : 0);
  }
});

it('the outline of a long transaction is made once, has its counts without what it did, and does not keep the text in memory', () => {
  const spend = { index: 0, input_type: 'UTXO', source_id: ID, source_type: 'Transaction' };
  const inputs = [
    { input: spend, utxo: { destination: NAMES, type: 'Transfer', value: COIN } },
    { input: spend, utxo: { type: 'Burn', value: COIN } },
  ];
  const output = { destination: NAMES, lock: LOCK, type: 'LockThenTransfer', value: COIN };
  const outputs = Array.from({ length: 10_000 }, () => output);
  const fee = { atoms: '7', decimal: '0.00000000007' };
  const text = JSON.stringify({ fee, flags: 0, id: ID, inputs, is_replaceable: false, outputs, version_byte: 1 });
  const [before, after] = text.split(`"id":"${ID}`) as [string, string];
  collectAll();
  const heapBefore = process.memoryUsage().heapUsed;
  const outlines = Array.from({ length: 60 }, (_, i) => {
    const id = i.toString(16).padStart(64, '0');
    const long = `${before}"id":"${id}${after}`;
    assert.ok(long.length > 1_000_000);
    const outline = outlineOfText(golden.network, long, 1);
    const expected = {
      id,
      fee: 7n,
      inputCount: 2,
      outputCount: 10_000,
      summary: null,
      commands: [],
      netChanges: null,
    };
    assert.deepEqual(outline, expected);
    assert.equal(outlineOfText(golden.network, long, 1), outline);
    return outline;
  });
  collectAll();
  const grown = process.memoryUsage().heapUsed - heapBefore;
  assert.ok(grown < 20e6, `${grown} bytes`);
  assert.equal(new Set(outlines.map(({ id }) => id)).size, 60);
});
