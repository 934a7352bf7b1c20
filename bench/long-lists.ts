/**
 * Pages of long ordered lists at any depth, and batches: an order book of 100,000 orders, each at a price of its own or all
 * at one, and 100,000 holders of a token.
 */
import { availableParallelism } from 'node:os';
import { tokenAddress } from '../src/chain/address.ts';
import { regtestPos } from '../src/chain/networks/known-networks.ts';
import { API, HEAVY } from './endpoint-throughput.ts';
import { createLargeDatabase } from './large-database.ts';
import { type Generator, LoadGenerator, type MeasuredLoad } from './load-generator.ts';
import { count, milliseconds, percentile, type Report } from './report.ts';
import type { Bed, WebServer } from './test-bed.ts';

const network = regtestPos;
const ENTRIES = 100_000;
/** The list of a page of ten entries. */
const PAGE = 10;
const DEEP_PAGE = 1_000;
const MAX_PAGE_ENTRIES = 100;
/** The number of other transactions in the database; batches request some of them. */
const TRANSACTIONS = 50_000;
const BATCH_IDS = 500;
const BATCHES = 60;
/** Pages a second that are wanted of every list at every depth, with as many processes as processors. */
const WANTED_PER_SECOND = 5_000;
const WANTED_DEPTH_FACTOR = 1.5;
const WANTED_BATCH_MS = 25;

const [MANY_PRICES, ONE_PRICE] = ['a1'.repeat(32), 'a2'.repeat(32)];

export interface PageResult {
  readonly list: string;
  readonly page: number;
  readonly contract: string;
  readonly one: MeasuredLoad;
  readonly all: MeasuredLoad;
}

type LongListsResult = Awaited<ReturnType<typeof measureLongLists>>;

/** Adds the two books and the holders, by SQL: the levels come from the triggers as in production. */
const FILL = `
  insert into tokens (token_id, creation_height, ticker, decimals, metadata_uri, total_supply_type, circulating_supply,
                      is_locked, is_frozen, is_freezable, authority, next_nonce)
  select id, 1, '\\x54', 2, '\\x', 'Unlimited', 1000000, false, false, false, '\\x00', 0
    from unnest(array['\\x${MANY_PRICES}', '\\x${ONE_PRICE}']::bytea[]) id;
  insert into orders (order_id, creation_height, conclude_destination, ask_currency, ask_decimals, initially_asked,
                      ask_balance, give_currency, give_decimals, initially_given, give_balance, next_nonce, is_frozen,
                      is_concluded)
  select sha256(token || int4send(n)), 1, '\\x00', case when n % 2 = 0 then '' else token end, 2, asked, asked,
         case when n % 2 = 0 then token else '' end, 11, given, given, 0, false, false
    from (select token, n, case when token = '\\x${ONE_PRICE}'::bytea then 3 * (1 + n % 7) else 1000000 + n end as asked,
                 case when token = '\\x${ONE_PRICE}'::bytea then 5 * (1 + n % 7) else 1000003 end as given
            from unnest(array['\\x${MANY_PRICES}', '\\x${ONE_PRICE}']::bytea[]) token,
                 generate_series(1, 2 * ${ENTRIES}) n) o;
  insert into balances (owner, currency, amount, locked)
  select '\\x01'::bytea || substr(sha256(('holder' || n)::bytea), 1, 20), '\\x${MANY_PRICES}', 1 + n * 7919 % 1000003, n % 3
    from generate_series(1, ${ENTRIES}) n;
  vacuum (analyze)`;

export async function measureLongLists(
  bed: Bed,
  options: { readonly seconds: number; readonly generator: Generator; readonly say: (text: string) => void },
) {
  const { say, seconds } = options;
  const asked = { connections: HEAVY, unique: false, status: 200, warmUpSeconds: seconds / 3, seconds };
  say('\nfilling a database ...');
  const { postgres } = await createLargeDatabase(bed, network, TRANSACTIONS);
  const client = await bed.connect(postgres);
  for (const statement of FILL.split(';')) await client.query(statement);
  const { rows } = await client.query<{ id: string }>('select tx_id as id from transactions order by tx_id');
  await bed.disconnect(client);
  const devnet = await bed.startDevnet(['--preset=demo', '--blocks=2']);
  const load = new LoadGenerator(options.generator, () => bed.postgresCpuSeconds());
  const serving = { network: network.name, node: devnet.address, postgres };
  const pages: PageResult[] = [];
  try {
    for (const contract of ['described', 'mintlayer-core'] as const) {
      const uncached = { ...serving, contract, program: 'uncached-web-server' } as const;
      const one = await bed.startWebServer(uncached);
      const all = await bed.startWebServer({ ...uncached, workers: availableParallelism() });
      for (const [list, path] of Object.entries(lists())) {
        for (const page of [1, DEEP_PAGE]) {
          const paths = await pathsAt(one, path, page);
          const measured = {
            ...{ list, page, contract },
            one: await load.rate(path, one, { ...asked, paths }),
            all: await load.rate(path, all, { ...asked, paths }),
          };
          say(
            `  ${contract}, ${list}, page ${page}: ${count(measured.one.perSecond)}, ${count(measured.all.perSecond)}/s`,
          );
          pages.push(measured);
        }
      }
      await bed.stop(one.program);
      await bed.stop(all.program);
    }
    const server = await bed.startWebServer(serving);
    const ids = rows.map(({ id }) => id);
    /** Milliseconds of each batch. */
    const batches = { '/transaction/:txid': await measureBatches(server, '/transaction/:txid', ids) };
    await bed.stop(server.program);
    return { pages, batches };
  } finally {
    load.close();
    await bed.stop(devnet.program);
  }
}

function lists(): Readonly<Record<string, string>> {
  const [many, one] = [MANY_PRICES, ONE_PRICE].map((id) => tokenAddress(network, id));
  const book = (token: string | undefined, side: string) =>
    `/order/pair/${token}_${network.coinTicker}/book?side=${side}`;
  return {
    'book, 100,000 prices, ask': book(many, 'ask'),
    'book, 100,000 prices, bid': book(many, 'bid'),
    'book, one price, ask': book(one, 'ask'),
    holders: `/statistics/token/${many}/holders?`,
  };
}

/** The URL of a page, found by walking there. */
async function pathsAt(server: WebServer, path: string, page: number): Promise<string[]> {
  let cursor = '';
  const next = async (items: number) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${API}${path}&items=${items}&cursor=${cursor}`);
    const body = (await response.json()) as { next_cursor: string | null };
    if (body.next_cursor === null) return false;
    cursor = body.next_cursor;
    return true;
  };
  const before = (page - 1) * PAGE;
  let passed = 0;
  while (passed + MAX_PAGE_ENTRIES <= before && (await next(MAX_PAGE_ENTRIES))) passed += MAX_PAGE_ENTRIES;
  while (passed + PAGE <= before && (await next(PAGE))) passed += PAGE;
  return [`${API}${path}&items=${PAGE}&cursor=${cursor}`];
}

/** Measures batches one after the other, each with other ids. */
async function measureBatches(server: WebServer, type: string, ids: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < BATCHES; i++) {
    const some = Array.from({ length: BATCH_IDS }, (_, n) => ids[(i * BATCH_IDS + n) % ids.length]);
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${server.port}${API}/batch`, {
      method: 'POST',
      body: JSON.stringify({ type, ids: some }),
    });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`a batch was answered with ${response.status}`);
    times.push(performance.now() - began);
  }
  return times;
}

const whole = (value: number) => (Number.isNaN(value) ? '?' : count(value));

export function reportLongLists(report: Report, { pages, batches }: LongListsResult): void {
  const firstOf = ({ list, contract }: PageResult) =>
    pages.find((other) => other.list === list && other.contract === contract && other.page === 1)!;
  const depth = (each: PageResult) => firstOf(each).all.perSecond / each.all.perSecond;
  const isMet = (each: PageResult) => each.all.perSecond >= WANTED_PER_SECOND && depth(each) <= WANTED_DEPTH_FACTOR;
  report.rows(
    `Cold pages of ten entries, ${HEAVY} connections (wanted: ${count(WANTED_PER_SECOND)}/s, depth within ${WANTED_DEPTH_FACTOR})`,
    pages,
    [
      ['list', ({ list }) => list],
      ['contract', ({ contract }) => contract],
      ['page', ({ page }) => count(page)],
      ['one process/s', ({ one }) => count(one.perSecond)],
      [`${availableParallelism()} workers/s`, ({ all }) => count(all.perSecond)],
      ['µs server', ({ one }) => whole(one.serverMicroseconds)],
      ['µs PostgreSQL', ({ one }) => whole(one.postgresMicroseconds)],
      ['page 1 / this', (each) => depth(each).toFixed(2)],
      ['wanted', (each) => (isMet(each) ? 'met' : 'not met')],
    ],
  );
  for (const [type, times] of Object.entries(batches)) {
    const sorted = times.toSorted((a, b) => a - b);
    const median = percentile(sorted, 0.5);
    report.say(
      `\nbatch of ${BATCH_IDS} ids, ${type}: ${milliseconds(median)} ms at the median, ${milliseconds(percentile(sorted, 0.99))} at p99 ` +
        `(wanted: ${WANTED_BATCH_MS}): ${median <= WANTED_BATCH_MS ? 'met' : 'not met'}`,
    );
  }
}
