/** Long texts are decoded beside the event loop, with the same results as short ones. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { encodeSignedTransaction } from '../../../src/chain/codec/transaction.ts';
import { transactionId } from '../../../src/chain/derive-ids.ts';
import type { SignedTransaction, TxOutput } from '../../../src/chain/types.ts';
import { decodeSubmission } from '../../../src/serving/decoding/decoding-tasks.ts';
import { DecodingThread } from '../../../src/serving/decoding/decoding-thread.ts';
import { decodePasted, MAX_EXPLAINED_ENTRIES } from '../../../src/serving/decoding/pasted-text.ts';
import { internalCaller } from '../../../src/serving/resources/caller.ts';
import { createSlots } from '../../../src/serving/resources/create-resources.ts';
import { deposit } from '../../support/small-chain.ts';

const caller = internalCaller('one');

function open(t: TestContext, megabytes?: number): DecodingThread {
  const thread = new DecodingThread(createSlots('decodings'), megabytes);
  t.after(() => thread.close());
  return thread;
}

function withOutputs(count: number): SignedTransaction {
  const output: TxOutput = { type: 'DataDeposit', data: '00' };
  const outputs = Array.from({ length: count }, () => output);
  return { transaction: { flags: 0n, inputs: [], outputs }, signatures: [] };
}

const hexOf = (signed: SignedTransaction): string => encodeSignedTransaction(signed).toString('hex');

it('a text of any length gives the same result in the thread as without it', async (t) => {
  const thread = open(t);
  const submission = `{"transaction":"${hexOf(deposit(20_000)).toUpperCase()}"}`;
  const id = transactionId(deposit(20_000).transaction);
  assert.deepEqual(await thread.decode('submission', Buffer.from(submission), caller), {
    hex: hexOf(deposit(20_000)),
    id,
  });
  const texts = [hexOf(deposit(100)), hexOf(withOutputs(9_000)), `${hexOf(withOutputs(9_000))}0`, 'zz'.repeat(20_000)];
  for (const text of texts) {
    assert.deepEqual(await thread.decode('submission', Buffer.from(text), caller), decodeSubmission(text));
    const form = Buffer.from(`hex=${text}`);
    assert.deepEqual(await thread.decode('pastedForm', form, caller), decodePasted(text));
    assert.deepEqual(await thread.decode('submissionForm', form, caller), decodeSubmission(text));
  }
});

it('the event loop turns while a megabyte of small outputs is decoded', async (t) => {
  const thread = open(t);
  const signed = withOutputs(340_000);
  const hex = hexOf(signed);
  await thread.decode('submission', Buffer.from(hexOf(withOutputs(9_000))), caller);
  let isDone = false;
  let turns = 0;
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  turn();
  const submission = await thread.decode('submission', Buffer.from(hex), caller);
  isDone = true;
  assert.equal(submission?.id, transactionId(signed.transaction));
  assert.ok(turns > 50, `${turns} turns`);
});

it('of a long text only what is shown comes back, with the numbers of all', async (t) => {
  const decoded = await open(t).decode('pastedForm', Buffer.from(`hex=${hexOf(withOutputs(30_000))}`), caller);
  assert.ok(decoded.kind === 'transaction');
  assert.deepEqual([decoded.outputCount, decoded.transaction.outputs.length], [30_000, MAX_EXPLAINED_ENTRIES]);
});

it('a process that has the thread ends by itself', async () => {
  const module = new URL('../../../src/serving/decoding/decoding-thread.ts', import.meta.url);
  const program = `import('${module}').then(async ({ DecodingThread }) => {
    const alive = setTimeout(() => {}, 60_000);
    const slots = { run: (_caller, _units, work) => work() };
    const { kind } = await new DecodingThread(slots).decode('pastedForm', Buffer.from('hex=' + 'zz'.repeat(20_000)));
    clearTimeout(alive);
    process.stdout.write(kind);
  });`;
  const args = ['--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 });
  assert.equal(stdout, 'undecodable');
});

it('a thread that ends fails those who wait for it, and another one takes the next text', async (t) => {
  const thread = open(t, 16);
  const [long, short] = [`{"transaction":[${'{},'.repeat(600_000)}{}]}`, hexOf(withOutputs(9_000))];
  const [one, two] = await Promise.allSettled([
    thread.decode('submission', Buffer.from(long), caller),
    thread.decode('pastedForm', Buffer.from(`hex=${short}`), internalCaller('another')),
  ]);
  for (const result of [one, two]) {
    assert.ok(result.status === 'rejected');
    assert.match(String(result.reason), /the thread that decodes has ended/);
  }
  assert.deepEqual(await thread.decode('submission', Buffer.from(short), caller), decodeSubmission(short));
});
