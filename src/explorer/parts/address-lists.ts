/** The lists of an address: each is a part of its page, and a page of its own with all entries. */
import { COIN } from '../../chain/currency.ts';
import { BALANCE_LIST } from '../../store/queries/addresses.ts';
import { ADDRESS_DELEGATION_LIST } from '../../store/queries/delegations.ts';
import { ADDRESS_HTLC_LIST } from '../../store/queries/htlcs.ts';
import { ADDRESS_NFT_LIST } from '../../store/queries/nft-lists.ts';
import { ADDRESS_ORDER_LIST } from '../../store/queries/orders.ts';
import { ADDRESS_POOL_LIST } from '../../store/queries/pool-lists.ts';
import { AUTHORITY_LIST } from '../../store/queries/tokens.ts';
import { WHOLE_ADDRESS_TRANSACTION_LIST } from '../../store/queries/transactions.ts';
import { UNLOCK_LIST } from '../../store/queries/unlocks.ts';
import { ALL_UTXO_LIST } from '../../store/queries/utxos.ts';
import { tokensOfOrders } from '../read/order-facts.ts';
import { readTransactionOutline } from '../read/transaction-outline.ts';
import type { Site } from '../site.ts';
import { type AddressList, addressList } from './address-list.ts';
import { balanceTable, ownNftTable, ownOrderTable, ownPoolTable, ownTokenTable } from './address-tables.ts';
import { delegationTable } from './delegation-table.ts';
import { htlcTable, tokensOfOutputs, unlockTable, utxoTable } from './output-tables.ts';
import { transactionTable } from './transaction-table.ts';

/** All lists, in the order of the page. */
export function addressLists(site: Site): readonly AddressList[] {
  const { network } = site;
  return [
    addressList({
      name: 'balances',
      title: 'Balances',
      plural: 'balances',
      api: null,
      list: BALANCE_LIST,
      tokens: (rows) => rows.map(({ currency }) => currency).filter((currency) => currency !== COIN),
      table: ({ rows, labels }) =>
        balanceTable(site, labels, rows, {
          caption: 'Balances by currency, the coin first',
          empty: 'The address holds nothing.',
        }),
    }),
    addressList({
      name: 'unlocks',
      title: 'Unlock calendar',
      plural: 'time-locked outputs',
      api: '/unlocks',
      list: UNLOCK_LIST,
      tokens: (rows) => tokensOfOutputs(network, rows),
      hasEntries: ({ has_unlocks }) => has_unlocks,
      table: ({ tip, rows, labels }) =>
        unlockTable({ site, labels, tipHeight: tip.height }, rows, {
          caption: 'Time-locked outputs, those first that open first',
          empty: 'Nothing of the address is under a time lock.',
        }),
    }),
    addressList({
      name: 'transactions',
      title: 'Transactions',
      plural: 'transactions',
      api: '/transactions',
      list: WHOLE_ADDRESS_TRANSACTION_LIST,
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
    addressList({
      name: 'utxos',
      title: 'Unspent outputs',
      plural: 'unspent outputs',
      api: '/all-utxos?cursor=',
      list: ALL_UTXO_LIST,
      tokens: (rows) => tokensOfOutputs(network, rows),
      table: ({ tip, rows, labels }) =>
        utxoTable({ site, labels, tipHeight: tip.height }, rows, {
          caption: 'Unspent outputs, the oldest first',
          empty: 'The address has no unspent outputs.',
        }),
    }),
    addressList({
      name: 'delegations',
      title: 'Delegations',
      plural: 'delegations',
      api: '/delegations?cursor=',
      list: ADDRESS_DELEGATION_LIST,
      table: ({ rows }) =>
        delegationTable(site, rows, {
          caption: 'Delegations that the address may withdraw from, by id',
          hasPool: true,
          empty: 'The address has no delegations.',
        }),
    }),
    addressList({
      name: 'pools',
      title: 'Pools',
      plural: 'pools',
      api: '/pools',
      list: ADDRESS_POOL_LIST,
      hasEntries: ({ has_pools }) => has_pools,
      table: ({ rows }) =>
        ownPoolTable(site, rows, {
          caption: 'Living pools that the address may decommission, the youngest first',
          empty: 'The address has no pools.',
        }),
    }),
    addressList({
      name: 'orders',
      title: 'Orders',
      plural: 'orders',
      api: '/orders',
      list: ADDRESS_ORDER_LIST,
      tokens: tokensOfOrders,
      hasEntries: ({ has_orders }) => has_orders,
      table: ({ rows, labels }) =>
        ownOrderTable(site, labels, rows, {
          caption: 'Orders that the address may conclude, the youngest first',
          empty: 'The address has no orders.',
        }),
    }),
    addressList({
      name: 'nfts',
      title: 'NFTs',
      plural: 'NFTs',
      api: '/nfts',
      list: ADDRESS_NFT_LIST,
      hasEntries: ({ has_nfts }) => has_nfts,
      table: ({ rows }) =>
        ownNftTable(site, rows, {
          caption: 'NFTs that the address has, the youngest first',
          empty: 'The address has no NFTs.',
        }),
    }),
    addressList({
      name: 'authority',
      title: 'Token authority',
      plural: 'tokens under its authority',
      api: '/token-authority?cursor=',
      list: AUTHORITY_LIST,
      tokens: (rows) => rows.map(({ token_id }) => token_id),
      hasEntries: ({ has_authority }) => has_authority,
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
    addressList({
      name: 'htlcs',
      title: 'HTLCs',
      plural: 'open HTLCs',
      api: '/htlcs',
      list: ADDRESS_HTLC_LIST,
      tokens: (rows) => tokensOfOutputs(network, rows),
      hasEntries: ({ has_htlcs }) => has_htlcs,
      table: ({ tip, rows, labels }) =>
        htlcTable({ site, labels, tipHeight: tip.height }, rows, {
          caption: 'Open HTLCs that the address may claim or refund, newest first',
          empty: 'The address has no open HTLCs.',
        }),
    }),
  ];
}
