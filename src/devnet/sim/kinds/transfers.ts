/** Coins that are transferred, locked or burned; data deposits. */
import { ATOMS_PER_COIN, burnedFeesAt } from '../../../chain/networks/network.ts';
import { randomDepositData } from '../random-texts.ts';
import { maxDataBytes } from '../rules/apply-outputs.ts';
import type { TransactionDraft } from '../transaction-draft.ts';
import type { TransactionMaker, TransactionMakerContext } from '../transaction-maker-context.ts';
import type { SimulatedOwner, SimulatedUtxo } from '../world.ts';

const SPLIT_OUTPUTS = 110;
/** Below this, the treasury's outputs are too small to be split. */
const LARGE_ATOMS = 100_000n * ATOMS_PER_COIN;
const LONG_LOCK_BLOCKS = 500;

/** Somebody with coins, and one of his outputs in a draft; now and then several of them, always when there are too many. */
function begin(maker: TransactionMakerContext): { written: TransactionDraft; owner: SimulatedOwner } | null {
  const { world, random, habits } = maker;
  const utxo = world.coins.pick(random);
  if (utxo === undefined) return null;
  const owner = maker.ownerOf(utxo);
  const written = maker.draft().spend(utxo);
  const crowded = world.coins.size > habits.liquidOutputs;
  const more = crowded ? random.between(2, 6) : random.chance(0.25) ? random.between(1, 4) : 0;
  for (let count = 0; count < more; count++) {
    const another = owner.coins.pick(random);
    if (another !== undefined && !written.spends(another)) written.spend(another);
  }
  return { written, owner };
}

/** A part of the coins in the draft that can be spent so that a small fee remains. */
function spendable(maker: TransactionMakerContext, { coinsIn }: TransactionDraft): bigint {
  const most = coinsIn - 3n * ATOMS_PER_COIN;
  return most <= 0n ? 0n : maker.partOf(most);
}

const transfer: TransactionMaker = (maker) => {
  const { random } = maker;
  const begun = begin(maker);
  if (begun === null) return null;
  const { written, owner } = begun;
  const receivers = random.chance(0.8) ? 1 : random.between(2, 5);
  for (let count = 0; count < receivers; count++) {
    const amount = spendable(maker, written) / BigInt(receivers);
    if (amount > 0n) written.transfer('coin', amount, maker.receiver());
  }
  return written.paidBy(owner);
};

/** A payment to very many at once. */
const payout: TransactionMaker = (maker) => {
  const { random } = maker;
  const written = maker.draft();
  const receivers = random.between(60, 400);
  for (let count = 0; count < receivers; count++) written.transfer('coin', maker.coins(0.5, 20), maker.receiver());
  return written.paidBy(maker.treasury);
};

/** Spends an output of the block being built. */
const sameBlock: TransactionMaker = (maker) => {
  const { coins, height } = maker.world;
  const utxo = coins.items.slice(-8).find((newer) => newer.height === height && newer.amount > 2n * ATOMS_PER_COIN);
  if (utxo === undefined) return null;
  const amount = maker.partOf(utxo.amount - ATOMS_PER_COIN);
  const written = maker.draft().spend(utxo).transfer('coin', amount, maker.receiver());
  return written.paidBy(maker.ownerOf(utxo));
};

/** Coins and tokens of one owner in one transaction. */
const manyCurrencies: TransactionMaker = (maker) => {
  const { random } = maker;
  const written = maker.draft();
  let first: SimulatedOwner | null = null;
  for (let count = random.between(2, 3); count > 0; count--) {
    const utxo = maker.someTokenOutput();
    if (utxo === undefined || written.spends(utxo)) continue;
    first ??= maker.ownerOf(utxo);
    const amount = maker.partOf(utxo.amount);
    written.spend(utxo).transfer(utxo.currency, amount, maker.receiver()).keepRest(utxo, amount);
  }
  if (first === null) return null;
  return written.transfer('coin', maker.coins(0.1, 100), maker.receiver()).paidBy(first);
};

/** Makes a transfer under a lock of any kind, mostly a short one; sometimes of tokens. */
const lock: TransactionMaker = (maker) => {
  const { random } = maker;
  const chosen = maker.shortLock(random.chance(0.9) ? 12 : LONG_LOCK_BLOCKS);
  const utxo = random.chance(0.2) ? maker.someTokenOutput() : undefined;
  if (utxo !== undefined) {
    const amount = maker.partOf(utxo.amount);
    const written = maker.draft().spend(utxo).lock(utxo.currency, amount, maker.signer(), chosen);
    return written.keepRest(utxo, amount).paidBy(maker.ownerOf(utxo));
  }
  const begun = begin(maker);
  if (begun === null) return null;
  const amount = spendable(maker, begun.written);
  if (amount === 0n) return null;
  return begun.written.lock('coin', amount, maker.signer(), chosen).paidBy(begun.owner);
};

const burn: TransactionMaker = (maker) => {
  const begun = begin(maker);
  return begun?.written.burn('coin', maker.coins(0.01, 50)).paidBy(begun.owner) ?? null;
};

const dataDeposit: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const data = randomDepositData(random, maxDataBytes(world));
  const { dataDeposit } = burnedFeesAt(world.network, world.height);
  return maker.draft().make({ type: 'DataDeposit', data }).costs(dataDeposit).paidBy(null);
};

/** Many outputs of one owner put together. */
const consolidation: TransactionMaker = (maker) => {
  const { random, world } = maker;
  const first = world.coins.pick(random);
  if (first === undefined) return null;
  const owner = maker.ownerOf(first);
  const written = maker.draft().spend(first);
  const { items } = owner.coins;
  for (let count = random.between(20, 120); count > 0; count--) {
    const utxo = items[random.below(items.length)]!;
    if (!written.spends(utxo)) written.spend(utxo);
  }
  return written.paidBy(owner);
};

/** Pays coins of the treasury to many owners. */
const split: TransactionMaker = (maker) => {
  const { world, treasury } = maker;
  const { items } = treasury.coins;
  let largest = largestOf(items);
  if (largest === undefined || largest.amount < LARGE_ATOMS) largest = largestOf([...items, ...world.coins.items]);
  if (largest === undefined) return null;
  const written = maker.draft().spend(largest);
  let rest = largest.amount / 2n;
  for (let count = 0; count < SPLIT_OUTPUTS; count++) {
    const amount = maker.coins(60, 20_000);
    if (amount > rest) break;
    rest -= amount;
    written.transfer('coin', amount, maker.signer());
  }
  return written.withChangeTo(treasury.destination);
};

function largestOf(utxos: readonly SimulatedUtxo[]): SimulatedUtxo | undefined {
  let largest = utxos[0];
  for (const utxo of utxos) if (utxo.amount > largest!.amount) largest = utxo;
  return largest;
}

export const TRANSFER_TRANSACTION_MAKERS = {
  split,
  transfer,
  sameBlock,
  manyCurrencies,
  lock,
  burn,
  dataDeposit,
  payout,
  consolidation,
};
