/** What happened on the chain in its last days, against the blocks themselves. */
import assert from 'node:assert/strict';
import { decodeGenesis } from '../../../src/chain/codec/genesis.ts';
import { listChainDaysAgo } from '../../../src/store/queries/chain/chain-days-ago.ts';
import { MONTHS, simulatedHistory } from '../../sim/history.ts';
import { directStore } from '../../support/direct-store.ts';
import { TestIndex } from '../../support/indexed-database.ts';
import { testOverSeeds } from '../../support/seeds.ts';
import { SIMULATED_NETWORK } from '../../support/simulated-chain.ts';

const DAY = 86_400;

testOverSeeds(
  'where the chain was days ago agrees with the blocks, as far back as the chain goes',
  async (seed, scope) => {
    const { mainChain, network } = simulatedHistory({ network: SIMULATED_NETWORK, seed, blocks: 60, mix: MONTHS });
    const index = await TestIndex.create(scope, network);
    await index.follow(mainChain, 20);
    const store = await directStore(scope, index.postgres);
    const blocks = mainChain.map(({ block }) => block);
    const tip = blocks.at(-1)!.header.timestamp;
    const { timestamp: beginning } = decodeGenesis(network.genesis);
    const expected = [];
    for (let daysAgo = 0; tip - daysAgo * DAY >= beginning; daysAgo++) {
      const upTo = blocks.filter(({ header }) => header.timestamp <= tip - daysAgo * DAY);
      const transactions = upTo.reduce((sum, block) => sum + block.transactions.length, 0);
      expected.push({ days_ago: daysAgo, height: upTo.length, transactions });
    }
    const { rows } = await listChainDaysAgo(store, 400);
    assert.ok(rows.length > 20 && rows.length < 400, `${rows.length} days`);
    assert.deepEqual(
      rows.map(({ days_ago, height, transactions }) => ({ days_ago, height, transactions })),
      expected,
    );
    assert.equal((await listChainDaysAgo(store, 7)).rows.length, 8);
  },
);
