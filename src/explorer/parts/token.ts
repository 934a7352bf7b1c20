/** Renders names of tokens and NFTs, properties of a token in words, and tables of its holders. */
import { type Freezing, freezingOf } from '../../answers/token-label.ts';
import { tokenAddress } from '../../chain/address.ts';
import type { Atoms, Id, NftMetadata } from '../../chain/types.ts';
import type { AnyTokenRow } from '../../store/queries/tokens/expanded-token-lists.ts';
import type { HolderBalanceRow } from '../../store/queries/tokens/holders.ts';
import type { TokenRow } from '../../store/queries/tokens/tokens.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { type Html, html } from '../html.ts';
import type { Site } from '../site.ts';
import { say, textOf, type Words } from '../words/catalogue.ts';
import { localDecimal } from '../words/formats.ts';
import { type AmountOptions, amountColumn, amountHtml, exactAmount } from './amount.ts';
import { bytesAsText, plainChainText } from './chain-text.ts';
import { meter, partsOfWholeBar } from './chart.ts';
import { downloadLinks } from './downloads.ts';
import { destinationLink, thingPath } from './id-links.ts';
import { percentage } from './number.ts';
import { badge, propertyList } from './properties-and-badges.ts';
import { column, inCard, numberColumn, table } from './table.ts';

/** Renders the name of an NFT, which its issuer chose freely. */
export function nftName({ name }: Pick<NftMetadata, 'name'>): Html {
  return bytesAsText(name, { most: 40 });
}

/** Renders the name of an NFT as the link to its page. */
export const nftNameLink = (site: Site, id: Id, nft: Pick<NftMetadata, 'name'>): Html =>
  html`<a href="${site.href(thingPath('nft', tokenAddress(site.network, id)))}">${nftName(nft)}</a>`;

/** Returns the name of an NFT, for titles and sentences. */
export function nftNameText({ name }: Pick<NftMetadata, 'name'>): string {
  return plainChainText(Buffer.from(name, 'hex').toString('utf8'), 40);
}

/** Renders an amount of the token with its ticker. On the token's own page the ticker is no link. */
export function tokenAmount(
  { ticker, decimals }: Pick<TokenRow, 'ticker' | 'decimals'>,
  atoms: Atoms,
  options: Pick<AmountOptions, 'isRounded'> = {},
): Html {
  return amountHtml(exactAmount(atoms, decimals), {
    ...options,
    unit: html`<span class="unit">${bytesAsText(ticker, { most: 24 })}</span>`,
  });
}

/** Marks a frozen token, or a market of one. */
export function frozenBadge(freezing: Freezing | null): Html | null {
  return freezing && badge(freezing.isForEver ? 'permanently frozen' : 'frozen', 'bad');
}

/** Marks an order of a frozen token: "frozen" is a state of orders, too. */
export function frozenTokenBadge(freezing: Freezing | null): Html | null {
  return freezing && badge(freezing.isForEver ? 'token permanently frozen' : 'token frozen', 'bad');
}

interface Mintable {
  readonly is_locked: boolean | null;
  readonly is_mintable: boolean | null;
}

/** Marks whether more of a token can be minted; null while it is frozen. */
function supplyBadge({ is_locked, is_mintable }: Mintable, freezing: Freezing | null): Html | null {
  if (is_locked) return badge('supply locked', 'good');
  if (!is_mintable) return badge('fully minted');
  return freezing === null ? badge('can mint more', 'warning') : null;
}

/** Marks whether a token can be frozen; null while it is. */
const freezingBadge = (isFreezable: boolean | null, freezing: Freezing | null): Html | null =>
  freezing === null ? badge(isFreezable ? 'can freeze' : 'not freezable', isFreezable ? 'warning' : 'good') : null;

const isMintable = ({
  is_locked,
  total_supply_type: type,
  total_supply: limit,
  circulating_supply: minted,
}: TokenRow) => !is_locked && (type !== 'Fixed' || minted < limit!);

/** Describes the largest possible supply. Nothing can be minted while a token is frozen. */
export function describeSupply(token: TokenRow): Html {
  return html`${supplyBadge({ ...token, is_mintable: isMintable(token) }, freezingOf([token]))} ${supplyWords(token)}`;
}

function supplyWords(token: TokenRow): Html {
  if (token.is_locked) return html`Nothing more can be minted or unminted.`;
  const stopped =
    token.is_frozen &&
    (token.is_unfreezable === true
      ? html`No more can be minted while the token is frozen.`
      : html`No more can be minted: the token is permanently frozen.`);
  switch (token.total_supply_type) {
    case 'Fixed': {
      const limit = token.total_supply ?? 0n;
      const text = textOf(say('{share} minted', { share: percentage(token.circulating_supply, limit) }));
      return html`At most ${tokenAmount(token, limit)}, ${text}.${stopped && [html` `, stopped]}${meter(text, token.circulating_supply, limit)}`;
    }
    case 'Lockable':
      return stopped
        ? html`Lockable. ${stopped}`
        : html`Lockable: the authority can mint without limit until it locks the supply.`;
    case 'Unlimited':
      return stopped ? html`Unlimited. ${stopped}` : html`Unlimited: the authority can always mint more.`;
  }
}

/** Says whether the token can be transferred now, and whether that can change. */
export function describeFreezing(token: TokenRow): Html {
  const freezing = freezingOf([token]);
  if (freezing === null) {
    const words = token.is_freezable ? html`Not frozen; the authority can freeze it.` : html`Nobody can freeze it.`;
    return html`${freezingBadge(token.is_freezable, freezing)} ${words}`;
  }
  return freezing.isForEver
    ? html`Permanently frozen: it cannot be transferred, and its orders cannot be filled or closed.`
    : html`Frozen: until the authority unfreezes it, it cannot be transferred, and its orders cannot be filled or closed.`;
}

/** Lists what the authority may still do: of a frozen token, nothing but unfreeze it (docs/indexing-rules.md#token-commands). */
export function authorityPowers(token: TokenRow): string {
  const freezing = freezingOf([token]);
  if (freezing !== null)
    return textOf(
      freezing.isForEver
        ? 'do nothing: the token is permanently frozen'
        : 'unfreeze the token (nothing else until then)',
    );
  const { is_locked, total_supply_type: type } = token;
  const powers: readonly (Words | false)[] = [
    isMintable(token) && 'mint more',
    !is_locked && 'burn tokens that it holds',
    !is_locked && type === 'Lockable' && 'lock the supply',
    token.is_freezable && 'freeze the token',
    'change the metadata URI',
    'transfer the authority',
  ];
  return powers.flatMap((each) => (each === false ? [] : textOf(each))).join(', ');
}

/** A column of what circulates, with a detail that says of a fixed supply what may be minted in all. */
export const supplyColumn = amountColumn<AnyTokenRow>(
  'Circulating supply',
  ({ circulating_supply, decimals }) => exactAmount(circulating_supply, decimals ?? 0),
  {
    more: ({ max_supply: limit, decimals }) =>
      limit === null ? undefined : html`<br>at most ${localDecimal(exactAmount(limit, decimals!).decimal)}`,
  },
);

/** Says what may happen to a token, for lists. */
export function tokenStateHtml(row: AnyTokenRow): Html {
  const freezing = freezingOf([row]);
  const words = freezing === null ? null : afterFreezing(row, freezing);
  return html`${frozenBadge(freezing)} ${supplyBadge(row, freezing)} ${freezingBadge(row.is_freezable, freezing)} ${words !== null && badge(words)}`;
}

function afterFreezing({ is_mintable: isMintable }: AnyTokenRow, { isForEver }: Freezing): Words | null {
  if (isForEver) return isMintable ? 'no more can be minted' : null;
  return isMintable ? 'can be unfrozen and then minted' : 'can be unfrozen';
}

/** The numbers of top holders whose share is shown. */
const FEW = [1, 3, 10] as const;

interface HeldCurrency {
  readonly ticker: string;
  readonly decimals: number;
  readonly circulatingSupply: Atoms;
}

export function holderTable(
  site: Site,
  rows: readonly HolderBalanceRow[],
  { ticker, decimals, circulatingSupply }: HeldCurrency,
): Html {
  return table(rows, {
    caption: 'Holders, largest first',
    id: 'holders',
    columns: [
      column('Address', ({ owner }) => destinationLink(site, owner)),
      amountColumn(say('Total, {unit}', { unit: ticker }), ({ total }) => exactAmount(total, decimals)),
      rows.some(({ locked }) => locked > 0n) &&
        inCard.off(amountColumn(say('Locked, {ticker}', { ticker }), ({ locked }) => exactAmount(locked, decimals))),
      inCard.top(numberColumn('Share of supply', ({ total }) => percentage(total, circulatingSupply))),
    ],
    empty: 'There are no holders: nothing was minted, all of it was burned, or orders and HTLCs hold it.',
  });
}

/** Renders links to files of all holders after the block of the tip. `currency`: `coin`, or the address of a token. */
export function holderDownloads(site: Site, currency: string, { height }: Pick<SnapshotTip, 'height'>): Html {
  const path = currency === 'coin' ? currency : `token/${currency}`;
  return downloadLinks(site, `/statistics/${path}/holders`, { height: String(height) });
}

/**
 * Renders the share of the top holders in the circulating supply. `largest`: the first ten of the list; `holders`: the
 * number of all.
 */
export function holderConcentration(
  largest: readonly HolderBalanceRow[],
  { holders, circulatingSupply: supply }: { readonly holders: number; readonly circulatingSupply: Atoms },
): Html | null {
  if (largest.length === 0) return null;
  const sumOf = (number: number) => largest.slice(0, number).reduce((sum, { total }) => sum + total, 0n);
  const shown = FEW.filter((number) => number === 1 || number <= Math.max(largest.length, holders));
  const names = { 1: 'Top holder', 3: 'Top 3 holders', 10: 'Top 10 holders' } as const;
  const title = textOf(
    largest.length === 1
      ? 'Share of the only holder'
      : say('Shares of the top {count} holders', { count: largest.length }),
  );
  const bar = partsOfWholeBar(
    title,
    largest.map(({ total }) => total),
    supply,
  );
  return html`${bar}${propertyList(shown.map((number) => [names[number], percentage(sumOf(number), supply)]))}`;
}
