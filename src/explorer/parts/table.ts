/** Tables: each scrolls inside itself, has a caption, and says what would be there when there is nothing. */
import { Attributes, type Html, type HtmlValue, html } from '../html.ts';

export interface Column {
  readonly label: HtmlValue;
  /** `num`: aligned to the right; `wide`: takes what room there is; `narrow`: as little as it needs. */
  readonly kind?: 'num' | 'wide' | 'narrow' | undefined;
  /** For `aria-sort`, where the list is sorted by it. */
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

export interface TableOptions {
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
  const attributesOf = columns.map(({ kind }, i) =>
    Attributes.of(i === rowHeader ? { scope: 'row', class: kind } : { class: kind }),
  );
  const body = rows.map((cells) => {
    const tds = cells.map((cell, i) =>
      i === rowHeader ? html`<th${attributesOf[i]}>${cell}</th>` : html`<td${attributesOf[i]}>${cell}</td>`,
    );
    return html`<tr>${tds}</tr>`;
  });
  const captionClass = Attributes.of({ id: `${name}-caption`, class: isCaptionHidden && 'sr' });
  return html`<div class="scroll" role="region" tabindex="0" aria-labelledby="${name}-caption"><table${Attributes.of({
    id: name,
  })}><caption${captionClass}>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** A text as an id of the page. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
