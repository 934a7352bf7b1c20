/** The tables of an index against what is there by the simulation's own rules and by the blocks, row by row. */
import type pg from 'pg';
import { encodeOutput } from '../../src/chain/codec/output.ts';
import { isStakeOutput } from '../../src/chain/input-and-output-kinds.ts';
import type { Outpoint } from '../../src/chain/types.ts';
import type { SimulatedCurrency, SimulatedUtxo, SimulatedWorld } from '../../src/devnet/sim/world.ts';
import type { History } from './history.ts';
import { TakingPart } from './naive-lists.ts';

type Row = Readonly<Record<string, string | number | boolean | bigint | null>>;

/** By table and key. */
type WorldRows = Readonly<Record<string, ReadonlyMap<string, Row>>>;

const currencyOf = (currency: SimulatedCurrency) => (currency === 'coin' ? '' : currency);

function outpointOf({ sourceId, index }: Outpoint): string {
  return sourceId + index.toString(16).padStart(8, '0');
}

/** Each table by its rows' keys, with the columns that the world knows. */
export function rowsOfWorld({ simulation, network, mainChain }: History): WorldRows {
  const { world } = simulation;
  const part = new TakingPart(network, mainChain);
  const txIndexes = new Map(part.transactions.map((id, index) => [id, index]));
  const decommissions = new Map<string, number>();
  for (const [outpoint, { transactionId }] of part.spent) {
    const { output } = part.created.get(outpoint)!;
    if (isStakeOutput(output) && transactionId !== null)
      decommissions.set(output.poolId, txIndexes.get(transactionId)!);
  }
  return {
    utxos: new Map([...world.utxos.values()].map((utxo) => [outpointOf(utxo.outpoint), utxoRow(utxo)])),
    balances: balancesOf(world),
    pools: new Map(
      [...world.pools.values()].map((pool) => [
        pool.id,
        {
          creation_height: pool.creationHeight,
          staker_balance: pool.stakerBalance,
          delegations_balance: pool.delegationsBalance,
          delegation_count: pool.delegations.filter(({ balance }) => balance > 0n).length,
          blocks_total: pool.blocks,
          decommissioned_by: decommissions.get(pool.id) ?? null,
          decommission_destination: pool.decommissionKey,
        },
      ]),
    ),
    delegations: new Map(
      [...world.delegations.values()].map(({ id, pool, owner, balance, nonce, creationHeight }) => [
        id,
        {
          pool_id: pool.id,
          spend_destination: owner,
          balance,
          next_nonce: nonce,
          creation_height: creationHeight,
        },
      ]),
    ),
    tokens: new Map(
      [...world.tokens.values()].map((token) => [
        token.id,
        {
          creation_height: token.creationHeight,
          metadata_uri: token.metadataUri,
          is_locked: token.isLocked,
          is_frozen: token.frozen !== 'No',
          is_unfreezable: token.frozen === 'No' ? null : token.frozen === 'Unfreezable',
          authority: token.authority,
          next_nonce: token.nonce,
        },
      ]),
    ),
    orders: new Map(
      [...world.orders.values()].map((order) => [
        order.id,
        {
          creation_height: order.creationHeight,
          conclude_destination: order.concludeKey,
          ask_currency: currencyOf(order.ask.currency),
          initially_asked: order.ask.amount,
          ask_balance: order.askBalance,
          give_currency: currencyOf(order.give.currency),
          initially_given: order.give.amount,
          give_balance: order.giveBalance,
          is_frozen: order.isFrozen,
          is_concluded: order.isConcluded,
        },
      ]),
    ),
  };
}

function utxoRow({ output, currency, amount, height, outpoint }: SimulatedUtxo): Row {
  const isHtlc = output.type === 'Htlc';
  return {
    height,
    output_index: outpoint.index,
    is_reward: outpoint.sourceType === 'BlockReward',
    htlc_currency: isHtlc ? currencyOf(currency) : null,
    htlc_amount: isHtlc ? amount : null,
    output: Buffer.from(encodeOutput(output)).toString('hex'),
  };
}

/** What everybody has, free or locked; nobody who has nothing. */
function balancesOf({ utxos }: SimulatedWorld): Map<string, Row> {
  const totals = new Map<string, bigint>();
  for (const { output, destination, currency, amount } of utxos.values()) {
    if (isStakeOutput(output) || output.type === 'Htlc' || amount === 0n) continue;
    const key = `${destination} ${currencyOf(currency)}`;
    totals.set(key, (totals.get(key) ?? 0n) + amount);
  }
  return new Map([...totals].map(([key, total]) => [key, { total }]));
}

const KEYS: Readonly<Record<string, string>> = {
  utxos: `encode(outpoint, 'hex')`,
  balances: `encode(owner, 'hex') || ' ' || encode(currency, 'hex')`,
  pools: `encode(pool_id, 'hex')`,
  delegations: `encode(delegation_id, 'hex')`,
  tokens: `encode(token_id, 'hex')`,
  orders: `encode(order_id, 'hex')`,
};

/** Returns what differs: the table, the key, the column, both values. */
export async function differencesFromWorld(client: Pick<pg.Client, 'query'>, world: WorldRows): Promise<string[]> {
  const differences: string[] = [];
  for (const [table, expected] of Object.entries(world)) {
    const { rows } = await client.query<Row & { key: string }>(
      `select *, ${KEYS[table]} as key from chain_indexer.${table}`,
    );
    const found = new Map(rows.map((row) => [row.key, row]));
    for (const key of found.keys()) if (!expected.has(key)) differences.push(`${table} ${key}: should not be there`);
    for (const [key, should] of expected) {
      const is = found.get(key);
      if (is === undefined) differences.push(`${table} ${key}: is missing`);
      for (const [column, value] of Object.entries(is === undefined ? {} : should)) {
        if (is![column] !== value) differences.push(`${table} ${key}: ${column} is ${is![column]}, not ${value}`);
      }
    }
  }
  return differences;
}
