/** `/statement`: what several addresses had, received, spent and earned over days, as one wallet. */

import Type from 'typebox';
import {
  readStatement,
  readStatementBalances,
  STATEMENT_LINE_ORDER,
  type StatementBalances,
} from '../../answers/read-statement.ts';
import { type StatementLine, statementLine } from '../../answers/statement-lines.ts';
import {
  areOfOneTransaction,
  TAX_PROGRAMS,
  type TaxEvent,
  type TaxProgram,
  taxEvents,
} from '../../answers/tax-events.ts';
import { destinationAddress } from '../../chain/address.ts';
import { DAY_SECONDS } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks/network.ts';
import type { Destination } from '../../chain/types.ts';
import { nullable, strictObject } from '../../render/schemas/common.ts';
import { badRequest } from '../../serving/errors/api-error.ts';
import type { RouteGroup } from '../../serving/http/routes.ts';
import { listResult } from '../../serving/pagination/list-result.ts';
import { CURSOR_ONLY, NEXT_PAGE_HEADERS } from '../../serving/pagination/paging.ts';
import { DAY_RANGE_PARAMETERS, MAX_DATE_DAY, parseDayRange } from '../../serving/parse/days.ts';
import { EXPORT_PARAMETERS, withExports } from '../../serving/parse/export-format.ts';
import {
  CURRENCY_PARAMETER,
  choiceParameter,
  lastQueryValue,
  MAX_STATEMENT_ADDRESSES,
  parseAddress,
  type UrlQuery,
} from '../../serving/parse/parameters.ts';
import { type CsvTable, csvDay } from '../../serving/route/csv.ts';
import { addGetRoute } from '../../serving/route/get-route.ts';
import type { AnyListExport, RowSource } from '../../serving/route/get-route-stages.ts';
import { responsesWithEtag } from '../../serving/schemas/parameters-and-responses.ts';
import { ALL_DAYS } from '../../store/queries/pools/staking-days.ts';
import { STATEMENT_LIST, type StatementSelection } from '../../store/queries/wallets/statement.ts';
import { readOneSnapshot, requireSameTip } from '../../store/read/one-snapshot.ts';
import type { QueryRunner } from '../../store/read/query.ts';
import type { ApiContext } from '../api-context.ts';
import {
  type ExportedStatementRow,
  presentExportedStatementRow,
  rewardTable,
  STATEMENT_CURRENCY,
  STATEMENT_LINE,
  statementTable,
} from '../present/statement.ts';
import { TAX_LAYOUTS } from '../present/tax-layouts.ts';

const LINES = choiceParameter('lines', ['all', 'rewards'], {
  description: '`rewards`: only the lines with rewards of staking, without balances; for files (`format`)',
  message: 'Invalid lines: `all` or `rewards` is expected',
});

const LAYOUTS = ['statement', ...(Object.keys(TAX_PROGRAMS) as TaxProgram[])] as const;
const LAYOUT = choiceParameter('layout', LAYOUTS, {
  description: 'The columns of the CSV file: those of the statement, or those that a tax program imports',
  message: `Invalid layout: ${LAYOUTS.map((name) => `\`${name}\``).join(', ')} are known`,
});

export function statementRoutes(routes: RouteGroup, context: ApiContext): void {
  const { network } = context;
  const responses = responsesWithEtag(
    strictObject({
      items: Type.Array(routes.addComponent('StatementLine', STATEMENT_LINE.schema)),
      next_cursor: nullable(Type.String()),
      currencies: {
        ...nullable(Type.Array(routes.addComponent('StatementCurrency', STATEMENT_CURRENCY.schema))),
        description: 'The coin first, then tokens by id; null with a cursor',
      },
    }),
    [400],
    NEXT_PAGE_HEADERS,
  );

  addGetRoute(routes, context, {
    path: '/statement',
    summary: 'The statement of several addresses as one wallet, oldest first',
    description:
      'A line for each transaction or block reward and currency, and for each day and pool or delegation that changed in ' +
      'it, before the transactions of that day. In each currency `opening` and the changes of all lines add up to ' +
      '`closing`, as in the exports, whose first and last rows are these balances. Payments among the addresses are netted out.',
    querystring: Type.Object({
      addresses: Type.String({
        minLength: 1,
        format: 'address',
        description: `1 to ${MAX_STATEMENT_ADDRESSES} addresses, with commas between them`,
      }),
      ...CURRENCY_PARAMETER.query,
      ...DAY_RANGE_PARAMETERS,
      ...LINES.query,
      ...LAYOUT.query,
      ...CURSOR_ONLY.parameters,
      ...EXPORT_PARAMETERS,
    }),
    response: withExports(responses),
    parse: ({ query }) => {
      const selection = parseSelection(network, query);
      const page = CURSOR_ONLY.parse(query, STATEMENT_LIST, selection);
      const layout = LAYOUT.parse(query);
      if (layout !== 'statement' && lastQueryValue(query, 'format') !== 'csv') {
        throw badRequest('Invalid layout: tax programs need `format=csv`');
      }
      return { selection, lines: LINES.parse(query), layout, page };
    },
    // The sums read more lines than the page has.
    unitsOf: () => 12,
    read: (store, { selection, page }) => readStatement(network, store, selection, page),
    present: ({ lines, currencies }, { page, lines: which }) => {
      if (which !== 'all') throw badRequest('Invalid lines: rewards alone need `format=csv` or `format=ndjson`');
      const texts = currencies?.map((row) => STATEMENT_CURRENCY.json(network, row));
      const more = `,"currencies":${texts === undefined ? null : `[${texts.join(',')}]`}`;
      return listResult(STATEMENT_LINE_ORDER, page, lines, (line) => STATEMENT_LINE.json(network, line), more);
    },
    exported: ({ selection, lines, layout }, store) =>
      layout === 'statement'
        ? exportFile(context, statementFile(network, lines), selection, store)
        : exportFile(context, taxFile(network, layout, lines), selection, store),
  });
}

/** What a file has: the rows that it makes of the lines and the balances, and how it writes them. */
interface StatementFile<Row> {
  /** The beginning of its name. */
  readonly name: string;
  readonly rows: (
    lines: AsyncIterable<StatementLine[]>,
    balances: StatementBalances,
  ) => AsyncGenerator<Row[], void, void>;
  readonly csv: CsvTable<Row>;
  readonly json: ((row: Row) => string) | null;
}

function statementFile(network: Network, lines: 'all' | 'rewards'): StatementFile<ExportedStatementRow> {
  return {
    name: lines === 'all' ? 'statement' : 'rewards',
    rows: (read, balances) => rowsOf(read, balances, lines),
    csv: lines === 'all' ? statementTable(network) : rewardTable(network),
    json: (row) => presentExportedStatementRow(network, row),
  };
}

function taxFile(network: Network, program: TaxProgram, lines: 'all' | 'rewards'): StatementFile<TaxEvent> {
  const { takes, table } = TAX_LAYOUTS[program];
  return { name: program, rows: (read) => eventsOf(read, takes, lines), csv: table(network), json: null };
}

async function exportFile<Row extends object>(
  context: ApiContext,
  file: StatementFile<Row>,
  selection: StatementSelection,
  store: QueryRunner,
): Promise<AnyListExport> {
  // Opened first, because the name tells after which block the closing balances are.
  const { rows, closingBlock } = await readOneSnapshot(() => openStatement(context, store, selection, file.rows));
  const { owners, days } = selection;
  return {
    fileName: `${file.name}-${destinationAddress(context.network, owners[0]!)}${periodName(days)}-at-block-${Math.max(0, closingBlock.height)}`,
    list: '',
    order: null,
    open: () => Promise.resolve(rows),
    csv: file.csv,
    json: file.json,
  };
}

/** Returns the first and the last day of a period for the name of a file; nothing without bounds. */
function periodName({ since, below }: StatementSelection['days']): string {
  const name = (day: number) => csvDay(Math.max(0, Math.min(day, MAX_DATE_DAY)) * DAY_SECONDS);
  return `${since > ALL_DAYS.since ? `-from-${name(since)}` : ''}${below < ALL_DAYS.below ? `-to-${name(below - 1)}` : ''}`;
}

function parseSelection(network: Network, query: UrlQuery): StatementSelection {
  const texts = (lastQueryValue(query, 'addresses') ?? '').split(',').filter((text) => text !== '');
  if (texts.length === 0 || texts.length > MAX_STATEMENT_ADDRESSES) {
    throw badRequest(`Invalid addresses: 1 to ${MAX_STATEMENT_ADDRESSES} with commas between them are expected`);
  }
  const owners: Destination[] = [...new Set(texts.map((text) => parseAddress(network, text)))];
  return { owners, currency: CURRENCY_PARAMETER.parse(network, query), days: parseDayRange(query) };
}

type ClosingBlock = Pick<StatementBalances, 'closingBlock'>;

/** Opens the rows that `shape` makes of the lines and the balances. Throws a StoreError, and {@link SnapshotChanged}. */
async function openStatement<Row>(
  { network, store }: ApiContext,
  callersStore: QueryRunner,
  selection: StatementSelection,
  shape: (lines: AsyncIterable<StatementLine[]>, balances: StatementBalances) => AsyncGenerator<Row[], void, void>,
): Promise<{ readonly rows: RowSource<Row> } & ClosingBlock> {
  const balances = await readStatementBalances(callersStore, selection);
  const reader = await store.openExport(STATEMENT_LIST.query(selection, null, null));
  try {
    requireSameTip(balances, reader);
  } catch (error) {
    reader.close();
    throw error;
  }
  async function* lines() {
    for (let rows = await reader.next(); rows.length > 0; rows = await reader.next()) {
      yield rows.map((row) => statementLine(network, row, balances.stakes));
    }
  }
  const read = shape(lines(), balances);
  const rows: RowSource<Row> = {
    tip: reader.tip,
    next: async () => {
      for (;;) {
        const { value, done } = await read.next();
        if (done === true) return [];
        if (value.length > 0) return value;
      }
    },
    close: () => reader.close(),
  };
  return { rows, closingBlock: balances.closingBlock };
}

/** The balances before, all lines, the balances after; or the lines with rewards alone. */
async function* rowsOf(
  lines: AsyncIterable<StatementLine[]>,
  { opening, closing }: StatementBalances,
  which: 'all' | 'rewards',
): AsyncGenerator<ExportedStatementRow[], void, void> {
  const balances = (of: StatementBalances['opening'], what: 'opening' | 'closing') =>
    [...of.values()].map((row) => ({ ...row, currency: row.currency!, balance: row.balance!, what }));
  if (which === 'all') yield balances(opening, 'opening');
  for await (const batch of lines) yield which === 'all' ? batch : batch.filter(({ rewards }) => rewards > 0n);
  if (which === 'all') yield balances(closing, 'closing');
}

/** The events of a tax program. The lines of a transaction may be in two batches. */
async function* eventsOf(
  lines: AsyncIterable<StatementLine[]>,
  takes: (event: TaxEvent) => boolean,
  which: 'all' | 'rewards',
): AsyncGenerator<TaxEvent[], void, void> {
  const wanted = (event: TaxEvent) => takes(event) && (which === 'all' || event.kind === 'reward');
  let group: StatementLine[] = [];
  for await (const batch of lines) {
    const events: TaxEvent[] = [];
    for (const line of batch) {
      if (group.length === 0 || areOfOneTransaction(group[0]!, line)) group.push(line);
      else {
        events.push(...taxEvents(group));
        group = [line];
      }
    }
    yield events.filter(wanted);
  }
  if (group.length > 0) yield taxEvents(group).filter(wanted);
}
