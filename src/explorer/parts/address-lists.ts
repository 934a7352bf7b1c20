/** The lists of an address: each is a part of its page, and a page of its own with all entries. */
import { readTokenLabels, type TokenLabels } from '../../api/present/token-label.ts';
import { PLACE_FIELDS, UNLOCK_FIELDS } from '../../api/v2/address-owned-objects.ts';
import { DELEGATION_FIELDS } from '../../api/v2/pool.ts';
import { COIN } from '../../chain/currency.ts';
import type { Id } from '../../chain/types.ts';
import { type BalanceRow, listBalancesOfAddress } from '../../store/queries/addresses.ts';
import { type DelegationRow, listDelegationsOfAddress } from '../../store/queries/delegations.ts';
import { type AddressHtlcRow, listHtlcsOfAddress } from '../../store/queries/htlcs.ts';
import { type ListedNftRow, listNftsOfOwner } from '../../store/queries/nft-lists.ts';
import { listOrdersOfConcluder, type OrderRow } from '../../store/queries/orders.ts';
import { listPoolsOfDecommissioner } from '../../store/queries/pool-lists.ts';
import type { PoolRow } from '../../store/queries/pools.ts';
import { listTokensOfAuthority } from '../../store/queries/tokens.ts';
import { type ListedTransactionRow, listWholeTransactionsOfAddress } from '../../store/queries/transactions.ts';
import { listUnlocksOfAddress, type UnlockPlace, type UnlockRow, unlockPlace } from '../../store/queries/unlocks.ts';
import { listUtxos, type OutputRow, parseLines } from '../../store/queries/utxos.ts';
import type { SnapshotTip, UnbatchedQueryRunner } from '../../store/read/batched-query.ts';
import { readTransactionOutline } from '../read/transaction-outline.ts';
import type { Site } from '../site.ts';
import { type AddressList, addressList, type Listed } from './address-list.ts';
import { balanceTable, ownNftTable, ownOrderTable, ownPoolTable, ownTokenTable } from './address-tables.ts';
import { delegationTable } from './delegation-table.ts';
import { htlcTable, tokensOfOutputs, unlockTable, utxoTable } from './output-tables.ts';
import { transactionTable } from './transaction-table.ts';

const NO_LABELS: TokenLabels = new Map();
const placeOf = (row: OutputRow | AddressHtlcRow) => ({
  height: row.height,
  position: row.position,
  outputIndex: row.output_index,
});

/** All lists, in the order of the page. */
export function addressLists(site: Site): readonly AddressList[] {
  const { network } = site;
  const withLabels = async <Row>(
    store: UnbatchedQueryRunner,
    found: { readonly tip: SnapshotTip; readonly rows: readonly Row[] },
    tokens: Iterable<Id>,
  ): Promise<Listed<Row>> => ({ ...found, labels: await readTokenLabels(store, found.tip, tokens) });

  return [
    addressList<BalanceRow, { readonly currency: string }>({
      name: 'balances',
      title: 'Balances',
      plural: 'balances',
      api: null,
      list: 'address-balances',
      fields: { currency: 'currency' },
      read: async (store, range) => {
        const found = await listBalancesOfAddress(store, range);
        const tokens = found.rows.map(({ currency }) => currency).filter((currency) => currency !== COIN);
        return withLabels(store, found, tokens);
      },
      sortKey: ({ currency }) => ({ currency }),
      table: ({ rows, labels }) =>
        balanceTable(site, labels, rows, {
          caption: 'Balances by currency, the coin first',
          empty: 'The address holds nothing.',
        }),
    }),
    addressList<UnlockRow, Record<string, number | bigint>>({
      name: 'unlocks',
      title: 'Unlock calendar',
      plural: 'time-locked outputs',
      api: '/unlocks',
      list: 'address-unlocks',
      fields: UNLOCK_FIELDS,
      read: async (store, { after, ...range }) => {
        const place = after && (Object.values(after) as unknown as UnlockPlace);
        const found = await listUnlocksOfAddress(store, { ...range, after: place });
        return withLabels(store, found, tokensOfOutputs(network, found.rows));
      },
      hasEntries: ({ has_unlocks }) => has_unlocks,
      sortKey: (row) => {
        const [anchorHeight, anchorTime, opensAt, height, position, outputIndex] = unlockPlace(row);
        return { anchorHeight: anchorHeight!, anchorTime: anchorTime!, opensAt, height, position, outputIndex };
      },
      table: ({ tip, rows, labels }) =>
        unlockTable({ site, labels, tipHeight: tip.height }, rows, {
          caption: 'Time-locked outputs, those first that open first',
          empty: 'Nothing of the address is under a time lock.',
        }),
    }),
    addressList<ListedTransactionRow, { readonly txIndex: number }>({
      name: 'transactions',
      title: 'Transactions',
      plural: 'transactions',
      api: '/transactions',
      list: 'address-transactions',
      fields: { txIndex: 'index' },
      read: async (store, range) => ({ ...(await listWholeTransactionsOfAddress(store, range)), labels: NO_LABELS }),
      sortKey: ({ tx_index }) => ({ txIndex: tx_index }),
      table: ({ rows }) =>
        transactionTable(
          site,
          rows.map((row) => ({ transaction: readTransactionOutline(row.body), size: row.size, place: row })),
          {
            caption: 'Transactions that have to do with the address, newest first',
            empty: 'No transaction in a block has to do with the address.',
          },
        ),
    }),
    addressList<OutputRow, ReturnType<typeof placeOf>>({
      name: 'utxos',
      title: 'Unspent outputs',
      plural: 'unspent outputs',
      api: '/all-utxos?cursor=',
      list: 'all-utxos',
      fields: PLACE_FIELDS,
      read: async (store, range) => {
        const { tip, rows } = await listUtxos(store, { ...range, spendableOnly: false, refundWaitsForLock: true });
        const outputs = parseLines(rows[0]!);
        return withLabels(store, { tip, rows: outputs }, tokensOfOutputs(network, outputs));
      },
      sortKey: placeOf,
      table: ({ tip, rows, labels }) =>
        utxoTable({ site, labels, tipHeight: tip.height }, rows, {
          caption: 'Unspent outputs, the oldest first',
          empty: 'The address has no unspent outputs.',
        }),
    }),
    addressList<DelegationRow, { readonly delegationId: Id }>({
      name: 'delegations',
      title: 'Delegations',
      plural: 'delegations',
      api: '/delegations?cursor=',
      list: 'address-delegations',
      fields: DELEGATION_FIELDS,
      read: async (store, range) => ({ ...(await listDelegationsOfAddress(store, range)), labels: NO_LABELS }),
      sortKey: ({ delegation_id }) => ({ delegationId: delegation_id }),
      table: ({ rows }) =>
        delegationTable(site, rows, {
          caption: 'Delegations that the address may withdraw from, by id',
          hasPool: true,
          empty: 'The address has no delegations.',
        }),
    }),
    addressList<PoolRow, { readonly height: number; readonly poolId: Id }>({
      name: 'pools',
      title: 'Pools',
      plural: 'pools',
      api: '/pools',
      list: 'address-pools',
      fields: { height: 'height', poolId: 'id' },
      read: async (store, { owner, ...range }) => ({
        ...(await listPoolsOfDecommissioner(store, { destination: owner, ...range })),
        labels: NO_LABELS,
      }),
      hasEntries: ({ has_pools }) => has_pools,
      sortKey: ({ creation_height, pool_id }) => ({ height: creation_height, poolId: pool_id }),
      table: ({ rows }) =>
        ownPoolTable(site, rows, {
          caption: 'Living pools that the address may decommission, the youngest first',
          empty: 'The address has no pools.',
        }),
    }),
    addressList<OrderRow, { readonly height: number; readonly orderId: Id }>({
      name: 'orders',
      title: 'Orders',
      plural: 'orders',
      api: '/orders',
      list: 'address-orders',
      fields: { height: 'height', orderId: 'id' },
      read: async (store, { owner, ...range }) => {
        const found = await listOrdersOfConcluder(store, { destination: owner, ...range });
        const currencies = found.rows.flatMap(({ ask_currency, give_currency }) => [ask_currency, give_currency]);
        return withLabels(
          store,
          found,
          currencies.filter((currency) => currency !== COIN),
        );
      },
      hasEntries: ({ has_orders }) => has_orders,
      sortKey: ({ creation_height, order_id }) => ({ height: creation_height, orderId: order_id }),
      table: ({ rows, labels }) =>
        ownOrderTable(site, labels, rows, {
          caption: 'Orders that the address may conclude, the youngest first',
          empty: 'The address has no orders.',
        }),
    }),
    addressList<ListedNftRow, { readonly height: number; readonly tokenId: Id }>({
      name: 'nfts',
      title: 'NFTs',
      plural: 'NFTs',
      api: '/nfts',
      list: 'address-nfts',
      fields: { height: 'height', tokenId: 'id' },
      read: async (store, range) => ({ ...(await listNftsOfOwner(store, range)), labels: NO_LABELS }),
      hasEntries: ({ has_nfts }) => has_nfts,
      sortKey: ({ creation_height, token_id }) => ({ height: creation_height, tokenId: token_id }),
      table: ({ rows }) =>
        ownNftTable(site, rows, {
          caption: 'NFTs that the address has, the youngest first',
          empty: 'The address has no NFTs.',
        }),
    }),
    addressList<{ readonly token_id: Id }, { readonly tokenId: Id }>({
      name: 'authority',
      title: 'Token authority',
      plural: 'tokens under its authority',
      api: '/token-authority?cursor=',
      list: 'token-authority',
      fields: { tokenId: 'id' },
      read: async (store, range) => {
        const found = await listTokensOfAuthority(store, range);
        return withLabels(
          store,
          found,
          found.rows.map(({ token_id }) => token_id),
        );
      },
      hasEntries: ({ has_authority }) => has_authority,
      sortKey: ({ token_id }) => ({ tokenId: token_id }),
      table: ({ rows, labels }) =>
        ownTokenTable(
          site,
          labels,
          rows.map(({ token_id }) => token_id),
          {
            caption: 'Tokens that the address has authority over, by id',
            empty: 'The address has authority over no token.',
          },
        ),
    }),
    addressList<AddressHtlcRow, ReturnType<typeof placeOf>>({
      name: 'htlcs',
      title: 'HTLCs',
      plural: 'open HTLCs',
      api: '/htlcs',
      list: 'address-htlcs',
      fields: PLACE_FIELDS,
      read: async (store, range) => {
        const found = await listHtlcsOfAddress(store, range);
        return withLabels(store, found, tokensOfOutputs(network, found.rows));
      },
      hasEntries: ({ has_htlcs }) => has_htlcs,
      sortKey: placeOf,
      table: ({ tip, rows, labels }) =>
        htlcTable({ site, labels, tipHeight: tip.height }, rows, {
          caption: 'Open HTLCs that the address may claim or refund, newest first',
          empty: 'The address has no open HTLCs.',
        }),
    }),
  ];
}
