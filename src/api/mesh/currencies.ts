/** Currencies and amounts of the Mesh API. */

import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import { parseTokenId, tokenAddress } from '../../chain/address.ts';
import { COIN, type Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { listTokenLabels } from '../../store/queries/tokens/tokens.ts';
import { parsedIdOrNull } from './account-identifier.ts';
import { MeshError } from './errors.ts';
import type { MeshSnapshot } from './mesh-route.ts';
import type { MeshCurrency, RequestedCurrency } from './schemas.ts';

/** A token may have the ticker of the coin: whoever credits by the symbol alone must not take one for the other. */
function isMisleading({ coinTicker }: Network, ticker: string): boolean {
  return !/^[A-Za-z0-9]+$/.test(ticker) || ticker.toLowerCase() === coinTicker.toLowerCase();
}

/** Reads the labels of currencies. Returns what writes amounts in them, and whether one is the coin or an issued token. */
export async function readCurrencies(snapshot: MeshSnapshot, used: Iterable<Currency>) {
  const { network } = snapshot;
  const tokens = [...new Set(used)].filter((currency) => currency !== COIN);
  const rows = tokens.length === 0 ? [] : await snapshot.read(listTokenLabels, tokens);
  const labels = new Map(rows.map((label) => [label.token_id, label]));
  const currencyOf = (currency: Currency): MeshCurrency => {
    if (currency === COIN) return { symbol: network.coinTicker, decimals: network.coinDecimals };
    const label = labels.get(currency);
    const metadata = { token_id: tokenAddress(network, currency) };
    const ticker = (label && tickerOfCurrency(network, currency, label)) ?? '';
    const decimals = label === undefined ? 0 : decimalsOfCurrency(network, currency, label);
    return { symbol: isMisleading(network, ticker) ? metadata.token_id : ticker, decimals, metadata };
  };
  return {
    amount: (atoms: Atoms, currency: Currency) => ({ value: `${atoms}`, currency: currencyOf(currency) }),
    isKnown: (currency: Currency) => currency === COIN || labels.has(currency),
  };
}

/** Parses the currency of a request: of a token only its id counts. Throws a MeshError. */
export function parseMeshCurrency(network: Network, { symbol, metadata }: RequestedCurrency): Currency {
  if (metadata?.token_id === undefined && symbol === network.coinTicker) return COIN;
  const id = parsedIdOrNull(() => parseTokenId(network, metadata?.token_id ?? ''));
  if (id !== null) return id;
  throw new MeshError('invalid currency', `Neither the coin ${network.coinTicker} nor the metadata of a token`);
}
