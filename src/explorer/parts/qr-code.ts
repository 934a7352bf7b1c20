/** Renders QR codes, which a wallet on a phone reads from the screen. */
import encodeQr from 'qr';
import { Html, html } from '../html.ts';

/** The light border that scanners need, in modules: as wide as ISO/IEC 18004 asks for. */
const QUIET_ZONE = 4;

/** Renders a text as a QR code, which is hidden until the visitor opens it. `title`: what it encodes. */
export function qrCode(text: string, title: string): Html {
  const modules = encodeQr(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  let path = '';
  for (const [y, row] of modules.entries()) {
    for (let x = 0; x < row.length; x++) {
      const from = x;
      while (row[x]) x++;
      if (x > from) path += `M${from} ${y}h${x - from}v1H${from}z`;
    }
  }
  const size = modules.length;
  const picture = new Html(`<path d="${path}"/>`);
  return html`<details class="qr"><summary>QR code</summary><svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${title}" shape-rendering="crispEdges"><rect class="light" width="${size}" height="${size}" />${picture}</svg></details>`;
}
