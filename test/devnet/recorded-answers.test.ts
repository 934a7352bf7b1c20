import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { serveRpc } from '../../src/devnet/rpc-server.ts';
import { type Exchange, exchanges, recordedNode, sentText } from './recorded-node.ts';

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
