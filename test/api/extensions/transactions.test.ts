/** What spends outputs, sizes and fee rates of transactions, and lists in batches. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, poolAddress, tokenAddress } from '../../../src/chain/address.ts';
import { TRANSACTION_KINDS } from '../../../src/ledger/transaction-kind.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { error, errorOfOurParameter, network, timeOf, UNKNOWN } = chain;

it('transactions say what spends each of their outputs', async () => {
  const places = new Map(chain.facts.blocks.map(({ height, id, timestamp }) => [height, { block_id: id, timestamp }]));
  let spent = 0;
  for (const id of chain.facts.blocks.flatMap(({ transactionIds }) => transactionIds)) {
    const expected = Array.from({ length: chain.facts.outputCounts.get(id)! }, (_, index) => {
      const spend = chain.taking.spent.get(`${id}:${index}`);
      if (spend === undefined) return null;
      spent++;
      const { transactionId, inputIndex, height } = spend;
      return { tx_id: transactionId, input_index: inputIndex, height, ...places.get(height) };
    });
    assert.deepEqual(await chain.servers[0]!.json(`/transaction/${id}/outspends`), expected);
  }
  assert.ok(spent > 100);
  assert.deepEqual(await error(`/transaction/${UNKNOWN}/outspends`), [404, 'Transaction not found']);
  assert.deepEqual(await error('/transaction/12/outspends'), [400, 'Invalid transaction Id']);
});

it('transactions have their size and fee rate in one profile, alone, in lists and in batches, and in the other not', async () => {
  const [described, core] = chain.servers as [TestServer, TestServer];
  const sizes = new Map<string, number>(
    chain.facts.blocks.flatMap(({ transactionIds, transactionSizes }) =>
      transactionIds.map((id, i) => [id, transactionSizes[i]!] as const),
    ),
  );
  const check = ({ id, size, fee_rate, fee }: Json) => {
    assert.equal(size, sizes.get(id));
    assert.equal(fee_rate, String((BigInt(fee.atoms) * 1_000n) / BigInt(Number(size))));
  };
  const listedOnes = (await described.pages('/transaction?items=100')).flat();
  assert.equal(listedOnes.length, sizes.size);
  for (const transaction of listedOnes) check(transaction);
  assert.ok(listedOnes.some(({ fee_rate }) => fee_rate !== '0'));
  const ids = listedOnes.slice(0, 20).map(({ id }) => id);
  for (const id of ids) {
    check(await described.json(`/transaction/${id}`));
    assert.ok(!('size' in (await core.json(`/transaction/${id}`))));
  }
  const { results } = (await described.batch({ type: '/transaction/:txid', ids })).body;
  for (const transaction of results) check(transaction);
  assert.ok(!('fee_rate' in (await core.json('/transaction?items=1'))[0]));
});

it('transactions are listed by their kind, newest first, also in a range of the chain', async () => {
  const [server] = chain.servers as [TestServer];
  const heights = new Map(
    chain.facts.blocks.flatMap(({ height, transactionIds }) => transactionIds.map((id) => [id, height] as const)),
  );
  const newestFirst = [...heights.keys()].reverse();
  const counted = new Map<number, Record<string, number>>();
  const middle = chain.facts.blocks[chain.facts.blocks.length >> 1]!.height;
  for (const kind of TRANSACTION_KINDS) {
    const ids = (await server.pages(`/transaction?kind=${kind}&items=7`)).flat().map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => newestFirst.indexOf(a) - newestFirst.indexOf(b)),
    );
    for (const id of ids) {
      const ofBlock = counted.get(heights.get(id)!) ?? {};
      counted.set(heights.get(id)!, { ...ofBlock, [kind]: (ofBlock[kind] ?? 0) + 1 });
    }
    const later = (await server.pages(`/transaction?kind=${kind}&from=%23${middle}&items=7`))
      .flat()
      .map(({ id }) => id);
    assert.deepEqual(
      later,
      ids.filter((id) => heights.get(id)! >= middle),
    );
  }
  for (const { height, kinds } of chain.facts.blocks) assert.deepEqual(counted.get(height) ?? {}, kinds);
  assert.deepEqual(await errorOfOurParameter('/transaction?kind=order_fill'), [
    400,
    'Invalid kind: it is for pages by `cursor`',
  ]);
  assert.match(
    (await errorOfOurParameter('/transaction?cursor=&kind=fill'))[1],
    /^Invalid kind: one of token_issue, .* is expected$/,
  );
});

it('a batch gives what the single requests give, of every list of a thing', async () => {
  const [server] = chain.servers as [TestServer];
  const addresses = [...chain.taking.ofAddress.keys()].slice(0, 8).map((owner) => destinationAddress(network, owner));
  const pools = [...chain.facts.world.pools.keys()].slice(0, 4).map((id) => poolAddress(network, id));
  const nfts = [...chain.facts.nftOwners.keys()].slice(0, 4).map((id) => tokenAddress(network, id));
  const transactions = chain.facts.blocks.flatMap(({ transactionIds }) => transactionIds).slice(0, 6);
  const lists = ['orders', 'pools', 'nfts', 'htlcs', 'unlocks'];
  const asked: (readonly [type: string, ids: string[]])[] = [
    ...lists.map((list) => [`/address/:address/${list}`, addresses] as const),
    ['/pool/:pool/blocks', pools],
    ['/nft/:token/owners', nfts],
    ['/transaction/:txid/outspends', transactions],
    ['/htlc/:hash', [...chain.facts.htlcs().keys()].slice(0, 4)],
    ['/chain/at?time=:time', [`${timeOf(3)}`, `${timeOf(9)}`]],
    ['/search?q=:q', ['12', addresses[0]!]],
  ];
  for (const [type, ids] of asked) {
    const { results } = (await server.batch({ type, ids })).body;
    for (const [i, id] of ids.entries()) {
      const single = await server.json(type.replace(/:\w+/, id));
      assert.deepEqual(results[i], Array.isArray(single) ? single : { ...single, id }, `${type} ${id}`);
    }
  }
});
