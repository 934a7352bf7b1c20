/**
 * Renders tables. Each has a caption, its own scroll bar if it is too wide, and a sentence that is shown if it is
 * empty. On a phone, the cells of a table with many columns stand below their row, each with its label (`folds` in the style).
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
  /** Returns one cell for each row. */
  readonly cells: (rows: readonly Row[]) => readonly HtmlValue[];
}

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
  /** The index of the column whose cells name their row; the first by default. */
  readonly rowHeader?: number;
  /** The id of the table in the page. */
  readonly id?: string;
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
    rowHeader = 0,
    id,
  }: TableOptions<Row, Sort>,
): Html {
  const name = id ?? slug(englishOf(caption));
  if (rows.length === 0)
    return html`<p class="empty"${Attributes.of({ id: name })}>${empty !== undefined && wordsHtml(empty)}</p>`;
  const columns = all.filter((each) => each !== false);
  const heads = columns.map(({ label, kind, sort }) => {
    const direction = sort !== undefined && sort === order?.sort && order.direction;
    const attributes = Attributes.of({ scope: 'col', class: kind, 'aria-sort': direction });
    const text = textOf(label);
    return html`<th${attributes}>${sort && order ? html`<a href="${order.link(sort)}">${text}</a>` : text}</th>`;
  });
  const folds = columns.length > MAX_PHONE_COLUMNS;
  const body = bodyOf(rows, columns, { rowHeader, folds });
  const classes = [folds && 'folds', isSteady && 'steady'].filter(Boolean).join(' ');
  const captionClass = Attributes.of({ id: `${name}-caption`, class: !isCaptionShown && 'sr' });
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${name}-caption"><table${Attributes.of({
    id: name,
    class: classes !== '' && classes,
  })}><caption${captionClass}>${textOf(caption)}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Renders the rows. A page has hundreds of cells, so they are joined without a template for each. */
function bodyOf<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row, string>[],
  { rowHeader, folds }: { readonly rowHeader: number; readonly folds: boolean },
): Html {
  const shown = columns.map(({ label, kind, cells }, i) => {
    const isHeader = i === rowHeader;
    const { text } = Attributes.of({
      scope: isHeader && 'row',
      class: kind,
      'data-label': folds && !isHeader && textOf(label),
    });
    const tag = isHeader ? 'th' : 'td';
    return { start: `<${tag}${text}>`, end: `</${tag}>`, cells: cells(rows) };
  });
  let body = '';
  for (let i = 0; i < rows.length; i++) {
    body += '<tr>';
    for (const { start, end, cells } of shown) body += start + markupOf(cells[i]) + end;
    body += '</tr>';
  }
  return new Html(body);
}

/** Converts a text to an id of the page. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
