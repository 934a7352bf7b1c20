/** Texts that attackers write into a chain to harm a page, from a seed: bytes, not all of them UTF-8. */
import type { Hex } from '../../src/chain/types.ts';
import { Random } from '../../src/devnet/sim/random.ts';

/** A page that runs any of these calls this; nothing else does. */
const ALARM = 'alert(1)';

const MARKUP = [
  `<script>${ALARM}</script>`,
  `"><img src=x onerror=${ALARM}>`,
  `' onmouseover='${ALARM}`,
  `<svg/onload=${ALARM}>`,
  `</title></script></style></textarea><iframe srcdoc="<script>parent.${ALARM}</script>">`,
  `<a href="javascript:${ALARM}">x</a>`,
  `<style>*{display:none}</style>`,
  `<base href="http://127.0.0.2/"><meta http-equiv="refresh" content="0;url=http://127.0.0.2/">`,
  `<form action="http://127.0.0.2/"><input name=q autofocus onfocus=${ALARM}>`,
  `</details></dl></table></main></body></html><h1>Not ours</h1>`,
  `<!--`,
  `--><script>${ALARM}</script>`,
  `<![CDATA[<script>${ALARM}</script>]]>`,
  `&lt;script&gt;${ALARM}&lt;/script&gt;`,
  '&#60;b&#62;&amp;&nbsp;&bogus;',
  `\`\${${ALARM}}\``,
  `{{constructor.constructor('${ALARM}')()}}`,
] as const;

const LINKS = [
  `javascript:${ALARM}`,
  `JaVaScRiPt\t:${ALARM}`,
  `data:text/html,<script>${ALARM}</script>`,
  `vbscript:${ALARM}`,
  `https://user:password@127.0.0.2/`,
  `https://127.0.0.2/"onclick="${ALARM}`,
  `//127.0.0.2/x`,
  `ipfs://${'q'.repeat(200)}`,
  `https://xn--80ak6aa92e.example/${'%2e%2e/'.repeat(30)}`,
  'file:///etc/passwd',
] as const;

const UNSEEN = [
  '\u202e',
  '\u2066abc\u202dcba\u202c',
  'a\u200bb\u200c\u200d\u2060\ufeffc',
  '\u0000',
  '\u001b[31m',
  '\r\n\t\u0085\u2028\u2029',
  '\u00ad',
  '\u{e0041}\u{e0042}\u{e0043}',
  '\u115f\u3164\uffa0\u2800',
  `a${'\u0300\u0316\u0489'.repeat(40)}`,
  '\u034f\u061c\u180e',
  '\ufdfd'.repeat(20),
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\ufe0f',
  '\u05d0\u05d1\u05d2 123 \u0627\u0644\u0639',
  '\u{fdd0}\u{1fffe}\ufffd',
] as const;

/** No UTF-8: lone bytes, a surrogate, an overlong slash, beyond the last code point, cut in the middle. */
const NO_UTF8: readonly Hex[] = ['ff00fe', 'eda080', 'c0af', 'f4908080', '61e282', '3c736372697074ff3e'];

const LONG = 10_000;

/** Returns texts as hex; all kinds come before any is repeated. The longest have about 10,000 characters. */
export function hostileTexts(seed: string, howMany: number): Hex[] {
  const random = new Random(`hostile ${seed}`);
  const texts = [...MARKUP, ...LINKS, ...UNSEEN];
  const hex = (text: string) => Buffer.from(text, 'utf8').toString('hex');
  const long = [
    'W'.repeat(LONG),
    'wide '.repeat(LONG / 5),
    '\u202e\u200b'.repeat(LONG / 2),
    '<b>'.repeat(LONG / 3),
    '\u{1f600}'.repeat(LONG),
    '\ufdfd'.repeat(LONG),
  ];
  const found = shuffled(random, [...[...texts, ...long].map(hex), ...NO_UTF8, '']);
  while (found.length < howMany) {
    const parts = Array.from({ length: 1 + random.below(6) }, () => part(random, texts));
    found.push(parts.join(''));
  }
  return found.slice(0, howMany);
}

/** The number of kinds; with fewer texts, some are left out. */
export const HOSTILE_KINDS = MARKUP.length + LINKS.length + UNSEEN.length + 6 + NO_UTF8.length + 1;

function part(random: Random, texts: readonly string[]): Hex {
  switch (random.below(4)) {
    case 0:
      return random.hex(1 + random.below(12));
    case 1:
      return random.pick(NO_UTF8);
    default: {
      const text = random.pick(texts);
      const cut = random.chance(0.3) ? text.slice(0, random.below(text.length) + 1) : text;
      return Buffer.from(random.chance(0.1) ? cut.repeat(1 + random.below(200)) : cut, 'utf8').toString('hex');
    }
  }
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  for (let i = left.length - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [left[i], left[other]] = [left[other]!, left[i]!];
  }
  return left;
}
