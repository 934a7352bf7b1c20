/** Hashed time-lock contracts: created, claimed with their secret, taken back after their lock. */
import type { SignedTransaction } from '../../../chain/types.ts';
import { type Draft, outputValue } from '../draft.ts';
import type { Make, Maker } from '../maker.ts';
import { lockOpensAt } from '../rules/locks.ts';
import type { Utxo } from '../world.ts';

const CONTRACTS_TRIED = 6;
const REFUND_LOCK_BLOCKS = 15;

/** Of coins, tokens or an NFT; three of ten secrets stay unknown, so that only the refund is left. */
const htlcCreate: Make = (maker) => {
  const { world, random } = maker;
  const written = maker.draft();
  const roll = random.unit();
  const held = roll < 0.2 ? maker.someTokenOutput() : undefined;
  const utxo = held ?? (roll >= 0.2 && roll < 0.25 ? world.nftUtxos.pick(random) : undefined);
  const secretHash = random.chance(0.3) ? random.hex(20) : world.wallet.newSecret().secretHash;
  const amount = utxo === undefined ? maker.coins(0.5, 500) : maker.partOf(utxo.amount);
  const currency = utxo?.currency ?? 'coin';
  written.make({
    type: 'Htlc',
    value: outputValue(currency, amount),
    contract: {
      secretHash,
      spendKey: maker.signer(),
      refundTimelock: maker.shortLock(REFUND_LOCK_BLOCKS),
      refundKey: maker.signer(),
    },
  });
  if (utxo === undefined) return written.paidBy(null);
  written.spend(utxo).keepRest(utxo, amount);
  return written.paidBy(world.owner(utxo.destination));
};

function someContract(maker: Maker, accepts: (utxo: Utxo) => boolean): Utxo | null {
  const { world, random } = maker;
  for (let attempt = 0; attempt < CONTRACTS_TRIED; attempt++) {
    const utxo = world.contracts.pick(random);
    if (utxo === undefined) return null;
    const isFrozen = utxo.currency !== 'coin' && (world.tokens.get(utxo.currency)?.frozen ?? 'No') !== 'No';
    if (!isFrozen && accepts(utxo)) return utxo;
  }
  return null;
}

const htlcSpend: Make = (maker) => {
  const { world } = maker;
  const { wallet } = world;
  let secret: string | undefined;
  const utxo = someContract(maker, ({ output }) => {
    if (output.type !== 'Htlc') return false;
    secret = wallet.secretOf(output.contract.secretHash);
    return secret !== undefined && wallet.owns(output.contract.spendKey);
  });
  if (utxo === null || utxo.output.type !== 'Htlc' || secret === undefined) return null;
  const { spendKey } = utxo.output.contract;
  const written = maker.draft().spend(utxo, wallet.secretWitness(secret, spendKey));
  return collected(maker, written, utxo, spendKey);
};

const htlcRefund: Make = (maker) => {
  const { world } = maker;
  const utxo = someContract(maker, ({ output, height, timestamp }) => {
    if (output.type !== 'Htlc' || !world.wallet.owns(output.contract.refundKey)) return false;
    return world.hasOpened(lockOpensAt(output.contract.refundTimelock, height, timestamp));
  });
  if (utxo === null || utxo.output.type !== 'Htlc') return null;
  const { refundKey } = utxo.output.contract;
  const written = maker.draft().spend(utxo, world.wallet.refundWitness(refundKey));
  return collected(maker, written, utxo, refundKey);
};

/** What the contract held goes to whoever opened it. */
function collected(maker: Maker, written: Draft, utxo: Utxo, key: string): SignedTransaction | null {
  if (utxo.currency !== 'coin')
    written.transfer(utxo.currency, utxo.amount, maker.random.chance(0.8) ? key : maker.receiver());
  return written.paidBy(maker.world.owner(key));
}

export const HTLCS = { htlcCreate, htlcSpend, htlcRefund };
