/** Names, tickers and URLs, as the users of a chain invent them. */
import type { Hex } from '../../chain/types.ts';
import type { Random } from './random.ts';

const SYLLABLES = 'ba co di fe gu ka lu mi no pe qua ro sa ti vo xi zen'.split(' ');
const NFT_TITLES = ['Harbour', 'Meadow', 'Comet', 'Lantern', 'Orchid', 'Glacier', 'Sparrow', 'Quarry'];

function textHex(text: string): Hex {
  return Buffer.from(text, 'utf8').toString('hex');
}

function word(random: Random, syllables: number): string {
  let text = '';
  for (let count = 0; count < syllables; count++) text += random.pick(SYLLABLES);
  return text;
}

/** Returns up to 12 letters and digits. */
export function randomTicker(random: Random): Hex {
  const text = word(random, random.between(1, 3)).slice(0, 10).toUpperCase();
  return textHex(random.chance(0.2) ? text + random.below(100) : text);
}

export function randomUri(random: Random, kind: string): Hex {
  const host = `${word(random, 2)}.example`;
  return textHex(`https://${host}/${kind}/${random.u32().toString(36)}.json`);
}

/** Returns up to 10 letters. */
export function randomNftName(random: Random): Hex {
  return textHex(random.pick(NFT_TITLES).slice(0, 10));
}

/** Returns up to 100 letters and digits: a node accepts nothing else. */
export function randomNftDescription(random: Random): Hex {
  let text = random.pick(NFT_TITLES);
  for (let count = random.between(1, 8); count > 0; count--) text += word(random, 2);
  return textHex((text + random.below(1000)).slice(0, 100));
}

/** Text, or bytes that are no text. */
export function randomDepositData(random: Random, maxBytes: number): Hex {
  if (random.chance(0.5)) return random.hex(random.between(1, maxBytes));
  let text = word(random, 2);
  while (text.length < maxBytes - 12 && random.chance(0.9)) text += ` ${word(random, random.between(1, 4))}`;
  return textHex(text.slice(0, maxBytes));
}
