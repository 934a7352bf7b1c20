/** What an explorer and a wallet do all day: everything that they put together from several answers must fit together. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { fileScope } from '../support/file-scope.ts';
import { merkleVerify } from '../support/merkle-path.ts';
import type { TestServer } from '../support/web-server.ts';
import { WholeStack } from '../support/whole-stack.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are what their schemas say, which is checked for each
type Json = any;

const scope = fileScope();
let server: TestServer;
let ticker: string;
let height: number;
/** From height 1 on. */
const blocks: { id: string; block: Json; transactionIds: string[] }[] = [];
let transactions: Json[];
let addresses: string[];

before(async () => {
  const stack = await WholeStack.start(scope, { seed: 'explorer', blocks: 80 });
  server = stack.servers['mintlayer-core'];
  ticker = stack.network.coinTicker;
  ({ block_height: height } = await server.json('/chain/tip'));
  transactions = (await server.pages('/transaction?items=100')).flat();
  addresses = [...new Set<string>(transactions.flatMap(({ outputs }) => outputs.flatMap(addressesOf)))];
});

/** The addresses that an output names. */
function addressesOf(output: Json): string[] {
  if (output === null) return [];
  const { destination, htlc, data } = output;
  return [destination, htlc?.spend_key, htlc?.refund_key, data?.staker, data?.decommission_key].filter(
    (address) => typeof address === 'string',
  );
}

it('an explorer walks from the tip to the genesis by the ids of the parents, and by height', async () => {
  const genesis = await server.json('/chain/genesis');
  let { block_id: id } = await server.json('/chain/tip');
  for (let at = height; at >= 1; at--) {
    assert.equal(await server.json(`/chain/${at}`), id);
    const [block, header, transactionIds, reward] = await Promise.all(
      ['', '/header', '/transaction-ids', '/reward'].map((part) => server.json(`/block/${id}${part}`)),
    );
    assert.equal(block.height, at);
    assert.deepEqual(block.header, header);
    assert.deepEqual(block.body.reward, reward);
    assert.deepEqual(
      block.body.transactions.map((transaction: Json) => transaction.id),
      transactionIds,
    );
    blocks.unshift({ id, block, transactionIds });
    id = header.previous_block_id;
  }
  assert.equal(id, genesis.block_id);
});

it('an explorer lists exactly the transactions of these blocks, the newest first', () => {
  const inBlocks = blocks.flatMap(({ transactionIds }) => transactionIds);
  assert.deepEqual(transactions.map(({ id }) => id).reverse(), inBlocks);
  assert.deepEqual(
    transactions.map(({ tx_global_index: index }) => Number(index)),
    inBlocks.map((_, i) => inBlocks.length - 1 - i),
  );
  const heights = new Map(blocks.map(({ id, block }) => [id, block.height]));
  for (const { block_id: block, confirmations } of transactions) {
    assert.equal(Number(confirmations), height - heights.get(block)!);
  }
});

it('an explorer pages through them by number, counted from either end', async () => {
  const ids = transactions.map(({ id }) => id);
  const page = async (query: string) => (await server.json(`/transaction?${query}`)).map(({ id }: Json) => id);
  assert.deepEqual(await page('offset=30&items=25'), ids.slice(30, 55));
  const fromTheOldest = ids.length - 40;
  assert.deepEqual(await page(`offset=${fromTheOldest}&items=25&offset_mode=absolute`), ids.slice(40, 65));
});

it('an explorer shows each transaction as its block has it, and proves that it is there', async () => {
  for (const { id: block, transactionIds, block: content } of blocks.slice(-25)) {
    for (const [position, id] of transactionIds.entries()) {
      const { block_id: where, timestamp, confirmations: _, ...base } = await server.json(`/transaction/${id}`);
      assert.equal(where, block);
      assert.equal(Number(timestamp), content.header.timestamp.timestamp);
      assert.deepEqual(base, content.body.transactions[position]);
      const proof = await server.json(`/transaction/${id}/merkle-path`);
      assert.deepEqual([proof.block_id, proof.transaction_index], [block, position]);
      assert.equal(proof.merkle_root, content.header.merkle_root);
      assert.ok(merkleVerify(id, position + 1, proof.merkle_path, proof.merkle_root));
    }
  }
});

it('an explorer counts the blocks of all pools, and these are all blocks', async () => {
  const makers = new Set<string>(
    blocks.flatMap(({ block }) => block.body.reward.map((output: Json) => output.pool_id)),
  );
  let count = 0;
  for (const pool of makers) {
    const stats = await server.json(`/pool/${pool}/block-stats?from=0&to=9999999999`);
    count += stats.block_count;
  }
  assert.equal(count, height);
});

it('an explorer lists the living pools by age and by pledge, each as it is alone, with its delegations', async () => {
  const byHeight = (await server.pages('/pool?items=3')).flat();
  const byPledge = (await server.pages('/pool?sort=by_pledge&items=4')).flat();
  const idOf = ({ pool_id: id }: Json) => id;
  assert.deepEqual(new Set(byHeight.map(idOf)), new Set(byPledge.map(idOf)));
  assert.ok(byPledge.length > 3);
  for (const [i, pool] of byPledge.entries()) {
    if (i > 0) assert.ok(BigInt(byPledge[i - 1].staker_balance.atoms) >= BigInt(pool.staker_balance.atoms));
    assert.deepEqual(await server.json(`/pool/${pool.pool_id}`), pool);
    const delegations = await server.json(`/pool/${pool.pool_id}/delegations`);
    const sum = delegations.reduce((total: bigint, { balance }: Json) => total + BigInt(balance.atoms), 0n);
    assert.equal(sum, BigInt(pool.delegations_balance.atoms));
  }
});

it('an explorer lists every token and NFT once, and finds each by its ticker', async () => {
  const ids = (await server.pages('/token?items=7')).flat();
  assert.equal(new Set(ids).size, ids.length);
  let nfts = 0;
  for (const id of ids) {
    const [token, nft] = [await server.get(`/token/${id}`), await server.get(`/nft/${id}`)];
    assert.deepEqual([token.status, nft.status].sort(), [200, 404]);
    if (nft.status === 200) nfts++;
    const tickerText = (token.body.token_ticker ?? nft.body.ticker).string.toUpperCase();
    const found = (await server.pages(`/token/ticker/${tickerText}?items=100`)).flat();
    assert.ok(found.includes(id), `${tickerText} does not find ${id}`);
  }
  assert.ok(nfts > 0 && nfts < ids.length);
});

it('an explorer adds up what the holders of a token have: all that there is, but for what orders and HTLCs keep', async () => {
  for (const id of (await server.pages('/token?items=100')).flat().slice(0, 20)) {
    const { status, body: token } = await server.get(`/token/${id}`);
    if (status !== 200) continue;
    const holders = (await server.pages(`/statistics/token/${id}/holders?items=5`)).flat();
    const sum = holders.reduce((total: bigint, { amount }: Json) => total + BigInt(amount.atoms), 0n);
    assert.ok(sum <= BigInt(token.circulating_supply.atoms), `${sum} of ${token.circulating_supply.atoms}`);
  }
});

it('an explorer finds each open order by its pair, whichever side is named first, and in the book', async () => {
  const orders = (await server.pages('/order?items=6')).flat();
  assert.ok(orders.length > 5);
  const side = ({ type, token_id: token }: Json) => (type === 'Coin' ? ticker : token);
  for (const order of orders) {
    const [give, ask] = [side(order.give_currency), side(order.ask_currency)];
    for (const pair of [`${give}_${ask}`, `${ask.toLowerCase()}_${give}`]) {
      const found = (await server.pages(`/order/pair/${pair}?items=100`)).flat();
      assert.ok(found.some(({ order_id: id }) => id === order.order_id));
    }
    assert.deepEqual(await server.json(`/order/${order.order_id}`), order);
    const levels = (await server.pages(`/order/pair/${give}_${ask}/book?side=bid&items=9`)).flat();
    const offered = levels.reduce((total: bigint, { amount }: Json) => total + BigInt(amount.atoms), 0n);
    assert.ok(offered >= BigInt(order.give_balance.atoms));
  }
});

it('a wallet finds in the history of its addresses all that was paid to them or spent from them, and nothing else', async () => {
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]));
  /** Is the address in it, or an account, whose owner is not named? */
  const mayConcern = (transaction: Json, address: string) =>
    JSON.stringify(transaction).includes(`"${address}"`) ||
    transaction.inputs.some(({ input }: Json) => input.input_type !== 'UTXO') ||
    transaction.outputs.some(({ type }: Json) => type === 'DelegateStaking');
  for (const address of addresses) {
    const { status, body } = await server.get(`/address/${address}`);
    const history: string[] = status === 404 ? [] : body.transaction_history;
    assert.equal(new Set(history).size, history.length);
    const paged = (await server.pages(`/address/${address}/transactions?items=7`)).flat();
    assert.deepEqual(
      paged.map(({ tx_id: id }) => id),
      history,
    );
    for (const id of history) assert.ok(mayConcern(byId.get(id), address), `${address} is not in ${id}`);
    const known = new Set(history);
    const isPlain = ({ type }: Json) => type === 'Transfer' || type === 'LockThenTransfer';
    for (const { id, outputs } of transactions) {
      const isPaid = outputs.some((output: Json) => isPlain(output) && output.destination === address);
      if (isPaid) assert.ok(known.has(id), `${address} does not know ${id}`);
    }
  }
});

it('a wallet has a balance that is the sum of what it can spend, and of what is locked', async () => {
  for (const address of addresses) {
    const { status, body } = await server.get(`/address/${address}`);
    if (status === 404) continue;
    const [spendable, all] = await Promise.all(
      ['spendable-utxos', 'all-utxos'].map((list) => server.json(`/address/${address}/${list}`)),
    );
    const coins = (entries: Json[]) =>
      entries
        .filter(({ utxo }) => ['Transfer', 'LockThenTransfer'].includes(utxo.type) && utxo.value.type === 'Coin')
        .reduce((total, { utxo }) => total + BigInt(utxo.value.amount.atoms), 0n);
    assert.equal(coins(spendable), BigInt(body.coin_balance.atoms), address);
    assert.equal(coins(all) - coins(spendable), BigInt(body.locked_coin_balance.atoms), address);
  }
});

it('a wallet knows a fee rate, and may withdraw from the delegations that name its addresses', async () => {
  assert.match(await server.json('/feerate?in_top_x_mb=1'), /^[1-9][0-9]*$/);
  let count = 0;
  for (const address of addresses) {
    for (const { delegation_id: id, balance, pool_id: pool } of await server.json(`/address/${address}/delegations`)) {
      count++;
      const delegation = await server.json(`/delegation/${id}`);
      assert.deepEqual(
        [delegation.spend_destination, delegation.balance, delegation.pool_id],
        [address, balance, pool],
      );
    }
  }
  assert.ok(count > 5);
});
