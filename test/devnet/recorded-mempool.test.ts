/**
 * The devnet's mempool against that of a real node 1.4.0, line by line: every answer, every event, and their order.
 *
 * Not compared, because it depends on the chain or on the program behind the node: the ids of the two blocks (the
 * devnet's own stand in their place), the subscription's number, and the figure of `mempool_memory_usage`.
 *
 * Not in the recording, and so made after the node's sources: transactions of peers, orphans, eviction, a listing above
 * the limit, confirmation by a block, the text for an orphan that comes by `p2p_submit_transaction`. Those have tests in
 * `sim/mempool-policy.test.ts` and `mempool.test.ts`. The devnet never is in initial block download, never gives the
 * origin `PastBlock` (the node tells of no transaction that comes back from a block), and has no rolling fee.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { decodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import type { Atoms, Outpoint } from '../../src/chain/types.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { SimulatedNode } from '../../src/devnet/sim/simulated-node.ts';
import { MIX_PRESETS } from '../../src/devnet/sim/transaction-mix.ts';
import { worldOutpointKey } from '../../src/devnet/sim/world.ts';
import { until } from '../support/until.ts';
import { regtestPos } from './sim/networks.ts';

const TIP_HEIGHT = 400;
const TIP = '389a22f334701f9f86505fcab6059cacc7986af3b32df9250c1b0e9dbdedeb71';
const PARENT = '9e635ccf6d14cd53febf0f88bcd87dc4515b31342a01bf5b8c3521a773b665fe';
const SUBSCRIPTION = 2534904622040343;

interface Request {
  readonly method: string;
  readonly params: readonly unknown[];
}

type Line =
  | { readonly note: string }
  | { readonly 'websocket-request': Request }
  | { readonly websocket: unknown }
  | { readonly request: Request; readonly status: number; readonly answer: unknown };

const text = readFileSync(new URL('../golden/node-mempool.ndjson', import.meta.url), 'utf8').trim();
const lines = text.split('\n').map((line) => JSON.parse(line) as Line);
/** The fees that the recording tells of, in atoms, of the transactions that spend outputs of its chain. */
const FEES: Readonly<Record<string, Atoms>> = { t1: 1_000_000_000_000n, t3: 3_000_000_000_000n, low: 10n };

/** The transaction that is submitted after a note. */
function noted(note: string) {
  const at = lines.findIndex((line) => 'note' in line && line.note === note);
  const submission = lines.slice(at).find((line) => 'request' in line);
  assert.ok(submission && 'request' in submission);
  return decodeSignedTransaction(Buffer.from(submission.request.params[0] as string, 'hex')).transaction;
}

/** A node on which nobody does anything, of the recorded height, with the outputs that the recording spends. */
async function nodeLikeTheRecordedOne(): Promise<SimulatedNode> {
  const mix = { ...MIX_PRESETS.demo, transactionsPerBlock: 0, setup: {} };
  const node = await SimulatedNode.open({ network: regtestPos, seed: 'recorded', mix });
  node.growTo(TIP_HEIGHT - 2);
  for (const [note, fee] of Object.entries(FEES)) {
    const { inputs, outputs } = noted(note);
    assert.ok(inputs[0]?.type === 'Utxo' && inputs.length === 1);
    const paid = outputs.map((output) => (output.type === 'Transfer' ? output.value : assert.fail(output.type)));
    const amount = paid.reduce((sum, value) => sum + (value.type === 'Coin' ? value.amount : assert.fail()), fee);
    addOutput(node, inputs[0].outpoint, amount);
  }
  node.growTo(TIP_HEIGHT);
  return node;
}

function addOutput({ simulation: { world } }: SimulatedNode, outpoint: Outpoint, amount: Atoms): void {
  const { height, timestamp } = world;
  world.addUtxo({
    key: worldOutpointKey(outpoint),
    outpoint,
    output: { type: 'Transfer', value: { type: 'Coin', amount }, destination: '00' },
    destination: '00',
    currency: 'coin',
    amount,
    height,
    timestamp,
    freeAtHeight: 0,
    freeAtTime: 0,
    index: -1,
    ownerIndex: -1,
  });
}

test('the mempool answers as the recorded node does, and tells the same events in the same order', async (t) => {
  const node = await nodeLikeTheRecordedOne();
  const server = await serveRpc(node);
  t.after(() => server.close());
  const blockIds = new Map([
    [TIP, node.mainChainId(TIP_HEIGHT)!],
    [PARENT, node.mainChainId(TIP_HEIGHT - 1)!],
  ]);
  const inOurs = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replace(/[0-9a-f]{64}/g, (id) => blockIds.get(id) ?? id));

  /** What came, as it came. */
  const came: object[] = [];
  let events = 0;
  const socket = new WebSocket(`ws://${server.address}/`);
  t.after(() => socket.terminate());
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    if ('params' in message) message.params.subscription = SUBSCRIPTION;
    else message.result = SUBSCRIPTION;
    events++;
    came.push({ websocket: message });
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const ask = async (request: Request) => {
    const body = JSON.stringify(inOurs(request));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://${server.address}/`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { result?: unknown };
    if (request.method === 'mempool_memory_usage') {
      assert.ok(Number.isSafeInteger(answer.result));
      answer.result = 4073;
    }
    came.push({ request: inOurs(request), status: response.status, answer });
  };

  for (const [i, line] of lines.entries()) {
    // What comes later than its answer is waited for; what comes before it need not be.
    if (!('websocket-request' in line || 'request' in line)) continue;
    await until(() => events >= eventsBefore(i), `the events before line ${i + 1}`);
    if ('request' in line) await ask(line.request);
    else socket.send(JSON.stringify(line['websocket-request']));
  }
  await sleep(50);
  const expectedLines = lines.filter((line) => 'websocket' in line || 'request' in line).map((line) => inOurs(line));
  assert.deepEqual(came, expectedLines);
});

/** How many messages of the socket there are before a request is sent: its own event stands before its answer. */
function eventsBefore(at: number): number {
  const line = lines[at]!;
  const isSubmission = 'request' in line && line.request.method.endsWith('submit_transaction');
  const last = isSubmission && 'websocket' in lines[at - 1]! ? at - 1 : at;
  return lines.slice(0, last).filter((other) => 'websocket' in other).length;
}
