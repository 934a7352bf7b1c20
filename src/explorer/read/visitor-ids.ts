/** Ids in the addresses and forms of pages: visitors are told what is wrong with one. */
import { badRequest } from '../../api/errors/api-error.ts';
import { parseOrderId, parseTokenId } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Hex, Id } from '../../chain/types.ts';
import { parseVisitorId } from './visitor-input.ts';

/** Each throws the error 400 with the reason, in words. */
export function visitorTokenId(network: Network, text: string, what = 'a token'): Id {
  return parseVisitorId(network, what, text, parseTokenId);
}

export function visitorOrderId(network: Network, text: string): Id {
  return parseVisitorId(network, 'an order', text, parseOrderId);
}

/** A token's id, or the ticker of the coin in any case. */
export function visitorCurrency({ coinTicker, ...network }: Network, text: string): Currency {
  const name = text.trim();
  if (name.toLowerCase() === coinTicker.toLowerCase()) return COIN;
  if (/^[^1]{1,20}$/.test(name)) {
    throw badRequest(
      `A currency is ${coinTicker} or the id of a token. "${name}" may be a ticker, which several tokens may have: search for it`,
    );
  }
  return visitorTokenId({ coinTicker, ...network }, name);
}

/** Both sides of `FIRST_SECOND`, as the API takes pairs. */
export function visitorPair(network: Network, text: string): readonly [base: Currency, quote: Currency] {
  const sides = text.split('_');
  if (sides.length !== 2) {
    throw badRequest(
      `A market is named by two currencies with _ between them, each ${network.coinTicker} or the id of a token`,
    );
  }
  return [visitorCurrency(network, sides[0]!), visitorCurrency(network, sides[1]!)];
}

/** The hash of an HTLC's secret. */
export function visitorSecretHash(text: string): Hex {
  const match = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(text);
  if (match === null) {
    throw badRequest(
      `The hash of a secret has 40 characters, 0 to 9 and a to f; this is something else, with ${text.length}`,
    );
  }
  return match[1]!.toLowerCase();
}
