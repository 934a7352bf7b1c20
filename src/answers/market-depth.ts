/** The depth of a market below which its last price says little: anybody could have made it. */
import type { Network } from '../chain/networks/network.ts';
import type { Atoms } from '../chain/types.ts';

/** The coins that open orders must offer for a token, at half of its last price or more, for its price to count. */
export const LEAST_DEPTH_COINS = 1_000n;

/** The same in atoms. */
export const leastDepth = ({ coinDecimals }: Network): Atoms => LEAST_DEPTH_COINS * 10n ** BigInt(coinDecimals);
