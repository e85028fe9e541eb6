// Reading a session in a real browser: from the search to the words and the resume command, a long one by scrolling and by links, keys,
// branches, what is hostile, what is appended, and how long the server takes for 200 MB.
//
// usage: reader.mjs HOLDFAST HOLDFAST-SEED
import assert from 'node:assert/strict';
import { appendFileSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { finish, test } from '../harness.mjs';
import { accessibilityFindings, copied, follow, looks, openBrowser, openPage } from './browser.mjs';
import { demo as makeDemo, hostile, think } from './demo.mjs';

const demo = await makeDemo();
const browser = await openBrowser();
const folder = join(demo.home, '.claude/projects/-home-dev-work-shop');
const ids = { long: '11111111-0000-4000-8000-000000000001', hostile: '22222222-0000-4000-8000-000000000002', huge: '33333333-0000-4000-8000-000000000003' };
const path = id => join(folder, `${id}.jsonl`);
const kFirstPaint = 200; // ms of the server for a window; of the first one, which reads the whole file, with HF_STRICT_TIMES

const uuid = n => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`;
const record = (type, id, parent, message, more = {}) => JSON.stringify({ parentUuid: parent ? uuid(parent) : null, isSidechain: false, type,
  message, uuid: uuid(id), timestamp: '2026-11-15T03:06:39.379Z', cwd: '/home/dev/work/shop', ...more }) + '\n';
const prompt = (id, parent, content) => record('user', id, parent, { role: 'user', content });
const answer = (id, parent, content) => record('assistant', id, parent, { id: `m${id}`, model: 'claude', content });
const text = words => [{ type: 'text', text: words }];

mkdirSync(folder, { recursive: true });
{ // 200 turns, an error, another branch.
  let lines = '';
  for (let i = 1; i <= 200; i += 2) {
    lines += prompt(i, i - 1, `Question ${i}`);
    lines += i === 7 ? record('assistant', i + 1, i, { id: 'm8', content: [{ type: 'tool_use', id: 't8', name: 'Bash', input: { command: 'false' } }] })
      : answer(i + 1, i, text(`**Answer** ${i + 1}`));
    if (i === 7) lines += record('user', 1000, 8, { content: [{ type: 'tool_result', tool_use_id: 't8', content: 'Exit code 1', is_error: true }] });
    if (i === 9) lines += prompt(900, 10, 'A question that was taken back') + answer(901, 900, text('The other way'));
  }
  writeFileSync(path(ids.long), lines);
}
{ // What must not come alive.
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
  const image = (media_type, data) => ({ type: 'image', source: { type: 'base64', media_type, data } });
  let lines = '';
  hostile.forEach((words, i) => {
    lines += prompt(4 * i + 1, 4 * i, words) + record('assistant', 4 * i + 2, 4 * i + 1, { id: `m${i}`, model: words, content: [
      { type: 'thinking', thinking: words }, ...text(`${words} [link](javascript:document.title='owned') ![x](https://evil.example/x.png)`),
      { type: 'tool_use', id: `t${i}`, name: words, input: { [words]: words } }] })
      + record('user', 4 * i + 3, 4 * i + 2, { content: [{ type: 'tool_result', tool_use_id: `t${i}`, content: [{ type: 'text', text: words },
        image('image/png', png), image('image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"/>').toString('base64'))], is_error: true }] })
      + answer(4 * i + 4, 4 * i + 3, text('done'));
  });
  lines += `${'\0'.repeat(40)}\n{"torn": ${hostile[0]}\n` + prompt(99, 16, 'x'.repeat(3 << 20));
  writeFileSync(path(ids.hostile), lines);
}
async function writeHuge() {
  const out = createWriteStream(path(ids.huge));
  const words = 'the quick brown fox jumps over the lazy dog '.repeat(60);
  let id = 0;
  for (let written = 0; written < 200 << 20;) {
    let block = '';
    while (block.length < 1 << 20) {
      block += prompt(id + 1, id, `Question ${id} ${words.slice(0, 300)}`) + answer(id + 2, id + 1, text(words)) + answer(id + 3, id + 2, text(words));
      id += 3;
    }
    written += block.length;
    if (!out.write(block)) await once(out, 'drain');
  }
  out.end(record('user', 1, 0, { content: [{ type: 'tool_result', tool_use_id: 't', content: 'y'.repeat(64 << 20) }] }));
  await once(out, 'finish');
}

test('search, read, resume', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/search?q=preflight+traceparent');
  await page.getByRole('link', { name: /CORS preflight/ }).first().click();
  await page.locator('article.turn').first().waitFor();
  assert.match(await page.locator('main').textContent(), /12 passing, 0 failing/);
  const command = await page.locator('[data-copy]').first().getAttribute('data-copy');
  assert.equal(command, `cd /home/dev/work/shop && claude --resume ${demo.transcripts[0].id}`);
  await page.locator('[data-copy]').first().click();
  await copied(page, command);
  assert.deepEqual(complaints, []);
  await close();
});

test('a long session comes as one scrolls', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${ids.long}`);
  assert.equal(await page.locator('article.turn').count() >= 50, true);
  for (let i = 0; i < 40 && await page.locator('#L204').count() === 0; ++i) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForTimeout(50);
  }
  await page.getByText('Answer 200').waitFor();
  const numbers = await page.locator('article.turn').evaluateAll(turns => turns.map(({ id }) => Number(id.slice(1))));
  assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b));
  assert.equal(new Set(numbers).size, 200);
  assert.deepEqual(complaints, []);
  await close();
});

test('without script it is read by links', async () => {
  const { page, go, close } = await openPage(browser, demo, { javaScriptEnabled: false });
  await go(`/sessions/${ids.long}`);
  let turns = 0;
  for (let pages = 1; ; ++pages) {
    turns += await page.locator('article.turn').count();
    const next = page.locator('#later a[rel=next]');
    if (await next.count() === 0) { assert.equal(pages, 4); break; }
    await go(await next.getAttribute('href'));
  }
  assert.equal(turns, 200);
  await go(`/sessions/${ids.long}?before=last`);
  assert.match(await page.innerText('main'), /Answer 200/);
  await go(await page.locator('#earlier a[rel=prev]').getAttribute('href'));
  assert.match(await page.innerText('main'), /Answer 150/);
  await close();
});

test('links to a line, and another branch', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go(`/sessions/${ids.long}?line=11#L11`);
  assert.equal(await page.locator('article.turn').first().getAttribute('id'), 'L11');
  assert.equal(await page.getByText('The other way').count(), 0);
  await page.getByRole('link', { name: /A question that was taken back/ }).click();
  await page.getByText('The other way').waitFor();
  assert.equal(await page.getByText('Question 11', { exact: true }).count(), 0);
  await page.getByRole('link', { name: 'Show the current one' }).click();
  await page.getByText('Question 11', { exact: true }).waitFor();
  await close();
});

test('a link to a line of another branch opens that branch', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${ids.long}`);
  const link = await page.getByRole('link', { name: /A question that was taken back/ }).getAttribute('href');
  const line = Number(new URLSearchParams(link.split('?')[1].split('#')[0]).get('branch')) + 1;
  await go(`/sessions/${ids.long}?line=${line}#L${line}`);
  assert.match(await page.locator(`#L${line}`).innerText(), /The other way/);
  await page.getByText('This is another branch of the conversation.').waitFor();
  await page.locator('#earlier a[rel=prev]').click();
  await page.getByText('A question that was taken back').first().waitFor();
  assert.equal(await page.getByText('Question 11', { exact: true }).count(), 0, 'what is before is of the same branch');
  assert.deepEqual(complaints, []);
  await close();
});

test('keys: prompts, errors, folding', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${ids.long}`);
  const focused = () => page.evaluate(() => document.activeElement.id);
  await page.keyboard.press('j');
  const first = await focused();
  await page.keyboard.press('j');
  assert.equal(Number((await focused()).slice(1)), Number(first.slice(1)) + 2);
  await page.keyboard.press('k');
  assert.equal(await focused(), first);
  await page.keyboard.press('e');
  assert.equal(await focused(), 'L8');
  assert.match(await page.locator('#L8').innerText(), /failed/);
  assert.equal(await page.locator('#L8 details').first().evaluate(({ open }) => open), true);
  await page.keyboard.press('o');
  assert.equal(await page.locator('details[open]').count(), 0);
  await page.keyboard.press('?');
  const help = await page.locator('#keys').innerText();
  assert.match(help, /next and previous prompt/);
  assert.match(help, /storage/);
  assert.doesNotMatch(help, /row|open it/);
  assert.deepEqual(complaints, []);
  await close();
});

for (const look of Object.keys(looks)) {
  test(`hostile and ordinary sessions, ${look}: text stays text, and the page is accessible`, async () => {
    const { page, complaints, go, close } = await openPage(browser, demo, { look });
    for (const id of [ids.hostile, ids.long, demo.reasoning, demo.research, 'hostile-thread-1', 'hostile-run-0', 'hostile-document-2']) {
      const reply = await go(`/sessions/${id}`);
      assert.equal(reply.status(), 200, id);
      assert.doesNotMatch(await page.title(), /^(owned|1)$/);
      assert.equal(await page.evaluate(() => document.querySelectorAll('main script, main svg, main [onerror], main [onload], main [style]').length), 0, id);
      assert.equal(await page.locator('main a[href^="javascript"]').count(), 0);
      const { scroll, width } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, width: innerWidth }));
      assert.ok(scroll <= width, `${id} is ${scroll} wide, the window ${width}`);
      assert.deepEqual(await accessibilityFindings(page), [], id);
    }
    assert.deepEqual(complaints, []);
    await close();
  });
}

test('pictures of the list are shown, others named; long texts open whole', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${ids.hostile}`);
  await page.keyboard.press('o');
  await page.keyboard.press('o');
  const images = page.locator('main img');
  assert.equal(await images.count(), hostile.length);
  await images.first().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector('main img').naturalWidth === 1);
  assert.equal(await page.getByText('[an image, image/svg+xml]').count(), hostile.length);
  assert.ok((await page.content()).length < 1 << 20, 'the long text is in the page');
  await follow(page, page.getByRole('link', { name: 'Show all' }).last());
  assert.match(await page.innerText('h1'), /^Line /);
  assert.match(await page.innerText('main'), /xxxxxxxx/);
  assert.deepEqual(complaints, []);
  await close();
});

test('what is appended appears by itself', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${ids.long}?before=last`);
  await page.getByText('Answer 200').waitFor();
  appendFileSync(path(ids.long), prompt(201, 200, 'And one more thing'));
  await page.getByText('And one more thing').waitFor({ timeout: 15_000 });
  await go(`/sessions/${demo.reasoning}?before=last`);
  await page.locator('html[data-connected]').waitFor({ state: 'attached' });
  await think(demo.client, 'A thought that came while somebody was reading.');
  await page.getByText('A thought that came while somebody was reading.').waitFor({ timeout: 15_000 });
  assert.deepEqual(complaints, []);
  await close();
});

test('a running call gets its result while one looks', async () => {
  const id = '44444444-0000-4000-8000-000000000004';
  const use = (n, parent) => record('assistant', n, parent, { id: `m${n}`, content: [{ type: 'tool_use', id: `t${n}`, name: 'Bash', input: { command: `make ${n}` } }] });
  const result = (n, parent, call, content, more = {}) => record('user', n, parent, { content: [{ type: 'tool_result', tool_use_id: `t${call}`, content, ...more }] });
  writeFileSync(path(id), prompt(1, 0, 'Build it') + use(2, 1));
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${id}`);
  const call = page.locator('#L2 details.tool');
  await call.locator('summary').click();
  assert.match(await call.innerText(), /no result/);
  appendFileSync(path(id), result(3, 2, 2, 'all built'));
  await page.getByText('all built').waitFor({ timeout: 15_000 });
  assert.equal(await call.evaluate(({ open }) => open), true, 'what was open stays open');
  assert.equal(await page.evaluate(() => document.activeElement.localName), 'summary', 'the focus stays');
  appendFileSync(path(id), answer(4, 3, text('Now the tests')) + use(5, 4));
  await page.locator('#L5').waitFor({ timeout: 15_000 });
  appendFileSync(path(id), result(6, 5, 5, 'Exit code 2', { is_error: true }));
  await page.locator('#L5 details.failed[open]').waitFor({ timeout: 15_000 });
  assert.equal(await page.locator('article.turn').count(), 4);
  assert.deepEqual(complaints, []);
  await close();
});

test('who scrolled to the end sees what is appended', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${ids.long}`);
  for (let i = 0; i < 80 && await page.locator('#later a[rel=next]').count() !== 0; ++i) {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForTimeout(50);
  }
  appendFileSync(path(ids.long), answer(202, 201, text('Said when all was read')));
  await page.getByText('Said when all was read').waitFor({ timeout: 15_000 });
  assert.deepEqual(complaints, []);
  await close();
});

test('a session of 200 MB and a line of 64 MiB is opened anywhere', async () => {
  await writeHuge();
  const { context, close } = await openPage(browser, demo);
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const ask = async query => {
    const began = performance.now();
    const reply = await fetch(`${demo.server.origin}/sessions/${ids.huge}${query}`, { headers: { Cookie: cookie } });
    const body = await reply.text();
    assert.equal(reply.status, 200);
    assert.match(body, /class="turn/);
    assert.ok(body.length < 4 << 20, `${query}: a page of ${body.length} bytes`);
    return performance.now() - began;
  };
  const first = await ask('');
  const later = [await ask('?line=40000'), await ask('?before=last'), await ask('?line=1')];
  console.log(`       first window ${first.toFixed(0)} ms, others ${later.map(ms => ms.toFixed(0)).join(', ')} ms`);
  assert.ok(Math.min(...later) < kFirstPaint);
  if (process.env.HF_STRICT_TIMES) assert.ok(first < kFirstPaint, `${first} ms`);
  await close();
});

await finish();
