/** Lists of blocks and transactions cut to a range of heights or times. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { destinationAddress, tokenAddress } from '../../../src/chain/address.ts';
import type { Json } from '../../support/simulated-chain-servers.ts';
import * as chain from '../../support/simulated-chain-servers.ts';
import type { TestServer } from '../../support/web-server.ts';

chain.serveSimulatedChain();
const { network, timeOf, UNKNOWN } = chain;
const served = () => chain.servers[0] as TestServer;
const all = async (path: string): Promise<Json[]> => (await served().pages(path)).flat();

const most = <Key>(lists: ReadonlyMap<Key, readonly unknown[]>): Key =>
  [...lists].sort(([, a], [, b]) => b.length - a.length)[0]![0];

/** The lists, with the height of an entry. */
function lists(): (readonly [path: string, heightOf: (entry: Json) => number])[] {
  const heights = new Map(
    chain.facts.blocks.flatMap(({ height, transactionIds }) => transactionIds.map((id) => [id, height] as const)),
  );
  const address = destinationAddress(network, most(chain.taking.ofAddress));
  const token = tokenAddress(network, most(chain.taking.ofToken));
  return [
    ['/block', ({ height }) => height],
    ['/transaction', ({ id }) => heights.get(id)!],
    [`/address/${address}/transactions`, ({ block_height }) => block_height],
    [`/token/${token}/transactions`, ({ tx_id }) => heights.get(tx_id)!],
  ];
}

it('lists of blocks and transactions can be cut to heights', async () => {
  for (const [path, heightOf] of lists()) {
    const whole = await all(`${path}?items=100`);
    assert.ok(whole.length > 20, path);
    for (const [query, isIn] of [
      ['from=%2320&to=%2370', (height: number) => height >= 20 && height < 70],
      ['from=%2360', (height: number) => height >= 60],
      ['to=%2340', (height: number) => height < 40],
      ['from=%23500', () => false],
      ['from=%2370&to=%2320', () => false],
    ] as const) {
      const expected = whole.filter((entry) => isIn(heightOf(entry)));
      for (const items of [100, 7])
        assert.deepEqual(await all(`${path}?${query}&items=${items}`), expected, `${path} ${query}`);
    }
  }
});

it('lists of blocks and transactions can be cut to times: from the block after the last one before', async () => {
  for (const [path, heightOf] of lists()) {
    const whole = await all(`${path}?items=100`);
    const time = timeOf(50);
    const { height } = await served().json(`/chain/at?time=${time - 1}`);
    assert.deepEqual(
      await all(`${path}?from=${time}&items=100`),
      whole.filter((entry) => heightOf(entry) > height),
    );
    assert.deepEqual(
      await all(`${path}?to=${time}&items=100`),
      whole.filter((entry) => heightOf(entry) <= height),
    );
  }
});

it('ranges of lists belong to cursors, and are refused without one, and where they are none', async () => {
  const [blocks, transactions, , ofToken] = lists().map(([path]) => path) as [string, string, string, string];
  await served().refuses(`${transactions}?from=%2320`, 400, 'Invalid from: it is for pages by `cursor`');
  await served().refuses(`${ofToken}?to=%2320`, 400, 'Invalid to: it is for pages by `cursor`');
  await served().refuses(
    `${blocks}?to=x`,
    400,
    'Invalid to: seconds since the epoch, or a height as #123, are expected',
  );
  const { next_cursor } = await served().json(`${blocks}?from=%2310&items=1`);
  await served().refuses(`${blocks}?cursor=${next_cursor}`, 400, 'Invalid cursor');
  await served().refuses(`${blocks}?from=%2311&cursor=${next_cursor}`, 400, 'Invalid cursor');
  const unknown = `/token/${tokenAddress(network, UNKNOWN)}/transactions?cursor=&from=%2320`;
  await served().refuses(unknown, 404, 'Token not found');
});
