/** Pools and delegations. */

import { poolIdOf } from '../../../chain/derive-ids.ts';
import { ATOMS_PER_COIN, maturityAt } from '../../../chain/networks/network.ts';
import type { SignedTransaction, TimeLock } from '../../../chain/types.ts';
import { outputValue } from '../draft.ts';
import { MIN_PLEDGE_ATOMS } from '../rules/outputs.ts';
import { coins, draft, type Make, type Maker, receiver, signer, treasury } from '../transaction-maker.ts';
import { vrfPublicKey } from '../vrf-key.ts';
import type { Delegation } from '../world.ts';

const MIN_LIVE_POOLS = 5;
const DELEGATIONS_TRIED = 8;

/** Coins of pools and delegations stay locked for the maturity, now and then for longer. */
function maturityLock({ world, random }: Maker): TimeLock {
  const blocks = maturityAt(world.network, world.height);
  return { type: 'ForBlockCount', value: BigInt(blocks + (random.chance(0.1) ? random.below(200) : 0)) };
}

export const poolCreate: Make = (maker) => {
  const { world, random } = maker;
  const payer = treasury(maker);
  const pledge = MIN_PLEDGE_ATOMS + (random.chance(0.3) ? 0n : coins(random, 1, 60_000));
  const written = draft(maker);
  const first = payer.coins.pick(random) ?? world.coins.pick(random);
  if (first === undefined) return null;
  written.spend(first);
  const poolId = poolIdOf([{ type: 'Utxo', outpoint: first.outpoint }])!;
  const key = world.wallet.stakerDestination(random);
  written.make({
    type: 'CreateStakePool',
    poolId,
    data: {
      pledge,
      staker: key,
      vrfPublicKey: vrfPublicKey(random),
      decommissionKey: random.chance(0.5) ? key : signer(maker),
      marginRatioPerThousand: random.chance(0.05) ? 1000 : random.below(30) * 10,
      costPerBlock: random.chance(0.3) ? 0n : coins(random, 0.1, 30),
    },
  });
  return written.paidBy(payer, payer);
};

export const poolDecommission: Make = (maker) => {
  const { world, random } = maker;
  const pool = world.livePools.pick(random);
  if (pool === undefined || pool === world.producer || world.livePools.size <= MIN_LIVE_POOLS) return null;
  const utxo = world.utxos.get(pool.outputKey);
  if (utxo === undefined || !world.wallet.owns(pool.decommissionKey)) return null;
  const written = draft(maker).spend(utxo, world.wallet.witness(pool.decommissionKey)).takeCoins(pool.stakerBalance);
  const destination = random.chance(0.5) ? pool.decommissionKey : receiver(maker);
  return mature(maker, written, pool.stakerBalance, destination);
};

/** Ends a transaction that gives coins of a pool or delegation back, less the fee. */
function mature(
  maker: Maker,
  written: ReturnType<typeof draft>,
  amount: bigint,
  destination: string,
): SignedTransaction | null {
  const { random } = maker;
  const fee = written.fee() + ATOMS_PER_COIN / 5n;
  if (amount <= fee) return null;
  const paid = amount - fee;
  const parts = paid > 10n * ATOMS_PER_COIN && random.chance(0.15) ? [paid / 3n, paid - paid / 3n] : [paid];
  for (const part of parts) {
    written.make({
      type: 'LockThenTransfer',
      value: outputValue('coin', part),
      destination,
      lock: maturityLock(maker),
    });
  }
  return written.signed();
}

export const delegationCreate: Make = (maker) => {
  const { world, random } = maker;
  const pool = world.livePools.pickSkewed(random);
  if (pool === undefined) return null;
  const written = draft(maker).make({ type: 'CreateDelegationId', destination: signer(maker), poolId: pool.id });
  return written.paidBy(null, treasury(maker));
};

function someDelegation(maker: Maker, accepts: (delegation: Delegation) => boolean): Delegation | null {
  for (let attempt = 0; attempt < DELEGATIONS_TRIED; attempt++) {
    const delegation = maker.world.delegationBag.pick(maker.random);
    if (delegation !== undefined && accepts(delegation)) return delegation;
  }
  return null;
}

export const delegate: Make = (maker) => {
  const { world, random } = maker;
  const newest = world.delegationBag.items.at(-1);
  const delegation =
    newest !== undefined && newest.balance === 0n && newest.pool.outputKey !== '' && random.chance(0.7)
      ? newest
      : someDelegation(maker, ({ pool }) => pool.outputKey !== '');
  if (delegation === null) return null;
  const written = draft(maker).make({
    type: 'DelegateStaking',
    amount: coins(random, 20, 20_000),
    delegationId: delegation.id,
  });
  return written.paidBy(world.owner(delegation.owner), treasury(maker));
};

/** A part or all of a delegation; now and then of two at once, or with coins of the owner for the fee. */
export const withdraw: Make = (maker) => {
  const { world, random } = maker;
  const rich = ({ balance }: Delegation) => balance > ATOMS_PER_COIN;
  const delegation = someDelegation(maker, rich);
  if (delegation === null) return null;
  const written = draft(maker);
  const second = random.chance(0.15) ? someDelegation(maker, rich) : null;
  const sources = second === null || second === delegation ? [delegation] : [delegation, second];
  let amount = 0n;
  for (const { id, balance, nonce, owner } of sources) {
    const part = random.chance(0.2) ? balance : ATOMS_PER_COIN + random.bigBelow(balance - ATOMS_PER_COIN + 1n);
    written.act({ type: 'Account', nonce, delegationId: id, amount: part }, owner).takeCoins(part);
    amount += part;
  }
  if (random.chance(0.2)) {
    written.make({
      type: 'LockThenTransfer',
      value: outputValue('coin', amount),
      destination: delegation.owner,
      lock: maturityLock(maker),
    });
    return written.paidBy(world.owner(delegation.owner), treasury(maker));
  }
  return mature(maker, written, amount, delegation.owner);
};
