/** How much of a whole something is, as a bar. The exact share stands beside it. */
import { Html, html } from '../html.ts';

/** `part` of `whole`; a part above the whole fills it. */
export function meter(title: string, part: bigint, whole: bigint): Html {
  const hundredths = whole === 0n || part < 0n ? 0 : Math.min(10_000, Number((part * 10_000n) / whole));
  const bar = new Html(
    `<rect class="track" x="0" y="0" width="100" height="10"/><rect class="bar" x="0" y="0" width="${hundredths / 100}" height="10"/>`,
  );
  return html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${title}">${bar}</svg>`;
}
