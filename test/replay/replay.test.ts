/** The checks of an index, and the replay: silent on what is right, loud on what is not. */

import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { decodeGenesis } from '../../src/chain/codec/genesis.ts';
import { signet } from '../../src/chain/networks/known-networks.ts';
import { ATOMS_PER_COIN } from '../../src/chain/networks/network.ts';
import type { Transaction } from '../../src/chain/types.ts';
import type { CheckResult } from '../../src/store/verify/check-result.ts';
import { sealed } from '../chain/arbitrary.ts';
import { upgrading } from '../devnet/sim/networks.ts';
import { MONTHS, simulatedHistory } from '../sim/history.ts';
import { encodeBlock } from '../support/encode-blocks.ts';
import { fileScope } from '../support/file-scope.ts';
import { TestIndex } from '../support/indexed-database.ts';
import { goldenChain } from '../support/recorded-chain.ts';
import { lightChain, SIMULATED_NETWORK } from '../support/simulated-chain.ts';
import { checkAndReplay, replayIndex } from './replay.ts';

const scope = fileScope();
let index: TestIndex;
let months: TestIndex;

before(async () => {
  index = await TestIndex.create(scope, SIMULATED_NETWORK);
  await index.followBytes(lightChain(110, 12).map(({ bytes }) => bytes));
  const { mainChain } = simulatedHistory({ network: upgrading, blocks: 50, seed: '12', mix: MONTHS });
  months = await TestIndex.create(scope, upgrading);
  await months.follow(mainChain, 10);
});

async function wrongOf(results: AsyncIterable<CheckResult>): Promise<string[]> {
  const wrong: string[] = [];
  for await (const { name, differences } of results) if (differences > 0) wrong.push(name);
  return wrong;
}

/** Each change breaks what these checks say. */
const BREAKS: readonly (readonly [sql: string, ...names: RegExp[]])[] = [
  ['update chain_tip set height = height - 1', /tip is the newest/],
  ['update chain_tip set median_time = median_time + 1', /tip is the newest/],
  [`update blocks set block_id = sha256('x') where height = 70`, /follows the one below/],
  [
    'delete from blocks where height = (select min(height) from blocks where height > 60 and tx_count > 0)',
    /follows the one below/,
    /numbered without gaps/,
    /as many transactions/,
  ],
  ['update blocks set first_tx_index = first_tx_index + 1 where height = 90', /numbered without gaps/],
  ['delete from transactions where tx_index = 40', /as many transactions/],
  ['update transactions set tx_index = 1000000 where tx_index = 41', /as many transactions/, /address_transactions/],
  ['delete from outputs where height = 60', /every spend|what is unspent/],
  ['delete from spends where ctid = (select min(ctid) from spends)', /what is unspent/],
  ['delete from utxos where outpoint = (select outpoint from utxos order by 1 limit 1)', /what is unspent/],
  [
    `update utxos set owner = '\\x0099' where outpoint = (select outpoint from utxos order by 1 limit 1)`,
    /what is unspent/,
  ],
  [
    `update utxos set unlock_height = 1 where outpoint = (select outpoint from utxos where unlock_height is null order by 1 limit 1)`,
    /no output is locked/,
  ],
  [`update address_transactions set tx_id = sha256('x') where tx_index = 30`, /line of address_transactions/],
  [
    'delete from delegation_transactions where ctid = (select min(ctid) from delegation_transactions)',
    /its transactions/,
  ],
  [
    'update delegation_transactions set withdrawn = withdrawn + 1 where ctid = (select max(ctid) from delegation_transactions)',
    /its transactions/,
  ],
  [
    `update token_transactions set tx_index = 999999 where tx_index = (select min(tx_index) from token_transactions)`,
    /line of token_transactions/,
  ],
  [
    'update balances set amount = amount + 1 where owner = (select owner from balances order by 1 limit 1)',
    /each balance/,
  ],
  [
    'update balances set locked = locked + 1 where owner = (select owner from balances order by 1 desc limit 1)',
    /each balance/,
  ],
  [`insert into balances values ('\\x01', '', 5, 0)`, /each balance/, /what circulates/],
  ['delete from balances where owner = (select owner from balances order by 1 desc limit 1)', /each balance/],
  ['update pools set delegations_balance = delegations_balance + 1', /delegated total/],
  ['update delegations set balance = balance + 1', /delegated total/, /what is staked/, /what circulates/],
  [`delete from pools where delegations_balance > 0`, /delegated total/],
  [`update nfts set owner = '\\x01'`, /an NFT belongs/],
  ['update orders set ask_balance = initially_asked + 1', /orders keep within/],
  ['update orders set concluded_height = 0 where is_concluded', /orders keep within/],
  [`insert into price_levels values ('', '\\x01', 1, 1, 1, 1)`, /the order book/],
  [
    `alter table orders disable trigger user; update orders set concluded_height = null, ask_balance = 1, give_balance = 1`,
    /the order book/,
  ],
  ...['order_count = order_count + 1', 'ask_balance = ask_balance + 1', 'give_balance = 2', 'price = price + 1'].map(
    (change) =>
      [
        `update orders set is_frozen = false, concluded_height = null, ask_balance = 1, give_balance = 1;
         update price_levels set ${change}`,
        /the order book/,
      ] as const,
  ),
  [`update statistics set staked = staked + 1 where currency = ''`, /what is staked/],
  [
    `update statistics set circulating_supply = circulating_supply - 1 where currency = ''`,
    /what circulates/,
    /all minted/,
  ],
  [`update statistics set burned = burned + 1 where currency = ''`, /all minted/],
  [
    `update statistics set circulating_supply = circulating_supply + 1 + (select max(circulating_supply) from tokens) where currency <> ''`,
    /a token circulates/,
  ],
  [`update ticker_fragments set token_id = sha256(token_id)`, /piece of a ticker/],
  ['delete from ticker_fragments where ctid = (select min(ctid) from ticker_fragments)', /piece of a ticker/],
  ['update ticker_fragments set is_whole = not is_whole where length(fragment) = 1', /piece of a ticker/],
  ['delete from name_fragments where ctid = (select min(ctid) from name_fragments)', /piece of a name/],
  [`update name_fragments set fragment = fragment || 'x'`, /piece of a name/],
  ['update name_fragments set is_whole = false where is_whole', /piece of a name/],
  ...['blocks_total', 'blocks_day', 'blocks_month', 'month_rate'].map(
    (column) => [`update pools set ${column} = ${column} + 1`, /made the blocks/] as const,
  ),
  ['update blocks set timestamp = timestamp - 2600000 where height = 75', /made the blocks/],
  ['update pools set delegation_count = delegation_count + 1', /many delegations/],
  ['update pools set effective_stake = effective_stake + 1', /the effective stake/],
  [`update statistics set effective_stake = effective_stake + 1 where currency = ''`, /the effective stake/],
  [`update statistics set effective_stake = 1 where currency <> ''`, /the effective stake/],
  ['update statistics set holders = holders + 1', /many holders/],
  ['update outputs set secret_hash = null where secret_hash is not null', /an HTLC is found/],
  [`update outputs set secret_hash = '\\x01' where secret_hash is null and height = 70`, /an HTLC is found/],
  ['update transactions set output_count = output_count + 1 where tx_index = 40', /the outputs that it says/],
  ['update transactions set size = 0 where tx_index = 40', /the outputs that it says/],
  ['update transactions set size = 10000000 where tx_index = 40', /room in its block/],
  ['update spends set input_index = input_index + 1 where spent_position is not null', /each spend names/],
  [`update spends set secret = '\\x01' where secret is null and spent_position = 0`, /each spend names/],
  ['update spends set secret = null where secret is not null', /each spend names/],
  ['update spends set unlisted_owner = null where spent_position is null', /a spend names the owner/],
  [`update spends set unlisted_owner = '\\x01' where unlisted_owner is null`, /a spend names the owner/],
  [
    'delete from spends where ctid = (select max(ctid) from spends where spent_position is not null)',
    /each spend names/,
  ],
  ...['fees', 'staker_reward', 'delegations_reward', 'reward_rate'].map(
    (column) => [`update blocks set ${column} = ${column} + 1 where height = 80`, /each block says/] as const,
  ),
  [`update blocks set kinds = '{}' where kinds <> '{}'`, /each block says/],
  ['update blocks set median_time = median_time + 1 where height = 33', /the median of the times/],
  ['delete from nft_owners where ctid = (select min(ctid) from nft_owners)', /each owner of an NFT/],
  [`update nft_owners set owner = '\\x0101'`, /each owner of an NFT/],
  ['insert into nft_owners select token_id, 999999, owner from nfts limit 1', /each owner of an NFT/],
  ['update delegations set balance = balance + 1', /each delegation has/],
  ...['change', 'balance', 'locked', 'fee', 'kinds'].map(
    (column) =>
      [
        `update balance_changes set ${column} = ${column} + 1 where height = (select max(height) from balance_changes)`,
        /each change of a balance/,
      ] as const,
  ),
  [
    `update balance_changes set owner = '\\x0099' where ctid = (select max(ctid) from balance_changes where position = 0)`,
    /each change of a balance/,
    /that of its newest change/,
  ],
  [
    `update balance_changes set currency = '\\x01' where ctid = (select min(ctid) from balance_changes where currency <> '')`,
    /each change of a balance/,
  ],
  [
    'update balance_changes set position = position + 1 where ctid = (select min(ctid) from balance_changes where position = 0)',
    /each change of a balance/,
  ],
  [
    'delete from balance_changes where ctid = (select min(ctid) from balance_changes where position = -1)',
    /each change of a balance/,
  ],
  [
    'delete from balance_changes where ctid = (select max(ctid) from balance_changes where position >= 0)',
    /each change of a balance/,
    /that of its newest change/,
  ],
  [
    `insert into balance_changes select 1000, position, kinds, owner, currency, change, balance, locked, fee
       from balance_changes limit 1`,
    /each change of a balance/,
  ],
  ...['circulating_supply', 'preminted', 'burned', 'staked'].map(
    (column) =>
      [
        `update supplies set ${column} = ${column} + 1`,
        /each supply follows/,
        /the statistics of a currency are those/,
      ] as const,
  ),
  [`delete from supplies where height = 50 and currency = ''`, /each supply follows/],
  ...[
    'amount = amount + 1',
    'supply = supply + 1',
    `authority = '\\x0099'`,
    `metadata_uri = '\\x01'`,
    `is_unfreezable = true`,
    'event_index = event_index + 1',
  ].map((change) => [`update token_events set ${change}`, /each event of a token/] as const),
  [`delete from token_events where kind = 'token_mint'`, /each event of a token/],
  [`update token_events set actor = null`, /who gave it/],
  [`update token_events set actor = '\\x0099' where kind = 'token_issue'`, /who gave it/],
  ['update transactions set actors = null', /who gave it/],
  [`update transactions set actors = '["x"]'`, /who gave it/],
  [`update token_events set token_id = sha256(token_id) where kind = 'token_issue'`, /the event of its issuance/],
  ['delete from undo where height = 100', /undo records/],
  ['delete from undo', /undo records/],
  ['drop index utxos_owner', /indexes for reading/],
  ['update pools set decommissioned_by = decommissioned_by + 1', /what it got/],
  ['update pools set decommissioned_by = 1 where decommissioned_by is null', /what it got/],
  ['update utxos set htlc_amount = htlc_amount + 1', /an unspent HTLC says/, /what circulates/],
  [`update utxos set htlc_currency = '\\x01' where htlc_currency is not null`, /an unspent HTLC says/],
  [`update utxos set htlc_currency = '', htlc_amount = 0 where htlc_amount is null`, /an unspent HTLC says/],
];

/** The same of a chain of months. */
const BREAKS_OF_MONTHS: typeof BREAKS = [
  ['update delegation_days set day = day - 1', /each day of a delegation or pool/],
  ['update pool_days set day = day - 1', /each day of a delegation or pool/],
  ...['balance', 'deposited', 'withdrawn'].map(
    (column) => [`update delegation_days set ${column} = ${column} + 1`, /each day of a delegation or pool/] as const,
  ),
  [
    'delete from delegation_days where ctid = (select max(ctid) from delegation_days)',
    /each day of a delegation or pool/,
  ],
  ...[
    ...['blocks_total', 'delegation_count', 'staker_balance', 'delegations_balance', 'staker_rewards'],
    ...['delegation_rewards', 'effective_stake', 'expected_base'],
  ].map((column) => [`update pool_days set ${column} = ${column} + 1`, /each day of a delegation or pool/] as const),
  ['delete from pool_days where ctid = (select max(ctid) from pool_days)', /each day of a delegation or pool/],
  ['update delegations set deposited = deposited + 1', /what it got/],
  ['update delegations set withdrawn = withdrawn + 1', /what it got/],
  ['update pools set staker_rewards = staker_rewards + 1', /what it got/],
  ['update pools set delegation_rewards = delegation_rewards + 1', /what it got/],
  ['update pools set expected_base = expected_base + 1', /what it got/],
  ...[
    ...[
      'first_height',
      'height',
      'timestamp',
      'transactions',
      'bytes',
      'fees',
      'trades',
      'circulating_supply',
      'burned',
    ],
    ...['staked', 'holders', 'pools', 'delegations', 'tokens', 'nfts', 'open_orders'],
  ].map((column) => [`update hours set ${column} = ${column} + 1`, /each hour has the counts/] as const),
  ['delete from hours where hour = (select max(hour) from hours)', /each hour has the counts/],
  ['update hours set hour = hour + 100000', /each hour has the counts/],
  ...['day', 'week', 'month'].map(
    (end) =>
      [
        `update hours set ends_${end} = not ends_${end} where hour = (select min(hour) from hours)`,
        /last hours of days, weeks and months/,
      ] as const,
  ),
  ...['height', 'active_addresses', 'new_addresses', 'new_in_month', 'largest_pools_stake', 'staked'].map(
    (column) => [`update day_counts set ${column} = ${column} + 1`, /each day that is over/] as const,
  ),
  ['delete from day_counts where day = (select min(day) from day_counts)', /each day that is over/],
  ['update days set day = day + 1', /each day begins/],
  ['delete from days where height > 0', /each day begins/],
  ['update delegations set changed_day = changed_day - 1', /the day of its last change/],
  ['update pools set changed_day = changed_day - 1', /the day of its last change/],
  ...[
    'base_amount = base_amount + 1',
    'quote_amount = quote_amount - 1',
    'input_index = input_index + 1',
    'is_buy = not is_buy',
    `taker = '\\x0099'`,
    'order_id = sha256(order_id)',
  ].map((change) => [`update fills set ${change}`, /each fill of an order/] as const),
  ['update fills set base = quote, quote = base', /in the market of its order/],
  ['update fills set timestamp = timestamp + 1', /at the time of its block/],
  ['update fills set price_base = 2 * price_base, price_quote = 2 * price_quote', /at its price/],
  [
    'alter table fills disable trigger user; delete from fills where position > 0',
    /each fill of an order/,
    /each candle/,
  ],
  [
    'insert into fills select height + 1000, position, input_index, is_buy, timestamp, order_id, base, quote, 1, 1 from fills',
    /each fill of an order/,
  ],
  ...[
    ...['trades', 'first_height', 'base_volume', 'quote_volume', 'hours', 'start'].map(
      (column) => `${column} = ${column} + 1`,
    ),
    ...['open', 'high', 'low', 'close'].flatMap((price) => [
      `${price}_base = 2 * ${price}_base, ${price}_quote = 2 * ${price}_quote`,
      `${price}_base = ${price}_quote, ${price}_quote = ${price}_base`,
    ]),
  ].map((change) => [`update candles set ${change} where hours = 168`, /each candle/] as const),
  ['delete from candles where hours = 24', /each candle/],
  ...[
    'trades = trades + 1',
    'open_orders = open_orders + 1',
    'last_height = last_height - 1',
    'last_base = last_quote',
  ].map((change) => [`update markets set ${change}`, /each market/] as const),
  ['delete from markets', /each market/],
];

it('verification finds nothing wrong with recorded chains, reorganised or of old rules', async (t) => {
  for (const name of ['regtest-8-reorganisations', 'regtest-2-upgrades']) {
    const { network, mainChain } = await goldenChain(name);
    const golden = await TestIndex.create(t, network);
    await golden.follow(mainChain, 50);
    assert.deepEqual(await wrongOf(replayIndex(golden.postgres, network)), [], name);
  }
});

it('verification knows that nobody gets the fees of blocks that are made without proof of stake', async (t) => {
  const golden = await TestIndex.create(t, signet);
  const { genesisId } = signet;
  const genesis = decodeGenesis(Buffer.from(signet.genesis, 'hex'));
  const [premine] = genesis.outputs;
  assert.ok(premine?.type === 'Transfer' && premine.value.type === 'Coin');
  const amount = premine.value.amount - ATOMS_PER_COIN;
  const transaction: Transaction = {
    flags: 0n,
    inputs: [{ type: 'Utxo', outpoint: { sourceType: 'BlockReward', sourceId: genesisId, index: 0 } }],
    outputs: [{ type: 'Transfer', value: { type: 'Coin', amount }, destination: '00' }],
  };
  const header = {
    ...{ prevBlockId: genesisId, txMerkleRoot: '', witnessMerkleRoot: '', timestamp: genesis.timestamp + 120 },
    consensus: { type: 'None' },
  } as const;
  const signatures = [{ type: 'NoSignature', data: null }] as const;
  const block = sealed({ header, signature: null, reward: [], transactions: [{ transaction, signatures }] });
  await golden.followBytes([encodeBlock(block)]);
  assert.deepEqual(await wrongOf(replayIndex(golden.postgres, signet)), []);
  // More than circulates is still wrong.
  await golden.session.writer.query(`update statistics set circulating_supply = 1 where currency = ''`);
  assert.match((await wrongOf(replayIndex(golden.postgres, signet))).join('\n'), /what circulates/);
});

it('verification finds nothing wrong with a simulated chain', async () => {
  assert.deepEqual(await wrongOf(replayIndex(index.postgres, SIMULATED_NETWORK)), []);
});

it('verification finds nothing wrong with a chain of months', async () => {
  assert.deepEqual(await wrongOf(replayIndex(months.postgres, months.network)), []);
});

for (const [sql, ...names] of [...BREAKS, ...BREAKS_OF_MONTHS]) {
  it(`verification finds what this does: ${sql}`, async () => {
    const { session, network } = BREAKS.some(([each]) => each === sql) ? index : months;
    const client = session.writer;
    await client.query('begin');
    try {
      const { rowCount } = await client.query(sql);
      assert.notEqual(rowCount, 0, 'nothing was changed');
      const wrong = await wrongOf(checkAndReplay(client, network));
      for (const name of names) assert.match(wrong.join('\n'), name);
    } finally {
      await client.query('rollback');
    }
  });
}
