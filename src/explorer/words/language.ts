/** The languages of the pages: which of them a request asks for, and how each writes numbers and times. */
import type { IncomingMessage } from 'node:http';
import { requestHeader } from '../../serving/http/headers.ts';

/** The languages by their tags (BCP 47), each with its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español', zh: '中文' } as const;
export type Language = keyof typeof LANGUAGES;

export const isLanguage = (text: string): text is Language => Object.hasOwn(LANGUAGES, text);

/** The query parameter that changes the language, and the cookie that keeps it. */
export const LANGUAGE_PARAMETER = 'language';

/** The language that the visitor has chosen; else the first known one that the browser prefers; else English. */
export function languageOf(request: IncomingMessage): Language {
  const cookie = requestHeader(request, 'cookie');
  const chosen = cookie === undefined ? undefined : /(?:^|;\s*)language=([a-z]{2})(?:;|$)/.exec(cookie)?.[1];
  if (chosen !== undefined && isLanguage(chosen)) return chosen;
  const accepted = requestHeader(request, 'accept-language');
  if (accepted === undefined) return 'en';
  let known = accepted.length > MAX_REMEMBERED ? undefined : remembered.get(accepted);
  if (known === undefined) {
    known = preferred(accepted);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    if (accepted.length <= MAX_REMEMBERED) remembered.set(accepted, known);
  }
  return known;
}

/** The headers of browsers are few: each is parsed once. */
const remembered = new Map<string, Language>();
/** The most headers that are remembered, and the length of the longest. */
const MAX_REMEMBERED = 200;

/** Parses `Accept-Language`: `de-CH, de;q=0.9, en;q=0.8` (RFC 9110, 12.5.4). */
function preferred(accepted: string): Language {
  let best: { readonly language: Language; readonly weight: number } | null = null;
  for (const range of accepted.slice(0, 1_000).split(',')) {
    const [tag = '', ...parameters] = range.trim().split(';');
    const language = tag.slice(0, 2).toLowerCase();
    const weight = Number(
      parameters
        .find((each) => each.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? 1,
    );
    if (isLanguage(language) && /^..(?:$|-)/.test(tag) && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? 'en';
}
