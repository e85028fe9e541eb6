// The deletion gate, notices and research as official clients meet them, over real transports in both eras (threads-and-research §6, §7, §11, §12).
//
// usage: lifecycle.mjs HOLDFAST serve
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ErrorCode, McpError, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { collector, command, finish, freePort, startHttp, test, within } from '../harness.mjs';

const kModern = '2026-07-28';
const kDay = 86_400_000;
const folders = [];
process.setMaxListeners(100); // one for every server that is started
process.once('exit', () => folders.forEach(folder => rmSync(folder, { recursive: true, force: true })));

/** A store, a corpus and a clock of its own. */
function place() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-life-'));
  folders.push(folder);
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'retries.md'), '# Retries\n\nThe scheduler retries a failed job three times.\n');
  const clock = join(folder, 'clock');
  const setClock = time => writeFileSync(clock, String(time));
  setClock(Date.parse('2026-03-01T00:00:00Z'));
  return { folder, docs: join(folder, 'docs'), clock, setClock, flags: ['--store', `sqlite:${join(folder, 'store.db')}`, '--clock-file', clock] };
}

const withEnvironment = async (variables, body) => {
  const before = Object.fromEntries(Object.keys(variables).map(name => [name, process.env[name]]));
  Object.assign(process.env, variables);
  try {
    return await body();
  } finally {
    for (const [name, value] of Object.entries(before)) value === undefined ? delete process.env[name] : (process.env[name] = value);
  }
};
const serve = (where, variables = {}, port) =>
  withEnvironment({ HOLDFAST_RESEARCH_CORPUS: where.docs, XDG_DATA_HOME: where.folder, XDG_CONFIG_HOME: where.folder, ...variables },
    () => startHttp({ port, extra: ['--no-auth', ...where.flags] }));

const state = result => {
  assert.ok(!result.isError, result.content?.at(-1)?.text);
  assert.deepEqual(JSON.parse(result.content.at(-1).text), result.structuredContent);
  return result.structuredContent;
};
const session = async (client, operation, more = {}) => state(await client.callTool({ name: 'session', arguments: { operation, ...more } }));
const research = async (client, action, more = {}, ...options) =>
  state(await client.callTool({ name: 'research', arguments: { action, ...more } }, ...options)).data;
const refused = async (client, name, args) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.isError, JSON.stringify(result.structuredContent));
  return result.structuredContent.error;
};
const newThread = async client => {
  const { thread_id } = await research(client, 'thread-create', { title: 'Retries' });
  await research(client, 'thread-append', { thread_id, role: 'user', content: 'first' });
  return thread_id;
};

/** A v1 client; `answer` is what its user says: an ElicitResult, an error to throw, or null for silence. */
async function legacy(url, capabilities = {}) {
  const client = new Client({ name: 'gate', version: '1.0.0' }, { capabilities });
  client.asked = [];
  if (capabilities.elicitation)
    client.setRequestHandler(ElicitRequestSchema, async request => {
      client.asked.push(request.params);
      if (client.answer === null) return new Promise(() => {});
      if (client.answer instanceof Error) throw client.answer;
      return client.answer;
    });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}
async function modern(url, capabilities = {}) {
  const client = new ModernClient({ name: 'gate', version: '2.0.0' }, { capabilities, versionNegotiation: { mode: { pin: kModern } } });
  client.asked = [];
  if (capabilities.elicitation)
    client.setRequestHandler('elicitation/create', async request => {
      client.asked.push(request.params);
      return client.answer;
    });
  await client.connect(new ModernTransport(url));
  return client;
}
const accept = choice => ({ action: 'accept', content: { choice } });

for (const [era, connect] of [['2025-11-25', legacy], ['2026-07-28', modern]])
  test(`S7 ${era}: a client with forms is asked, and every answer has its outcome`, async () => {
    const server = await serve(place());
    const client = await connect(server.url, { elicitation: {} });
    const thread = await newThread(client);
    for (const [answer, outcome] of [[accept('keep'), 'kept'], [{ action: 'decline' }, 'declined'], [{ action: 'cancel' }, 'cancelled'],
      [accept('archive'), 'archived'], [accept('delete'), 'deleted']]) {
      client.answer = answer;
      const done = await session(client, 'delete', { sessionId: thread });
      assert.equal(done.outcome, outcome);
      assert.equal(done.deleted, outcome === 'deleted');
    }
    assert.equal(client.asked.length, 5);
    assert.match(client.asked[0].message, new RegExp(`${thread} 'Retries' \\(1 message\\).*2026-03-31T00:00:00`));
    assert.equal(client.asked[0].requestedSchema.properties.choice.default, 'keep');
    assert.equal((await research(client, 'thread-restore', { thread_id: thread })).changed, true);
    client.answer = accept('delete');
    assert.equal((await research(client, 'thread-delete', { thread_id: thread })).outcome, 'deleted');
    await client.close();
    await server.stop();
  });

test('S7: nobody answers in gate.timeout_s; a client that answers with an error gets the token', async () => {
  const server = await serve(place(), { HOLDFAST_GATE_TIMEOUT_S: '1' });
  const client = await legacy(server.url, { elicitation: {} });
  const thread = await newThread(client);
  client.answer = null;
  assert.equal((await session(client, 'delete', { sessionId: thread })).outcome, 'timeout');
  client.answer = new McpError(ErrorCode.InternalError, 'no window');
  const first = await session(client, 'delete', { sessionId: thread });
  assert.equal(first.outcome, 'confirmation_required');
  const done = await session(client, 'delete', { sessionId: thread, confirmation_token: first.confirmation_token, choice: 'delete' });
  assert.equal(done.outcome, 'deleted');
  await client.close();
  await server.stop();
});

for (const [era, connect] of [['2025-11-25', legacy], ['2026-07-28', modern]])
  test(`S7 ${era}: without forms it takes two steps; a token is single use, bound and expires`, async () => {
    const where = place();
    const server = await serve(where);
    const client = await connect(server.url);
    const thread = await newThread(client);
    const other = await newThread(client);
    const remove = (id, more = {}) => ({ action: 'thread-delete', thread_id: id, ...more });
    const token = async id => (await research(client, 'thread-delete', { thread_id: id })).confirmation_token;
    let confirmation_token = await token(thread);
    assert.equal((await refused(client, 'research', remove(other, { confirmation_token, choice: 'delete' }))).code, 'CONFIRMATION_INVALID');
    await research(client, 'thread-append', { thread_id: thread, role: 'user', content: 'second' });
    const again = await research(client, 'thread-delete', { thread_id: thread, confirmation_token, choice: 'delete' });
    assert.equal(again.outcome, 'confirmation_required');
    assert.match(again.prompt, /2 messages/);
    confirmation_token = again.confirmation_token;
    assert.equal((await research(client, 'thread-delete', { thread_id: thread, confirmation_token, choice: 'delete' })).deleted, true);
    assert.equal((await refused(client, 'research', remove(thread, { confirmation_token, choice: 'delete' }))).code, 'CONFIRMATION_INVALID');
    confirmation_token = await token(other);
    where.setClock(Date.parse('2026-03-01T00:10:00Z'));
    assert.equal((await refused(client, 'research', remove(other, { confirmation_token, choice: 'delete' }))).code, 'CONFIRMATION_EXPIRED');
    assert.equal((await refused(client, 'research', remove(other, { confirm: true }))).code, 'VALIDATION_ERROR');
    await client.close();
    await server.stop();
  });

test('S7: gate.fallback refuse names the command', async () => {
  const server = await serve(place(), { HOLDFAST_GATE_FALLBACK: 'refuse' });
  const client = await legacy(server.url);
  const thread = await newThread(client);
  const error = await refused(client, 'research', { action: 'thread-delete', thread_id: thread });
  assert.equal(error.code, 'CONFIRMATION_UNAVAILABLE');
  assert.match(error.remediation, new RegExp(`holdfast sessions delete ${thread}`));
  await client.close();
  await server.stop();
});

test('S6: a notice comes before anything happens, and nothing happens for 24 hours after it', async () => {
  const where = place();
  const began = Date.parse('2026-03-01T00:00:00Z');
  const server = await serve(where);
  const before = await legacy(server.url);
  const thread = await newThread(before);
  await before.close();
  where.setClock(began + 200 * kDay);  // the transport's session is over after 7 idle days (design 8.11)
  const client = await legacy(server.url);
  const updates = collector();
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, notification => updates.push(notification.params.uri));
  await client.subscribeResource({ uri: 'holdfast://notices' });
  const first = state(await client.callTool({ name: 'session', arguments: { operation: 'list' } }));
  assert.equal(first.notices.length, 1);
  assert.equal(first.notices[0].session_id, thread);
  assert.equal(first.notices[0].action, 'archive');
  assert.equal(first.sessions[0].status, 'active');
  await updates.reached(1, 'the resource of notices is announced');
  assert.equal(updates.values[0], 'holdfast://notices');
  where.setClock(began + 201 * kDay);
  assert.equal((await session(client, 'list')).sessions[0].status, 'archived');
  const { messages, ...read } = await research(client, 'thread-get', { thread_id: thread });
  assert.deepEqual(messages.map(message => message.role), ['user', 'system'], 'the notice stands in the thread');
  assert.equal(messages[1].seq, null, 'and is not counted');
  await client.close();
  await server.stop();
});

test('S5: a dry run of cleanup changes nothing although a sweep is due, and cleanup reports what it did', async () => {
  const where = place();
  const began = Date.parse('2026-03-01T00:00:00Z');
  const server = await serve(where);
  const client = await legacy(server.url);
  const thread = await newThread(client);
  where.setClock(began + 6 * kDay);
  assert.equal((await research(client, 'cleanup')).notices_created, 1);
  where.setClock(began + 8 * kDay);
  assert.deepEqual((await research(client, 'cleanup', { dry_run: true })).archived, [thread]);
  assert.deepEqual((await research(client, 'cleanup')).archived, [thread]);
  await client.close();
  await server.stop();
});

test('S11: progress for who asked for it; the report when it is over', async () => {
  const server = await serve(place());
  const client = await legacy(server.url);
  const seen = [];
  const done = await research(client, 'deep-research', { query: 'how often are jobs retried?', wait: true }, undefined,
    { onprogress: progress => seen.push(progress) });
  assert.equal(done.status, 'completed');
  assert.match(done.report.report, /retries a failed job three times/);
  for (let i = 1; i < seen.length; ++i) assert.ok(seen[i].progress > seen[i - 1].progress);
  await client.close();
  await server.stop();
});

test('S12: a run that the server left behind is finished by the next one', async () => {
  const where = place();
  const port = await freePort();
  let server = await serve(where, { HOLDFAST_RESEARCH_AUTO_RESUME: 'true' }, port);
  let client = await legacy(server.url);
  const ids = [];
  for (let i = 0; i < 12; ++i) ids.push((await research(client, 'deep-research', { query: `how often are jobs retried? (${i})` })).research_id);
  await server.kill();
  await client.close().catch(() => {});
  server = await serve(where, {}, port);
  client = await legacy(server.url);
  for (const research_id of ids)
    await within((async () => {
      for (;;) {
        const { status } = await research(client, 'deep-research-status', { research_id });
        if (status === 'completed') return;
        assert.ok(['started', 'in_progress'].includes(status), status);
        await new Promise(resolve => setTimeout(resolve, 50));
      }
    })(), research_id);
  await client.close();
  await server.stop();
});

test('stdio: a run outlives the client that closed its end', async () => {
  const where = place();
  const start = async () => {
    const client = new Client({ name: 'short', version: '1.0.0' });
    const env = { ...process.env, HOLDFAST_RESEARCH_CORPUS: where.docs, XDG_DATA_HOME: where.folder, XDG_CONFIG_HOME: where.folder };
    await client.connect(new StdioClientTransport({ command, args: ['mcp', ...where.flags], stderr: 'inherit', env }));
    return client;
  };
  let client = await start();
  const { research_id } = await research(client, 'deep-research', { query: 'how often are jobs retried?' });
  await client.close();
  client = await start();
  await within((async () => {
    while ((await research(client, 'deep-research-status', { research_id })).status !== 'completed') await new Promise(resolve => setTimeout(resolve, 50));
  })(), 'the run is finished');
  assert.match((await session(client, 'resume', { sessionId: research_id })).report.report, /three times/);
  await client.close();
});

await finish();
