/** Tables: each scrolls inside itself, has a caption, and says what would be there when there is nothing. */
import { Attributes, Html, type HtmlValue, html, textOf } from '../html.ts';

export interface Column {
  readonly label: HtmlValue;
  /** `num`: aligned to the right; `wide`: takes what room there is; `narrow`: as little as it needs. */
  readonly kind?: 'num' | 'wide' | 'narrow' | undefined;
  /** For `aria-sort`, where the list is sorted by it. */
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

interface TableOptions {
  /** What the table lists. */
  readonly caption: string;
  /** The caption is read aloud, but not shown: a heading above says the same. */
  readonly isCaptionHidden?: boolean;
  readonly columns: readonly Column[];
  /** The cells of each row. */
  readonly rows: readonly (readonly HtmlValue[])[];
  /** What would be there: "No transactions are pending." */
  readonly empty: HtmlValue;
  /** The column whose cells name their row; the first by default, null for none. */
  readonly rowHeader?: number | null;
  /** Names the table in the page. */
  readonly id?: string;
}

export function table({ caption, isCaptionHidden, columns, rows, empty, rowHeader = 0, id }: TableOptions): Html {
  const name = id ?? slug(caption);
  if (rows.length === 0) return html`<p class="empty"${Attributes.of({ id: name })}>${empty}</p>`;
  const heads = columns.map(({ label, kind, sorted }) => {
    const attributes = Attributes.of({ scope: 'col', class: kind, 'aria-sort': sorted });
    return html`<th${attributes}>${label}</th>`;
  });
  const body = bodyOf(columns, rows, rowHeader);
  const captionClass = Attributes.of({ id: `${name}-caption`, class: isCaptionHidden && 'sr' });
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${name}-caption"><table${Attributes.of({
    id: name,
  })}><caption${captionClass}>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** Its rows. A page has hundreds of cells: put together without a template for each. */
function bodyOf(columns: readonly Column[], rows: TableOptions['rows'], rowHeader: number | null): Html {
  const frames = columns.map(({ kind }, i) => {
    const isHeader = i === rowHeader;
    const { text } = Attributes.of(isHeader ? { scope: 'row', class: kind } : { class: kind });
    return isHeader ? { start: `<th${text}>`, end: '</th>' } : { start: `<td${text}>`, end: '</td>' };
  });
  let body = '';
  for (const cells of rows) {
    body += '<tr>';
    for (let i = 0; i < cells.length; i++) body += frames[i]!.start + textOf(cells[i]) + frames[i]!.end;
    body += '</tr>';
  }
  return new Html(body);
}

/** A text as an id of the page. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
