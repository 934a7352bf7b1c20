/** Coins that are transferred, locked or burned; data deposits. */
import { ATOMS_PER_COIN, feesAt } from '../../../chain/networks/network.ts';
import { type Draft, outputValue } from '../draft.ts';
import { maxDataBytes } from '../rules/outputs.ts';
import { depositData } from '../texts.ts';
import {
  coins,
  draft,
  type Make,
  type Maker,
  ownerOf,
  partOf,
  receiver,
  shortLock,
  signer,
  someTokenOutput,
  treasury,
} from '../transaction-maker.ts';
import type { Owner, Utxo } from '../world.ts';

const SPLIT_OUTPUTS = 110;
const LONG_LOCK_BLOCKS = 500;

/**
 * Somebody with coins, and one of his outputs in a draft; now and then several of them, always when there are too many.
 */
function begin(maker: Maker): { written: Draft; owner: Owner; available: bigint } | null {
  const { world, random, habits } = maker;
  const utxo = world.coins.pick(random);
  if (utxo === undefined) return null;
  const owner = ownerOf(maker, utxo);
  const written = draft(maker).spend(utxo);
  let available = utxo.amount;
  const crowded = world.coins.size > habits.liquidOutputs;
  const more = crowded ? random.between(2, 6) : random.chance(0.25) ? random.between(1, 4) : 0;
  for (let count = 0; count < more; count++) {
    const another = owner.coins.pick(random);
    if (another === undefined || written.spends(another)) continue;
    written.spend(another);
    available += another.amount;
  }
  return { written, owner, available };
}

/** What may be given away of `available` so that a small fee remains. */
function spendable(random: Maker['random'], available: bigint): bigint {
  const most = available - 3n * ATOMS_PER_COIN;
  return most <= 0n ? 0n : partOf(random, most);
}

export const transfer: Make = (maker) => {
  const { random } = maker;
  const begun = begin(maker);
  if (begun === null) return null;
  const receivers = random.chance(0.8) ? 1 : random.between(2, 5);
  for (let count = 0; count < receivers; count++) {
    const amount = spendable(random, begun.available) / BigInt(receivers);
    if (amount > 0n) begun.written.transfer('coin', amount, receiver(maker));
  }
  return begun.written.paidBy(begun.owner, treasury(maker));
};

/** A payment to very many at once. */
export const payout: Make = (maker) => {
  const { random } = maker;
  const written = draft(maker);
  const receivers = random.between(60, 400);
  for (let count = 0; count < receivers; count++) written.transfer('coin', coins(random, 0.5, 20), receiver(maker));
  return written.paidBy(treasury(maker), treasury(maker));
};

/** Spends an output of the block being built. */
export const sameBlock: Make = (maker) => {
  const { world, random } = maker;
  const { items } = world.coins;
  let newest: Utxo | null = null;
  for (let place = items.length - 1; place >= 0 && place >= items.length - 8; place--) {
    const utxo = items[place]!;
    if (utxo.height === world.height && utxo.amount > 2n * ATOMS_PER_COIN) newest = utxo;
  }
  if (newest === null) return null;
  const amount = partOf(random, newest.amount - ATOMS_PER_COIN);
  const written = draft(maker).spend(newest).transfer('coin', amount, receiver(maker));
  return written.paidBy(ownerOf(maker, newest), treasury(maker));
};

/** Coins and tokens of one owner in one transaction. */
export const manyCurrencies: Make = (maker) => {
  const { random } = maker;
  const written = draft(maker);
  let first: Owner | null = null;
  for (let count = random.between(2, 3); count > 0; count--) {
    const utxo = someTokenOutput(maker);
    if (utxo === undefined || written.spends(utxo)) continue;
    first ??= ownerOf(maker, utxo);
    const amount = partOf(random, utxo.amount);
    written.spend(utxo).transfer(utxo.currency, amount, receiver(maker)).keepRest(utxo, amount);
  }
  if (first === null) return null;
  written.transfer('coin', coins(random, 0.1, 100), receiver(maker));
  return written.paidBy(first, treasury(maker));
};

/** Under a lock of any kind, mostly a short one; now and then tokens. */
export const lock: Make = (maker) => {
  const { random } = maker;
  const chosen = shortLock(maker, random.chance(0.9) ? 12 : LONG_LOCK_BLOCKS);
  const utxo = random.chance(0.2) ? someTokenOutput(maker) : undefined;
  if (utxo !== undefined) {
    const amount = partOf(random, utxo.amount);
    const written = draft(maker).spend(utxo);
    written.make({
      type: 'LockThenTransfer',
      value: outputValue(utxo.currency, amount),
      destination: signer(maker),
      lock: chosen,
    });
    return written.keepRest(utxo, amount).paidBy(ownerOf(maker, utxo), treasury(maker));
  }
  const begun = begin(maker);
  if (begun === null) return null;
  const amount = spendable(random, begun.available);
  if (amount === 0n) return null;
  begun.written.make({
    type: 'LockThenTransfer',
    value: outputValue('coin', amount),
    destination: signer(maker),
    lock: chosen,
  });
  return begun.written.paidBy(begun.owner, treasury(maker));
};

export const burn: Make = (maker) => {
  const { random } = maker;
  const begun = begin(maker);
  if (begun === null) return null;
  begun.written.make({ type: 'Burn', value: outputValue('coin', coins(random, 0.01, 50)) });
  return begun.written.paidBy(begun.owner, treasury(maker));
};

export const dataDeposit: Make = (maker) => {
  const { world, random } = maker;
  const data = depositData(random, maxDataBytes(world));
  const { dataDeposit } = feesAt(world.network, world.height);
  const written = draft(maker).make({ type: 'DataDeposit', data }).costs(dataDeposit);
  return written.paidBy(null, treasury(maker));
};

/** Many outputs of one owner put together. */
export const consolidation: Make = (maker) => {
  const { random, world } = maker;
  const first = world.coins.pick(random);
  if (first === undefined) return null;
  const owner = ownerOf(maker, first);
  const written = draft(maker).spend(first);
  const { items } = owner.coins;
  for (let count = random.between(20, 120); count > 0; count--) {
    const utxo = items[random.below(items.length)]!;
    if (!written.spends(utxo)) written.spend(utxo);
  }
  return written.paidBy(owner, treasury(maker));
};

/** Gives coins of the treasury to many. */
export const split: Make = (maker) => {
  const { random, world } = maker;
  let largest: Utxo | null = null;
  for (const utxo of treasury(maker).coins.items) if (largest === null || utxo.amount > largest.amount) largest = utxo;
  if (largest === null || largest.amount < 100_000n * ATOMS_PER_COIN) {
    for (const utxo of world.coins.items) if (largest === null || utxo.amount > largest.amount) largest = utxo;
  }
  if (largest === null) return null;
  const written = draft(maker).spend(largest);
  let rest = largest.amount / 2n;
  for (let count = 0; count < SPLIT_OUTPUTS; count++) {
    const amount = coins(random, 60, 20_000);
    if (amount > rest) break;
    rest -= amount;
    written.transfer('coin', amount, signer(maker));
  }
  return written.withChangeTo(maker.treasury);
};
