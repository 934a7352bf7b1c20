/** NFTs: issued, moved, burned. */

import { tokenIdOf } from '../../../chain/derive-ids.ts';
import { feesAt, tokenIdGenerationAt } from '../../../chain/networks/network.ts';
import type { Hex } from '../../../chain/types.ts';
import { outputValue } from '../draft.ts';
import { nftDescription, nftName, ticker, uri } from '../texts.ts';
import { draft, type Make, ownerOf, receiver, shortLock, signer, treasury } from '../transaction-maker.ts';

export const nftIssue: Make = (maker) => {
  const { world, random } = maker;
  const first = world.coins.pick(random);
  if (first === undefined) return null;
  const generation = tokenIdGenerationAt(world.network, world.height);
  const tokenId = tokenIdOf([{ type: 'Utxo', outpoint: first.outpoint }], generation)!;
  const optional = (kind: string): Hex => (random.chance(0.6) ? uri(random, kind) : '');
  const written = draft(maker)
    .spend(first)
    .make({
      type: 'IssueNft',
      tokenId,
      destination: random.chance(0.8) ? first.destination : signer(maker),
      metadata: {
        creator: random.chance(0.6) ? world.wallet.newPublicKey() : null,
        name: nftName(random),
        description: nftDescription(random),
        ticker: ticker(random),
        iconUri: optional('icon'),
        additionalMetadataUri: optional('more'),
        mediaUri: optional('media'),
        mediaHash: random.hex(random.between(4, 32)),
      },
    })
    .costs(feesAt(world.network, world.height).issueNft);
  return written.paidBy(ownerOf(maker, first), treasury(maker));
};

/** To somebody else, now and then under a lock. */
export const nftTransfer: Make = (maker) => {
  const { world, random } = maker;
  const utxo = world.nftUtxos.pick(random);
  if (utxo === undefined) return null;
  const written = draft(maker).spend(utxo);
  const value = outputValue(utxo.currency, 1n);
  if (random.chance(0.15)) {
    written.make({ type: 'LockThenTransfer', value, destination: signer(maker), lock: shortLock(maker, 20) });
  } else written.make({ type: 'Transfer', value, destination: receiver(maker) });
  return written.paidBy(ownerOf(maker, utxo), treasury(maker));
};

export const nftBurn: Make = (maker) => {
  const utxo = maker.world.nftUtxos.pick(maker.random);
  if (utxo === undefined) return null;
  const written = draft(maker)
    .spend(utxo)
    .make({ type: 'Burn', value: outputValue(utxo.currency, 1n) });
  return written.paidBy(ownerOf(maker, utxo), treasury(maker));
};
