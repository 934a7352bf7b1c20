/** The style sheet, with the widths and colours that are generated. */
import { readFileSync } from 'node:fs';

/** The widths that a bar of the order book may have. */
export const DEPTH_STEPS = 40;
/** The colours of `tokens.css` that parts of a whole have. */
export const PART_COLOURS = 6;

/** Joins the style, its values and the generated widths, without comments and indents, which are a fifth of what is sent. */
export function styleSheet(style: Buffer): Buffer<ArrayBuffer> {
  const tokens = readFileSync(new URL('public/tokens.css', import.meta.url), 'utf8');
  const whole = `${style}${depthWidths()}${partColours()}${tokens}`;
  return Buffer.from(whole.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\n\s*/g, '\n'));
}

function depthWidths(): string {
  return Array.from({ length: DEPTH_STEPS + 1 }, (_, i) => `.d${i}{width:${(i * 100) / DEPTH_STEPS}%}\n`).join('');
}

/** The colours of the parts of a whole, the largest first: `s0` has the first. */
function partColours(): string {
  return Array.from({ length: PART_COLOURS }, (_, i) => `.s${i}{--part:var(--part-${i})}\n`).join('');
}
