/** Words for days and times in the languages of the pages, made by `Intl`: names of months and days, "yesterday", "12 days ago". */

const TAGS = ['en-GB', 'de', 'es', 'zh-Hans'];
const UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;
export type TimeUnit = (typeof UNITS)[number];

/** How long ago. */
interface Ago {
  readonly number: number;
  readonly unit: TimeUnit;
}

/** Without accents, which many leave out. */
const plain = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');

const MONTHS: readonly (readonly [name: string, number: number])[] = TAGS.flatMap((tag) => {
  const { format } = new Intl.DateTimeFormat(tag, { month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, i) => [plain(format(Date.UTC(2026, i, 1))), i + 1] as const);
});

/** Returns the number of a month by three or more letters of its name; 0 for no name. */
export function monthNamed(text: string): number {
  return MONTHS.find(([name]) => name.startsWith(plain(text)))?.[1] ?? 0;
}

/** The days of the week by their names in full: shorter ones may be tickers. */
const WEEKDAYS = new Map(
  TAGS.flatMap((tag) => {
    const { format } = new Intl.DateTimeFormat(tag, { weekday: 'long', timeZone: 'UTC' });
    return Array.from({ length: 7 }, (_, i) => [plain(format(Date.UTC(2026, 1, 1 + i))), i] as const);
  }),
);
const LATEST =
  /^(?:last|letzte[nr]?)\s(?<latest>.+)$|^(?:el\s)?(?<ultimo>.+)\spasado$|^上个?(?<ofWeek>.+)$|^(?:el\s)?(?<day>.+)$/;

/**
 * Returns how many days ago was a day of the week, null for other texts: "monday" today or before, "last monday" before today,
 * "上周一" in the week before this one. `today`: 0 is Sunday.
 */
export function weekdayIn(text: string, today: number): number | null {
  const { latest, ultimo, ofWeek, day } = LATEST.exec(text)?.groups ?? {};
  const name = plain(latest ?? ultimo ?? ofWeek ?? day ?? '').replace(/^(?:周|礼拜)(?=.$)/, '星期');
  const weekday = WEEKDAYS.get(name.replace(/^星期天$/, '星期日'));
  if (weekday === undefined) return null;
  if (ofWeek !== undefined) return 7 + ((today + 6) % 7) - ((weekday + 6) % 7);
  const days = (today - weekday + 7) % 7;
  return days === 0 && day === undefined ? 7 : days;
}

/** Without spaces, the number as #. */
const keyOf = (text: string) => plain(text).replace(/\s/g, '').replace(/\d+/, '#');

/** "yesterday", "last week", "#daysago": how long ago; a number of -1 stands for that in the text. */
const AGO = new Map<string, Ago>();
for (const tag of TAGS) {
  const [always, auto] = (['always', 'auto'] as const).map((numeric) => new Intl.RelativeTimeFormat(tag, { numeric }));
  for (const unit of UNITS) {
    for (const number of [1, 2, 5]) AGO.set(keyOf(always!.format(-number, unit)), { number: -1, unit });
    for (const number of [0, 1, 2]) {
      const key = keyOf(auto!.format(-number, unit));
      if (!key.includes('#')) AGO.set(key, { number, unit });
    }
  }
}

/** "an hour ago", "vor einer Stunde", "hace un día". */
const ONE = /(?<![\p{L}\d])(?:an?|one|ein(?:e[mnr]?)?|una?)(?![\p{L}\d])/u;

/** Returns how long ago a text means; null for other texts. */
export function parseAgo(text: string): Ago | null {
  const words = text.replace(ONE, '1');
  const found = AGO.get(keyOf(words));
  if (found === undefined || found.number >= 0) return found ?? null;
  const number = Number(/\d+/.exec(words)![0]);
  return number > 1_000_000_000 ? null : { ...found, number };
}
