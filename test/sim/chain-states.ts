/** The state of an index after each block, as far as days and series are counted from it. */
import type { Atoms, Destination, Id } from '../../src/chain/types.ts';
import type { TestIndex } from '../support/indexed-database.ts';

export interface PoolState {
  readonly pool_id: Id;
  readonly decommission_destination: Destination;
  readonly staker_balance: Atoms;
  readonly delegations_balance: Atoms;
}

export interface DelegationState {
  readonly delegation_id: Id;
  readonly pool_id: Id;
  readonly spend_destination: Destination;
  readonly balance: Atoms;
}

export interface ChainState {
  readonly height: number;
  readonly timestamp: number;
  readonly pools: ReadonlyMap<Id, PoolState>;
  readonly delegations: ReadonlyMap<Id, DelegationState>;
  /** Of the coin. */
  readonly circulating: Atoms;
  readonly burned: Atoms;
  readonly staked: Atoms;
  readonly holders: number;
  readonly tokens: number;
  readonly nfts: number;
  readonly openOrders: number;
}

/** Reads the state at the tip. */
export async function chainStateOf({ session }: TestIndex): Promise<ChainState> {
  const { writer } = session;
  const { rows: pools } = await writer.query<PoolState>(
    'select pool_id, decommission_destination, staker_balance, delegations_balance from pools',
  );
  const { rows: delegations } = await writer.query<DelegationState>(
    'select delegation_id, pool_id, spend_destination, balance from delegations',
  );
  const { rows } = await writer.query<Omit<ChainState, 'pools' | 'delegations'>>(
    `select t.height, t.timestamp, s.circulating_supply as circulating, s.burned, s.staked,
            (select count(*) from balances where currency = '')::int as holders,
            (select count(*) from tokens)::int as tokens, (select count(*) from nfts)::int as nfts,
            (select count(*) from orders where is_open)::int as "openOrders"
       from chain_tip t, statistics s where s.currency = ''`,
  );
  return {
    ...rows[0]!,
    pools: new Map(pools.map((pool) => [pool.pool_id, pool])),
    delegations: new Map(delegations.map((delegation) => [delegation.delegation_id, delegation])),
  };
}
