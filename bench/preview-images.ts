/**
 * Draws the pictures that messengers and social sites show beside a link to a page, one for each kind of page:
 * `npm run previews`. They are kept in `src/explorer/public`, because such sites take no SVG.
 */
import { chromium } from 'playwright-core';
import { PREVIEWS, previewOf } from '../src/explorer/things.ts';

const WIDTH = 600;
const HEIGHT = 315;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: WIDTH, height: HEIGHT } });
for (const [kind, name] of Object.entries(PREVIEWS)) {
  await page.setContent(`<body style="margin:0;display:grid;grid-template-columns:auto auto;gap:28px;place-content:center;align-items:center;height:100vh;background:#0b6e5d;color:#fff;font:600 44px sans-serif">
    <svg width="120" height="120" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#fff"/><path d="M7 23V10l9 8 9-8v13" fill="none" stroke="#0b6e5d" stroke-width="3.4" stroke-linejoin="round" stroke-linecap="round"/></svg>
    <div>Mintlayer<div style="font-weight:400;font-size:32px;opacity:.85">${name}</div></div></body>`);
  const path = new URL(`../src/explorer/public/${previewOf(`/${kind}`)}`, import.meta.url).pathname;
  await page.screenshot({ path });
  console.log(path);
}
await browser.close();
