/** The devnet's answers to recorded requests, about the chain of which test/golden/node-rpc.ndjson tells, as far as it tells. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import { identifyBlock } from '../../src/chain/codec/block.ts';
import { feeRatePoints } from '../../src/devnet/fee-rates.ts';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import type { ServedNode } from '../../src/devnet/served-node-interface.ts';

interface Exchange {
  readonly request: { readonly method: string; readonly params: Record<string, unknown> } | string;
  readonly status: number;
  readonly response: { readonly error?: { code: number; message: string; data?: string }; readonly result?: unknown };
}

const exchanges: readonly Exchange[] = readFileSync(new URL('../golden/node-rpc.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Exchange);

/** The request as it was sent: with a space after commas and colons, which the columns in error texts count. */
function sentText({ request }: Exchange): string {
  if (typeof request === 'string') return request;
  return JSON.stringify(request, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace(/([{[]) /g, '$1')
    .replace(/ ([}\]])/g, '$1');
}

function recorded<T>(method: string): T {
  const exchange = exchanges.find(({ request }) => typeof request === 'object' && request.method === method);
  return exchange!.response.result as T;
}

/** Knows the tip, blocks 1, 2, 3 and 5, and the genesis. */
function recordedNode(): ServedNode {
  const info = recorded<{
    best_block_height: number;
    best_block_id: string;
    best_block_timestamp: { timestamp: number };
    median_time: { timestamp: number };
  }>('chainstate_info');
  const ids = new Map([[info.best_block_height, info.best_block_id]]);
  const blocks = new Map<string, Buffer>();
  const know = (height: number, hex: string) => {
    const bytes = Buffer.from(hex, 'hex');
    const { id, block } = identifyBlock(bytes);
    ids.set(height, id).set(height - 1, block.header.prevBlockId);
    blocks.set(id, bytes);
  };
  recorded<string[]>('chainstate_get_mainchain_blocks').forEach((hex, i) => void know(i + 1, hex));
  know(5, recorded('chainstate_get_block'));
  const heights = new Map([...ids].map(([height, id]) => [id, height]));
  return {
    tip: () => ({
      id: info.best_block_id,
      height: info.best_block_height,
      timestamp: info.best_block_timestamp.timestamp,
      medianTime: info.median_time.timestamp,
    }),
    blockBytes: (id) => blocks.get(id),
    mainChainId: (height) => ids.get(height),
    mainChainHeight: (id) => heights.get(id),
    lastCommonAncestor: (first, second) => {
      const known = [heights.get(first), heights.get(second)].filter((height) => height !== undefined);
      const height = Math.min(...known);
      return known.length === 2 ? { id: ids.get(height)!, height } : undefined;
    },
    mempoolTransactions: () => [],
    mempoolTransaction: () => undefined,
    orphanTransaction: () => undefined,
    feeRatePoints: () => feeRatePoints([]),
    submitTransaction: () => ({ type: 'Refused', reason: 'not recorded' }),
    invalidateBlock: () => {},
    resetFailureFlags: () => {},
    listen: () => () => {},
  };
}

const AUTH = { type: 'password', username: 'user', password: 'word' } as const;

function title({ request, status }: Exchange): string {
  const text = typeof request === 'string' ? request : `${request.method} ${JSON.stringify(request.params)}`;
  return `${status} ${text.length > 90 ? `${text.slice(0, 90)}...` : text}`;
}

const server = serveRpc(recordedNode(), { auth: AUTH, version: '1.4.0+6dce99e44bd7' });

// Not after the last test: the second attempt of test:all does not run those that have passed.
after(async () => (await server).close());

async function ask(text: string, credentials: string | undefined) {
  const response = await fetch(`http://${(await server).address}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credentials === undefined ? {} : { authorization: `Basic ${btoa(credentials)}` }),
    },
    body: text,
  });
  return { status: response.status, body: await response.json() };
}

exchanges.forEach((exchange, i) => {
  it(`the answer of a real node is given again: ${title(exchange)} (${i + 1})`, async () => {
    // The last two were refused: without credentials, and with wrong ones.
    const credentials = exchange.status === 200 ? 'user:word' : i === exchanges.length - 1 ? 'user:wrong' : undefined;
    const { status, body } = await ask(sentText(exchange), credentials);
    assert.equal(status, exchange.status);
    const data = exchange.response.error?.data;
    if (data === undefined || !data.startsWith('Scale codec decode error: ')) {
      assert.deepEqual(body, exchange.response);
      return;
    }
    // What a decoder stumbled over it says in its own words; all around them is the same.
    const { error, ...rest } = body as { error: { data: string } };
    assert.match(error.data, /^Scale codec decode error: expected .* at line 1 column 13$/);
    assert.match(data, /at line 1 column 13$/);
    assert.deepEqual({ ...rest, error: { ...error, data } }, exchange.response);
  });
});
