/**
 * Renders tables. Each has a caption, its own scroll bar if it is too wide, and a sentence that is shown if it is
 * empty.
 */
import { Attributes, Html, type HtmlValue, html, textOf } from '../html.ts';

/** A column of a table: see {@link column}, {@link numberColumn} and `amountColumn`. */
export interface Column<Row> {
  readonly label: HtmlValue;
  /** `num`: aligned to the right; `wide`: takes the remaining width. */
  readonly kind?: 'num' | 'wide' | undefined;
  /** The value of `aria-sort`, if the list is sorted by this column. */
  readonly sorted?: 'ascending' | 'descending' | undefined;
  /** Returns one cell for each row. */
  readonly cells: (rows: readonly Row[]) => readonly HtmlValue[];
}

export interface TableTexts {
  /** The caption: what the table lists. */
  readonly caption: string;
  /** The sentence shown if there are no rows: "No transactions are pending." */
  readonly empty: HtmlValue;
}

interface TableOptions<Row> extends TableTexts {
  /** Shows the caption. Otherwise only screen readers have it, because a heading above says the same. */
  readonly isCaptionShown?: boolean;
  /** The columns; false leaves one out. */
  readonly columns: readonly (Column<Row> | false)[];
  /** The index of the column whose cells name their row; the first by default. */
  readonly rowHeader?: number;
  /** The id of the table in the page. */
  readonly id?: string;
}

export function column<Row>(label: HtmlValue, cell: (row: Row) => HtmlValue, kind?: Column<Row>['kind']): Column<Row> {
  return { label, kind, cells: (rows) => rows.map(cell) };
}

export function numberColumn<Row>(label: HtmlValue, cell: (row: Row) => HtmlValue): Column<Row> {
  return column(label, cell, 'num');
}

export function table<Row>(
  rows: readonly Row[],
  { caption, isCaptionShown = false, columns: all, empty, rowHeader = 0, id }: TableOptions<Row>,
): Html {
  const name = id ?? slug(caption);
  if (rows.length === 0) return html`<p class="empty"${Attributes.of({ id: name })}>${empty}</p>`;
  const columns = all.filter((each) => each !== false);
  const heads = columns.map(({ label, kind, sorted }) => {
    const attributes = Attributes.of({ scope: 'col', class: kind, 'aria-sort': sorted });
    return html`<th${attributes}>${label}</th>`;
  });
  const body = bodyOf(rows, columns, rowHeader);
  const captionClass = Attributes.of({ id: `${name}-caption`, class: !isCaptionShown && 'sr' });
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${name}-caption"><table${Attributes.of({
    id: name,
  })}><caption${captionClass}>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Renders the rows. A page has hundreds of cells, so they are joined without a template for each. */
function bodyOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[], rowHeader: number): Html {
  const shown = columns.map(({ kind, cells }, i) => {
    const isHeader = i === rowHeader;
    const { text } = Attributes.of(isHeader ? { scope: 'row', class: kind } : { class: kind });
    const tag = isHeader ? 'th' : 'td';
    return { start: `<${tag}${text}>`, end: `</${tag}>`, cells: cells(rows) };
  });
  let body = '';
  for (let i = 0; i < rows.length; i++) {
    body += '<tr>';
    for (const { start, end, cells } of shown) body += start + textOf(cells[i]) + end;
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
