// Each page in a real browser: no errors, nothing the content policy forbids, no request to anybody else, hostile text inert, and no
// serious finding of axe in light, dark and phone width.
//
// usage: pages.mjs HOLDFAST HOLDFAST-SEED
import assert from 'node:assert/strict';
import { finish, test } from '../harness.mjs';
import { accessibilityFindings, follow, looks, openBrowser, openPage } from './browser.mjs';
import { demo as makeDemo, hostile } from './demo.mjs';

const demo = await makeDemo();
const browser = await openBrowser();

const paths = {
  timeline: '/',
  'filtered timeline': '/?kind=transcript&project=shop&since=2020-01-01',
  search: '/search',
  'search results': '/search?q=retry',
  transcript: `/sessions/${demo.transcripts[0].id}`,
  'a deep link': `/sessions/${demo.transcripts[0].id}?line=4#L4`,
  'a whole record': `/sessions/${demo.transcripts[0].id}/record?line=2`,
  thoughts: `/sessions/${demo.reasoning}`,
  'a session of research': `/sessions/${demo.research}`,
  family: `/sessions/${demo.transcripts[0].id}/family`,
  graph: `/sessions/${demo.reasoning}/graph`,
  'whole graph': `/sessions/${demo.reasoning}/graph?all=1`,
  review: '/review',
  document: '/review/document?path=handbook.md',
  'side by side': '/review/document?path=handbook.md&view=sides',
  research: '/research',
  run: `/research/${demo.research}`,
  notices: '/notices',
  storage: '/storage',
  'a hostile transcript': `/sessions/${demo.transcripts[2].id}`,
  'a hostile thread': '/sessions/hostile-thread-0',
  'a hostile graph': '/sessions/hostile-reasoning-0/graph',
  'a hostile run': '/research/hostile-research-1',
};

for (const look of Object.keys(looks)) {
  const { page, complaints, go } = await openPage(browser, demo, { look }); // one login for all: it is not what is tried here
  for (const [name, path] of Object.entries(paths)) {
    test(`${name}, ${look}: loads cleanly and is accessible`, async () => {
      complaints.length = 0;
      const answer = await go(path);
      assert.equal(answer.status(), 200);
      await page.waitForLoadState('load');
      assert.match(await page.title(), / · holdfast$/);
      assert.equal(await page.locator('h1').count(), 1);
      assert.equal(await page.evaluate(() => document.querySelectorAll('[style], style, script:not([src])').length), 0);
      const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
      assert.ok(scroll <= width, `the page is ${scroll} wide, the window ${width}`);
      assert.deepEqual(complaints, []);
      assert.deepEqual(await accessibilityFindings(page), []);
    });
  }
}

test('titles of strangers are text', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  for (const path of ['/', '/research', `/sessions/${demo.transcripts[2].id}`, '/sessions/hostile-thread-3', '/sessions/hostile-run-1', '/sessions/hostile-reasoning-1/graph', '/sessions/hostile-thread-2/family']) {
    await go(path);
    assert.doesNotMatch(await page.title(), /^(owned|1)$/);
    assert.equal(await page.locator('main script, main img, main svg[onload]').count(), 0, path);
  }
  await go('/?kind=thread');
  for (const title of hostile.slice(0, 2)) assert.equal(await page.getByRole('link', { name: title, exact: true }).first().innerText(), title);
  assert.deepEqual(complaints, []);
  await close();
});

test('pages work without the script', async () => {
  const { page, go, close } = await openPage(browser, demo, { javaScriptEnabled: false });
  await go('/');
  await page.getByLabel('Kind').selectOption('transcript');
  await follow(page, page.getByRole('button', { name: 'Filter' }));
  assert.match(page.url(), /kind=transcript/);
  assert.equal(await page.locator('.row').count(), 3);
  assert.equal(await page.locator('[data-copy]:visible, [data-help]:visible').count(), 0);
  await follow(page, page.getByRole('button', { name: 'Dark' }));
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark');
  assert.match(page.url(), /kind=transcript/, 'and one is where one was');
  await close();
});

test('the theme is remembered, and can be given back to the system', async () => {
  const { page, go, close } = await openPage(browser, demo, { look: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const choose = async (name, then) => {
    await page.getByRole('button', { name, exact: true }).click();
    await page.locator(then).waitFor();
    await page.waitForLoadState('load');
  };
  await go('/storage');
  const light = await ground();
  await choose('Dark', 'html[data-theme=dark]');
  const dark = await ground();
  assert.notEqual(dark, light);
  await go('/notices');
  assert.equal(await ground(), dark);
  assert.deepEqual(await accessibilityFindings(page), []);
  await choose('System', 'html:not([data-theme])');
  assert.equal(await ground(), light);
  await close();
});

test('keys: search, help, rows', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go('/');
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.name), 'q');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  assert.deepEqual(await accessibilityFindings(page), []);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  assert.equal(await page.evaluate(() => [...document.querySelectorAll('.row-title')].indexOf(document.activeElement)), 1);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.waitForURL('**/review');
  await close();
});

test('the first key press reaches the skip link', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go('/');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'content');
  await close();
});

await finish();
