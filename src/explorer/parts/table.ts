/**
 * Renders tables. Each has a caption, its own scroll bar if it is too wide, and a sentence that is shown if it is
 * empty. On a phone, the rows of a table with many columns are cards of a few lines: see {@link inCard}.
 */
import { Attributes, Html, type HtmlValue, html, markupOf, type SafeUrl, wordsHtml } from '../html.ts';
import { englishOf, textOf, type Words } from '../words/catalogue.ts';

/** A column of a table: see {@link column}, {@link numberColumn} and `amountColumn`. */
export interface Column<Row, Sort extends string = never> {
  readonly label: Words;
  /** `num`: aligned to the right, `num sum` with amounts; `wide`: takes the remaining width. */
  readonly kind?: 'num' | 'num sum' | 'wide' | undefined;
  /** The order of the list by this column; the label links to it. */
  readonly sort?: Sort | undefined;
  readonly card?: CardPlace | undefined;
  /** Returns one cell for each row. */
  readonly cells: (rows: readonly Row[]) => readonly HtmlValue[];
}

/**
 * Where a card shows a column. `top`: at the end of the first line. `named top`: there, after its label. `line`: on a line of its
 * own. `plain`: below, without its label. `off`: nowhere, unless the list is sorted by it. By default: below, after its label.
 */
type CardPlace = 'top' | 'named top' | 'line' | 'plain' | 'off';

/** The order of a list, and the links to its other orders. */
export interface TableOrder<Sort extends string> {
  readonly sort: Sort;
  readonly direction: 'ascending' | 'descending';
  readonly link: (sort: Sort) => SafeUrl;
}

export interface TableTexts {
  /** The caption: what the table lists. */
  readonly caption: Words;
  /** The sentence shown if there are no rows: "No transactions are pending."; none for a table that always has some. */
  readonly empty?: Words | Html;
}

interface TableOptions<Row, Sort extends string> extends TableTexts {
  /** Shows the caption. Otherwise only screen readers have it, because a heading above says the same. */
  readonly isCaptionShown?: boolean;
  /** The columns; false leaves one out. */
  readonly columns: readonly (Column<Row, Sort> | false)[];
  /** For a list that has columns with a `sort`. */
  readonly order?: TableOrder<Sort> | undefined;
  /** Gives all rows the same height, so that a list that changes does not move what is below it. */
  readonly isSteady?: boolean;
  /** On a phone, do the labels and the values of a card stand in two columns? */
  readonly hasPairs?: boolean;
  /** The index of the column whose cells name their row; the first by default. */
  readonly rowHeader?: number;
  /** The id of the table in the page. */
  readonly id?: string;
  /** Divides the rows into two groups with these ids: so many in the first one, and a row between them. */
  readonly halves?: { readonly ids: readonly [string, string]; readonly first: number; readonly between: Html };
}

export function column<Row>(label: Words, cell: (row: Row) => HtmlValue, kind?: Column<Row>['kind']): Column<Row> {
  return { label, kind, cells: (rows) => rows.map(cell) };
}

export function numberColumn<Row, Sort extends string = never>(
  label: Words,
  cell: (row: Row) => HtmlValue,
  sort?: Sort,
): Column<Row, Sort> {
  return { label, kind: 'num', sort, cells: (rows) => rows.map(cell) };
}

const placed =
  (card: CardPlace) =>
  <Row, Sort extends string = never>(shown: Column<Row, Sort>): Column<Row, Sort> => ({ ...shown, card });

/** Say where the cards of a phone show a column. The first line begins with the cell that names the row. */
export const inCard = {
  top: placed('top'),
  namedTop: placed('named top'),
  line: placed('line'),
  plain: placed('plain'),
  off: placed('off'),
};

/** The most columns that a phone shows beside each other. */
const MAX_PHONE_COLUMNS = 2;

export function table<Row, Sort extends string = never>(
  rows: readonly Row[],
  {
    caption,
    isCaptionShown = false,
    columns: all,
    order,
    empty,
    isSteady = false,
    hasPairs = false,
    rowHeader = 0,
    id,
    halves,
  }: TableOptions<Row, Sort>,
): Html {
  const name = id ?? slug(englishOf(caption));
  if (rows.length === 0)
    return html`<p class="empty"${Attributes.of({ id: name })}>${empty !== undefined && wordsHtml(empty)}</p>`;
  const columns = withSorted(
    all.filter((each) => each !== false),
    order,
  );
  const isCards =
    columns.filter(({ card }) => card !== 'off').length > MAX_PHONE_COLUMNS ||
    columns.some(({ card }) => card === 'line');
  const heads = columns.map(({ label, kind, sort, card }) => {
    const direction = sort !== undefined && sort === order?.sort && order.direction;
    const classes = classesOf(kind, card === 'off' && card);
    const attributes = Attributes.of({ scope: 'col', class: classes, 'aria-sort': direction });
    const text = textOf(label);
    return html`<th${attributes}>${sort && order ? html`<a href="${order.link(sort)}">${text}</a>` : text}</th>`;
  });
  const isSorted = isCards && order !== undefined && columns.some(({ sort }) => sort !== undefined);
  const lines = linesOf(rows, columns, { rowHeader, isCards });
  const body = (from: number, to?: number) => new Html(lines.slice(from, to).join(''));
  const bodies =
    halves === undefined
      ? html`<tbody>${body(0)}</tbody>`
      : html`<tbody id="${halves.ids[0]}">${body(0, halves.first)}</tbody><tbody><tr><td colspan="${columns.length}">${halves.between}</td></tr></tbody><tbody id="${halves.ids[1]}">${body(halves.first)}</tbody>`;
  const captionClass = Attributes.of({ id: `${name}-caption`, class: !isCaptionShown && 'sr' });
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${name}-caption"><table${Attributes.of({
    id: name,
    class: classesOf(isCards && 'cards', hasPairs && 'pairs', isSteady && 'steady'),
  })}><caption${captionClass}>${textOf(caption)}</caption><thead${Attributes.of({ 'data-label': isSorted && textOf('Sort by') })}><tr>${heads}</tr></thead>${bodies}</table></div>`;
}

/** A list with several orders shows in each card what it is sorted by. */
function withSorted<Row, Sort extends string>(
  columns: readonly Column<Row, Sort>[],
  order: TableOrder<Sort> | undefined,
): readonly Column<Row, Sort>[] {
  if (order === undefined || columns.filter(({ sort }) => sort !== undefined).length < 2) return columns;
  return columns.map((each) => (each.sort === order.sort && each.card === 'off' ? { ...each, card: undefined } : each));
}

const classesOf = (...names: readonly (string | false | undefined)[]) => names.filter(Boolean).join(' ') || undefined;

/** Renders the rows. A page has hundreds of cells, so they are joined without a template for each. */
function linesOf<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row, string>[],
  { rowHeader, isCards }: { readonly rowHeader: number; readonly isCards: boolean },
): string[] {
  const shown = columns.map(({ label, kind, card, cells }, i) => {
    const isHeader = i === rowHeader;
    const isNamed = isCards && !isHeader && (card === undefined || card === 'named top');
    const { text } = Attributes.of({
      scope: isHeader && 'row',
      class: classesOf(kind, card === 'named top' ? 'top' : card !== 'plain' && card),
      'data-label': isNamed && textOf(label),
    });
    const tag = isHeader ? 'th' : 'td';
    return { start: `<${tag}${text}>`, end: `</${tag}>`, cells: cells(rows) };
  });
  return rows.map((_, i) => {
    let line = '<tr>';
    for (const { start, end, cells } of shown) line += start + markupOf(cells[i]) + end;
    return `${line}</tr>`;
  });
}

/** Converts a text to an id of the page. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
