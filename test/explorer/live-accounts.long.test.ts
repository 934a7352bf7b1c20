/** Pages of addresses, pools and of the whole chain while a simulated chain grows and reorganises, with pending transactions. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { builtBefore } from '../support/file-scope.ts';
import { getPage } from '../support/html-page.ts';
import { until } from '../support/until.ts';
import { WholeStack } from '../support/whole-stack.ts';
import {
  ADDRESS_LISTS,
  checkAddressPages,
  checkPendingOfAddress,
  readHoldings,
  type Servers,
} from './check-address-pages.ts';
import { checkFees, checkMempool, checkReorganisations, checkRichList, checkStatistics } from './check-chain-pages.ts';
import { checkDelegationPage, checkPoolPage, checkPools } from './check-pool-pages.ts';
import { type Json, listed } from './page-values.ts';

const stack = builtBefore((scope) => WholeStack.start(scope, { seed: 'accounts', blocks: 260 }));
const servers = (): Servers => {
  const { network, servers } = stack();
  return { network, described: servers.described, core: servers['mintlayer-core'] };
};

/** What may happen to the chain between two looks at it. */
const STEPS: readonly [name: string, happen: () => Promise<void>][] = [
  ['as it stands', async () => {}],
  ['after a block', () => stack().grow()],
  ['after a reorganisation', () => stack().reorganise(3, 4)],
  ['after another one', () => stack().reorganise(1, 2)],
];

/** Somebody with a pool, an order, an HTLC; those of the newest transactions, which have just changed; the largest holders. */
async function someAddresses(): Promise<string[]> {
  const { described } = servers();
  const transactions: Json[] = await described.json('/transaction?items=100');
  const outputs = transactions.flatMap((transaction) => transaction.outputs as Json[]);
  const newest = transactions.slice(0, 10).flatMap(({ inputs }) => inputs.map(({ utxo }: Json) => utxo?.destination));
  const [pool] = await described.json('/pool?items=1');
  const [order] = await described.json('/order?items=1');
  const rich = (await described.json('/statistics/coin/holders?sort=total&items=3')).items;
  const swaps: string[] = outputs.flatMap(({ htlc }) => (htlc === undefined ? [] : [htlc.spend_key]));
  const addresses = [
    pool.decommission_destination,
    order?.conclude_destination,
    ...swaps.slice(0, 3),
    ...outputs.slice(0, 5).map(({ destination }) => destination),
    ...newest.slice(0, 5),
    ...rich.map(({ address }: Json) => address),
  ];
  return [...new Set<string>(addresses.filter((address) => address !== undefined))];
}

const found = new Set<string>();

for (const [name, happen] of STEPS) {
  it(name, async () => {
    await happen();
    const { described } = servers();
    const holdings = await readHoldings(described);
    for (const address of await someAddresses()) {
      for (const list of await checkAddressPages(servers(), address, holdings)) found.add(list);
      await checkPendingOfAddress(described, address);
    }
    await checkPools(described, 'by_stake', 20);
    await checkPools(described, 'by_blocks', 7);
    const pools = await listed(described, '/pool?sort=by_blocks&expand=true');
    for (const pool of pools.slice(0, 3)) {
      await checkPoolPage(described, pool.pool_id, pool);
      const [delegation] = await listed(described, `/pool/${pool.pool_id}/delegations`);
      if (delegation !== undefined) await checkDelegationPage(described, delegation.delegation_id);
    }
    await checkRichList(described, 40);
    await checkStatistics(described);
    await checkReorganisations(described);
    await checkMempool(described, 6);
  });
}

it('on the pages of accounts every list of an address was compared', () => {
  assert.deepEqual([...found].sort(), [...ADDRESS_LISTS].sort());
});

it('reorganisations are all listed', async () => {
  assert.ok((await checkReorganisations(servers().described)) >= 2);
});

it('fees are those of the node and of the newest transactions', async () => {
  await checkFees(servers().described);
});

it('pending transactions are on the pages of their addresses, and leave them with their block', async () => {
  const { described } = servers();
  let pending: Json[] = [];
  await until(async () => {
    pending = await described.json('/mempool/transactions?items=30');
    if (pending.length < 3) await stack().grow();
    return pending.length >= 3;
  }, 'there are pending transactions');
  assert.ok((await checkMempool(described, 2)) >= 3);
  const addresses = new Set<string>(pending.flatMap(({ outputs }) => outputs.map((each: Json) => each.destination)));
  addresses.delete(undefined as unknown as string);
  assert.ok(addresses.size > 0);
  for (const address of [...addresses].slice(0, 12)) assert.ok((await checkPendingOfAddress(described, address)) > 0);
  await stack().grow();
  for (const address of [...addresses].slice(0, 12)) await checkPendingOfAddress(described, address);
});

it('an address that only a pending transaction pays to has a page', async () => {
  const { described } = servers();
  let fresh: string | undefined;
  await until(
    async () => {
      await stack().grow();
      for (const { outputs } of await described.json('/mempool/transactions?items=100')) {
        for (const { destination } of outputs) {
          if (destination !== undefined && (await described.get(`/address/${destination}`)).status === 404) {
            fresh ??= destination;
          }
        }
      }
      return fresh !== undefined;
    },
    'a new address is paid to',
    { withinMs: 60_000 },
  );
  assert.ok((await checkPendingOfAddress(described, fresh!)) > 0);
});

it('every page is of one block: its parts agree with each other', async () => {
  const { described } = servers();
  const address = (await described.json('/statistics/coin/holders?sort=total&items=1')).items[0].address;
  let isOver = false;
  const moves = (async () => {
    for (let i = 0; i < 6; i++) await (i % 2 === 0 ? stack().grow() : stack().reorganise(2, 3));
    isOver = true;
  })();
  const blocks = new Set<string>();
  while (!isOver) {
    const { main, whole } = await getPage(described, `/address/${address}`);
    const [coins, facts] = [main.fact('Coins').atoms()[0]!, main.facts()];
    const parts = ['Spendable', 'Locked', 'In delegations', 'In pools', 'In orders', 'In HTLCs'];
    const amounts = parts.flatMap((name) => facts.get(name)?.atoms() ?? []);
    if (amounts.length > 0)
      assert.equal(
        coins,
        amounts.reduce((sum, each) => sum + each, 0n),
      );
    const [row] = main.table('balances');
    if (row) assert.equal(coins, row[4]!.atoms()[0]);
    blocks.add(whole.one('footer').text);
    const pools = await getPage(described, '/pools');
    const shares = pools.main.one('.shares').all('li').length;
    assert.ok(shares > 0 && shares <= 11);
  }
  await moves;
  assert.ok(blocks.size > 1, 'the pages were of several blocks');
});
