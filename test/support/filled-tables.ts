/**
 * Tables filled by SQL instead of by a chain: lists of any length with plenty of ties, for tests of reading. What the
 * rows say fits together as far as reading needs it; the ledger would not have made them.
 */
import type pg from 'pg';
import { nftMetadataToHex } from '../../src/chain/codec/nft.ts';
import { balanceChangeKindBit } from '../../src/ledger/balance-change-kinds.ts';

export interface TableSizes {
  readonly blocks: number;
  readonly transactionsPerBlock: number;
  readonly pools: number;
  /** All of the first pool and of one address. */
  readonly delegations: number;
  readonly tokens: number;
  readonly nfts: number;
  readonly orders: number;
  /** Holders of the coin and of the first token. */
  readonly holders: number;
}

/** The destination that has all delegations, all authority and all transactions: a public key hash. */
export const BUSY_OWNER = `01${'11'.repeat(20)}`;
/** The destination with a part of each kind of output. */
const REFUND_OWNER = `01${'22'.repeat(20)}`;

const NFT_METADATA = nftMetadataToHex({
  creator: null,
  name: Buffer.from('Name').toString('hex'),
  description: '',
  ticker: Buffer.from('NFTX').toString('hex'),
  iconUri: '',
  additionalMetadataUri: '',
  mediaUri: Buffer.from('ipfs://x').toString('hex'),
  mediaHash: '0102',
});

const RECEIVED_BY_TRANSFER = balanceChangeKindBit('received') | balanceChangeKindBit('transfer');

const ONE = { pools: 1, delegations: 1, tokens: 1, nfts: 1, orders: 1, holders: 1 };

/** Fills the tables of an index with only its genesis, and moves the tip; one of each thing by default. */
export async function fillTables(
  client: Pick<pg.Client, 'query'>,
  sizes: Pick<TableSizes, 'blocks' | 'transactionsPerBlock'> & Partial<TableSizes>,
): Promise<void> {
  const {
    blocks,
    transactionsPerBlock: perBlock,
    pools,
    delegations,
    tokens,
    nfts,
    orders,
    holders,
  } = { ...ONE, ...sizes };
  const total = blocks * perBlock;
  const id = (kind: string, number: string) => `sha256(('${kind}' || ${number})::bytea)`;
  const owner = (number: string) => `'\\x01'::bytea || substr(sha256(('owner' || ${number})::bytea), 1, 20)`;
  const busy = `'\\x${BUSY_OWNER}'::bytea`;
  const refund = `'\\x${REFUND_OWNER}'::bytea`;
  const day = (height: string) => `((1700000000 + ${height} * 120) / 86400)`;
  const entry = (tx: string, index: string) => `
    '{"outpoint":{"index":' || ${index} || ',"source_id":"' || encode(${tx}, 'hex') || '","source_type":"Transaction"},' ||
    '"utxo":{"type":"Transfer","destination":"rmt1qy","value":{"type":"Coin","amount":{"atoms":"5","decimal":"0.00000000005"}}}'`;

  await client.query(`
    insert into blocks
    select h, ${id('block', 'h')}, 1700000000 + h * 120, (h - 1)::bigint * ${perBlock}, ${perBlock},
           ${id('pool', `(1 + h % ${pools})`)}, ${id('reward', 'h')},
           '{"previous_block_id":"' || encode(${id('block', '(h - 1)')}, 'hex') || '","timestamp":{"timestamp":' ||
             (1700000000 + h * 120) || '},"merkle_root":"' || repeat('ab', 32) || '","witness_merkle_root":"' ||
             repeat('cd', 32) || '","consensus_data":{"target":"0x' || repeat('00', 32) || '"}}',
           '[]',
           '"block_id":"' || encode(${id('block', 'h')}, 'hex') || '","height":' || h || ',"timestamp":' || 1700000000 + h * 120,
           1700000000 + greatest(h - 5, 1) * 120, 1000 + h, '{"transfer":' || ${perBlock} || '}', h % 3, 20, h % 7, h % 11
    from generate_series(1, ${blocks}) h`);
  await client.query(`
    insert into transactions
    select i, ${id('tx', 'i')}, 1 + i / ${perBlock}, 200 + i % 100, 2, 24, case when i % 50 = 0 then '["rmt1qy"]' end,
           '{"fee":{"atoms":"0","decimal":"0"},"flags":0,"id":"' || encode(${id('tx', 'i')}, 'hex') ||
           '","inputs":[],"is_replaceable":false,"outputs":[],"version_byte":1}'
    from generate_series(0, ${total - 1}::bigint) i`);
  await client.query(`
    insert into address_transactions (owner, tx_index, tx_id)
    select case when i % 2 = 0 then ${busy} else ${owner('(i % 1000)')} end, i, ${id('tx', 'i')}
    from generate_series(0, ${total - 1}::bigint) i`);
  await client.query(`
    insert into token_transactions (token_id, tx_index, tx_id)
    select ${id('token', '(1 + i % 2)')}, i, ${id('tx', 'i')} from generate_series(0, ${total - 1}::bigint) i`);

  await client.query(`
    insert into delegation_transactions (tx_index, delegation_id, deposited, withdrawn)
    select i, ${id('delegation', '1')}, i % 2, 1 - i % 2 from generate_series(0, ${total - 1}::bigint, 10) i`);

  // Two outputs per transaction. Of the first, a third belongs to the busy owner; of the second, every tenth is an HTLC
  // that the busy owner may refund, half of them already.
  const place = `(1 + i / ${perBlock})::int, (i % ${perBlock})::int`;
  await client.query(`
    insert into outputs
    select ${place}, 0, case when i % 3 = 0 then ${busy} else ${owner('(i % 1000)')} end, null, null, ${entry(id('tx', 'i'), '0')}
    from generate_series(0, ${total - 1}::bigint) i
    union all
    select ${place}, 1, ${refund}, case when i % 10 = 0 then ${busy} end,
           case when i % 10 = 0 then substr(${id('secret', '(i % 30)')}, 1, 20) end, ${entry(id('tx', 'i'), '1')}
    from generate_series(0, ${total - 1}::bigint) i`);
  await client.query(`
    insert into spends
    select height, position, output_index, height + 1, position, 0, null from outputs
    where output_index = 0 and height % 2 = 0 and height < ${blocks}`);
  await client.query(`
    insert into utxos (outpoint, height, position, output_index, owner, refund_owner, unlock_height, unlock_time,
                       refund_height, refund_time, is_reward, htlc_currency, htlc_amount, output)
    select x.tx_id || int4send(o.output_index), o.height, o.position, o.output_index, o.owner, o.refund_owner,
           case when o.output_index = 0 and x.tx_index % 5 = 0 then ${blocks} + 1000 end, null,
           case when o.refund_owner is not null then ${blocks} + 1 + x.tx_index % 4 * 1000 end, null, false,
           case when o.refund_owner is not null then '\\x'::bytea end, case when o.refund_owner is not null then 1 end, '\\x'
    from outputs o
    join blocks b on b.height = o.height
    join transactions x on x.tx_index = b.first_tx_index + o.position
    left join spends s on s.height = o.height and s.position = o.position and s.output_index = o.output_index
    where s.height is null and o.height > 0`);

  await client.query(`
    insert into pools (pool_id, creation_height, pledge, rewards, delegations_balance, delegation_count, effective_stake,
                       expected_base, blocks_total, blocks_day, blocks_month, month_rate, staker_rewards,
                       delegation_rewards, changed_day, staker, decommission_destination,
                       vrf_public_key, margin_ratio_per_thousand, cost_per_block)
    select ${id('pool', 'i')}, 1 + i % 10, 40000 + i % 7, i % 3, 5 * i, i % 4, 30000 + i, 0, i % 50 + 3, i % 3,
           i % 50, i % 9, i % 3, 5 * i, ${day(`${blocks}`)} - i % 3, ${owner('i')}, ${owner('i')},
           '\\x00'::bytea || ${id('vrf', 'i')}, i % 1001, i
    from generate_series(1, ${pools}) i`);
  await client.query(`
    insert into delegations
    select ${id('delegation', 'i')}, ${id('pool', '1')}, ${busy}, i, i / 2 + 2, 2, i % 5, 1 + i % ${blocks}, ${day(`${blocks}`)} - i % 3
    from generate_series(1, ${delegations}) i`);
  await client.query(`
    insert into tokens
    select ${id('token', 'i')}, 1 + i % ${blocks}, convert_to('TK' || i, 'UTF8'), i % 12, convert_to('ipfs://' || i, 'UTF8'),
           (array['Fixed', 'Lockable', 'Unlimited'])[1 + i % 3], case when i % 3 = 0 then 1000000 end, i,
           i % 4 = 0, i % 5 = 0, i % 2 = 0, case when i % 5 = 0 then i % 10 = 0 end, ${busy}, i % 6
    from generate_series(1, ${tokens}) i`);
  await client.query(`
    insert into nfts select ${id('nft', 'i')}, 1 + i % ${blocks}, ${busy}, '\\x${NFT_METADATA}'
    from generate_series(1, ${nfts}) i`);
  await client.query(`
    insert into ticker_fragments
    select distinct substr('tk' || i, s, n), false, n = length('tk' || i), ${id('token', 'i')}
    from generate_series(1, ${tokens}) i, generate_series(1, 8) s, generate_series(1, 8) n
    where s + n - 1 <= length('tk' || i)
    union all
    select distinct substr('nftx', s, n), true, n = 4, ${id('nft', 'i')}
    from generate_series(1, ${nfts}) i, generate_series(1, 4) s, generate_series(1, 4) n where s + n - 1 <= 4`);
  await client.query(`
    insert into name_fragments
    select distinct substr('name', s, n), n = 4, ${id('nft', 'i')}
    from generate_series(1, ${nfts}) i, generate_series(1, 4) s, generate_series(1, 4) n where s + n - 1 <= 4`);
  await client.query(`
    insert into nft_owners select token_id, creation_height::bigint * ${perBlock} % ${total}, owner from nfts`);
  await client.query(`
    insert into days (height, day)
    select min(h), ${day('h')} from generate_series(1, ${blocks}) h
     where ${day('h')} > (select max(day) from days) group by 2`);
  await client.query(`
    insert into delegation_days (height, day, delegation_id, balance, deposited, withdrawn)
    select ${blocks}, changed_day - 1, delegation_id, balance - 1, deposited - 1, withdrawn - 1 from delegations`);
  await client.query(`
    insert into pool_days (height, day, blocks_total, delegation_count, pool_id, staker_balance, delegations_balance,
                           staker_rewards, delegation_rewards, effective_stake, expected_base)
    select ${blocks}, changed_day - 1, blocks_total - 1, delegation_count, pool_id, staker_balance + 1, delegations_balance - 1,
           staker_rewards, delegation_rewards - 1, effective_stake - 1, 0
    from pools where creation_height > 0`);
  // Each transaction gives a coin to an owner, every second one to the busy one; every fifth gives tokens, too.
  await client.query(`
    insert into balance_changes (height, position, kinds, owner, currency, change, balance, locked, fee)
    select ${place}, ${RECEIVED_BY_TRANSFER}, who, ''::bytea, 1, i / 2 + 1, i % 2, i % 3
    from (select i, case when i % 2 = 0 then ${busy} else ${owner('(i % 1000)')} end as who
          from generate_series(0, ${total - 1}::bigint) i) o
    union all
    select ${place}, ${RECEIVED_BY_TRANSFER}, ${busy}, ${id('token', '(1 + i % 2)')}, 5, i + 5, 0, 0
    from generate_series(0, ${total - 1}::bigint, 5) i`);
  await client.query(`
    insert into supplies (height, currency, circulating_supply, preminted, burned, staked)
    select h, ''::bytea, 1000000 - h, 2000000, h, 4 from generate_series(1, ${blocks}) h
    union all
    select h, ${id('token', '1')}, 1000 + h, 0, 5, 0 from generate_series(1, ${blocks}, 7) h`);
  await client.query(`
    insert into token_events (height, position, event_index, token_id, kind, amount, supply, actor, authority, metadata_uri, is_unfreezable)
    select creation_height, 0, 0, token_id, 'token_issue', null::numeric, 0::numeric, null::bytea, authority, metadata_uri, null::boolean from tokens
    union all
    select h, 1, 1, ${id('token', '1')}, 'token_mint', 1, h, ${owner('0')}, null, null, null from generate_series(2, ${blocks}) h`);
  // Every second order gives the first token for coins, the others the other way round; some are frozen or filled.
  await client.query(`
    insert into orders (order_id, creation_height, conclude_destination, ask_currency, ask_decimals, initially_asked,
                        ask_balance, give_currency, give_decimals, initially_given, give_balance, next_nonce, is_frozen,
                        concluded_height)
    select ${id('order', 'i')}, 1 + i % 20, ${owner('i')},
           case when i % 2 = 0 then '' else ${id('token', '1')} end, case when i % 2 = 0 then 11 else 1 end,
           asked, case when i % 13 = 0 then 0 else asked - 1 end,
           case when i % 2 = 0 then ${id('token', '1')} else '' end, case when i % 2 = 0 then 1 else 11 end,
           given, given - 1, i % 3, i % 11 = 0, case when i % 17 = 0 then 21 end
    from (select i, (10 * (1 + i % 9) * (1 + i % 3))::numeric as asked, (7 * (1 + i % 3))::numeric as given
          from generate_series(1, ${orders}) i) o`);
  await client.query(`
    insert into fills (height, position, input_index, is_buy, timestamp, order_id, base, quote, base_amount, quote_amount, price_base, price_quote,
                       taker)
    select 1 + i % ${blocks}, 0, i / ${blocks}, i % 2 = 0, 1700000000 + (1 + i % ${blocks}) * 120, ${id('order', 'i')},
           ${id('token', '1')}, '', 7 * (1 + i % 3), 10 * (1 + i % 9), 7 * (1 + i % 3), 10 * (1 + i % 9), ${owner('i')}
    from generate_series(1, ${orders}) i`);
  await client.query('delete from balances');
  await client.query(`
    insert into balances (owner, currency, amount, locked)
    select ${owner('i')}, '', 1 + i % 50, i % 2 from generate_series(1, ${holders}) i
    union all
    select ${owner('i')}, ${id('token', '1')}, i % 20, 1 from generate_series(1, ${holders}) i
    union all
    select ${busy}, ${id('token', 'i')}, i, 0 from generate_series(1, least(${tokens}, 50)) i
    union all
    select ${busy}, ${id('nft', 'i')}, 1, 0 from generate_series(1, least(${nfts}, 20)) i
    union all
    select ${busy}, '', 123, 45`);
  await client.query(`
    insert into statistics
    values ('', 1000000, 2000000, 3, 4, ${holders}, 1000000), (${id('token', '1')}, 1000, 0, 5, 0, ${holders}, 0)
    on conflict (currency) do update set circulating_supply = excluded.circulating_supply`);
  await client.query(
    `update chain_tip set revision = revision + 1, height = ${blocks}, block_id = ${id('block', `${blocks}`)},
       timestamp = 1700000000 + ${blocks} * 120, median_time = 1700000000 + ${blocks - 5} * 120,
       transaction_count = ${total}`,
  );
}
