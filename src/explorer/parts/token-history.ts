/** The list of a token's transactions: what each does, and how much of the token is in its outputs. */
import { tokenAddress } from '../../chain/address.ts';
import type { Id } from '../../chain/types.ts';
import type { ListedTransactionRow } from '../../store/queries/transactions.ts';
import type { Html } from '../html.ts';
import { readTokenOutline } from '../read/transaction-outline.ts';
import type { Site } from '../site.ts';
import { AMOUNT_COLUMN, amount, exactAmount, fractionLength } from './amount.ts';
import { heightLink, transactionLink } from './ids.ts';
import { table } from './table.ts';
import { time } from './time.ts';
import { deedBadges } from './transaction-table.ts';

export function tokenHistory(
  site: Site,
  rows: readonly ListedTransactionRow[],
  { tokenId, ticker, decimals }: { readonly tokenId: Id; readonly ticker: string; readonly decimals: number },
): Html {
  const address = tokenAddress(site.network, tokenId);
  const transactions = rows.map(({ body }) => readTokenOutline(body, address));
  const outputs = transactions.map(({ moved }) => exactAmount(moved, decimals));
  const burned = transactions.map((each) => exactAmount(each.burned, decimals));
  const outputFraction = fractionLength(outputs);
  const burnedFraction = fractionLength(burned);
  return table({
    caption: 'Transactions, newest first',
    isCaptionHidden: true,
    id: 'transactions',
    columns: [
      { label: 'Transaction' },
      { label: 'Block', kind: AMOUNT_COLUMN },
      { label: 'Time' },
      { label: 'What it does' },
      { label: `In outputs, ${ticker}`, kind: AMOUNT_COLUMN },
      { label: `Burned, ${ticker}`, kind: AMOUNT_COLUMN },
    ],
    rows: rows.map(({ height, timestamp }, i) => [
      transactionLink(site, transactions[i]!.id),
      heightLink(site, height),
      time(timestamp),
      deedBadges(transactions[i]!.deeds),
      amount(outputs[i]!, { fraction: outputFraction }),
      amount(burned[i]!, { fraction: burnedFraction }),
    ]),
    empty: 'There are no transactions on this page of the list.',
  });
}
