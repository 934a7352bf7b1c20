/** NFTs: issued, moved, burned. */

import { deriveTokenId } from '../../../chain/derive-ids.ts';
import { burnedFeesAt, tokenIdGenerationAt } from '../../../chain/networks/network.ts';
import type { Hex } from '../../../chain/types.ts';
import { randomNftDescription, randomNftName, randomTicker, randomUri } from '../random-texts.ts';
import type { TransactionMaker } from '../transaction-maker-context.ts';

const nftIssue: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const first = world.coins.pick(random);
  if (first === undefined) return null;
  const generation = tokenIdGenerationAt(world.network, world.height);
  const tokenId = deriveTokenId([{ type: 'Utxo', outpoint: first.outpoint }], generation)!;
  const optional = (kind: string): Hex => (random.chance(0.6) ? randomUri(random, kind) : '');
  const written = maker
    .draft()
    .spend(first)
    .make({
      type: 'IssueNft',
      tokenId,
      destination: random.chance(0.8) ? first.destination : maker.signer(),
      metadata: {
        creator: random.chance(0.6) ? world.userKeys.pickCreatorKey() : null,
        name: randomNftName(random),
        description: randomNftDescription(random),
        ticker: randomTicker(random),
        iconUri: optional('icon'),
        additionalMetadataUri: optional('more'),
        mediaUri: optional('media'),
        mediaHash: random.hex(random.between(4, 32)),
      },
    })
    .costs(burnedFeesAt(world.network, world.height).issueNft);
  return written.paidBy(maker.ownerOf(first));
};

/** A transfer to another owner, now and then under a lock. */
const nftTransfer: TransactionMaker = (maker) => {
  const { world, random } = maker;
  const utxo = world.nftUtxos.pick(random);
  if (utxo === undefined) return null;
  const written = maker.draft().spend(utxo);
  if (random.chance(0.15)) written.lock(utxo.currency, 1n, maker.signer(), maker.shortLock(20));
  else written.transfer(utxo.currency, 1n, maker.receiver());
  return written.paidBy(maker.ownerOf(utxo));
};

const nftBurn: TransactionMaker = (maker) => {
  const utxo = maker.world.nftUtxos.pick(maker.random);
  if (utxo === undefined) return null;
  return maker.draft().spend(utxo).burn(utxo.currency, 1n).paidBy(maker.ownerOf(utxo));
};

export const NFT_TRANSACTION_MAKERS = { nftIssue, nftTransfer, nftBurn };
