/**
 * Draws the pictures that messengers and social sites show beside a link to a page, one for each kind of page:
 * `npm run previews`. They are kept in `src/explorer/public`, because such sites take no SVG.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PREVIEWS, previewOf } from '../src/explorer/things.ts';
import { startBrowser } from '../test/browser/chromium.ts';

const WIDTH = 600;
const HEIGHT = 315;

const folder = new URL('../src/explorer/public/', import.meta.url);
const [green, white] = ['#0b6e5d', '#fff'];
// The mark of the site, in the colours of the ground.
const mark = readFileSync(new URL('favicon.svg', folder), 'utf8')
  .replace('<svg', '<svg width="120" height="120"')
  .replace(`fill="${green}"`, `fill="${white}"`)
  .replace(`stroke="${white}"`, `stroke="${green}"`);

const browser = await startBrowser({ after: () => {} });
const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
for (const [kind, name] of Object.entries(PREVIEWS)) {
  await page.setContent(`<body style="margin:0;display:grid;grid-template-columns:auto auto;gap:28px;place-content:center;align-items:center;height:100vh;background:${green};color:${white};font:600 44px sans-serif">
    ${mark}
    <div>Mintlayer<div style="font-weight:400;font-size:32px;opacity:.85">${name}</div></div></body>`);
  const path = fileURLToPath(new URL(previewOf(`/${kind}`), folder));
  await page.screenshot({ path });
  console.log(path);
}
await browser.close();
