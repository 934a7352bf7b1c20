/** The name of an NFT, which anybody may have given it. */
import type { NftMetadata } from '../../chain/types.ts';
import type { Html } from '../html.ts';
import { chainBytes, plainChainText } from './chain-text.ts';

export function nftName({ name }: Pick<NftMetadata, 'name'>): Html {
  return chainBytes(name, { most: 40 });
}

/** For titles and sentences. */
export function nftNameText({ name }: Pick<NftMetadata, 'name'>): string {
  return plainChainText(Buffer.from(name, 'hex').toString('utf8'), 40);
}
