/** Changes the owners of NFTs. */
import type { Destination, Id } from '../chain/types.ts';
import type { TransactionContext } from './block-context.ts';

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
