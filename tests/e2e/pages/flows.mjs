// What people do on the pages, in a real browser: log in, decide on changes, watch a session grow, pin, cancel, log out; and what others
// may not do.
//
// usage: flows.mjs HOLDFAST HOLDFAST-SEED
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish, test, within } from '../harness.mjs';
import { copied, follow, openBrowser, openPage } from './browser.mjs';
import { demo as makeDemo, propose, think } from './demo.mjs';

const demo = await makeDemo({ withHostile: false });
const browser = await openBrowser();
const { origin } = demo.server;
const file = name => readFileSync(join(demo.kb, name), 'utf8');
/** Open pages hear of changes from this moment on. */
const connected = page => page.locator('html[data-connected]').waitFor({ state: 'attached' });

test('without a login there is nothing but how to get one', async () => {
  const { page, go, close } = await openPage(browser, demo, { loggedIn: false });
  for (const path of ['/', '/search?q=retry', '/review', '/storage', `/research/${demo.research}`]) {
    const answer = await go(path);
    assert.equal(answer.status(), 401, path);
    assert.match(await page.innerText('main'), /holdfast login/);
    assert.doesNotMatch(await page.content(), /handbook|checkout/);
  }
  assert.equal((await fetch(`${origin}/events`)).status, 401);
  assert.equal((await fetch(`${origin}/`, { headers: { Authorization: `Bearer ${demo.server.token}` } })).status, 401, 'a token of a model opens no page');
  await close();
});

test('an address of a login works once', async () => {
  const address = demo.server.login();
  const { page, close } = await openPage(browser, demo, { loggedIn: false });
  assert.equal((await page.goto(address)).status(), 200);
  assert.equal(page.url(), `${origin}/`);
  const again = await openPage(browser, demo, { loggedIn: false });
  assert.equal((await again.page.goto(address)).status(), 401);
  await again.close();
  await follow(page, page.getByRole('button', { name: /^Log out/ }));
  assert.match(await page.innerText('main'), /holdfast login/);
  await close();
});

test('a form needs its token, its origin and its login', async () => {
  const { page, context, go, close } = await openPage(browser, demo);
  await go('/review/document?path=handbook.md');
  const before = file('handbook.md');
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const token = await page.locator('form[action="/review/decide"] [name=form_token]').first().inputValue();
  const send = (headers, fields) => fetch(`${origin}/review/decide`, { method: 'POST', redirect: 'manual',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers }, body: new URLSearchParams({ verdict: 'accept', path: 'handbook.md', all: '1', ...fields }) });
  assert.equal((await send({ Cookie: cookie, Origin: origin }, {})).status, 403, 'no token');
  assert.equal((await send({ Cookie: cookie, Origin: origin }, { form_token: 'x' + token.slice(1) })).status, 403, 'another token');
  assert.equal((await send({ Cookie: cookie }, { form_token: token })).status, 403, 'no origin');
  assert.equal((await send({ Cookie: cookie, Origin: 'http://evil.example.com' }, { form_token: token })).status, 403, 'a foreign origin');
  assert.equal((await send({ Origin: origin }, { form_token: token })).status, 401, 'no login');
  assert.equal((await send({ Origin: origin, Authorization: `Bearer ${demo.server.token}` }, { form_token: token })).status, 401, "a model's token");
  const other = await openPage(browser, demo);
  const foreign = (await other.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  assert.equal((await send({ Cookie: foreign, Origin: origin }, { form_token: token })).status, 403, 'the token of another login');
  await other.close();
  assert.equal(file('handbook.md'), before);
  await close();
});

test('search as one types, then read, then the command that resumes', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/search');
  await page.evaluate(() => { globalThis.sameDocument = true; });
  await page.locator('form[data-search] input[type=search]').pressSequentially('prefli', { delay: 20 });
  const row = page.locator('.row').filter({ hasText: 'Fix the CORS preflight' });
  await row.waitFor();
  assert.equal(await page.evaluate(() => globalThis.sameDocument), true, 'without loading the page again');
  await page.waitForFunction(() => location.search.startsWith('?q=prefli'));  // the address can be kept; the row may come before the last letter
  assert.match(await row.locator('mark').first().innerText(), /^prefli/i);
  await row.getByRole('button', { name: 'Copy the command that resumes this session' }).click();
  await copied(page, /claude --resume 4f2a61c0-5b1d-4c7e-9a53-0c5e8d7b1a01/);
  await follow(page, row.locator('.places a').first());
  assert.match(page.url(), /\/sessions\/4f2a61c0-5b1d-4c7e-9a53-0c5e8d7b1a01\?line=\d+#L\d+$/);
  assert.match(await page.innerText('main'), /preflight/);
  assert.deepEqual(complaints, []);
  await close();
});

test('search: filters, and nothing found', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/search?q=header&kind=reasoning');
  assert.ok(await page.locator('.row').count() > 0);
  assert.equal(await page.locator('.row .kind-transcript').count(), 0);
  await page.locator('form[data-search] input[type=search]').fill('zyzzyva');
  await page.getByText('Nothing found.').first().waitFor();
  await page.locator('form[data-search] input[type=search]').fill('<script>');
  await page.waitForFunction(() => !document.getElementById('results').hasAttribute('aria-busy'));
  assert.deepEqual(complaints, []);
  await close();
});

test('search works without the script', async () => {
  const { page, go, close } = await openPage(browser, demo, { javaScriptEnabled: false });
  await go('/');
  await page.getByLabel('Search all sessions').fill('preflight');
  await follow(page, page.getByRole('button', { name: 'Search' }));
  assert.match(await page.innerText('#results'), /Fix the CORS preflight/);
  await close();
});

test('review: accept one, comment one, reject one, accept the rest', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/review');
  await page.getByRole('link', { name: 'handbook.md' }).click();
  const change = text => page.locator('article.change').filter({ hasText: text });
  await change('Tuesdays').getByRole('button', { name: /^Accept / }).click();
  await page.getByText('Accepted.').waitFor();
  assert.match(file('handbook.md'), /Releases are made on Tuesdays, by whoever is on duty\./);
  await change('doubles').first().getByRole('textbox').fill('Up to <which> limit?');
  await change('doubles').first().getByRole('button', { name: 'Comment' }).click();
  await page.getByText('Up to <which> limit?').first().waitFor();
  assert.match(file('handbook.md'), /Up to <which> limit\?/);
  await change('the day after off').getByRole('button', { name: /^Reject / }).click();
  await page.getByText('Rejected.').waitFor();
  assert.match(file('handbook.md'), /has the pager for a week\.\n/);
  await page.getByRole('link', { name: 'Before and after' }).click();
  await page.getByRole('button', { name: /^Accept all/ }).click();
  await page.waitForURL(url => url.pathname === '/review'); // nothing is left: the comment went with the change that it was about
  await page.getByText('Accepted.').waitFor();
  assert.match(file('handbook.md'), /doubles each time/);
  assert.doesNotMatch(file('handbook.md'), /\{[+\-~>=]{2}/);
  assert.deepEqual(complaints, []);
  await close();
});

test('review: a change that is gone is said on the page', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo, { live: false });
  await go('/review/document?path=operations.md');
  demo.run('review', 'reject', '--all', '--path', 'operations.md', '--documents', demo.kb);
  const answer = page.waitForResponse(response => response.request().method() === 'POST');
  await page.locator('article.change').first().getByRole('button', { name: /^Accept / }).click();
  assert.equal((await answer).status(), 409);
  await page.getByRole('alert').first().waitFor();
  assert.match(file('operations.md'), /retries a job five times/);
  assert.deepEqual(complaints.filter(text => !text.includes('409')), []);
  await close();
});

test('live: what a model proposes appears on the open page', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/review');
  await connected(page);
  await page.evaluate(() => { globalThis.sameDocument = true; });
  await propose(demo.client, 'operations.md', [['a person is told', 'two persons are told']]);
  await page.getByRole('link', { name: 'operations.md', exact: true }).waitFor();
  assert.equal(await page.evaluate(() => globalThis.sameDocument), true, 'without loading the page again');
  assert.deepEqual(complaints, []);
  await close();
});

test('live: a thought appears in the timeline and in the picture', async () => {
  const timeline = await openPage(browser, demo);
  await timeline.go('/?kind=reasoning');
  await connected(timeline.page);
  const picture = await openPage(browser, demo);
  await picture.go(`/sessions/${demo.reasoning}/graph`);
  await connected(picture.page);
  for (const { page } of [timeline, picture]) await page.evaluate(() => { globalThis.sameDocument = true; });
  const row = timeline.page.locator('.row').filter({ has: timeline.page.locator(`a[href="/sessions/${demo.reasoning}"]`) });
  const before = Number(/(\d+) entries/.exec(await row.innerText())[1]);
  await think(demo.client, 'A thought that nobody has seen before.');
  await row.getByText(`${before + 1} entries`).waitFor();
  await picture.page.locator('.picture a').filter({ hasText: 'A thought that nobody has seen before.' }).waitFor();
  for (const { page, complaints, close } of [timeline, picture]) {
    assert.equal(await page.evaluate(() => globalThis.sameDocument), true);
    assert.deepEqual(complaints, []);
    await close();
  }
});

test('live: a thought appears in the session that is being read', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go(`/sessions/${demo.reasoning}?before=last`);
  await connected(page);
  await page.evaluate(() => { globalThis.sameDocument = true; });
  await think(demo.client, 'Read while it is being written.');
  await page.locator('main').getByText('Read while it is being written.').first().waitFor();
  assert.equal(await page.evaluate(() => globalThis.sameDocument), true);
  assert.deepEqual(complaints, []);
  await close();
});

test('live: the focus stays where it is', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go('/?kind=reasoning');
  await connected(page);
  const link = page.locator(`a.row-title[href="/sessions/${demo.reasoning}"]`);
  await link.focus();
  const { thoughtNumber } = await think(demo.client, 'One more.');
  assert.ok(thoughtNumber > 0);
  await page.getByText('The page was updated.').waitFor({ state: 'attached' });
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), `/sessions/${demo.reasoning}`);
  await close();
});

test('live: what somebody writes is left alone', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await propose(demo.client, 'operations.md', [['doubles the pause', 'triples the pause']]);
  await go('/review/document?path=operations.md');
  await connected(page);
  const box = page.locator('article.change textarea').first();
  await box.pressSequentially('Half a sent');
  // As if it had been open for minutes: the ages on the page are not those of the server.
  await page.evaluate(() => { for (const time of document.querySelectorAll('main time')) time.textContent = 'long ago'; });
  await think(demo.client, 'Something else that happened.');
  await page.waitForFunction(() => [...document.querySelectorAll('main time')].every(time => time.textContent !== 'long ago'));
  assert.equal(await box.inputValue(), 'Half a sent');
  assert.equal(await box.evaluate(field => field === document.activeElement), true);
  await propose(demo.client, 'operations.md', [['the job is parked', 'the job is put aside']]);
  await page.locator('article.change ins').filter({ hasText: 'put aside' }).first().waitFor();
  assert.equal(await box.inputValue(), 'Half a sent');
  await page.keyboard.type('ence');
  assert.equal(await box.inputValue(), 'Half a sentence');
  await box.fill('With {++markup++}');
  await box.locator('xpath=..').getByRole('button', { name: 'Comment' }).click();
  await page.getByRole('alert').first().waitFor();
  assert.equal(await page.locator('article.change textarea').first().inputValue(), 'With {++markup++}', 'a refused comment is kept');
  assert.deepEqual(complaints.filter(text => !/status of 4/.test(text)), []);
  await close();
});

test('events tell a login of its own sessions only', async () => {
  const { context, close } = await openPage(browser, demo);
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const stop = new AbortController();
  const answer = await fetch(`${origin}/events`, { headers: { Cookie: cookie }, signal: stop.signal });
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const theirs = demo.json('token', 'add', 'ann');
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const ann = new Client({ name: 'ann', version: '1' });
  await ann.connect(new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${theirs.token}` } } }));
  const hidden = await think(ann, 'Nobody but Ann may hear of this.');
  const seen = await think(demo.client, 'This one is ours.');
  const decoder = new TextDecoder();
  let text = '';
  const read = async () => { for await (const chunk of answer.body) if ((text += decoder.decode(chunk, { stream: true })).includes(seen.sessionId)) return; };
  await within(read(), 'the event');
  assert.ok(!text.includes(hidden.sessionId), text);
  stop.abort();
  await ann.close();
  await close();
});

test('notices: a session is pinned from the calendar', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go('/notices');
  const pin = page.getByRole('row').getByRole('button', { name: /^Pin / });
  const before = await pin.count();
  assert.ok(before > 0, 'research has a clock');
  await follow(page, pin.first());
  assert.equal(new URL(page.url()).pathname, '/notices');
  assert.equal(await pin.count(), before - 1);
  await go('/?pinned=1');
  assert.equal(await page.locator('.row').count(), 1);
  await close();
});

test('storage: everything is read and whole', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go('/storage');
  await page.getByRole('button', { name: 'Verify every entry' }).click();
  await page.getByText('all is well').waitFor();
  await close();
});

test('research: the report leads to its sources', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go('/research');
  await follow(page, page.getByRole('link', { name: /How often do we retry/ }));
  const citation = page.locator('#run a[href="#source-1"]').first();
  assert.match(await page.locator('#source-1').innerText(), /handbook|operations/i);
  await citation.click();
  assert.equal(new URL(page.url()).hash, '#source-1');
  await close();
});

test('review: accept and commit, and git has the reviewer as author', async () => {
  const git = (...words) => {
    const done = spawnSync('git', ['-c', 'user.name=Somebody', '-c', 'user.email=s@example.org', ...words], { cwd: demo.kb, env: demo.env, encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
  };
  writeFileSync(join(demo.kb, 'pager.md'), '# Pager\n\nThe pager rings twice.\n');
  git('init', '-q');
  git('config', 'user.name', 'Rita Reviewer');
  git('config', 'user.email', 'rita@example.org');
  git('add', 'pager.md');
  git('commit', '-qm', 'The pager');
  await propose(demo.client, 'pager.md', [['rings twice', 'rings three times']]);
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/review/document?path=pager.md');
  await page.getByRole('button', { name: 'Accept all changes of pager.md and commit it' }).click();
  await page.locator('.notice').first().waitFor();
  assert.match(await page.locator('main').textContent(), /Accepted and committed, in your name\./);
  assert.match(git('log', '-1', '--format=%B', '--', 'pager.md'), /Proposed-by: /);
  assert.equal(git('log', '-1', '--format=%an <%ae>').trim(), 'Rita Reviewer <rita@example.org>');
  assert.match(git('show', 'HEAD:pager.md'), /rings three times/);
  assert.deepEqual(complaints, []);
  await close();
});

test('review: a refused comment keeps its page live', async () => {
  await propose(demo.client, 'pager.md', [['three times', 'once']]);
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/review/document?path=pager.md');
  const asked = [];
  page.on('response', answer => asked.push(`${answer.status()} ${new URL(answer.url()).pathname}`));
  await page.getByRole('textbox', { name: /Comment on/ }).first().fill('not {++so++}');
  await page.getByRole('button', { name: 'Comment', exact: true }).first().click();
  await page.getByRole('alert').waitFor();
  assert.equal(new URL(page.url()).pathname, '/review/comment');
  await connected(page);
  await page.getByRole('textbox', { name: /Comment on/ }).first().fill('');
  await page.getByRole('heading', { level: 1 }).click();
  await propose(demo.client, 'pager.md', [['# Pager', '# The pager']]);
  await page.getByText('2 changes').waitFor();
  assert.deepEqual(asked.filter(line => line.startsWith('405')), []);
  assert.deepEqual(complaints.filter(text => !/status of 4\d\d/.test(text)), []);
  await close();
});

test('the server stops although pages are open', async () => {
  const { page, go, close } = await openPage(browser, demo);
  await go('/');
  await connected(page);
  await demo.client.close();
  const began = performance.now();
  await demo.server.stop();
  assert.ok(performance.now() - began < 5_000, 'streams are ended, not waited for');
  await close();
});

await finish();
