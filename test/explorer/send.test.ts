/** `/decode/send`: a decoded transaction handed to the node, where the operator allows it. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { AnsweringNode } from '../support/answering-node.ts';
import { postForm, type TestPage } from '../support/html-page.ts';
import { until } from '../support/until.ts';
import { startTestWebServer } from '../support/web-server.ts';
import { sharedStack } from '../support/whole-stack.ts';

const stack = sharedStack();

const server = () => stack().servers.described;

const post = (path: string, hex: string, status = 200, to = server()) => postForm(to, path, { hex }, status);

const actions = ({ main }: TestPage) => main.all('form').map((form) => form.attribute('action'));

/** A transaction that waits, encoded. */
async function pendingOne(): Promise<{ id: string; hex: string }> {
  let id: string | undefined;
  await until(async () => {
    id = (await server().get('/mempool/transactions?items=1')).body?.[0]?.id;
    if (id === undefined) await stack().grow();
    return id !== undefined;
  }, 'a transaction is pending');
  return { id: id!, hex: await server().json(`/transaction/${id}/raw`) };
}

it('a pending transaction is shown as pending, and need not be sent', async () => {
  const { id, hex } = await pendingOne();
  const page = await post('/decode', hex);
  assert.deepEqual(page.main.one('.banner').links(), [`/tx/${id}`]);
  assert.match(page.main.one('.banner').text, /^This transaction is pending/);
  assert.deepEqual(actions(page), ['/decode']);
});

it('one that the network does not have is sent by a form, and is pending then', async () => {
  const { id, hex } = await pendingOne();
  stack().node.emptyMempool();
  await until(async () => (await server().get(`/transaction/${id}`)).status === 404, 'it is gone');
  const page = await post('/decode', hex);
  assert.match(page.main.one('.banner').text, /not in the chain, and not known to be pending/);
  assert.deepEqual(actions(page), ['/decode/send', '/decode']);
  const form = page.main.all('form')[0]!;
  assert.equal(form.one('input').attribute('value'), hex);
  const sent = await post(form.attribute('action')!, form.one('input').attribute('value')!);
  assert.match(sent.main.text, /The node has accepted the transaction/);
  assert.ok(sent.main.links().includes(`/tx/${id}`));
  assert.equal((await server().json(`/transaction/${id}`)).block_id, null);
});

it('one that the node refuses was not sent, and its words say why', async () => {
  const { hex } = await pendingOne();
  // Other flags: the signatures, or the outputs that are spent already, do not fit any more.
  const { main } = await post(
    '/decode/send',
    `${hex.slice(0, 2)}${hex.slice(2, 4) === '00' ? '04' : '00'}${hex.slice(4)}`,
    400,
  );
  assert.match(main.one('.banner').text, /^The transaction was not sent\. RPC error: \S+/);
});

it('all words of a refusal are shown where they are many', async (t) => {
  const words = `refused ${'for a long reason '.repeat(20)}<script>`;
  const node = await AnsweringNode.start(t, stack().network);
  node.answer = { error: { code: -1, message: words } };
  const refusing = await startTestWebServer(t, {
    network: stack().network,
    postgres: stack().postgres,
    enablePostRoutes: true,
    node: { address: node.address, auth: { type: 'none' } },
  });
  const { hex } = await pendingOne();
  const { main } = await post('/decode/send', hex, 400, refusing);
  assert.equal(main.one('.banner').text, `The transaction was not sent. RPC error: ${words}`);
});

it('what is no transaction does not reach the node', async () => {
  for (const text of ['', 'xyz', '00', '<script>']) {
    const { main } = await post('/decode/send', text, 400);
    assert.match(main.one('.banner').text, /^The transaction was not sent\. Invalid signed transaction/);
    assert.equal(main.all('script').length, 0);
  }
});
