/** Changes balances, NFT owners and statistics. */
import { COIN, type Currency } from '../chain/currency.ts';
import type { Atoms, Destination, Id } from '../chain/types.ts';
import { touchBalance } from './balance-changes.ts';
import type { BlockContext, TransactionContext } from './block-context.ts';
import { blockContextOf, subtractOrRefuse } from './block-context.ts';
import type { CurrencyStatistics } from './state-rows.ts';

type Context = BlockContext | TransactionContext;

/** Notes a change of a balance by signed amounts of its free and its locked part: `settleBalances` makes it. */
export function changeBalance(
  context: Context,
  owner: Destination,
  currency: Currency,
  { amount = 0n, locked = 0n }: { amount?: Atoms; locked?: Atoms },
): void {
  // An unlocked output of amount zero may belong to a balance that does not exist or was not loaded.
  if (amount === 0n && locked === 0n) return;
  const balance = touchBalance(blockContextOf(context).touched, owner, currency);
  balance.amount += amount;
  balance.locked += locked;
}

/** Adds the changes of the numbers of holders to the statistics, at the end of a block: most cancel out within it. */
export function settleHolderCounts(context: BlockContext): void {
  for (const [currency, change] of context.holders) {
    if (change !== 0) changeStatistics(context, currency, { holders: change });
  }
}

/** Sets the owner of an NFT. Does nothing if the id is not that of an NFT. */
export function setNftOwner(context: TransactionContext, tokenId: Id, owner: Destination | null): void {
  const table = context.block.state.nfts;
  const nft = table.get(tokenId);
  if (nft === null || nft.owner === owner) return;
  if (!context.nftsBefore.has(tokenId)) context.nftsBefore.set(tokenId, nft.owner);
  table.set(tokenId, { ...nft, owner });
}

/** Records the NFTs whose owner a transaction changed, at its end. */
export function recordNftOwnerChanges({ block, nftsBefore, position }: TransactionContext): void {
  for (const [tokenId, before] of nftsBefore) {
    const owner = block.state.nfts.get(tokenId)?.owner ?? null;
    if (owner !== before) block.nftOwners.push({ tokenId, position, owner });
  }
}

/** Changes the statistics of a currency by signed amounts. */
export function changeStatistics(
  context: Context,
  currency: Currency,
  change: Partial<Omit<CurrencyStatistics, 'currency'>>,
): void {
  const { state, statisticsBefore } = blockContextOf(context);
  const table = state.statistics;
  const before = table.get(currency);
  if (!statisticsBefore.has(currency)) statisticsBefore.set(currency, before);
  const old = before ?? NOTHING;
  const removed = -(change.circulatingSupply ?? 0n);
  table.set(currency, {
    currency,
    circulatingSupply: subtractOrRefuse(context, 'the circulating supply', old.circulatingSupply, removed),
    preminted: old.preminted + (change.preminted ?? 0n),
    burned: old.burned + (change.burned ?? 0n),
    staked: subtractOrRefuse(context, 'the staked total', old.staked, -(change.staked ?? 0n)),
    holders: old.holders + (change.holders ?? 0),
    effectiveStake: old.effectiveStake + (change.effectiveStake ?? 0n),
  });
}

const NOTHING: Omit<CurrencyStatistics, 'currency'> = {
  circulatingSupply: 0n,
  preminted: 0n,
  burned: 0n,
  staked: 0n,
  holders: 0,
  effectiveStake: 0n,
};

/** Counts a fee in coins as burned: consensus burns the fees of issuances, commands and data deposits. */
export function burnFee(context: TransactionContext, fee: Atoms): void {
  if (fee === 0n) return;
  changeStatistics(context, COIN, { burned: fee, circulatingSupply: -fee });
}
