// A home with something of everything, made through the program itself: thoughts with branches and revisions, documents with pending
// changes, research that has ended, transcripts of coding clients, and sessions whose titles are attacks.
//
// The scripts that use it are called: node --import tests/npm/resolve.mjs SCRIPT HOLDFAST HOLDFAST-SEED
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { command, within } from '../harness.mjs';

const seedProgram = process.argv[3];
const kPatience = 30_000;

/** What a page must show as text and nothing else. */
export const hostile = [
  '<script>document.title="owned"</script>',
  '<img src=x onerror="document.title=\'owned\'">',
  '"><svg/onload=document.title=1>\u202Egnp.exe',
  "');document.title='owned';//\u001b[31mred\u001b[0m",
];

const kHandbook = `# Handbook

## Retries

We retry three times, with a pause of one second.
Every call that changes something carries an idempotency key.

## Releases

Releases are made on Thursdays, by whoever is on duty.
A release that fails is rolled back first and understood later.

## On call

The person on call has the pager for a week.
`;

const kOperations = `# Operations

The scheduler retries a job five times and doubles the pause each time.
When all retries have failed, the job is parked and a person is told.
`;

/** A session of a coding client, as its file is on disk. */
function transcript(home, { id, title, question, answer, daysAgo }) {
  const folder = join(home, '.claude/projects/-home-dev-work-shop');
  mkdirSync(folder, { recursive: true });
  const time = new Date(Date.now() - daysAgo * 86_400_000);
  const common = { isSidechain: false, userType: 'external', cwd: '/home/dev/work/shop', sessionId: id, version: '2.1.197', gitBranch: 'main' };
  const uuid = n => `${id.slice(0, -4)}${String(n).padStart(4, '0')}`;
  const at = n => new Date(time.getTime() + n * 1000).toISOString();
  const records = [
    { parentUuid: null, ...common, type: 'user', message: { role: 'user', content: question }, uuid: uuid(1), timestamp: at(1) },
    { parentUuid: uuid(1), ...common, type: 'assistant', uuid: uuid(2), timestamp: at(2), requestId: 'req_1',
      message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm test -- cors' } }] } },
    { parentUuid: uuid(2), ...common, type: 'user', uuid: uuid(3), timestamp: at(3),
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '12 passing, 0 failing' }] } },
    { parentUuid: uuid(3), ...common, type: 'assistant', uuid: uuid(4), timestamp: at(4), requestId: 'req_2',
      message: { id: 'msg_2', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [{ type: 'text', text: answer }] } },
    { type: 'custom-title', customTitle: title, sessionId: id },
  ];
  const path = join(folder, `${id}.jsonl`);
  writeFileSync(path, records.map(record => JSON.stringify(record) + '\n').join(''));
  utimesSync(path, time, time);
  return { id, path };
}

/** `holdfast serve` with its own home. `login()` is an address that works once. */
async function serve(where) {
  const child = spawn(command, ['serve', '--json', '--port', '0', '--documents', where.kb, '--root', 'file:///home/dev/work/shop'],
    { env: where.env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = await within(once(createInterface({ input: child.stdout }), 'line'), 'the server', kPatience);
  const about = JSON.parse(line);
  const origin = new URL(about.url).origin;
  const token = readFileSync(about.token_file, 'utf8').trim();
  return {
    origin,
    firstAddress: about.url,
    login: () => where.json('login').url,
    client: async () => {
      const client = new Client({ name: 'claude', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(new URL(about.mcp), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
      return client;
    },
    token,
    stop: async () => {
      child.kill('SIGTERM');
      await within(once(child, 'exit'), 'the end of the server', kPatience);
    },
  };
}

const call = async (client, name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${result.content?.[0]?.text}`);
  return result;
};
export const think = async (client, thought, more = {}) => (await call(client, 'thought', { thought, ...more })).structuredContent;

/** Reads the document and proposes a change of it, as a model does. */
export async function propose(client, path, pairs) {
  const read = await call(client, 'read', { file_path: path });
  const [, session] = /\[session: (s_[a-z2-7]{26})\]$/.exec(read.content[0].text);
  for (const [from, to] of pairs) await call(client, 'edit', { session_id: session, file_path: path, old_string: from, new_string: to });
}

async function reason(client) {
  const first = await think(client, 'The checkout fails in one browser only. What differs between them is the preflight request.');
  await think(client, 'The preflight is answered without Access-Control-Allow-Headers; the other browsers do not ask for it.');
  await think(client, 'So the header list in the gateway is the place to look, not the service behind it.');
  await think(client, 'Allow the one header that is missing.', { branchId: 'narrow', branchFromThought: 3 });
  await think(client, 'Allow every header that the client names, and log those we do not know.', { branchId: 'open', branchFromThought: 3 });
  await think(client, 'The narrow way needs a release for every new header, but says exactly what is allowed.', { branchId: 'narrow' });
  await think(client, 'It is not the browser: the failing one sends a trace header since its last update.', { isRevision: true, revisesThought: 1 });
  for (let i = 1; i <= 12; ++i) await think(client, `Checked route ${i} of the gateway: the header list is the same.`);
  await think(client, 'Decision: the narrow way, with a test that fails when a client sends a header nobody allowed.');
  return first.sessionId;
}

/** The home, its server and what is in it. */
export async function demo({ withHostile = true } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-pages-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const kb = join(home, 'handbook');
  mkdirSync(kb);
  writeFileSync(join(kb, 'handbook.md'), kHandbook);
  writeFileSync(join(kb, 'operations.md'), kOperations);
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(HOLDFAST_|XDG_|CLAUDE_|CODEX_)/.test(name)));
  Object.assign(env, { HOME: home, GIT_CONFIG_GLOBAL: '/dev/null' });
  const run = (...words) => {
    const done = spawnSync(command, words, { env, cwd: kb, encoding: 'utf8', timeout: kPatience });
    assert.equal(done.status, 0, `${words.join(' ')}: ${done.stderr}`);
    return done.stdout;
  };
  const where = { home, kb, env, run, json: (...words) => JSON.parse(run(...words, '--json')) };
  const transcripts = [
    transcript(home, { id: '4f2a61c0-5b1d-4c7e-9a53-0c5e8d7b1a01', title: 'Fix the CORS preflight of the checkout', daysAgo: 0.1,
      question: 'The checkout fails with a CORS error in one browser. Find out why.',
      answer: 'The preflight lacked `Access-Control-Allow-Headers: traceparent`. I added it to `gateway/cors.ts` and a test for it.' }),
    transcript(home, { id: '7c90d2be-11f4-4a0b-8a6e-52b1c3f00d02', title: 'Move the price rounding into one place', daysAgo: 1.2,
      question: 'Prices are rounded in four places. Make it one.', answer: 'Rounding lives in `money/round.ts` now; all 214 tests pass.' }),
    transcript(home, { id: 'a8b7c6d5-2222-4333-8444-555566667777', title: withHostile ? hostile[0] : 'Why the nightly import is slow', daysAgo: 26,
      question: withHostile ? hostile[1] : 'The nightly import takes four hours. Why?', answer: 'It reads every row twice.' }),
  ];
  run('research', 'start', 'How often do we retry, and with which pause?', '--corpus', kb, '--max-iterations', '1');
  if (withHostile) {
    const sessions = hostile.flatMap((title, i) => ['thread', 'run', 'reasoning', 'research', 'document'].map(kind => (
      { id: `hostile-${kind}-${i}`, kind, title, status: 'active', root: 'file:///tmp/%3Cb%3E', root_name: title, entries: [title, title] })));
    const seeded = spawnSync(seedProgram, [`sqlite:${home}/.local/share/holdfast/store.db`], { input: JSON.stringify(sessions), encoding: 'utf8', timeout: kPatience });
    assert.equal(seeded.status, 0, seeded.stderr);
  }
  const server = await serve(where);
  const client = await server.client();
  const reasoning = await reason(client);
  await propose(client, 'handbook.md', [
    ['We retry three times, with a pause of one second.', 'We retry three times; the pause is one second and doubles each time.'],
    ['on Thursdays, by whoever is on duty', 'on Tuesdays, by whoever is on duty'],
    ['The person on call has the pager for a week.', 'The person on call has the pager for a week, and the day after off.'],
  ]);
  await propose(client, 'operations.md', [['five times', 'three times']]);
  const research = where.json('research', 'list').sessions.find(session => session.id.startsWith('research-') && !session.id.includes('hostile')) ??
    where.json('research', 'list').sessions[0];
  return { ...where, server, client, reasoning, research: research.id, transcripts };
}
