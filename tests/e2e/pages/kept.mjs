// The holiday: the client has deleted its files. The guard's are found, read in a real browser, and put back byte for byte; and the
// timeline moves by itself when transcripts come, change and go.
//
// usage: kept.mjs HOLDFAST HOLDFAST-SEED
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish, test } from '../harness.mjs';
import { accessibilityFindings, follow, openBrowser, openPage } from './browser.mjs';
import { demo as makeDemo } from './demo.mjs';

const demo = await makeDemo({ withHostile: false });
const browser = await openBrowser();
const claude = join(demo.home, '.claude');
const folder = join(claude, 'projects/-home-dev-work-shop');
const { id } = demo.transcripts[0];
const kPatience = 20_000;

// With a subagent, a saved result, a plan and the history of a file.
const write = (path, bytes) => { mkdirSync(join(claude, path, '..'), { recursive: true }); writeFileSync(join(claude, path), bytes); };
const agent = { type: 'assistant', isSidechain: true, agentId: 'a1', sessionId: id, uuid: 'ag-1', parentUuid: null,
  message: { role: 'assistant', content: [{ type: 'text', text: 'The subagent looked at the gateway.' }] } };
write(`projects/-home-dev-work-shop/${id}/subagents/agent-a1.jsonl`, JSON.stringify(agent) + '\n');
write(`projects/-home-dev-work-shop/${id}/subagents/agent-a1.meta.json`, JSON.stringify({ agentType: 'Explore', description: 'Look at the gateway' }));
write(`projects/-home-dev-work-shop/${id}/tool-results/b1.txt`, 'saved result\n'.repeat(1000));
write(`file-history/${id}/0123456789abcdef@v1`, Buffer.from([0, 1, 2, 255, 254]));
write('plans/narrow-way-fox.md', '# The narrow way\n');
appendFileSync(join(folder, `${id}.jsonl`), JSON.stringify({ type: 'mode', mode: 'normal', slug: 'narrow-way-fox', sessionId: id }) + '\n');

function tree(top) {
  const found = {};
  const walk = at => readdirSync(at).forEach(name => {
    const path = join(at, name);
    if (statSync(path).isDirectory()) walk(path);
    else found[path.slice(top.length)] = createHash('sha256').update(readFileSync(path)).digest('hex');
  });
  for (const area of ['projects', 'file-history', 'plans']) if (existsSync(join(top, area))) walk(join(top, area));
  return found;
}

test('what the client deleted is searched, read and restored byte for byte', async () => {
  const before = tree(claude);
  demo.run('guard');
  for (const area of ['projects', 'file-history', 'plans']) rmSync(join(claude, area), { recursive: true });
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/search?q=preflight+traceparent');
  await page.getByText('kept', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: /traceparent/ }).first().click();
  await page.locator('article.turn').first().waitFor();
  assert.match(await page.locator('main').textContent(), /Access-Control-Allow-Headers: traceparent/);
  await page.getByRole('link', { name: 'Beginning' }).click();
  await page.getByText('Find out why').waitFor();
  assert.match(await page.locator('main').textContent(), /12 passing, 0 failing/);
  assert.deepEqual(await accessibilityFindings(page), []);
  await page.getByText('1 subagent').click();
  await page.getByRole('link', { name: 'Look at the gateway' }).click();
  await page.getByText('The subagent looked at the gateway.').waitFor();
  await follow(page, page.getByRole('link', { name: 'Back to the session' }));
  const command = await page.locator('[data-copy]').first().getAttribute('data-copy');
  assert.equal(command, `holdfast restore --in-place ${id}`);
  await go('/?status=kept');
  assert.equal(await page.locator('.row').count(), demo.transcripts.length);
  assert.deepEqual(await accessibilityFindings(page), []);
  for (const transcript of demo.transcripts) demo.run('restore', '--in-place', transcript.id);
  assert.deepEqual(tree(claude), before);
  await go(`/sessions/${id}`);
  assert.equal(await page.locator('[data-copy]').first().getAttribute('data-copy'), `cd /home/dev/work/shop && claude --resume ${id}`);
  await go('/?status=kept');
  assert.equal(await page.locator('.row').count(), 0);
  assert.deepEqual(complaints, []);
  await close();
});

test('the timeline follows transcripts', async () => {
  const { page, complaints, go, close } = await openPage(browser, demo);
  await go('/');
  await page.locator('html[data-connected]').waitFor({ state: 'attached' });
  const fresh = '99999999-0000-4000-8000-000000000009';
  const path = join(folder, `${fresh}.jsonl`);
  const prompt = (n, content) => JSON.stringify({ type: 'user', uuid: `u${n}`, parentUuid: null, sessionId: fresh, cwd: '/home/dev/work/shop',
    timestamp: new Date().toISOString(), message: { role: 'user', content } }) + '\n';
  writeFileSync(path, prompt(1, 'Why is the build slow today?'));
  await page.getByRole('link', { name: 'Why is the build slow today?' }).waitFor({ timeout: kPatience });
  appendFileSync(path, JSON.stringify({ type: 'custom-title', customTitle: 'The slow build', sessionId: fresh }) + '\n');
  await page.getByRole('link', { name: 'The slow build' }).waitFor({ timeout: kPatience });
  rmSync(path);
  await page.getByRole('link', { name: 'The slow build' }).waitFor({ state: 'detached', timeout: kPatience });
  assert.deepEqual(complaints, []);
  await close();
});

await finish();
