// Pictures of the pages for docs/, with demo data.
//
// usage: screenshots.mjs HOLDFAST HOLDFAST-SEED FOLDER
import { join } from 'node:path';
import { openBrowser, openPage } from './browser.mjs';
import { demo as makeDemo } from './demo.mjs';

const folder = process.argv[4];
const demo = await makeDemo({ withHostile: false });
const browser = await openBrowser();

const pictures = [
  ['timeline', '/', 'light', { width: 1100, height: 760 }],
  ['timeline-dark', '/', 'dark', { width: 1100, height: 760 }],
  ['timeline-phone', '/', 'phone', { width: 390, height: 780 }],
  ['search', '/search?q=checkout', 'light', { width: 1100, height: 760 }],
  ['session', `/sessions/${demo.transcripts[0].id}`, 'light', { width: 1100, height: 760 }],
  ['review', '/review/document?path=handbook.md&view=sides', 'light', { width: 1100, height: 900 }],
  ['graph', `/sessions/${demo.reasoning}/graph`, 'dark', { width: 1100, height: 760 }],
  ['research', `/research/${demo.research}`, 'light', { width: 1100, height: 900 }],
];

for (const [name, path, look, size] of pictures) {
  const { page, go, close } = await openPage(browser, demo, { look });
  await page.setViewportSize(size);
  await go(path);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await close();
  console.log(name);
}
await browser.close();
await demo.client.close();
await demo.server.stop();
process.exit(0);
