/** What a web server says of itself in each place, and where two places contradict each other. */
import { Scrape } from '../support/prometheus.ts';
import { alertsThatHold, type Sample, scraped } from './alert-rules.ts';
import type { LoggedLine } from './stack.ts';

/** As much of `/status` as is compared. */
interface Status {
  readonly ready: boolean;
  readonly not_ready_because: string | null;
  readonly index: { readonly height: number; readonly id: string; readonly lag_blocks: number | null } | null;
  readonly node: { readonly reachable: boolean; readonly on_our_chain: boolean | null; readonly height: number | null };
  readonly mempool: { readonly complete: boolean; readonly count: number } | null;
  readonly database: {
    readonly connected: boolean;
    readonly host: string;
    readonly role: 'primary' | 'replica' | null;
    readonly timeline: string | null;
    readonly lag_seconds: number | null;
  };
}

export interface Account {
  /** `/ready`: its status, and its reason. */
  readonly ready: { readonly isReady: boolean; readonly reason: string; readonly height: number | null };
  readonly status: Status;
  readonly samples: readonly Sample[];
  /** The first page: null instead of a banner if it has none. */
  readonly page: { readonly status: number; readonly banner: string | null; readonly saysUpToDate: boolean };
  /** Of each of its processes, the last line about its readiness: does it say "ready"? */
  readonly logged: readonly boolean[];
}

/** Over a connection of its own, so that one worker after the other answers. */
async function get(port: number, path: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { connection: 'close', accept: path === '/' ? 'text/html' : 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal: AbortSignal.timeout(20_000) });
  return { status: response.status, text: await response.text() };
}

/** Asks five times: with two workers, the next account has the answers of the other one. */
export async function accountOf(port: number, log: readonly LoggedLine[]): Promise<Account> {
  await get(port, '/health');
  const [ready, status, page] = [await get(port, '/ready'), await get(port, '/status'), await get(port, '/')];
  const { status: reason, block_height: height = null } = JSON.parse(ready.text);
  const state = /<div class="state">(.*?)<\/div>/s.exec(page.text)?.[1] ?? '';
  const lines = log.filter(({ msg }) => /^(?:Ready|Not ready): /.test(msg ?? ''));
  return {
    ready: { isReady: ready.status === 200, reason, height },
    status: JSON.parse(status.text),
    samples: scraped(await Scrape.of(port)),
    page: {
      status: page.status,
      banner: /class="banner[^>]*>(.*?)<\/p>/s.exec(state)?.[1] ?? null,
      saysUpToDate: state.includes('up to date'),
    },
    logged: [...new Map(lines.map(({ pid, msg }) => [pid, msg!.startsWith('Ready')])).values()],
  };
}

/** A server that is too old answers all the same. */
const TOO_OLD = /behind its primary|has had a newer tip/;
const withoutNumbers = (text: string | null): string | null => text?.replaceAll(/\d+/g, '…') ?? null;
const asNumber = (value: boolean | null): number | null => (value === null ? null : Number(value));

/** What the banner of the first page should say, with a number of blocks if it names one; null: none. */
function rightBanner({ ready, status: { index, node } }: Account): RegExp | null {
  if (!ready.isReady) return TOO_OLD.test(ready.reason) ? /database of this server is behind/ : null;
  if (!node.reachable) return /node is not reachable/;
  if (node.on_our_chain === false) return /on another branch/;
  const above = (node.height ?? 0) - (index?.height ?? 0);
  if (above >= 2) return new RegExp(`index is (?:<[^>]*>)?${above}(?:<[^>]*>)? blocks behind its node`);
  return above <= -2 ? new RegExp(`node is (?:<[^>]*>)?${-above}(?:<[^>]*>)? blocks behind this index`) : null;
}

/** The alerts that belong to what `/status` says. */
function rightAlerts({ status: { ready, index, node, mempool } }: Account): string[] {
  const above = node.height === null ? 0 : node.height - (index?.height ?? 0);
  const holds = {
    ChainIndexerNotReady: !ready,
    ChainIndexerNodeUnusable: !node.reachable,
    ChainIndexerNodeOnOtherBranch: node.on_our_chain === false,
    ChainIndexerNodeBehind: above < -10,
    ChainIndexerIndexBehindNode: above > 10,
    ChainIndexerMempoolIncomplete: !mempool?.complete,
  };
  return Object.entries(holds).flatMap(([name, isHeld]) => (isHeld ? [name] : []));
}

/** Alerts about what no scenario changes: the age of simulated blocks, and a database that is silent for a moment. */
const OTHER_ALERTS = /Behind$(?<!NodeBehind)|DatabaseSilent/;

/** Each pair of places that say different things. */
export function contradictions(account: Account): string[] {
  const { ready, status, samples, page, logged } = account;
  const { index, node, mempool, database } = status;
  const above = node.height === null || index === null ? null : node.height - index.height;
  const banner = rightBanner(account);
  const isServed = ready.isReady || TOO_OLD.test(ready.reason);
  /** What all workers say in a metric; null if it is absent. */
  const metric = (name: string) => {
    const values = new Set(samples.filter((sample) => sample.name === `chain_indexer_${name}`).map((s) => s.value));
    return values.size > 1 ? [...values].join(' and ') : ([...values][0] ?? null);
  };
  const inUse = samples.filter(({ name }) => name === 'chain_indexer_database_in_use');
  const lag = metric('replica_lag_seconds');
  const isUpToDate = isServed && banner === null && node.on_our_chain === true && above !== null && above >= 0;
  const claims: readonly (readonly [place: string, said: unknown, right: unknown])[] = [
    ['/status: ready', status.ready, ready.isReady],
    [
      '/status: the reason',
      withoutNumbers(status.not_ready_because),
      ready.isReady ? null : withoutNumbers(ready.reason),
    ],
    ['/ready: height', ready.height, ready.isReady ? index?.height : null],
    ['/status: lag_blocks', index?.lag_blocks ?? null, above === null || above < 0 ? null : above],
    ['metric ready', metric('ready'), Number(ready.isReady)],
    ['metric tip_height_blocks', metric('tip_height_blocks'), index?.height ?? 0],
    ['metric node_reachable', metric('node_reachable'), Number(node.reachable)],
    ['metric node_on_our_chain', metric('node_on_our_chain'), asNumber(node.on_our_chain)],
    ['metric node_height_blocks', metric('node_height_blocks'), node.height],
    ['metric mempool_complete', metric('mempool_complete'), Number(mempool?.complete ?? false)],
    // As long as the index lacks what some of them spend, workers that had an older index know different ones.
    ...(mempool === null || mempool.complete
      ? [['metric mempool_transactions', metric('mempool_transactions'), mempool?.count ?? null] as const]
      : []),
    ['metric database_connected', metric('database_connected'), Number(database.connected)],
    [
      'metric database_in_use',
      [...new Set(inUse.map(({ labels }) => `${labels.database} ${labels.role} ${labels.timeline}`))].join(),
      database.role === null ? '' : `${database.host} ${database.role} ${database.timeline ?? ''}`,
    ],
    ['metric replica_lag_seconds', lag === null, database.lag_seconds === null],
    ['log', logged.every((said) => said === ready.isReady), true],
    ['page: status', page.status, isServed ? 200 : 503],
    [
      'page: banner',
      page.banner,
      banner === null ? null : banner.test(page.banner ?? '') ? page.banner : banner.source,
    ],
    ['page: up to date', page.saysUpToDate, isUpToDate],
    [
      'alerts',
      alertsThatHold(samples)
        .filter((name) => !OTHER_ALERTS.test(name))
        .join(),
      rightAlerts(account).join(),
    ],
  ];
  return claims.flatMap(([place, said, right]) =>
    said === right ? [] : [`${place} says ${JSON.stringify(said)}, by the others it is ${JSON.stringify(right)}`],
  );
}
