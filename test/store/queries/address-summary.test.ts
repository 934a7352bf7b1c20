/** The summary of an address, by which its page reads lists, against the lists themselves. */
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { identifyBlock } from '../../../src/chain/codec/block.ts';
import { Simulation } from '../../../src/devnet/sim/simulation.ts';
import { MIX_PRESETS } from '../../../src/devnet/sim/transaction-mix.ts';
import { OWNED_LIST } from '../../../src/store/queries/addresses/address-holdings.ts';
import { getAddressSummary } from '../../../src/store/queries/addresses/addresses.ts';
import { ADDRESS_HTLC_LIST } from '../../../src/store/queries/addresses/htlcs.ts';
import { UNLOCK_LIST } from '../../../src/store/queries/addresses/unlocks.ts';
import { ADDRESS_ORDER_LIST } from '../../../src/store/queries/orders/orders.ts';
import { ADDRESS_POOL_LIST } from '../../../src/store/queries/pools/pool-lists.ts';
import { ADDRESS_NFT_LIST } from '../../../src/store/queries/tokens/nft-lists.ts';
import { AUTHORITY_TOKEN_LIST } from '../../../src/store/queries/tokens/tokens.ts';
import type { QueryRunner } from '../../../src/store/read/query.ts';
import { directStore } from '../../support/direct-store.ts';
import { fileScope } from '../../support/file-scope.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const scope = fileScope();
/** Every kind of transaction, and orders that stay open for a while. */
const MIX = { ...MIX_PRESETS.dense, weights: { ...MIX_PRESETS.dense.weights, orderCreate: 10, orderConclude: 1 } };
const FIRST = { after: null, limit: 1 };
let index: TestIndex;
let store: QueryRunner;

before(async () => {
  const simulation = new Simulation({ network: SIMULATED_NETWORK, seed: 'summary', mix: MIX });
  index = await TestIndex.create(scope, SIMULATED_NETWORK);
  await index.follow(
    simulation.mine(80).map(({ bytes }) => identifyBlock(bytes)),
    20,
  );
  store = await directStore(scope, index.postgres);
});

it('the summary of an address says of each list whether it has entries, and how many coins there are', async () => {
  const { rows: owners } = await index.session.writer.query<{ owner: string }>(`
      select owner from balances union select owner from utxos
      union select refund_owner from utxos where refund_owner is not null
      union select decommission_destination from pools union select conclude_destination from orders
      union select authority from tokens union select owner from nfts where owner is not null`);
  const seen = new Set<string>();
  for (const { owner } of owners) {
    const lists = {
      has_unlocks: await UNLOCK_LIST.read(store, { owner, ...FIRST }),
      has_pools: await ADDRESS_POOL_LIST.read(store, { owner, ...FIRST }),
      has_orders: await ADDRESS_ORDER_LIST.read(store, { owner, ...FIRST }),
      has_nfts: await ADDRESS_NFT_LIST.read(store, { owner, ...FIRST }),
      has_authority: await AUTHORITY_TOKEN_LIST.read(store, { owner, ...FIRST }),
      has_htlcs: await ADDRESS_HTLC_LIST.read(store, { owner, ...FIRST }),
    };
    const expected = Object.fromEntries(Object.entries(lists).map(([name, { rows }]) => [name, rows.length > 0]));
    const balances = await OWNED_LIST.read(store, { owners: [owner], ...FIRST });
    const coins = balances.rows.find(({ currency }) => currency === '');
    const { coins: spendable, locked_coins: locked, ...has } = (await getAddressSummary(store, owner)).rows[0]!;
    const own = Object.fromEntries(Object.keys(expected).map((name) => [name, has[name as keyof typeof has]]));
    assert.deepEqual(own, expected, owner);
    assert.deepEqual([spendable ?? 0n, locked ?? 0n], [coins?.spendable ?? 0n, coins?.locked ?? 0n]);
    for (const name in expected) seen.add(`${name} ${expected[name]}`);
  }
  assert.equal(seen.size, 12, `some address has each list, and some has it not: ${[...seen]}`);
});
