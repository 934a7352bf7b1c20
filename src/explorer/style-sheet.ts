/** The style sheet, with the widths and colours that are generated. */
import { readFileSync } from 'node:fs';

/** The most characters before the point that the style has a width for. */
export const MAX_ALIGNED_DIGITS = 18;
/** The widths that a bar of the order book may have. */
export const DEPTH_STEPS = 40;
/** The colours of `tokens.css` that parts of a whole have. */
export const PART_COLOURS = 6;

/** Joins the style, its values and the generated widths, without comments and indents, which are a fifth of what is sent. */
export function styleSheet(style: Buffer): Buffer<ArrayBuffer> {
  const tokens = readFileSync(new URL('public/tokens.css', import.meta.url), 'utf8');
  const whole = `${style}${numberWidths()}${depthWidths()}${partColours()}${tokens}`;
  return Buffer.from(whole.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\n\s*/g, '\n'));
}

function depthWidths(): string {
  return Array.from({ length: DEPTH_STEPS + 1 }, (_, i) => `.d${i}{width:${(i * 100) / DEPTH_STEPS}%}\n`).join('');
}

/** The colours of the parts of a whole, the largest first: `s0` has the first. */
function partColours(): string {
  return Array.from({ length: PART_COLOURS }, (_, i) => `.s${i}{--part:var(--part-${i})}\n`).join('');
}

/**
 * The widths that align numbers with units in a column, by the characters before the point. The digits of columns are wider than `ch`,
 * which is a zero of running text.
 */
function numberWidths(): string {
  return Array.from({ length: MAX_ALIGNED_DIGITS }, (_, i) => {
    const spaces = Math.floor(i / 3);
    const digits = ((i + 1) * 1.04).toFixed(2);
    return `.w${i + 1}{min-width:calc(${digits}ch + ${spaces * 0.18}em)}\n`;
  }).join('');
}
