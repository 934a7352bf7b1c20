/** `/account/balance` and `/account/coins`. */

import Type from 'typebox';
import { COIN, type Currency } from '../../chain/currency.ts';
import { isContractOutput } from '../../chain/input-and-output-kinds.ts';
import type { Atoms, Destination } from '../../chain/types.ts';
import { parseOutputEntryJson } from '../../render/stored-json.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { listUtxos, outputCountBeyond, parseOutputLines } from '../../store/queries/addresses/address-outputs.ts';
import { listBalancesOfOwnerAt } from '../../store/queries/addresses/balances-at-height.ts';
import { listOrdersAt } from '../../store/queries/orders/orders-at-height.ts';
import { getPoolOfDelegation } from '../../store/queries/pools/delegations.ts';
import { getTransaction, getTransactionOutput } from '../../store/queries/transactions/transactions.ts';
import { longQueries } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import { type ParsedAccount, parseMeshAccount } from './account-identifier.ts';
import { blockIdentifier, readNamedBlock } from './block-routes.ts';
import { parseMeshCurrency, readCurrencies } from './currencies.ts';
import { MeshError } from './errors.ts';
import { addMeshRoute, type MeshSnapshot } from './mesh-route.ts';
import { movedByOutput } from './operations.ts';
import { readPoolStakes } from './pool-stakes.ts';
import { ACCOUNT, BALANCE_RESPONSE, COINS_RESPONSE, CURRENCIES, PARTIAL_BLOCK } from './schemas.ts';

export function accountRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const byteLimit = context.resources.totals.list_bytes;

  addMeshRoute(routes, context, {
    path: '/account/balance',
    summary: 'What an account had after any block',
    fields: { account_identifier: ACCOUNT, block_identifier: Type.Optional(PARTIAL_BLOCK), currencies: CURRENCIES },
    response: BALANCE_RESPONSE,
    read: async (snapshot, { account_identifier, block_identifier = {}, currencies = [] }) => {
      const account = parseMeshAccount(network, account_identifier);
      const wanted = currencies.map((currency) => parseMeshCurrency(network, currency));
      const block = await readNamedBlock(snapshot, block_identifier);
      const held = await readBalances(snapshot, account, block.height);
      const labels = await readCurrencies(snapshot, [...wanted, ...held.keys()]);
      // An order may ask for a token that is not issued.
      const shown = wanted.length > 0 ? wanted : [...held.keys()].filter((currency) => labels.isKnown(currency));
      const balances = shown.map((currency, i) => ({
        ...labels.amount(held.get(currency) ?? 0n, currency),
        // A token that only a removed block issued is named as in the request.
        ...(!labels.isKnown(currency) && { currency: currencies[i]! }),
      }));
      return { block_identifier: blockIdentifier(block), balances };
    },
  });

  addMeshRoute(routes, context, {
    path: '/account/coins',
    summary: 'The unspent outputs of an account at the tip',
    fields: { account_identifier: ACCOUNT, include_mempool: Type.Optional(Type.Boolean()), currencies: CURRENCIES },
    response: COINS_RESPONSE,
    units: 2,
    read: async (snapshot, { account_identifier, include_mempool, currencies = [] }) => {
      if (include_mempool) throw new MeshError('unsupported', 'Coins of the mempool are in /mempool/transaction');
      const account = parseMeshAccount(network, account_identifier);
      const wanted = currencies.map((currency) => parseMeshCurrency(network, currency));
      const block = await readNamedBlock(snapshot, {});
      const coins = (await readCoinEntries(snapshot, account)).flatMap((entry) => {
        const { outpoint, utxo } = parseOutputEntryJson(entry);
        const identifier = `${outpoint.source_id}:${outpoint.index}`;
        // An HTLC is in the list of an address, but not its coin.
        const isOwn = isContractOutput(utxo) === (account.kind === 'htlc');
        const moved = isOwn ? movedByOutput(network, utxo, identifier)?.moved : undefined;
        return moved && (wanted.length === 0 || wanted.includes(moved.currency)) ? [{ identifier, ...moved }] : [];
      });
      const used = coins.map(({ currency }) => currency);
      const labels = await readCurrencies(snapshot, used);
      return {
        block_identifier: blockIdentifier(block),
        coins: coins.map(({ identifier, atoms, currency }) => ({
          coin_identifier: { identifier },
          amount: labels.amount(atoms, currency),
        })),
      };
    },
  });

  async function readCoinEntries(snapshot: MeshSnapshot, account: ParsedAccount): Promise<string[]> {
    if (account.kind === 'htlc') {
      const outputs = await snapshot.read(getTransactionOutput, account.id, account.outputIndex);
      return outputs.filter(({ spent_height }) => spent_height === null).map(({ entry }) => entry);
    }
    if (account.kind !== 'address') return [];
    const spendable = await readUnspent(snapshot, account.id, true);
    if (!account.isLocked) return spendable;
    const free = new Set(spendable);
    return (await readUnspent(snapshot, account.id, false)).filter((entry) => !free.has(entry));
  }

  async function readUnspent(snapshot: MeshSnapshot, owner: Destination, spendableOnly: boolean): Promise<string[]> {
    const limit = outputCountBeyond(byteLimit);
    const selection = { owner, spendableOnly, refundWaitsForLock: false, after: null, limit, byteLimit };
    const [list] = await snapshot.read((store) => listUtxos(longQueries(store), selection));
    if (list!.count < limit) return parseOutputLines(list!).map(({ entry }) => entry);
    throw new MeshError('unsupported', 'Too many coins: /api/v2/address/{address}/spendable-utxos has pages of them');
  }
}

type Balances = ReadonlyMap<Currency, Atoms>;
const NOTHING: Balances = new Map();

/**
 * Reads what an account had of each currency after the block at a height. An account that no block has created has a
 * balance of 0, as an unused address has: it may have been in a block that a reorganisation removed.
 */
async function readBalances(snapshot: MeshSnapshot, account: ParsedAccount, height: number): Promise<Balances> {
  const { network } = snapshot;
  const { kind, id } = account;
  const exists = (from: number, to: number | null) => from <= height && (to ?? height + 1) > height;
  switch (kind) {
    case 'address': {
      const held = await snapshot.read(listBalancesOfOwnerAt, id, height);
      return new Map(
        held.map(({ currency, balance, locked }) => [currency, account.isLocked ? locked : balance - locked]),
      );
    }
    case 'htlc': {
      const [created] = await snapshot.read(getTransaction, id);
      const [output] = await snapshot.read(getTransactionOutput, id, account.outputIndex);
      const utxo = output && parseOutputEntryJson(output.entry).utxo;
      if (created === undefined || utxo === undefined || !isContractOutput(utxo)) return NOTHING;
      const held = exists(created.height, output!.spent_height) ? movedByOutput(network, utxo, '') : null;
      return held ? new Map([[held.moved.currency, held.moved.atoms]]) : NOTHING;
    }
    case 'order': {
      const [order] = await snapshot.read(listOrdersAt, [id], height);
      if (order === undefined || !exists(order.creation_height, order.concluded_height)) return NOTHING;
      return new Map([
        [order.give_currency, order.initially_given - order.given],
        [order.ask_currency, order.asked],
      ]);
    }
    case 'pool': {
      const stakes = await readPoolStakes(snapshot, id, height);
      return stakes === null ? NOTHING : new Map([[COIN, stakes.stakerBalance]]);
    }
    case 'delegation': {
      const [delegation] = await snapshot.read(getPoolOfDelegation, id);
      const stakes = delegation && (await readPoolStakes(snapshot, delegation.pool_id, height, id));
      return stakes ? new Map([[COIN, stakes.delegations.get(id) ?? 0n]]) : NOTHING;
    }
  }
}
