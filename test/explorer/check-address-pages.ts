/** What the pages of an address must show, by the answers of the API. */
import assert from 'node:assert/strict';
import type { Network } from '../../src/chain/networks/network.ts';
import { getPage, type PageElement } from '../support/html-page.ts';
import type { TestServer } from '../support/web-server.ts';
import { checkFirstRows, marginText } from './check-pool-pages.ts';
import { addressesText, doersOf, giversOf } from './check-transaction-page.ts';
import { atoms, type Json, linked, listed, pagedRows, secondsOf, sectionCounts } from './page-values.ts';

/** Both web servers over the same index. */
export interface Servers {
  readonly network: Network;
  readonly described: TestServer;
  /** Lists unspent outputs that are locked, too. */
  readonly core: TestServer;
}

interface Balance {
  readonly amount: bigint;
  readonly locked: bigint;
}

/** What everybody has of each currency, by address and then by id, as the API's lists of holders say it. */
export type Holdings = ReadonlyMap<string, ReadonlyMap<string, Balance>>;

export async function readHoldings(server: TestServer): Promise<Holdings> {
  const holdings = new Map<string, Map<string, Balance>>();
  const tokens: string[] = await listed(server, '/token');
  for (const currency of ['coin', ...tokens]) {
    const path = currency === 'coin' ? '/statistics/coin' : `/statistics/token/${currency}`;
    for (const { address, amount, locked } of await listed(server, `${path}/holders?sort=total`)) {
      const balances = holdings.get(address) ?? new Map<string, Balance>();
      balances.set(currency, { amount: atoms(amount), locked: atoms(locked) });
      holdings.set(address, balances);
    }
  }
  return holdings;
}

/** The titles of lists that are not their names. */
const SECTION_TITLES: Readonly<Record<string, string>> = {
  unlocks: 'Unlock calendar',
  utxos: 'Unspent outputs',
  nfts: 'NFTs',
  authority: 'Token authority',
  htlcs: 'HTLCs',
};

/** The coins that are in what a list has, and not on the address. */
function coinsIn(name: string, total: Json): bigint {
  if (name === 'pools' || name === 'delegations') return atoms(total?.staked[name]);
  const part = name === 'unlocks' ? 'locked' : name;
  return ['locked', 'orders', 'htlcs'].includes(part) ? atoms(total?.[part]) : 0n;
}

/** Compares all pages of an address. Gives the names of the lists that are not empty. */
export async function checkAddressPages(servers: Servers, address: string, holdings: Holdings): Promise<string[]> {
  const { described } = servers;
  const { main } = await getPage(described, `/address/${address}`);
  assert.ok(main.text.includes(address));
  await checkCoins(described, main, address, holdings);
  const found: string[] = [];
  const sections = sectionCounts(main);
  const { body } = await described.get(`/address/${address}?expand=true`);
  for (const [name, { table, words, expected, shown }] of Object.entries(LISTS)) {
    const path = `/address/${address}/${name}`;
    const rows = await pagedRows(described, `${path}?items=7`);
    const wanted = await expected(servers, address, holdings);
    assert.deepEqual(rows.map(shown), wanted, path);
    // The list of transactions has the same; pending ones take the place of some of them.
    const most = name === 'transactions' ? 8 : 5;
    const pending = main.table(table).filter(([, block]) => block!.text === 'pending').length;
    if (name === 'history') {
      if (rows.length > 0) found.push(name);
      assert.ok(main.links().includes(path));
      continue;
    }
    if (name === 'balances' && !rows.some(([unit]) => unit!.links().length > 0)) {
      assert.equal(main.table(table).length, 0, 'the card has all of coins alone');
      continue;
    }
    if (pending === 0) checkFirstRows(main, table, rows, path, most);
    const title = sections.get(SECTION_TITLES[name] ?? `${name[0]!.toUpperCase()}${name.slice(1)}`);
    const isShown = rows.length > 0 || name === 'transactions';
    const coins = coinsIn(name, body.total);
    const inContents = coins > 0n ? / · [\d.,]+ RML$/ : /^\d+$/;
    assert.equal(title?.split(' · ')[0], isShown ? `${rows.length}` : undefined, `${name} in the contents`);
    if (isShown) assert.match(title!, inContents, `${name} in the contents`);
    if (name === 'balances') {
      for (const row of main.table(table)) {
        const owned = row.slice(1, 5).filter((cell) => (cell.atoms()[0] ?? 0n) !== 0n);
        const decimals = owned.map((cell) => {
          const shown = cell.all('summary')[0] ?? cell;
          return shown.text.split('.')[1]?.length ?? 0;
        });
        assert.ok(new Set(decimals).size <= 1, `the amounts of a row have the same decimals: ${row[0]!.text}`);
      }
    }
    if (name === 'unlocks') {
      const next = main.facts().get('Next unlock');
      const first = rows[0] && [rows[0][2]!.atoms(), rows[0][1]!.text.split(' · ')[0]];
      assert.deepEqual(
        next && [next.atoms(), next.text.split(', ')[1]],
        first,
        'the top of the page names the first one',
      );
      if (rows.length > 0) await checkSoonUnlocked(described, main, rows);
    }
    if (rows.length > 3) assert.ok(main.text.includes(`All ${words}`), words);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** What unlocks within 7 and 30 days is the sum of the coins in the first 100 rows of the calendar. */
async function checkSoonUnlocked(server: TestServer, main: PageElement, rows: PageElement[][]): Promise<void> {
  const { timestamp } = (await server.json('/block?items=1')).items[0];
  const sums = [7, 30].map((days) =>
    rows
      .slice(0, 100)
      .filter(([, opens, worth]) => {
        const isNext = /next block/.test(opens!.text);
        return worth!.links().length === 0 && (isNext || secondsOf(opens!) <= timestamp + days * 86_400);
      })
      .reduce((sum, [, , worth]) => sum + worth!.atoms()[0]!, 0n),
  );
  const line = main.all('p').find(({ text }) => text.startsWith('Within 7 days'))!;
  assert.deepEqual(line.atoms(), sums);
  if (rows.length < 100) assert.doesNotMatch(line.text, /of the next/);
}

async function checkCoins(server: TestServer, main: PageElement, address: string, holdings: Holdings): Promise<void> {
  const { amount, locked } = holdings.get(address)?.get('coin') ?? { amount: 0n, locked: 0n };
  const coins = main.fact('Coins');
  assert.equal(coins.atoms().length, 1, 'one headline');
  const parts = PARTS.flatMap((name) => main.facts().get(name)?.atoms() ?? []);
  if (parts.length > 0) assert.deepEqual([parts.reduce((sum, part) => sum + part, 0n)], coins.atoms());
  // Parts of nothing are not named, and of a single one the headline has the amount.
  const shown = PARTS.slice(0, 2).map(
    (name) => main.facts().get(name)?.atoms() ?? (coins.text.endsWith(name) ? coins.atoms() : [0n]),
  );
  assert.deepEqual(shown, [[amount], [locked]]);
  const { status, body } = await server.get(`/address/${address}?expand=true`);
  // One that only the genesis paid to has no transactions: the API does not know it by itself.
  if (status === 404) return;
  assert.deepEqual([atoms(body.coin_balance), atoms(body.locked_coin_balance)], [amount, locked]);
  assert.equal(coins.atoms()[0], atoms(body.total.coins));
}

const PARTS = ['Spendable', 'Locked', 'In delegations', 'In pools', 'In orders', 'In HTLCs'];

interface CheckedList {
  /** The id of its table on the page of the address. */
  readonly table: string;
  /** The name of its entries. */
  readonly words: string;
  readonly expected: (servers: Servers, address: string, holdings: Holdings) => Promise<unknown[]>;
  readonly shown: (cells: PageElement[]) => unknown;
}

const outpointText = ({ source_id, index }: Json): string => `${source_id}:${index}`;
const amountsOf = (value: Json): bigint[] => ('amount' in value ? [atoms(value.amount)] : []);

/** What an output is worth, as the page tells it: that of the stake of a block is with its pool. */
function worthOf(utxo: Json): bigint[] {
  if (utxo.type === 'CreateStakePool') return [atoms(utxo.data.amount)];
  return utxo.value === undefined ? [] : amountsOf(utxo.value);
}

const LISTS: Readonly<Record<string, CheckedList>> = {
  balances: {
    table: 'balances',
    words: 'balances',
    expected: async ({ described }, address, holdings) => {
      const body = JSON.stringify({ addresses: [address], expand: true });
      const { total } = (await described.request('/api/v2/balances', { method: 'POST', body })).body;
      const parts = [total.staked.pools, total.staked.delegations, total.orders, total.htlcs];
      const [spendable, locked] = [atoms(total.spendable), atoms(total.locked)];
      const elsewhere = parts.reduce((sum, part) => sum + atoms(part), 0n);
      const coins = spendable + locked + elsewhere;
      const held = holdings.get(address);
      assert.deepEqual([spendable, locked], [held?.get('coin')?.amount ?? 0n, held?.get('coin')?.locked ?? 0n]);
      const away = (part: bigint) => (part === 0n ? [] : [part]);
      const coinRow = [
        'coin',
        [spendable, locked, ...away(elsewhere), coins],
        total.tokens.length > 0 ? [] : undefined,
      ];
      const rows = total.tokens.map((token: Json) => {
        const id = token.currency.token_id;
        const own = [atoms(token.spendable), atoms(token.locked)];
        assert.deepEqual(own, [held?.get(id)?.amount ?? 0n, held?.get(id)?.locked ?? 0n]);
        const contracts = atoms(token.orders) + atoms(token.htlcs);
        return [
          id,
          [...own, ...away(contracts), atoms(token.amount)],
          token.coin_value === null ? [] : [atoms(token.coin_value)],
        ];
      });
      return coins > 0n ? [coinRow, ...rows] : rows;
    },
    shown: ([unit, spendable, locked, elsewhere, all, value]) => [
      unit!.all('a')[0]?.attribute('title') ?? 'coin',
      [spendable, locked, elsewhere, all].flatMap((cell) => cell!.atoms()),
      value?.atoms(),
    ],
  },
  unlocks: {
    table: 'time-locked-outputs-next-to-unlock-first',
    words: 'time-locked outputs',
    expected: async ({ described }, address) => {
      const { items } = await described.json('/block?items=60');
      const tip = items[0].timestamp;
      const ofLastHour = items.filter(({ timestamp }: Json) => tip - timestamp <= 3_600);
      const blocks = ofLastHour.length >= 10 ? ofLastHour : items;
      const pace = Math.max(1, Math.round((tip - blocks.at(-1).timestamp) / (blocks.length - 1)));
      // The API counts 120 seconds for a block, pages as many as the newest ones took.
      const opensAt = ({ unlock_time, unlock_height }: Json): number =>
        unlock_time ?? tip + (unlock_height - items[0].height) * pace;
      const unlocks = await listed(described, `/address/${address}/unlocks`);
      unlocks.sort((a, b) => opensAt(a) - opensAt(b));
      return unlocks.map((unlock) => [
        outpointText(unlock.outpoint),
        amountsOf(unlock.value),
        opensAt(unlock) <= tip + pace ? 'next' : opensAt(unlock),
        unlock.is_estimate,
        String(unlock.block.height),
      ]);
    },
    shown: ([output, opens, worth, made]) => [
      output!.text,
      worth!.atoms(),
      /next block/.test(opens!.text) ? 'next' : secondsOf(opens!),
      /\(estimated\)|the next block\b/.test(opens!.text),
      made!.text,
    ],
  },
  transactions: {
    table: 'activity',
    words: 'transactions',
    expected: async ({ described }, address) => {
      const path = `/address/${address}/transactions`;
      const [entries, whole] = [await listed(described, path), await listed(described, `${path}?expand=true`)];
      const doers = await Promise.all(
        whole.map(async (json) => {
          const givers = json.actions[0] === undefined ? [] : giversOf(json, json.actions[0]);
          return givers.length > 0 ? givers : doersOf(described, json);
        }),
      );
      const owned: string[] = await listed(described, `/address/${address}/delegations`);
      return entries.map(({ tx_id, block_height, timestamp }, i) => {
        const { net_changes: changes, fee, protocol_fee } = whole[i];
        const costs = atoms(fee) + atoms(protocol_fee);
        const isCost = ({ currency, change }: Json) =>
          currency.type === 'Coin' && atoms(change) < 0n && -atoms(change) <= costs;
        const all = changes.filter(
          ({ account_type: type, account }: Json) => type === 'address' && account === address,
        );
        const own = [...all.filter((each: Json) => !isCost(each)), ...all.filter(isCost)];
        const ofPool = changes.find(({ account_type: type, change }: Json) => type === 'pool' && atoms(change) < 0n);
        const [first] = whole[i].actions;
        const isOwn = owned.includes(first?.delegation_id) && first.type !== 'delegation_create';
        const ofDelegation = changes.find(({ account }: Json) => isOwn && account === first.delegation_id);
        const elsewhere = own.length === 0 ? (isOwn ? ofDelegation : ofPool) : undefined;
        const place =
          elsewhere === ofPool
            ? 'from its pool'
            : `${elsewhere && atoms(elsewhere.change) > 0n ? 'to' : 'from'} its delegation`;
        const amounts = (elsewhere ? [elsewhere] : own.slice(0, 2)).map(({ change }: Json) => atoms(change));
        const isFee = ({ currency, change }: Json) => currency.type === 'Coin' && atoms(change) === -atoms(fee);
        const gains = own.filter((each: Json) => !isFee(each));
        const isPayment = ['transfer', 'lock'].includes(first?.type);
        const isPaid = isPayment && gains.length > 0 && atoms(gains[0].change) > 0n && !doers[i]!.includes(address);
        return [
          ...[tx_id, String(block_height), timestamp],
          !isPaid || doers[i]!.length === 0
            ? 'told as everywhere'
            : gains.length > 1
              ? `Received from ${addressesText(doers[i]!)}`
              : ['Received', atoms(gains[0].change), `from ${addressesText(doers[i]!)}`],
          ...[amounts, elsewhere ? place : own.length > 2 ? `and ${own.length - 2} more` : ''],
        ];
      });
    },
    shown: ([id, height, time, action, changes]) => [
      linked(id!),
      height!.text,
      secondsOf(time!),
      action!.text.startsWith('Received from ')
        ? action!.text
        : action!.text.startsWith('Received ') && !/by closing/.test(action!.text)
          ? ['Received', action!.atoms()[0], /from .*/.exec(action!.text)![0]]
          : 'told as everywhere',
      changes!.atoms(),
      changes!.text.match(/(and \d+ more|(?:from|to) its (?:pool|delegation))$/)?.[0] ?? '',
    ],
  },
  utxos: {
    table: 'unspent-outputs-oldest-first',
    words: 'unspent outputs',
    expected: async ({ described, core }, address) => {
      const unspent = await listed(core, `/address/${address}/all-utxos`);
      const ever = await listed(described, `/address/${address}/all-utxos`);
      const blocks = new Map(ever.map(({ outpoint, block }) => [outpointText(outpoint), block]));
      return unspent.map(({ outpoint, utxo }) => {
        const block = blocks.get(outpointText(outpoint));
        return [outpointText(outpoint), worthOf(utxo), String(block.height), block.timestamp];
      });
    },
    shown: ([output, worth, , height, time]) => [output!.text, worth!.atoms(), height!.text, secondsOf(time!)],
  },
  delegations: {
    table: 'delegations-that-the-address-owns-by-id',
    words: 'delegations',
    expected: async ({ described }, address) => {
      const ids: string[] = await listed(described, `/address/${address}/delegations`);
      const delegations = await Promise.all(ids.map((id) => described.json(`/delegation/${id}`)));
      const pools = await Promise.all(delegations.map(({ pool_id }) => described.json(`/pool/${pool_id}`)));
      return delegations.map(({ pool_id, balance, next_nonce }, i) => [
        ids[i],
        pool_id,
        atoms(pools[i].staker_balance) === 0n,
        [atoms(balance)],
        String(next_nonce),
      ]);
    },
    shown: ([id, pool, balance, nonce]) => [
      linked(id!),
      linked(pool!),
      pool!.text.endsWith(' decommissioned'),
      balance!.atoms(),
      nonce!.text,
    ],
  },
  pools: {
    table: 'active-pools-that-the-address-can-decommission-newest-first',
    words: 'pools',
    expected: async ({ described }, address) =>
      (await listed(described, `/address/${address}/pools`)).map((pool) => [
        pool.pool_id,
        [atoms(pool.staker_balance) + atoms(pool.delegations_balance), atoms(pool.staker_balance)],
        marginText(pool),
        [atoms(pool.cost_per_block)],
        String(pool.creation_block_height),
      ]),
    shown: ([id, stake, pledge, margin, cost, since]) => [
      linked(id!),
      [...stake!.atoms(), ...pledge!.atoms()],
      margin!.text,
      cost!.atoms(),
      since!.text,
    ],
  },
  orders: {
    table: 'orders-that-the-address-can-close-newest-first',
    words: 'orders',
    expected: async ({ described }, address) => {
      const tokens = await listed(described, '/token?expand=true');
      const frozen = new Map(tokens.filter(({ is_frozen }) => is_frozen).map((token) => [token.token_id, token]));
      const mark = ({ give_currency: give, ask_currency: ask }: Json) => {
        const found = [give, ask].flatMap(({ token_id }) => frozen.get(token_id) ?? []);
        if (found.length === 0) return '';
        return found.some(({ is_unfreezable }) => !is_unfreezable) ? ' token permanently frozen' : ' token frozen';
      };
      const stateOf = (order: Json) =>
        order.is_frozen ? 'frozen' : atoms(order.ask_balance) === 0n ? 'filled' : 'open';
      return (await listed(described, `/address/${address}/orders`)).map((order) => [
        order.order_id,
        stateOf(order) + mark(order),
        [order.give_balance, order.ask_balance, order.initially_given, order.initially_asked].map(atoms),
        [order.give_currency, order.ask_currency].map(({ ticker, token_id }) => token_id ?? ticker ?? 'coin'),
      ]);
    },
    shown: ([id, state, ...amounts]) => [
      linked(id!),
      state!.text,
      amounts.slice(0, 4).flatMap((cell) => cell.atoms()),
      amounts.slice(0, 2).map((cell) => (cell.links().length === 0 ? 'coin' : linked(cell))),
    ],
  },
  nfts: {
    table: 'nfts-that-the-address-owns-newest-first',
    words: 'NFTs',
    expected: async ({ described }, address) =>
      (await listed(described, `/address/${address}/nfts`)).map(({ token_id, created }) => [
        token_id,
        String(created.height),
        created.timestamp,
      ]),
    shown: ([id, , , issued]) => [linked(id!), linked(issued!), secondsOf(issued!)],
  },
  authority: {
    table: 'tokens-that-the-address-has-authority-over-by-id',
    words: 'tokens under its authority',
    expected: async ({ core, described }, address) => {
      const ids: string[] = await listed(core, `/address/${address}/token-authority`);
      const tokens = await Promise.all(ids.map((id) => described.json(`/token/${id}`)));
      return tokens.map(({ number_of_decimals, token_ticker, ticker_is_unique }, i) => [
        ids[i],
        String(number_of_decimals),
        ticker_is_unique ? token_ticker : `${token_ticker} ${ids[i]}`,
      ]);
    },
    shown: ([id, ticker, decimals]) => [linked(id!), decimals!.text, ticker!.text],
  },
  htlcs: {
    table: 'open-htlcs-that-the-address-can-claim-or-refund-newest-first',
    words: 'open HTLCs',
    expected: async ({ described }, address) =>
      (await listed(described, `/address/${address}/htlcs`)).map((htlc) => [
        htlc.secret_hash,
        amountsOf(htlc.value),
        [htlc.may_spend, htlc.may_refund],
        htlc.may_spend ? htlc.refund_address : htlc.spend_address,
        outpointText(htlc.outpoint),
        String(htlc.block.height),
      ]),
    shown: ([hash, worth, may, other, , output, height]) => [
      linked(hash!),
      worth!.atoms(),
      [may!.text.includes('can claim'), may!.text.includes('can refund')],
      linked(other!),
      output!.text,
      height!.text,
    ],
  },
};

/** Names of all lists. */
export const ADDRESS_LISTS = Object.keys(LISTS);

/** What pending transactions do to an address. Gives how many have to do with it. */
export async function checkPendingOfAddress(server: TestServer, address: string): Promise<number> {
  const json = await server.json(`/mempool/address/${address}`);
  const { main } = await getPage(server, `/address/${address}`);
  const ids: string[] = json.transactions;
  const row = main.fact('Pending');
  if (ids.length === 0) {
    assert.equal(row.text, 'none');
    return 0;
  }
  const changes = [json.coin, ...json.tokens].map(({ incoming, outgoing }) => atoms(incoming) - atoms(outgoing));
  const changed = changes.filter((change) => change !== 0n);
  assert.deepEqual(row.atoms(), changed.slice(0, 1));
  assert.match(
    row.text,
    new RegExp(`^${ids.length}( · .*)?${changed.length > 1 ? ` and ${changed.length - 1} tokens?` : ''}$`),
  );
  const pending = main.table('activity').filter(([, block]) => block!.text === 'pending');
  assert.deepEqual(
    pending.map(([id]) => linked(id!)),
    ids.slice(-5).reverse(),
  );
  for (const [id, , time] of pending) {
    const { first_seen } = await server.json(`/mempool/transaction/${linked(id!)}/place`);
    assert.equal(time!.text.startsWith('first seen '), first_seen !== null);
    if (first_seen !== null) assert.equal(secondsOf(time!), first_seen);
  }
  return ids.length;
}
