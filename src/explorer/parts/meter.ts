/** Parts of a whole as a bar. The exact shares stand beside it. */
import { Html, html } from '../html.ts';

/** `part` of `whole`; a part above the whole fills it. */
export function meter(title: string, part: bigint, whole: bigint): Html {
  const bar = new Html(
    `<rect class="track" x="0" y="0" width="100" height="10"/><rect class="bar" x="0" y="0" width="${percent(part, whole)}" height="10"/>`,
  );
  return html`<svg class="meter" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${title}">${bar}</svg>`;
}

/** Parts of a whole, the largest first, next to each other; the rest of it stays empty. */
export function shares(title: string, parts: readonly bigint[], whole: bigint): Html {
  let bars = '';
  let sum = 0n;
  for (const [i, part] of parts.entries()) {
    const [from, to] = [percent(sum, whole), percent(sum + part, whole)];
    bars += `<rect class="share s${Math.min(i, FADED)}" x="${from}" y="0" width="${(to - from).toFixed(2)}" height="10"/>`;
    sum += part;
  }
  const track = '<rect class="track" x="0" y="0" width="100" height="10"/>';
  return html`<svg class="share-bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${title}">${new Html(track + bars)}</svg>`;
}

/** The palest colour that the style has for a share. */
const FADED = 5;

function percent(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Math.min(10_000, Number((part * 10_000n) / whole)) / 100;
}
