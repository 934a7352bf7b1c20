/** The messages in the templates of `html`: the texts of their elements, and those of attributes that people read. */
import type { Catalogue } from './catalogue.ts';

/** A template in a language: the markup between the values, and which value stands behind each part but the last. */
export interface TranslatedTemplate {
  readonly parts: readonly string[];
  readonly order: readonly number[];
}

/** A place for a value while a template is translated. */
const HOLE = /\ue000(\d+)\ue001/g;
const hole = (i: number | string): string => `\ue000${i}\ue001`;
/** A tag, or the text between two tags. */
const TAG_OR_TEXT = /<[^>]*>|[^<]+/g;
const READ_ATTRIBUTE = /( (?:aria-label|placeholder|title|alt)=")([^"]+)(")/g;
/** What a message begins and ends with: words, or values beside them. */
const EDGES = /^((?:\s|\ue000\d+\ue001(?! ))*)(.*?)((?:\s|(?<! )\ue000\d+\ue001)*)$/su;
const LETTER = /\p{L}/u;

/** Translates a template. Messages that have no translation stay as they are. */
export function translateTemplate(
  strings: readonly string[],
  { translate }: Pick<Catalogue, 'translate'>,
): TranslatedTemplate {
  const joined = strings.map((part, i) => (i === 0 ? part : hole(i - 1) + part)).join('');
  const text = joined.replace(TAG_OR_TEXT, (piece) =>
    piece.startsWith('<')
      ? piece.replace(
          READ_ATTRIBUTE,
          (_, start: string, words: string, end: string) => start + translated(words, translate) + end,
        )
      : translated(piece, translate),
  );
  const pieces = text.split(HOLE);
  return {
    parts: pieces.filter((_, i) => i % 2 === 0),
    order: pieces.filter((_, i) => i % 2 === 1).map(Number),
  };
}

function translated(run: string, translate: (message: string) => string): string {
  const [, before = '', words = '', after = ''] = EDGES.exec(run) ?? [];
  const holes: string[] = [];
  const message = words.replace(HOLE, (_, i: string) => `{${holes.push(i) - 1}}`);
  if (!LETTER.test(message.replace(/\{\d+\}/g, ''))) return run;
  const text = translate(message.replace(/\s+/g, ' ')).replace(/\{(\d+)\}/g, (_, i: string) => hole(holes[Number(i)]!));
  return before + text + after;
}
