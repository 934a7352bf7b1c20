/** All lists of an address, each with its query and its table. */

import { destinationAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import { nftMetadataFromHex } from '../../chain/codec/nft.ts';
import { isContractOutput, isLockedOutput, isPaymentOutput } from '../../chain/input-and-output-kinds.ts';
import { type ParsedOutput, parseBlockReferenceJson, parseOutputEntryJson } from '../../render/stored-json.ts';
import type { ListPage } from '../../serving/pagination/paging.ts';
import { ALL_UTXO_LIST, type UtxoRow } from '../../store/queries/addresses/address-outputs.ts';
import { ADDRESS_HTLC_LIST } from '../../store/queries/addresses/htlcs.ts';
import {
  MOST_SUMMED,
  UNLOCK_LIST_AT_PACE,
  type UnlockRow,
  type UnlockRowWithSums,
} from '../../store/queries/addresses/unlocks.ts';
import { ADDRESS_ORDER_LIST } from '../../store/queries/orders/orders.ts';
import { ADDRESS_DELEGATION_LIST } from '../../store/queries/pools/delegations.ts';
import { ADDRESS_POOL_LIST } from '../../store/queries/pools/pool-lists.ts';
import { ADDRESS_NFT_LIST } from '../../store/queries/tokens/nft-lists.ts';
import { AUTHORITY_TOKEN_LIST } from '../../store/queries/tokens/tokens.ts';
import {
  ADDRESS_TRANSACTION_BODY_LIST,
  type TransactionSortKey,
} from '../../store/queries/transactions/transactions.ts';
import type { SnapshotTip } from '../../store/read/query.ts';
import { type Html, html } from '../html.ts';
import { readListedTransactions } from '../read/listed-transactions.ts';
import { tokensOfOrders } from '../read/order-values.ts';
import { tokensInTransaction } from '../read/transaction-sums.ts';
import type { Site } from '../site.ts';
import { newestFirst } from '../words/catalogue.ts';
import { coinAmount, coinColumn, DASH_HTML } from './amount.ts';
import { BALANCES_OF_ADDRESS } from './balances.ts';
import { bytesAsText } from './chain-text.ts';
import { currencyDecimals, currencyUnit } from './currency-names.ts';
import {
  type ListOfAddress,
  type ListOfAddressDefinition,
  type ListOfAddressRows,
  listOfAddress,
} from './define-address-list.ts';
import { describeOutput } from './describe-output.ts';
import {
  addressLink,
  heightLink,
  htlcLink,
  nftLink,
  orderLink,
  outpointLink,
  poolLink,
  tokenLink,
} from './id-links.ts';
import { describeLock, endedLock, lockedOrNot } from './lock.ts';
import { orderAmountColumn, orderBadges } from './order-table.ts';
import { parseListPage, readListPage } from './paging.ts';
import { delegationTable, marginHtml } from './pool.ts';
import { badge } from './properties-and-badges.ts';
import { type Column, column, inCard, numberColumn, table } from './table.ts';
import { blockTime, LAST_SECOND, timeHtml } from './time.ts';
import { transactionTable } from './transaction-table.ts';

/** All lists but the history, in their order on the page. */
export const LISTS_OF_ADDRESS: readonly ListOfAddress[] = [
  BALANCES_OF_ADDRESS,
  outputList({
    name: 'unlocks',
    title: 'Unlock calendar',
    plural: 'time-locked outputs',
    api: '/unlocks',
    list: UNLOCK_LIST_AT_PACE,
    isByPace: true,
    isRare: true,
    caption: 'Time-locked outputs, next to unlock first',
    first: ({ site, tip }, row) => html`${row.worth}, ${opening(site, tip, row, 'relative')}`,
    above: ({ site, rows: [row] }) => row !== undefined && soonUnlocked(site, row),
    columns: ({ site, tip }) => [
      column('Output', ({ link }) => link),
      inCard.line(
        column('Unlocks', (row) => {
          const { unlock_height: height } = row;
          return html`${opening(site, tip, row)}${height !== null && html` <span class="muted">· block ${height}</span>`}`;
        }),
      ),
      inCard.top(numberColumn('Amount', ({ worth }) => worth)),
      inCard.off(numberColumn('Created in block', ({ made }) => heightLink(site, made.height))),
    ],
  }),
  {
    name: 'transactions',
    title: 'Transactions',
    plural: 'transactions',
    api: '/transactions?expand=true',
    parse: (query, owner) => parseListPage(query, ADDRESS_TRANSACTION_BODY_LIST, { owner }),
    read: async (site, store, owner, page) => {
      const { tip, rows, entries, ...place } = await readListPage(
        store,
        ADDRESS_TRANSACTION_BODY_LIST,
        page as ListPage<TransactionSortKey>,
        { owner },
      );
      const address = destinationAddress(site.network, owner);
      const transactions = await readListedTransactions(site.network, store, tip, entries, address);
      const words = {
        caption: newestFirst('Transactions'),
        empty: 'This address has no confirmed transactions.',
        address,
      } as const;
      const table = () => transactionTable(site, transactions, words);
      return { tip, ...place, length: entries.length, table, transactions };
    },
  },
  outputList({
    name: 'utxos',
    title: 'Unspent outputs',
    plural: 'unspent outputs',
    api: '/all-utxos?cursor=',
    list: ALL_UTXO_LIST,
    caption: 'Unspent outputs, oldest first',
    columns: ({ site }) => [
      column('Output', ({ link }) => link),
      inCard.top(numberColumn('Amount', ({ worth }) => worth)),
      inCard.plain(column('Type', ({ what }) => what)),
      numberColumn('Block', ({ made }) => heightLink(site, made.height)),
      inCard.plain(column('Time', ({ made }) => timeHtml(made.timestamp))),
    ],
  }),
  listOfAddress({
    name: 'delegations',
    title: 'Delegations',
    plural: 'delegations',
    api: '/delegations?cursor=',
    list: ADDRESS_DELEGATION_LIST,
    caption: 'Delegations that the address owns, by id',
    table: ({ site, rows, words }) => delegationTable(site, rows, { ...words, hasPool: true }),
  }),
  tableList({
    name: 'pools',
    title: 'Pools',
    plural: 'pools',
    api: '/pools',
    list: ADDRESS_POOL_LIST,
    isRare: true,
    caption: 'Active pools that the address can decommission, newest first',
    // The figures that need the ranking of pools are left out.
    columns: ({ site }) => [
      column('Pool', ({ pool_id }) => poolLink(site, pool_id)),
      inCard.namedTop(
        coinColumn(site, 'Stake', ({ staker_balance, delegations_balance }) => staker_balance + delegations_balance),
      ),
      coinColumn(site, 'Owner’s stake', ({ staker_balance }) => staker_balance),
      numberColumn('Margin', marginHtml),
      coinColumn(site, 'Cost per block', ({ cost_per_block }) => cost_per_block),
      inCard.off(numberColumn('Created in block', ({ creation_height }) => heightLink(site, creation_height))),
    ],
  }),
  tableList({
    name: 'orders',
    title: 'Orders',
    plural: 'orders',
    api: '/orders',
    list: ADDRESS_ORDER_LIST,
    tokens: tokensOfOrders,
    isRare: true,
    caption: 'Orders that the address can close, newest first',
    columns: ({ site, labels }) => [
      column('Order', ({ order_id }) => orderLink(site, order_id)),
      inCard.top(column('Status', (order) => orderBadges(labels, order))),
      orderAmountColumn(site, labels, 'Left to sell', 'give', ({ give_balance }) => give_balance),
      orderAmountColumn(site, labels, 'Left to receive', 'ask', ({ ask_balance }) => ask_balance),
      inCard.off(orderAmountColumn(site, labels, 'Gives (initial)', 'give', ({ initially_given }) => initially_given)),
      inCard.off(orderAmountColumn(site, labels, 'Asks (initial)', 'ask', ({ initially_asked }) => initially_asked)),
      inCard.off(numberColumn('Created in block', ({ creation_height }) => heightLink(site, creation_height))),
    ],
  }),
  tableList({
    name: 'nfts',
    title: 'NFTs',
    plural: 'NFTs',
    api: '/nfts',
    list: ADDRESS_NFT_LIST,
    isRare: true,
    caption: 'NFTs that the address owns, newest first',
    columns: ({ site }) => [
      column('NFT', ({ token_id }) => nftLink(site, token_id)),
      inCard.line(
        column('Name', ({ metadata }) => bytesAsText(nftMetadataFromHex(metadata).name, { most: 60 }), 'wide'),
      ),
      column('Ticker', ({ metadata }) => bytesAsText(nftMetadataFromHex(metadata).ticker, { most: 24 })),
      inCard.top(
        column('Issued', ({ creation_height, creation_timestamp }) =>
          blockTime(site, creation_height, creation_timestamp),
        ),
      ),
    ],
  }),
  tableList({
    name: 'authority',
    title: 'Token authority',
    plural: 'tokens under its authority',
    api: '/token-authority?cursor=',
    list: AUTHORITY_TOKEN_LIST,
    tokens: (rows) => rows.map(({ token_id }) => token_id),
    isRare: true,
    caption: 'Tokens that the address has authority over, by id',
    empty: 'This address has no authority over any token.',
    columns: ({ site, labels }) => [
      column('Token', ({ token_id }) => tokenLink(site, token_id)),
      column('Ticker', ({ token_id }) => currencyUnit(site, labels, token_id)),
      numberColumn('Decimals', ({ token_id }) => currencyDecimals(site, labels, token_id)),
    ],
  }),
  outputList({
    name: 'htlcs',
    title: 'HTLCs',
    plural: 'open HTLCs',
    api: '/htlcs',
    list: ADDRESS_HTLC_LIST,
    isRare: true,
    caption: 'Open HTLCs that the address can claim or refund, newest first',
    columns: ({ site, tip }) => [
      column('Secret hash', ({ utxo }) => htlcLink(site, contractOf(utxo).secret_hash.hex)),
      inCard.top(numberColumn('Amount', ({ worth }) => worth)),
      inCard.plain(
        column('This address', ({ may_spend, may_refund, ...row }) => {
          const claim = may_spend && badge('can claim with the secret', 'good');
          const isOpen = endedLock(...refundLock(site, tip, row)) !== null;
          return html`${claim} ${may_refund && (isOpen ? badge('can refund', 'warning') : badge('can refund later'))}`;
        }),
      ),
      column('Counterparty', ({ utxo, may_spend }) => {
        const { refund_key, spend_key } = contractOf(utxo);
        return addressLink(site, may_spend ? refund_key : spend_key);
      }),
      column(
        'Refund lock',
        (row) => {
          const lock = refundLock(site, tip, row);
          const since = endedLock(...lock);
          return since === null ? describeLock(...lock) : html`refundable since ${since}`;
        },
        'wide',
      ),
      column('Output', ({ link }) => link),
      numberColumn('Block', ({ made }) => heightLink(site, made.height)),
    ],
  }),
];

type Columns<Row, ShownRow = Row> = {
  readonly columns: (listed: ListOfAddressRows<Row>) => readonly Column<ShownRow>[];
};
type Definition<Key extends object, Row> = Omit<ListOfAddressDefinition<Key, Row>, 'table' | 'first'>;
interface OutputColumns<Row> extends Columns<Row, Row & ShownOutput> {
  readonly first?: (listed: ListOfAddressRows<Row>, row: Row & ShownOutput) => Html;
  /** What stands above the table. */
  readonly above?: (listed: ListOfAddressRows<Row>) => Html | false;
}

/** Makes a list that is a table with a row for each entry. */
function tableList<Key extends object, Row>({ columns, ...rest }: Definition<Key, Row> & Columns<Row>): ListOfAddress {
  const shown = (listed: ListOfAddressRows<Row>) => table(listed.rows, { ...listed.words, columns: columns(listed) });
  return listOfAddress({ ...rest, table: shown });
}

/** Makes a list of outputs. */
function outputList<Key extends object, Row extends UtxoRow>({
  columns,
  first,
  above,
  ...rest
}: Definition<Key, Row> & OutputColumns<Row>): ListOfAddress {
  const outputsOf = (listed: ListOfAddressRows<Row>) => {
    return listed.rows.map((row) => ({ ...row, ...shownOutput(listed, row) }));
  };
  return listOfAddress({
    ...rest,
    tokens: (rows, network) =>
      tokensInTransaction(network, { inputs: [], outputs: rows.map(({ entry }) => parseOutputEntryJson(entry).utxo) }),
    table: (listed) => {
      const outputs = outputsOf(listed);
      return html`${above?.(listed)}${table(outputs, { ...listed.words, columns: columns(listed) })}`;
    },
    first: first && ((listed) => first(listed, outputsOf({ ...listed, rows: listed.rows.slice(0, 1) })[0]!)),
  });
}

type ShownOutput = ReturnType<typeof shownOutput>;

/** Prepares an output for a table. A transfer is to the address of the list, so its destination is left out. */
function shownOutput({ site, tip, labels }: Omit<ListOfAddressRows<UtxoRow>, 'rows'>, row: UtxoRow) {
  const { outpoint, utxo } = parseOutputEntryJson(row.entry);
  const made = parseBlockReferenceJson(row.block_reference);
  const words = describeOutput(
    { site, labels, place: made, tipHeight: tip.height, created: null, isRounded: true },
    utxo,
  );
  const what = () => {
    if (isLockedOutput(utxo)) return lockedOrNot(site, utxo.lock, made, tip.height);
    return isPaymentOutput(utxo) ? html`Transfer` : words.what;
  };
  const link = outpointLink(site, outpoint.source_type, outpoint.source_id, outpoint.index);
  return { utxo, made, link, worth: words.worth ?? DASH_HTML, what: what() };
}

/** The lock of a refund, as {@link endedLock} and {@link describeLock} take it. */
const refundLock = (site: Site, tip: SnapshotTip, { utxo, made }: Pick<ShownOutput, 'utxo' | 'made'>) =>
  [site, contractOf(utxo).refund_timelock, made, tip.height] as const;

function contractOf(output: ParsedOutput) {
  if (!isContractOutput(output)) throw new Error(`an output of type ${output.type} in a list of HTLCs`);
  return output.htlc;
}

/**
 * Renders the time of an unlock, which is an estimate for a lock by height, at the pace of the chain. A lock by time ends some
 * minutes after its time, by the median time past: see {@link describeLock}.
 */
function opening(
  site: Site,
  tip: SnapshotTip,
  { opens_at, unlock_height }: UnlockRow,
  shown: 'both' | 'relative' = 'both',
): Html {
  if (unlock_height === tip.height + 1) return html`with the next block`;
  if (unlock_height === null && opens_at <= site.pace.tipTime + site.pace.secondsPerBlock)
    return html`in one of the next blocks`;
  if (opens_at > LAST_SECOND) return html`never`;
  const moment = Number(opens_at);
  if (unlock_height === null) return timeHtml(moment, shown);
  return html`${timeHtml(moment, moment - site.pace.tipTime < DAY_SECONDS ? shown : 'day')} (estimated)`;
}

/** Says which coins unlock soon. */
function soonUnlocked(site: Site, { coins_in_week, coins_in_month, sums_are_partial }: UnlockRowWithSums): Html {
  const [week, month] = [coins_in_week, coins_in_month].map((atoms) =>
    coinAmount(site, atoms, { isRounded: 'inline' }),
  );
  return html`<p>Within 7 days: ${week} <span class="muted">·</span> within 30 days: ${month}${sums_are_partial && html` <span class="muted">(of the next ${MOST_SUMMED} outputs)</span>`}</p>`;
}
