/** The words that the scripts of the pages show: the page has their translations (`word` in `public/settings.js`). */
import { THINGS } from '../things.ts';
import { currentCatalogue, type Message } from './catalogue.ts';
import { SEARCH_RESULT_MESSAGES } from './search-result-messages.ts';

const SCRIPT_WORDS: readonly Message[] = [
  ...(['Copy', 'Copied', 'Selected', 'Theme: auto', 'Theme: light', 'Theme: dark'] as const),
  ...([
    'Times: relative',
    'Times: local',
    'Times: UTC',
    'now',
    'Live',
    'Live: on',
    'Live: waiting',
    'Live: off',
  ] as const),
  ...Object.values(THINGS).map(({ name }) => name),
  ...SEARCH_RESULT_MESSAGES,
  ...(['Suggestions', 'No suggestions', 'Zoom in', 'Zoom out', 'Whole range'] as const),
  ...(['Zoom of {title}', 'Shown: {from} to {to}'] as const),
];

/** By the index of the catalogue; undefined: none has a translation. */
const made: (string | undefined)[] = [];

/** Returns the translations as JSON; undefined for none. */
export function scriptWords(): string | undefined {
  const { index, translate } = currentCatalogue();
  if (!(index in made)) {
    const translated = SCRIPT_WORDS.filter((word) => translate(word) !== word);
    made[index] =
      translated.length === 0
        ? undefined
        : JSON.stringify(Object.fromEntries(translated.map((word) => [word, translate(word)])));
  }
  return made[index];
}
