/** Hashed time-lock contracts: created, claimed with their secret, taken back after their lock. */
import { isContractOutput } from '../../../chain/input-and-output-kinds.ts';
import type { Destination, HashedTimelockContract, InputWitness, SignedTransaction } from '../../../chain/types.ts';
import { lockOpensAt } from '../rules/locks.ts';
import { makeOutputValue } from '../transaction-draft.ts';
import type { TransactionMaker, TransactionMakerContext } from '../transaction-maker-context.ts';
import type { SimulatedUtxo } from '../world.ts';

const CONTRACTS_TRIED = 6;
const REFUND_LOCK_BLOCKS = 15;

/** Contracts with coins, tokens or an NFT; three of ten secrets stay unknown, so that only the refund is left. */
const htlcCreate: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const written = maker.draft();
  const roll = random.unit();
  const held = roll < 0.2 ? maker.someTokenOutput() : undefined;
  const utxo = held ?? (roll >= 0.2 && roll < 0.25 ? world.nftUtxos.pick(random) : undefined);
  const unknown = random.chance(0.3) ? random.hex(20) : null;
  const secretHash = maker.isRare() ? maker.oddHash() : (unknown ?? world.userKeys.newSecret().secretHash);
  const amount = utxo === undefined ? maker.coins(0.5, 500) : maker.partOf(utxo.amount);
  const currency = utxo?.currency ?? 'coin';
  written.make({
    type: 'Htlc',
    value: makeOutputValue(currency, amount),
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

type IsWanted = (contract: HashedTimelockContract, utxo: SimulatedUtxo) => boolean;

function someContract({ world, random }: TransactionMakerContext, isWanted: IsWanted) {
  const utxo = world.contracts.pickWhere(random, CONTRACTS_TRIED, (each) => {
    return !world.isFrozen(each.currency) && isContractOutput(each.output) && isWanted(each.output.contract, each);
  });
  return utxo !== null && isContractOutput(utxo.output) ? { utxo, ...utxo.output.contract } : null;
}

const htlcSpend: TransactionMaker = (maker) => {
  const { userKeys } = maker.world;
  const found = someContract(maker, ({ secretHash, spendKey }) => {
    return userKeys.secretOf(secretHash) !== undefined && userKeys.owns(spendKey);
  });
  if (found === null) return null;
  const { utxo, secretHash, spendKey } = found;
  return collected(maker, utxo, spendKey, userKeys.secretWitness(userKeys.secretOf(secretHash)!, spendKey));
};

const htlcRefund: TransactionMaker = (maker) => {
  const { world } = maker;
  const found = someContract(maker, ({ refundKey, refundTimelock }, { height, timestamp }) => {
    return world.userKeys.owns(refundKey) && world.hasOpened(lockOpensAt(refundTimelock, height, timestamp));
  });
  if (found === null) return null;
  return collected(maker, found.utxo, found.refundKey, world.userKeys.refundWitness(found.refundKey));
};

/** Pays the contract's value to the owner of the key that opened it. */
function collected(
  maker: TransactionMakerContext,
  utxo: SimulatedUtxo,
  key: Destination,
  witness: InputWitness,
): SignedTransaction | null {
  const written = maker.draft().spend(utxo, witness);
  if (utxo.currency !== 'coin')
    written.transfer(utxo.currency, utxo.amount, maker.random.chance(0.8) ? key : maker.receiver());
  return written.paidBy(maker.world.owner(key));
}

export const HTLC_TRANSACTION_MAKERS = { htlcCreate, htlcSpend, htlcRefund };
