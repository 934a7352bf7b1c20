/**
 * The CSV files that tax programs import, with the columns that each asks for (docs/api.md#statements). A currency is named by the
 * coin's ticker or by a token's ticker and the end of its id, because anybody may issue a token with the ticker of another coin.
 */
import { decimalsOfCurrency, tickerOfCurrency } from '../../answers/currency-labels.ts';
import type { TaxAmount, TaxEvent, TaxProgram } from '../../answers/tax-events.ts';
import { currencyInPair } from '../../chain/address.ts';
import { COIN } from '../../chain/currency.ts';
import type { Network } from '../../chain/networks/network.ts';
import { type CsvField, type CsvTable, csvTime } from '../../serving/route/csv.ts';

/** The characters of a token's id that follow its ticker. */
const ID_CHARACTERS = 6;

type TaxLayout = (network: Network) => CsvTable<TaxEvent>;

interface TaxFile {
  readonly table: TaxLayout;
  readonly takes: (event: TaxEvent) => boolean;
}

/** Returns the amount and the name of a side; twice nothing if there is none. */
function side(network: Network, amount: TaxAmount | null): readonly [amount: CsvField, currency: CsvField] {
  if (amount === null) return [null, null];
  const { atoms, of } = amount;
  const ticker = tickerOfCurrency(network, of.currency, of);
  const name =
    of.currency === COIN ? ticker : `${ticker ?? '?'}-${currencyInPair(network, of.currency).slice(-ID_CHARACTERS)}`;
  return [{ atoms, decimals: decimalsOfCurrency(network, of.currency, of) }, name];
}

/** The name of a currency, then its amount. */
function namedSide(network: Network, amount: TaxAmount | null): readonly [currency: CsvField, amount: CsvField] {
  const [atoms, name] = side(network, amount);
  return [name, atoms];
}

/** What is sent for a fee alone is the fee. */
const withFeeAsSent = (event: TaxEvent): TaxEvent =>
  event.kind === 'fee' ? { ...event, sent: event.fee, fee: null } : event;

const koinly: TaxLayout = (network) => ({
  columns: [
    ...['Date', 'Sent Amount', 'Sent Currency', 'Received Amount', 'Received Currency', 'Fee Amount', 'Fee Currency'],
    ...['Net Worth Amount', 'Net Worth Currency', 'Label', 'Description', 'TxHash'],
  ],
  fields: (event) => {
    const { kind, timestamp, sent, received, fee, txId } = withFeeAsSent(event);
    const sides = [sent, received, fee].flatMap((each) => side(network, each));
    const label = kind === 'reward' ? 'staking' : kind === 'fee' ? 'cost' : null;
    return [`${csvTime(timestamp)} UTC`, ...sides, null, null, label, null, txId];
  },
});

const cointracker: TaxLayout = (network) => ({
  columns: [
    ...['Date', 'Received Quantity', 'Received Currency', 'Sent Quantity', 'Sent Currency'],
    ...['Fee Amount', 'Fee Currency', 'Tag'],
  ],
  fields: (event) => {
    const { kind, timestamp, sent, received, fee } = withFeeAsSent(event);
    const [day, time] = csvTime(timestamp).split(' ') as [string, string];
    const [year, month, date] = day.split('-');
    const sides = [received, sent, fee].flatMap((each) => side(network, each));
    return [`${month}/${date}/${year} ${time}`, ...sides, kind === 'reward' ? 'staked' : null];
  },
});

const SUMM_TYPES = { trade: 'buy', received: 'receive', sent: 'send', reward: 'staking', fee: 'fee' } as const;

/** Crypto Tax Calculator now calls itself Summ. */
const cryptotaxcalculator: TaxLayout = (network) => ({
  columns: [
    ...['Timestamp (UTC)', 'Type', 'Base Currency', 'Base Amount', 'Quote Currency (Optional)'],
    ...['Quote Amount (Optional)', 'Fee Currency (Optional)', 'Fee Amount (Optional)', 'From (Optional)'],
    ...['To (Optional)', 'Blockchain (Optional)', 'ID (Optional)', 'Reference Price Per Unit (Optional)'],
    'Reference Price Currency (Optional)',
  ],
  fields: (event) => {
    const { kind, timestamp, sent, received, fee, txId } = withFeeAsSent(event);
    const [base, quote] = received === null ? [sent, null] : [received, sent];
    const sides = [base, quote, fee].flatMap((each) => namedSide(network, each));
    return [csvTime(timestamp), SUMM_TYPES[kind], ...sides, null, null, null, txId, null, null];
  },
});

/** It knows no transfers: what was only sent or received is left out, but for its fee. */
const bitcointax: TaxLayout = (network) => ({
  columns: ['Date', 'Action', 'Symbol', 'Volume', 'Currency', 'Total', 'Fee', 'FeeCurrency', 'Memo'],
  fields: ({ kind, timestamp, sent, received, fee, txId }) => {
    const date = `${csvTime(timestamp)} +0000`;
    if (kind === 'trade') {
      return [date, 'BUY', ...namedSide(network, received), ...namedSide(network, sent), ...side(network, fee), txId];
    }
    const [action, amount] = kind === 'reward' ? ['INCOME', received] : ['SPEND', fee];
    return [date, action, ...namedSide(network, amount), null, null, null, null, txId];
  },
});

/** Is an event in the file of bitcoin.tax? */
const isWithoutTransfer = ({ kind, fee }: TaxEvent): boolean => kind === 'trade' || kind === 'reward' || fee !== null;

/** The layouts, and which events each takes. */
export const TAX_LAYOUTS: Readonly<Record<TaxProgram, TaxFile>> = {
  koinly: { table: koinly, takes: () => true },
  cointracker: { table: cointracker, takes: () => true },
  cryptotaxcalculator: { table: cryptotaxcalculator, takes: () => true },
  bitcointax: { table: bitcointax, takes: isWithoutTransfer },
};
