/** Fills of orders, the trades of a market, as JSON and CSV, in the direction that was asked for. */
import { tickerOfCurrency } from '../../answers/currency-labels.ts';
import { TAKER_SIDES } from '../../answers/fill-estimate.ts';
import { type ShownFill, shownFill } from '../../answers/fill-in-direction.ts';
import { currencyName, decimalsOfPair, type RequestedPair } from '../../answers/markets.ts';
import { orderAddress } from '../../chain/address.ts';
import type { Currency } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Atoms } from '../../chain/types.ts';
import { type CsvTable, mappedCsv } from '../../serving/route/csv.ts';
import type { FillEntryRow } from '../../store/queries/orders/fills.ts';
import { labelOfSide } from '../../store/queries/orders/market-labels.ts';
import type { TokenLabelRow } from '../../store/queries/tokens/tokens.ts';
import { defineEntry, type Field } from '../entry/define-entry.ts';
import { amountsIn, bech32, choice, count, destination, hexId, nested, time } from '../entry/kinds.ts';
import { currencyFields } from './currency.ts';
import { price, priceWithDecimals } from './market.ts';

/** An amount of one side of a fill. */
interface Traded {
  readonly currency: Currency;
  readonly label: TokenLabelRow;
  readonly amount: Atoms;
  readonly decimals: number;
}

/** A fill in the direction of a pair. */
interface PairFill extends Omit<ShownFill, 'price'> {
  readonly row: FillEntryRow;
  readonly price: ReturnType<ReturnType<typeof priceWithDecimals>>;
  readonly base: Traded;
  readonly quote: Traded;
}

function fillIn(network: Network, pair: RequestedPair, row: FillEntryRow): PairFill {
  const shown = shownFill(pair, row);
  const decimals = decimalsOfPair(network, pair, row);
  const traded = (side: 'base' | 'quote', amount: Atoms): Traded => {
    const currency = pair[side];
    const label = labelOfSide(currency === row.base ? 'base' : 'quote', row);
    return { currency, label, amount, decimals: decimals[side] };
  };
  return {
    ...shown,
    row,
    price: priceWithDecimals(decimals)(shown.price),
    base: traded('base', shown.baseAmount),
    quote: traded('quote', shown.quoteAmount),
  };
}

const TRADED = defineEntry<Traded>(
  {
    ...currencyFields<Traded>(
      ({ currency }) => currency,
      ({ label }) => label,
    ),
    amount: amountsIn<Traded>(({ decimals }) => decimals)(({ amount }) => amount),
  },
  { title: 'TradedAmount' },
);

const traded = (side: 'base' | 'quote'): Field<PairFill> => ({
  ...nested(TRADED)((fill) => fill[side]),
  csv: {
    [side]: (fill) => ({ atoms: fill[side].amount, decimals: fill[side].decimals }),
    [`${side}_currency`]: (fill, network) => currencyName(network, fill[side].currency),
    [`${side}_ticker`]: (fill, network) => tickerOfCurrency(network, fill[side].currency, fill[side].label),
  },
});

export const FILL = defineEntry<PairFill>({
  height: count(({ row }) => row.height),
  timestamp: time(({ row }) => row.timestamp),
  tx_id: hexId(({ row }) => row.tx_id),
  order_id: bech32(({ row }, network) => orderAddress(network, row.order_id)),
  side: choice(TAKER_SIDES)(({ side }) => side, 'What the taker did with base'),
  price: price.orNull((fill) => fill.price, 'null where one of the amounts is 0'),
  base: traded('base'),
  quote: traded('quote'),
  taker: destination.orNull(
    ({ row }) => row.taker,
    'The owner of the first input that has one: commands have none. null if none has',
  ),
});

/** A trade of a pair, or a fill of an order. */
export const presentFill = (network: Network, pair: RequestedPair, row: FillEntryRow): string =>
  FILL.json(network, fillIn(network, pair, row));

/** The columns of exported trades. */
export const fillCsv = (network: Network, pair: RequestedPair): CsvTable<FillEntryRow> =>
  mappedCsv(FILL.csv(network), (row) => fillIn(network, pair, row));
