/** The requested pages of the explorer: each kind hot (one URL) and cold (another one each time). */
import type { SampleIds } from './sample-ids.ts';

export interface MeasuredPage {
  /** The path under which the page is registered. */
  readonly page: string;
  /** The variant of the page. */
  readonly variant?: string;
  readonly hot: string;
  readonly cold: readonly string[];
  /** Pages a second that must be reached cold; none where only the time of one is of interest. */
  readonly leastCold?: number;
}

/** Pages of one thing, each from a few look-ups. */
const ONE_THING = 3_000;
/** Pages of many things. */
const MANY_THINGS = 800;

/** Every kind of page that the chain has something for. */
export function measuredPages(s: SampleIds): MeasuredPage[] {
  const one = (page: string, path = page, more: Partial<MeasuredPage> = {}): MeasuredPage[] => [
    { page, hot: path, cold: [path], ...more },
  ];
  const each = (
    page: string,
    ids: readonly string[],
    more: Partial<MeasuredPage> & { readonly hotId?: string } = {},
  ): MeasuredPage[] => {
    const { hotId = ids[0], ...rest } = more;
    if (hotId === undefined) return [];
    const path = (id: string) => page.replace(/:[a-z]+/, () => encodeURIComponent(id));
    return [{ page, hot: path(hotId), cold: ids.map(path), ...rest }];
  };
  const ofAddress = (list: string, ids: readonly string[]) => each(`/address/:address/${list}`, ids);
  return [
    ...one('/', '/', { leastCold: MANY_THINGS }),
    ...one('/blocks'),
    ...each('/block/:id', s.blocks, { leastCold: MANY_THINGS }),
    ...one('/block/:id', `/block/${s.largestBlock}`, { variant: 'most transactions' }),
    ...one('/txs'),
    ...each('/tx/:id', s.txs, { leastCold: ONE_THING }),
    ...each('/address/:address', s.addresses, { hotId: s.usualAddress, leastCold: MANY_THINGS }),
    ...one('/address/:address', `/address/${s.busiestAddress}`, { variant: 'busiest' }),
    ...ofAddress('balances', s.addresses),
    ...ofAddress('unlocks', s.lockedOwners),
    ...ofAddress('history', s.addresses),
    ...ofAddress('past', s.addresses),
    ...ofAddress('transactions', s.addresses),
    ...ofAddress('utxos', s.addresses),
    ...ofAddress('delegations', s.delegators),
    ...ofAddress('pools', s.decommissioners),
    ...ofAddress('orders', s.concluders),
    ...ofAddress('nfts', s.collectors),
    ...ofAddress('authority', s.authorities),
    ...ofAddress('htlcs', s.htlcParties),
    ...one('/statement', `/statement?addresses=${s.usualAddress}`),
    ...one('/mempool'),
    ...one('/pools'),
    ...one('/pools/compare', `/pools/compare?coins=1000&pool=${s.busiestPool}&pool=${s.pools.at(-1)}`),
    ...each('/pool/:id', s.pools),
    ...one('/pool/:id', `/pool/${s.busiestPool}`, { variant: 'most delegations' }),
    ...each('/pool/:id/delegations', s.pools, { hotId: s.busiestPool }),
    ...each('/pool/:id/blocks', s.pools),
    ...each('/pool/:id/days', s.pools),
    ...one('/pool/:id/days/:day', `/pool/${s.busiestPool}/days/${s.busiestPoolDay}`),
    ...each('/delegation/:id', s.delegations),
    ...each('/delegation/:id/days', s.delegations),
    ...each('/delegation/:id/transactions', s.delegations),
    ...one('/tokens'),
    ...each('/token/:id', s.tokens, { leastCold: ONE_THING }),
    ...one('/token/:id', `/token/${s.busiestToken}`, { variant: 'most transactions' }),
    ...one('/nfts'),
    ...each('/nft/:id', s.nfts),
    ...one('/markets'),
    ...one('/orders'),
    ...each('/order/:id', s.orders, { leastCold: ONE_THING }),
    ...each('/market/:pair', s.pairs),
    ...each('/htlc/:hash', s.secretHashes),
    ...one('/fees'),
    ...one('/statistics'),
    ...one('/statistics/:id', '/statistics/transactions?interval=day'),
    ...one('/richlist'),
    ...one('/reorganisations'),
    ...one('/decode'),
    ...one('/verify-message'),
    ...one('/watch'),
    ...one('/search', '/search?q=a'),
  ];
}

/** Returns the name of the page in the tables. */
export function pageName({ page, variant }: MeasuredPage): string {
  return variant === undefined ? page : `${page}, ${variant}`;
}
