/** What the compiler takes and refuses of the client's types; `test/package/client.test.ts` compiles it with the packed ones. */
import { Client, type MintlayerCore } from 'chain-indexer-client';
import type { Output, Transaction } from 'chain-indexer-client/described';
import type { Token as CoreToken, Transaction as CoreTransaction } from 'chain-indexer-client/mintlayer-core';

const client = new Client('http://127.0.0.1:3000');
const core = new Client<MintlayerCore>('http://127.0.0.1:3000', { retries: 2 });

export async function accepted(): Promise<void> {
  const { block_height } = await client.get('/chain/tip');
  const height: number = block_height;
  const transaction: Transaction = await client.get('/transaction/{id}', { id: 'ab' });
  const seconds: number | null = transaction.timestamp;
  const coreTransaction: CoreTransaction = await core.get('/transaction/{id}', { id: 'ab' });
  const text: string | null = coreTransaction.timestamp;
  const token: CoreToken = await core.get('/token/{id}', { id: 'ab' });
  const ticker: string | null = token.token_ticker.string;
  for await (const pool of client.list('/pool', { sort: 'by_apy' }, { pageSize: 5 })) void pool.pool_id;
  const wallet = core.wallet(['mtc1'], undefined);
  const { confirmed } = await wallet.sync();
  const coreText: string | undefined = confirmed[0]?.timestamp;
  void [height, seconds, text, ticker, coreText];
}

export function amountOf(output: Output): string | undefined {
  switch (output.type) {
    case 'Transfer':
      return output.value.type === 'Coin' ? output.value.amount.atoms : undefined;
    case 'Htlc':
      return output.htlc.secret_hash.hex;
    default:
      return undefined;
  }
}

export async function refused(output: Output): Promise<void> {
  const transaction = await client.get('/transaction/{id}', { id: 'ab' });
  const coreTransaction = await core.get('/transaction/{id}', { id: 'ab' });
  // @ts-expect-error: no such path
  await client.get('/transactions');
  // @ts-expect-error: the parameter is missing
  await client.get('/transaction/{id}');
  // @ts-expect-error: no such parameter
  await client.get('/transaction/{id}', { id: 'ab', tx: 'cd' });
  // @ts-expect-error: no such sort order
  client.list('/pool', { sort: 'by_size' });
  // @ts-expect-error: no list
  client.list('/chain/tip');
  // @ts-expect-error: no such field
  void transaction.tx_id;
  // @ts-expect-error: a number in this contract
  const text: string | null = transaction.timestamp;
  // @ts-expect-error: a text in this contract
  const seconds: number | null = coreTransaction.timestamp;
  // @ts-expect-error: only the other contract has the size
  void coreTransaction.size;
  // @ts-expect-error: null while it is pending
  void transaction.block_id.length;
  // @ts-expect-error: no such kind of output
  void (output.type === 'Payment');
  // @ts-expect-error: not every kind has a value
  void output.value;
  // @ts-expect-error: amounts are texts
  if (output.type === 'Transfer' && output.value.type === 'Coin') void (output.value.amount.atoms * 2n);
  // @ts-expect-error: no such type of batch
  await client.post('/batch', { type: '/blocks', ids: [1] });
  // @ts-expect-error: the addresses are missing
  await client.post('/wallet/sync', { cursor: null });
  // @ts-expect-error: no such type of event
  client.events({ types: ['blocks'] });
  void [text, seconds];
}
