/** Fungible tokens: issued, supplied, governed and moved. */
import { commandFee } from '../../../chain/burned-fees.ts';
import { ATOMS_PER_COIN, burnedFeesAt, tokenIdGenerationAt } from '../../../chain/networks/network.ts';
import type { Atoms, SignedTransaction, TokenCommand, TotalSupply, TxInput } from '../../../chain/types.ts';
import { randomTicker, randomUri } from '../random-texts.ts';
import { smallerAtoms } from '../rules/input-output-balance.ts';
import type { TransactionDraft } from '../transaction-draft.ts';
import type { TransactionMaker, TransactionMakerContext } from '../transaction-maker-context.ts';
import type { SimulatedDelegation, SimulatedToken } from '../world.ts';

const SUPPLY_KINDS = 10;
/** The largest supply of a token without a fixed supply. With more, it would exceed 128 bits after some decades. */
const MAX_SUPPLY_ATOMS = 10n ** 33n;

/** A command of the token's authority, with what is burned for it. */
function commanded(maker: TransactionMakerContext, token: SimulatedToken, command: TokenCommand): TransactionDraft {
  const { network, height } = maker.world;
  const input: TxInput = { type: 'AccountCommand', nonce: token.nonce, command };
  return maker
    .draft()
    .act(input, token.authority)
    .costs(commandFee(burnedFeesAt(network, height), command.type));
}

/** Pays for a command: from its authority's coins if there are any. */
function paid(
  maker: TransactionMakerContext,
  token: SimulatedToken,
  written: TransactionDraft,
): SignedTransaction | null {
  return written.paidBy(maker.world.owner(token.authority));
}

/** Tokens that obey a user. */
function governed(maker: TransactionMakerContext, accepts: (token: SimulatedToken) => boolean): SimulatedToken | null {
  return maker.someToken((token) => maker.world.userKeys.owns(token.authority) && accepts(token));
}

/** A command to some token of a user that `accepts` takes. */
function ofGoverned(
  accepts: (token: SimulatedToken) => boolean,
  command: (maker: TransactionMakerContext, token: SimulatedToken) => TokenCommand,
): TransactionMaker {
  return (maker) => {
    const token = governed(maker, accepts);
    return token === null ? null : paid(maker, token, commanded(maker, token, command(maker, token)));
  };
}

function totalSupply({ random }: TransactionMakerContext, decimals: number): TotalSupply {
  const kind = random.below(SUPPLY_KINDS);
  if (kind < 3) return { type: 'Lockable' };
  if (kind < 6) return { type: 'Unlimited' };
  return { type: 'Fixed', amount: BigInt(Math.round(random.magnitude(1_000, 1e9))) * 10n ** BigInt(decimals) };
}

const tokenIssue: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const numberOfDecimals = random.chance(0.5) ? 11 : random.below(19);
  const written = maker.draft();
  leadingWithdrawal(maker, written);
  written.make({
    type: 'IssueFungibleToken',
    issuance: {
      ticker: randomTicker(random),
      numberOfDecimals,
      metadataUri: randomUri(random, 'token'),
      totalSupply: totalSupply(maker, numberOfDecimals),
      authority: maker.signer(),
      isFreezable: random.chance(0.6),
    },
  });
  written.costs(burnedFeesAt(world.network, world.height).issueFungibleToken);
  return written.paidBy(null);
};

/** If the id of a token comes from the first input of any kind, an account in front of the others changes that id. */
function leadingWithdrawal({ world, random }: TransactionMakerContext, written: TransactionDraft): void {
  if (tokenIdGenerationAt(world.network, world.height) === 1 && !random.chance(0.05)) return;
  const delegation: SimulatedDelegation | undefined = world.delegationBag.pick(random);
  if (delegation === undefined || delegation.balance < ATOMS_PER_COIN) return;
  const amount = ATOMS_PER_COIN / 10n;
  const { id, nonce, owner } = delegation;
  written.act({ type: 'Account', nonce, delegationId: id, amount }, owner);
}

const tokenMint: TransactionMaker = (maker) => {
  const { random } = maker;
  const newest = maker.world.tokenBag.items.at(-1);
  const wanted = (token: SimulatedToken) => !token.isLocked && supplyLeft(token) > 0n;
  const token =
    newest !== undefined && newest.minted === 0n && newest.frozen === 'No' && random.chance(0.8)
      ? newest
      : governed(maker, wanted);
  if (token === null || !wanted(token) || !maker.world.userKeys.owns(token.authority)) return null;
  const most = supplyLeft(token);
  const unit = 10n ** BigInt(token.issuance.numberOfDecimals);
  const usual = BigInt(Math.round(random.magnitude(100, 1e6))) * unit;
  const amount = usual < most ? usual : most;
  const written = commanded(maker, token, { type: 'MintTokens', tokenId: token.id, amount });
  const parts = amount > 10n && random.chance(0.5) ? random.between(2, 6) : 1;
  for (let part = 0; part < parts; part++) {
    const share = part === 0 ? amount - (amount / BigInt(parts)) * BigInt(parts - 1) : amount / BigInt(parts);
    written.transfer(token.id, share, part === 0 ? token.authority : maker.receiver());
  }
  return paid(maker, token, written);
};

function supplyLeft({ issuance, supply }: SimulatedToken): Atoms {
  const limit = issuance.totalSupply.type === 'Fixed' ? issuance.totalSupply.amount : MAX_SUPPLY_ATOMS;
  return limit - supply;
}

/** Takes tokens out of supply: the command and as much burned in the same transaction. */
const tokenUnmint: TransactionMaker = (maker) => {
  const { random } = maker;
  const token = governed(maker, ({ isLocked, utxos, supply }) => !isLocked && utxos.size > 0 && supply > 0n);
  const utxo = token?.utxos.pick(random);
  if (token === null || utxo === undefined) return null;
  const most = smallerAtoms(utxo.amount, token.supply);
  const amount = maker.partOf(most);
  const written = commanded(maker, token, { type: 'UnmintTokens', tokenId: token.id }).spend(utxo);
  burnPart(written, token, amount);
  written.keepRest(utxo, amount);
  return paid(maker, token, written);
};

function burnPart(written: TransactionDraft, token: SimulatedToken, amount: Atoms): void {
  const half = amount / 2n;
  const parts = amount % 7n === 0n && half > 0n ? [half, amount - half] : [amount];
  for (const part of parts) written.burn(token.id, part);
}

const tokenLock = ofGoverned(
  ({ issuance, isLocked, minted }) => issuance.totalSupply.type === 'Lockable' && !isLocked && minted > 0n,
  (_, { id }) => ({ type: 'LockTokenSupply', tokenId: id }),
);

const tokenFreeze = ofGoverned(
  ({ issuance }) => issuance.isFreezable,
  ({ random }, { id }) => ({ type: 'FreezeToken', tokenId: id, isUnfreezable: random.chance(0.9) }),
);

const tokenUnfreeze: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const { items } = world.tokenBag;
  const start = items.length === 0 ? 0 : random.below(items.length);
  for (let step = 0; step < Math.min(items.length, 64); step++) {
    const token = items[(start + step) % items.length]!;
    if (token.frozen !== 'Unfreezable' || !world.userKeys.owns(token.authority)) continue;
    return paid(maker, token, commanded(maker, token, { type: 'UnfreezeToken', tokenId: token.id }));
  }
  return null;
};

const tokenAuthority = ofGoverned(
  () => true,
  (maker, { id }) => ({ type: 'ChangeTokenAuthority', tokenId: id, newAuthority: maker.signer() }),
);

const tokenMetadataChange = ofGoverned(
  () => true,
  ({ random }, { id }) => ({ type: 'ChangeTokenMetadataUri', tokenId: id, metadataUri: randomUri(random, 'token') }),
);

const tokenTransfer: TransactionMaker = (maker) => {
  const { random } = maker;
  const token = maker.someToken(({ utxos }) => utxos.size > 0);
  const utxo = token?.utxos.pick(random);
  if (token === null || utxo === undefined) return null;
  const written = maker.draft().spend(utxo);
  let available = utxo.amount;
  const crowded = token.utxos.size > 40;
  for (let more = crowded || random.chance(0.2) ? random.between(1, 3) : 0; more > 0; more--) {
    const another = token.utxos.pick(random)!;
    if (written.spends(another)) continue;
    written.spend(another);
    available += another.amount;
  }
  const amount = maker.partOf(available);
  written.transfer(token.id, amount, maker.receiver());
  if (amount < available) written.transfer(token.id, available - amount, utxo.destination);
  return written.paidBy(maker.ownerOf(utxo));
};

/** Burned without the authority: the supply does not know. */
const tokenBurn: TransactionMaker = (maker) => {
  const utxo = maker.someTokenOutput();
  if (utxo === undefined) return null;
  const amount = maker.partOf(utxo.amount / 10n + 1n);
  const written = maker.draft().spend(utxo).burn(utxo.currency, amount).keepRest(utxo, amount);
  return written.paidBy(maker.ownerOf(utxo));
};

export const TOKEN_TRANSACTION_MAKERS = {
  tokenIssue,
  tokenMint,
  tokenUnmint,
  tokenLock,
  tokenFreeze,
  tokenUnfreeze,
  tokenAuthority,
  tokenMetadataChange,
  tokenTransfer,
  tokenBurn,
};
