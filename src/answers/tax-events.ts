/** What tax programs import: a transaction or a reward as one event, a trade with both of its sides. */
import type { Atoms } from '../chain/types.ts';
import { type StatementLine, timeOfLine } from './statement-lines.ts';

/** The tax programs, by their names in the API. */
export const TAX_PROGRAMS = {
  koinly: 'Koinly',
  cointracker: 'CoinTracker',
  cryptotaxcalculator: 'Crypto Tax Calculator (Summ)',
  bitcointax: 'bitcoin.tax',
} as const;
export type TaxProgram = keyof typeof TAX_PROGRAMS;

/** Atoms above 0 of the currency of a line. */
export interface TaxAmount {
  readonly atoms: Atoms;
  readonly of: StatementLine;
}

/**
 * What happened to a wallet. `trade`: something sent for something received; `fee`: nothing but a fee. A `reward` is a day of a
 * pool or delegation.
 */
export interface TaxEvent {
  readonly kind: 'trade' | 'received' | 'sent' | 'reward' | 'fee';
  /** Seconds since the epoch: of the block, or the first second of the UTC day. */
  readonly timestamp: number;
  readonly received: TaxAmount | null;
  readonly sent: TaxAmount | null;
  /** What the transaction cost the wallet in coins, with the fees of the protocol. */
  readonly fee: TaxAmount | null;
  readonly txId: string | null;
}

/** Do two neighbours of a statement belong to one event? */
export const areOfOneTransaction = (one: StatementLine, other: StatementLine): boolean =>
  one.tx_id !== null && one.tx_id === other.tx_id;

/**
 * Returns the events of the lines of one transaction, or of one other line. One currency received and one sent are a trade; of more
 * each is an event, the first with the fee. What moves between a wallet and its own pools and delegations is none.
 */
export function taxEvents(lines: readonly StatementLine[]): TaxEvent[] {
  const [first] = lines as readonly [StatementLine, ...StatementLine[]];
  const amounts = (of: (line: StatementLine) => Atoms): TaxAmount[] =>
    lines.map((line) => ({ atoms: of(line), of: line })).filter(({ atoms }) => atoms > 0n);
  const [received, sent, rewards, fees] = [
    amounts(({ income }) => income),
    amounts(({ spent }) => spent),
    amounts((line) => line.rewards),
    amounts(({ fee, protocolFee }) => fee + protocolFee),
  ];
  const event = (kind: TaxEvent['kind'], sides: Partial<Pick<TaxEvent, 'received' | 'sent'>>): TaxEvent => ({
    kind,
    timestamp: timeOfLine(first),
    received: null,
    sent: null,
    fee: null,
    txId: first.tx_id,
    ...sides,
  });
  // A day of a delegation may have both, of the coin: what others put into it, and what it paid to others.
  const isTrade = received.length === 1 && sent.length === 1 && received[0]!.of !== sent[0]!.of;
  const events = [
    ...(isTrade
      ? [event('trade', { received: received[0]!, sent: sent[0]! })]
      : [
          ...sent.map((each) => event('sent', { sent: each })),
          ...received.map((each) => event('received', { received: each })),
        ]),
    ...rewards.map((each) => event('reward', { received: each })),
  ];
  if (fees.length === 0) return events;
  const [leading = event('fee', {}), ...others] = events;
  return [{ ...leading, fee: fees[0]! }, ...others];
}
