/** Filled tables behind a web server of each contract, for tests of lists. */
import { createHash } from 'node:crypto';
import { destinationAddress, poolAddress, tokenAddress } from '../../src/chain/address.ts';
import { networkByName } from '../../src/chain/networks/known-networks.ts';
import { builtBefore, type Scope, sharedByFiles } from './file-scope.ts';
import { BUSY_OWNER, fillTables } from './filled-tables.ts';
import { TestIndex } from './indexed-database.ts';
import type { TestServer } from './web-server.ts';

export const network = networkByName('regtest');
export const SIZES = {
  blocks: 60,
  transactionsPerBlock: 4,
  pools: 45,
  delegations: 57,
  tokens: 43,
  nfts: 19,
  orders: 90,
  holders: 61,
};
export const TRANSACTIONS = SIZES.blocks * SIZES.transactionsPerBlock;

/** Returns the id of a thing, by its kind and number. */
const idOf = (thing: string) => createHash('sha256').update(thing).digest('hex');
/** Has holders, transactions and orders. */
export const FIRST_TOKEN = tokenAddress(network, idOf('token1'));
/** Has all delegations. */
export const FIRST_POOL = poolAddress(network, idOf('pool1'));

/** The address that has all delegations, all authority and all transactions. */
export const busy = destinationAddress(network, BUSY_OWNER);

/** Counts the numbers from `first` on, `count` of them, for which `isSo` returns true. */
export function countOf(first: number, count: number, isSo: (i: number) => boolean): number {
  return Array.from({ length: count }, (_, place) => first + place).filter(isSo).length;
}

/** Orders that are neither frozen nor concluded nor filled, counted one by one as the tables were filled. */
export const OPEN_ORDERS = countOf(1, SIZES.orders, (i) => i % 11 !== 0 && i % 17 !== 0 && i % 13 !== 0);

/** The prices of the open orders, by hand: `fillTables` says what an order asks and gives, and what is left. */
function pricesOf(asksForToken: boolean): number {
  const prices = new Set<string>();
  for (let i = 1; i <= SIZES.orders; i++) {
    const isOpen = i % 11 !== 0 && i % 17 !== 0 && i % 13 !== 0;
    if (!isOpen || (i % 2 !== 0) !== asksForToken) continue;
    const asked = 10 * (1 + (i % 9)) * (1 + (i % 3)) - 1;
    const given = 7 * (1 + (i % 3)) - 1;
    prices.add(String(given / asked));
  }
  return prices.size;
}

export const PRICE_LEVELS = { askingForToken: pricesOf(true), givingToken: pricesOf(false) };

type FilledSizes = Parameters<typeof fillTables>[1];

export class FilledServers {
  index!: TestIndex;
  server!: TestServer;
  core!: TestServer;
}

async function createFilled(scope: Scope, sizes: FilledSizes): Promise<TestIndex> {
  const index = await TestIndex.create(scope, network);
  await fillTables(index.session.writer, sizes);
  return index;
}

/** An index with tables of these sizes, for the tests of one file. To be called at its top. */
export function filledIndex(sizes: FilledSizes): () => TestIndex {
  return builtBefore((scope) => createFilled(scope, sizes));
}

const useFilledServers = sharedByFiles(async (scope) => {
  const filled = new FilledServers();
  filled.index = await createFilled(scope, SIZES);
  const { described, core } = await filled.index.serveBoth(scope);
  return Object.assign(filled, { server: described, core });
});

/** To be called at the top of a test file, which may not change the tables: other files read them too. */
export function filledServers(): FilledServers {
  const filled = new FilledServers();
  useFilledServers((started) => void Object.assign(filled, started));
  return filled;
}
