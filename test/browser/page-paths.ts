/** Where each kind of page is found on a chain that has something of everything, and where errors are. */
import assert from 'node:assert/strict';
import {
  delegationAddress,
  destinationAddress,
  orderAddress,
  poolAddress,
  tokenAddress,
} from '../../src/chain/address.ts';
import { encodeSignedTransaction } from '../../src/chain/codec/transaction.ts';
import { paymentOf } from '../support/payments.ts';
import type { PendingWorld } from '../support/pending-world.ts';
import type { Form } from './visitor.ts';

export interface PagePath {
  /** Names it in failures, and the file of its picture. */
  readonly name: string;
  readonly path: string;
  /** Of the response; 200 unless given. */
  readonly status?: number;
  /** How the page is reached that is meant, from the one at the path. */
  readonly form?: Form;
}

/** Pages that no path is registered for. */
export const ERROR_PATHS: readonly PagePath[] = [
  { name: 'error-unknown-page', path: '/nope/nope', status: 404 },
  { name: 'error-bad-cursor', path: '/blocks?cursor=x', status: 400 },
];

/** The owners of what the lists of an address hold. */
const ADDRESS_LISTS: Readonly<Record<string, string>> = {
  balances: 'select owner from balances',
  unlocks: 'select owner from utxos where unlock_height is not null or unlock_time is not null',
  history: 'select owner from balance_changes',
  transactions: 'select owner from address_transactions',
  utxos: 'select owner from utxos',
  delegations: 'select spend_destination from delegations',
  pools: 'select decommission_destination from pools where staker_balance > 0',
  orders: 'select conclude_destination from orders where not is_concluded',
  nfts: 'select owner from nfts where owner is not null',
  authority: 'select authority from tokens',
  htlcs: 'select owner from utxos where refund_owner is not null',
};

type Paths = PagePath | readonly PagePath[];

/** By the paths under which pages are registered: a new page needs an entry here, or the test of all pages fails. */
export const PAGE_PATHS: Readonly<Record<string, (world: PendingWorld) => Paths | Promise<Paths>>> = {
  '/': () => page('home', '/'),
  '/blocks': async (world) => [
    page('blocks', '/blocks'),
    page('blocks-next', await nextPage(world, '/blocks', '/block')),
  ],
  '/block/:id': async (world) => [
    page('block', `/block/${await value(world, 'select height from blocks order by tx_count desc, height limit 1')}`),
    page('block-tip', `/block/${world.node.tip().height}`),
    page('block-genesis', '/block/0'),
  ],
  '/txs': () => page('transactions', '/txs'),
  '/tx/:id': async (world) => [
    ...(await transactionsOfAllKinds(world)),
    page('transaction-pending', `/tx/${world.pendingIds[0]}`),
  ],
  '/address/:address/past': async (world) => {
    const owner = await value(
      world,
      'select owner from balance_changes group by owner order by count(*) desc, owner limit 1',
    );
    return page('address-past', `/address/${destinationAddress(world.network, owner)}/past?height=10`);
  },
  '/statement': async (world) => {
    const owner = await value(
      world,
      'select spend_destination from delegations group by 1 order by sum(balance) desc, 1 limit 1',
    );
    const address = destinationAddress(world.network, owner);
    return [page('statement-form', '/statement'), page('statement', `/statement?addresses=${address}`)];
  },
  '/address/:address': async (world) => {
    const address = async (name: string, sql: string) =>
      page(name, `/address/${destinationAddress(world.network, await value(world, `${sql} limit 1`))}`);
    return [
      await address(
        'address-busy',
        'select owner from address_transactions group by owner order by count(*) desc, owner',
      ),
      await address(
        'address-everything',
        `select owner from utxos where unlock_height is not null and owner in (select owner from nfts)
         order by owner in (select spend_destination from delegations) desc, owner in (select authority from tokens) desc, owner`,
      ),
      await address('address-staker', 'select decommission_destination from pools order by pool_id'),
    ];
  },
  '/pools': () => page('pools', '/pools'),
  '/pools/compare': async (world) => {
    const pool = async (sql: string) =>
      `pool=${poolAddress(world.network, await value(world, `select pool_id from pools where staker_balance > 0 order by ${sql} limit 1`))}`;
    const pair = `${await pool('delegation_count desc, pool_id')}&${await pool('delegation_count, pool_id')}`;
    return [page('compare-pools-form', '/pools/compare'), page('compare-pools', `/pools/compare?coins=1000&${pair}`)];
  },
  '/pool/:id': async (world) => {
    const pool = async (name: string, sql: string) =>
      page(name, `/pool/${poolAddress(world.network, await value(world, `select pool_id from pools ${sql} limit 1`))}`);
    return [
      await pool('pool', 'where staker_balance > 0 order by delegation_count desc, blocks_total desc, pool_id'),
      await pool('pool-decommissioned', 'where staker_balance = 0 order by blocks_total desc, pool_id'),
    ];
  },
  '/pool/:id/delegations': async (world) => {
    const id = await value(world, 'select pool_id from pools order by delegation_count desc, pool_id limit 1');
    return page('pool-delegations', `/pool/${poolAddress(world.network, id)}/delegations`);
  },
  '/pool/:id/blocks': async (world) => {
    const id = await value(world, 'select pool_id from pools order by blocks_total desc, pool_id limit 1');
    return page('pool-blocks', `/pool/${poolAddress(world.network, id)}/blocks`);
  },
  '/pool/:id/days': async (world) => {
    const id = await value(world, 'select pool_id from pools order by blocks_total desc, pool_id limit 1');
    return page('pool-days', `/pool/${poolAddress(world.network, id)}/days`);
  },
  '/pool/:id/days/:day': async (world) => {
    const id = await value(world, 'select pool_id from pools order by delegation_rewards desc, pool_id limit 1');
    const day = await value(
      world,
      `select to_char(date '1970-01-01' + changed_day, 'YYYY-MM-DD') from pools order by delegation_rewards desc, pool_id limit 1`,
    );
    return page('pool-day', `/pool/${poolAddress(world.network, id)}/days/${day}`);
  },
  '/delegation/:id/transactions': async (world) => {
    const id = await value(
      world,
      'select delegation_id from delegation_transactions group by 1 order by count(*) desc, 1 limit 1',
    );
    return page('delegation-transactions', `/delegation/${delegationAddress(world.network, id)}/transactions`);
  },
  '/delegation/:id/days': async (world) => {
    const id = await value(
      world,
      'select delegation_id from delegations order by balance + withdrawn - deposited desc, delegation_id limit 1',
    );
    return page('delegation-days', `/delegation/${delegationAddress(world.network, id)}/days`);
  },
  '/statistics/:id': () => [
    page('series', '/statistics/transactions?interval=hour'),
    page('series-of-days', '/statistics/active_addresses'),
  ],
  '/delegation/:id': async (world) => {
    const id = await value(
      world,
      'select delegation_id from delegations order by balance + withdrawn - deposited desc, delegation_id limit 1',
    );
    return page('delegation', `/delegation/${delegationAddress(world.network, id)}`);
  },
  '/tokens': () => page('tokens', '/tokens'),
  '/token/:id': async (world) => {
    const token = async (name: string, sql: string) => {
      const id = await value(world, `select token_id from tokens ${sql} limit 1`);
      return page(name, `/token/${tokenAddress(world.network, id)}`);
    };
    const transactions = '(select count(*) from token_transactions t where t.token_id = tokens.token_id)';
    return [
      await token('token', `order by ${transactions} desc, token_id`),
      await token('token-frozen', `where is_frozen order by ${transactions} desc, token_id`),
    ];
  },
  '/nfts': () => page('nfts', '/nfts'),
  '/nft/:id': async (world) => {
    const sql = 'select token_id from nft_owners group by token_id order by count(*) desc, token_id limit 1';
    return page('nft', `/nft/${tokenAddress(world.network, await value(world, sql))}`);
  },
  '/markets': () => page('markets', '/markets'),
  '/orders': () => page('orders', '/orders'),
  '/order/:id': async (world) => {
    const order = async (name: string, sql: string) => {
      const id = await value(world, `select order_id from orders ${sql} limit 1`);
      return page(name, `/order/${orderAddress(world.network, id)}`);
    };
    return [
      await order('order', 'where is_open and give_balance < initially_given order by next_nonce desc, order_id'),
      await order('order-concluded', 'where is_concluded order by next_nonce desc, order_id'),
    ];
  },
  '/market/:pair': async (world) => {
    const { coinTicker } = world.network;
    const sql = `select case when ask_currency = '' then give_currency else ask_currency end from orders
      where is_open and '' in (ask_currency, give_currency) group by 1 order by count(*) desc, 1 limit 1`;
    return page('market', `/market/${tokenAddress(world.network, await value(world, sql))}_${coinTicker}`);
  },
  '/htlc/:hash': async (world) => {
    const hash = await value(
      world,
      `select o.secret_hash from outputs o join spends s using (height, position, output_index)
       where o.secret_hash is not null and s.secret is not null order by 1 limit 1`,
    );
    return page('htlc', `/htlc/${hash}`);
  },
  '/mempool': () => page('mempool', '/mempool'),
  '/fees': () => page('fees', '/fees'),
  '/statistics': () => page('statistics', '/statistics'),
  '/richlist': () => page('richlist', '/richlist'),
  '/reorganisations': () => page('reorganisations', '/reorganisations'),
  '/watch': () => page('watch', '/watch'),
  '/decode': () => page('decode', '/decode'),
  '/verify-message': () => page('verify-message', '/verify-message'),
  // Only a script posts it: `watch.long.test.ts`.
  'POST /watch': () => [],
  'POST /verify-message': ({ network }) => {
    const address = destinationAddress(network, `01${'ab'.repeat(20)}`);
    const verified = (name: string, signature: string, status?: number): PagePath => ({
      ...page(name, '/verify-message', status),
      form: {
        text: () => ({ '#address': address, '#message': 'I own it.\nReally.', '#signature': signature }),
        buttons: ['Verify'],
      },
    });
    return [verified('verify-message-not-valid', 'ab12'), verified('verify-message-wrong', 'xy', 400)];
  },
  'POST /decode': ({ node }) => {
    const decoded = (name: string, bytes: () => Uint8Array, status?: number): PagePath => ({
      ...page(name, '/decode', status),
      form: { text: () => Buffer.from(bytes()).toString('hex'), buttons: ['Decode'] },
    });
    return [
      decoded('decode-transaction', () => node.mempoolTransactions()[0]!.bytes),
      decoded('decode-block', () => node.blockBytes(node.tip().id)!),
      decoded('decode-wrong', () => Buffer.from('ab12', 'hex'), 400),
    ];
  },
  'POST /decode/send': ({ node }) => {
    let sent = 0;
    const send = (name: string, bytes: () => Uint8Array, status?: number): PagePath => ({
      ...page(name, '/decode', status),
      form: { text: () => Buffer.from(bytes()).toString('hex'), buttons: ['Decode', 'Broadcast transaction'] },
    });
    const refused = () => {
      const { transaction } = paymentOf(node);
      return encodeSignedTransaction({ transaction, signatures: [{ type: 'NoSignature', data: null }] });
    };
    return [
      send('decode-sent', () => encodeSignedTransaction(paymentOf(node, sent++))),
      send('decode-refused', refused, 400),
    ];
  },
  '/search': async (world) => {
    const letter = await value(
      world,
      'select fragment from ticker_fragments where length(fragment) = 1 group by 1 order by count(*) desc, 1 limit 1',
    );
    return [
      page('search-list', `/search?q=${letter}`),
      page('search-nothing', '/search?q=no-such-thing-anywhere', 404),
    ];
  },
  '/:id': () => page('search-path', '/no-such-thing', 404),
  ...Object.fromEntries(
    Object.entries(ADDRESS_LISTS).map(([name, sql]) => [
      `/address/:address/${name}`,
      async (world: PendingWorld) => {
        const owner = await value(
          world,
          `select owner from (${sql}) o (owner) group by 1 order by count(*) desc, 1 limit 1`,
        );
        return page(`address-${name}`, `/address/${destinationAddress(world.network, owner)}/${name}`);
      },
    ]),
  ),
};

function page(name: string, path: string, status = 200): PagePath {
  return { name, path, status };
}

/** Of the first column of the first row. */
async function value(world: PendingWorld, sql: string): Promise<string> {
  const { rows } = await world.index.query<Record<string, string>>(sql);
  assert.ok(rows[0], `the chain has nothing of this: ${sql}`);
  return Object.values(rows[0])[0]!;
}

async function nextPage({ server }: PendingWorld, path: string, apiPath: string): Promise<string> {
  const { next_cursor: cursor } = await server.json(`${apiPath}?items=25&cursor=`);
  assert.ok(cursor, `${apiPath} has a second page`);
  return `${path}?cursor=${cursor}`;
}

/** A few transactions in which every kind of input and output of this chain is found. */
async function transactionsOfAllKinds({ index }: PendingWorld): Promise<PagePath[]> {
  const { rows } = await index.query<{ id: string; body: string }>(
    `select encode(tx_id, 'hex') as id, body from transactions order by tx_index`,
  );
  const all = rows.map(({ id, body }) => ({
    id,
    kinds: new Set([...body.matchAll(/"(?:type|command|account_type)":"([A-Z]\w+)"/g)].map(([, kind]) => kind!)),
  }));
  const missing = new Set(all.flatMap(({ kinds }) => [...kinds]));
  const news = ({ kinds }: { kinds: ReadonlySet<string> }) => kinds.intersection(missing).size;
  const found: PagePath[] = [];
  while (missing.size > 0) {
    const best = all.reduce((one, other) => (news(other) > news(one) ? other : one));
    for (const kind of best.kinds) missing.delete(kind);
    found.push(page(`transaction-${found.length + 1}`, `/tx/${best.id}`));
  }
  return found;
}
