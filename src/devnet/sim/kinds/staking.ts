/** Pools and delegations. */

import { derivePoolId } from '../../../chain/derive-ids.ts';
import { ATOMS_PER_COIN, maturityAt } from '../../../chain/networks/network.ts';
import type { SignedTransaction, TimeLock } from '../../../chain/types.ts';
import { MIN_PLEDGE_ATOMS } from '../rules/apply-outputs.ts';
import type { TransactionDraft } from '../transaction-draft.ts';
import type { TransactionMaker, TransactionMakerContext } from '../transaction-maker-context.ts';
import type { SimulatedDelegation } from '../world.ts';

const MIN_LIVE_POOLS = 5;
const LASTING_POOL_HEIGHT = 10;
const DELEGATIONS_TRIED = 8;

/** Coins of pools and delegations stay locked for the maturity, now and then for longer. */
function maturityLock({ world, random }: TransactionMakerContext): TimeLock {
  const blocks = maturityAt(world.network, world.height);
  return { type: 'ForBlockCount', value: BigInt(blocks + (random.chance(0.1) ? random.below(200) : 0)) };
}

const poolCreate: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const pledge = MIN_PLEDGE_ATOMS + (random.chance(0.3) ? 0n : maker.coins(1, 60_000));
  const first = maker.treasury.coins.pick(random) ?? world.coins.pick(random);
  if (first === undefined) return null;
  const poolId = derivePoolId([{ type: 'Utxo', outpoint: first.outpoint }])!;
  const key = world.userKeys.stakerDestination(random);
  const written = maker.draft().spend(first);
  written.make({
    type: 'CreateStakePool',
    poolId,
    data: {
      pledge,
      staker: key,
      vrfPublicKey: world.userKeys.newVrfPublicKey(random),
      decommissionKey: random.chance(0.5) ? key : maker.signer(),
      marginRatioPerThousand: random.chance(0.05) ? 1000 : random.below(30) * 10,
      costPerBlock: random.chance(0.3) ? 0n : maker.coins(0.1, 30),
    },
  });
  return written.paidBy(maker.treasury);
};

const poolDecommission: TransactionMaker = (maker) => {
  const { world, random, habits } = maker;
  const pool = world.livePools.pick(random);
  if (pool === undefined || world.isStaking(pool) || world.livePools.size <= MIN_LIVE_POOLS) return null;
  if (habits.drawsByStake && pool.creationHeight <= LASTING_POOL_HEIGHT) return null;
  const utxo = world.utxos.get(pool.outputKey);
  if (utxo === undefined || !world.userKeys.owns(pool.decommissionKey)) return null;
  const written = maker.draft().spend(utxo, world.userKeys.witness(pool.decommissionKey)).takeCoins(pool.stakerBalance);
  const destination = random.chance(0.5) ? pool.decommissionKey : maker.receiver();
  return mature(maker, written, destination);
};

/** Ends a transaction that gives the coins taken from a pool or delegations back, less the fee. */
function mature(
  maker: TransactionMakerContext,
  written: TransactionDraft,
  destination: string,
): SignedTransaction | null {
  const paid = written.coinsIn - written.fee() - ATOMS_PER_COIN / 5n;
  if (paid <= 0n) return null;
  const isSplit = paid > 10n * ATOMS_PER_COIN && maker.random.chance(0.15);
  const parts = isSplit ? [paid / 3n, paid - paid / 3n] : [paid];
  for (const part of parts) written.lock('coin', part, destination, maturityLock(maker));
  return written.signed();
}

const delegationCreate: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const pool = world.livePools.pickSkewed(random);
  if (pool === undefined) return null;
  const destination = maker.signer();
  return maker.draft().make({ type: 'CreateDelegationId', destination, poolId: pool.id }).paidBy(null);
};

function someDelegation(
  { world, random }: TransactionMakerContext,
  accepts: (delegation: SimulatedDelegation) => boolean,
) {
  return world.delegationBag.pickWhere(random, DELEGATIONS_TRIED, accepts);
}

const delegate: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const newest = world.delegationBag.items.at(-1);
  const delegation =
    newest !== undefined && newest.balance === 0n && newest.pool.outputKey !== '' && random.chance(0.7)
      ? newest
      : someDelegation(maker, ({ pool }) => pool.outputKey !== '');
  if (delegation === null) return null;
  const { id, owner } = delegation;
  const written = maker.draft().make({ type: 'DelegateStaking', amount: maker.coins(20, 20_000), delegationId: id });
  return written.paidBy(world.owner(owner));
};

/** A part or all of a delegation; now and then of two at once, or with coins of the owner for the fee. */
const withdraw: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const rich = ({ balance }: SimulatedDelegation) => balance > ATOMS_PER_COIN;
  const delegation = someDelegation(maker, rich);
  if (delegation === null) return null;
  const written = maker.draft();
  const second = random.chance(0.15) ? someDelegation(maker, rich) : null;
  const sources = second === null || second === delegation ? [delegation] : [delegation, second];
  for (const { id, balance, nonce, owner } of sources) {
    const part = random.chance(0.2) ? balance : ATOMS_PER_COIN + random.bigBelow(balance - ATOMS_PER_COIN + 1n);
    written.act({ type: 'Account', nonce, delegationId: id, amount: part }, owner).takeCoins(part);
  }
  if (random.chance(0.2)) {
    written.lock('coin', written.coinsIn, delegation.owner, maturityLock(maker));
    return written.paidBy(world.owner(delegation.owner));
  }
  return mature(maker, written, delegation.owner);
};

export const STAKING_TRANSACTION_MAKERS = { poolCreate, poolDecommission, delegationCreate, delegate, withdraw };
