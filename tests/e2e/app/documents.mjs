// Documents edited through clients that open a new connection for each call (document-review §2, §3, §11): read on one connection, edit on another, the server
// killed in between; then a person accepts. With the official SDKs, over stdio and HTTP, in both eras.
//
// usage: documents.mjs HOLDFAST serve
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio';
import { command, finish, freePort, startHttp, test } from '../harness.mjs';

const kModern = '2026-07-28';
const kDay = 86_400_000;
const kText = '# Kelp\r\n\r\nKelp grows slowly here.\r\nIt\u2019s brown.';
const kTools = ['create_session', 'read', 'edit', 'glob', 'grep', 'get_links', 'search', 'create', 'move', 'delete', 'list_changes', 'withdraw', 'end_session'];

const folders = [];
process.setMaxListeners(100); // one for every server that is started
process.once('exit', () => folders.forEach(folder => rmSync(folder, { recursive: true, force: true })));

/** A home with a clock, a store and two documents. */
function place() {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-documents-'));
  folders.push(home);
  const kb = join(home, 'kb');
  mkdirSync(kb);
  const note = join(kb, 'kelp.md');
  writeFileSync(note, kText);
  writeFileSync(join(kb, 'other.md'), 'See [[kelp]].\n');
  const clock = join(home, 'clock');
  const setClock = time => writeFileSync(clock, String(time));
  setClock(Date.parse('2026-03-01T00:00:00Z'));
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_CONFIG_HOME: join(home, 'config') };
  const flags = ['--clock-file', clock, '--store', `sqlite:${join(home, 'store.db')}`];
  const run = (...words) => {
    const done = spawnSync(command, [...words, ...flags], { env, cwd: kb, encoding: 'utf8', timeout: 30_000 });
    return { code: done.status, out: done.stdout, err: done.stderr };
  };
  return { home, kb, note, setClock, env, flags, run, review: (...words) => run('review', ...words, '--documents', kb) };
}

const withHome = async (where, body) => {
  const before = { ...process.env };
  Object.assign(process.env, where.env);
  try {
    return await body();
  } finally {
    for (const name of ['HOME', 'XDG_DATA_HOME', 'XDG_CONFIG_HOME']) before[name] === undefined ? delete process.env[name] : (process.env[name] = before[name]);
  }
};
const serve = (where, { port, more = ['--documents', where.kb], auth = false } = {}) =>
  withHome(where, () => startHttp({ port, extra: [...auth ? [] : ['--no-auth'], ...where.flags, ...more] }));

/** Four ways in. Each makes a client that works until it is closed; `restart` ends the server without asking. */
const ways = {
  'HTTP, 2025-11-25': where => http(where, async (url, headers) => {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  }),
  'HTTP, 2026-07-28': where => http(where, async (url, headers) => {
    const client = new ModernClient({ name: 'reader', version: '2.0.0' }, { versionNegotiation: { mode: { pin: kModern } } });
    await client.connect(new ModernTransport(url, { requestInit: { headers } }));
    return client;
  }),
  'stdio, 2025-11-25': where => stdio(where, () => new Client({ name: 'reader', version: '1.0.0' }), parameters => new StdioClientTransport(parameters)),
  'stdio, 2026-07-28': where => stdio(where, () => new ModernClient({ name: 'reader', version: '2.0.0' }, { versionNegotiation: { mode: { pin: kModern } } }),
    parameters => new ModernStdio(parameters))
};

async function http(where, connect) {
  const port = await freePort();
  let server = await serve(where, { port });
  return {
    connect: () => connect(server.url, {}),
    restart: async () => { await server.kill(); server = await serve(where, { port }); },
    stop: () => server.stop()
  };
}

async function stdio(where, makeClient, makeTransport) {
  let pid;
  return {
    connect: async () => {
      const client = makeClient();
      const transport = makeTransport({ command, args: ['mcp', ...where.flags, '--documents', where.kb], env: where.env, stderr: 'inherit' });
      await client.connect(transport);
      pid = transport.pid;
      return client;
    },
    restart: async () => { try { process.kill(pid, 'SIGKILL'); } catch { /* it has gone with its client */ } },
    stop: async () => {}
  };
}

/** The text of a result, which is all there is (§4). */
const textOf = result => {
  assert.equal(result.structuredContent, undefined, 'a client would show the model nothing else');
  assert.equal(result.content.length, 1);
  return result.content[0].text;
};
const call = async (client, name, args = {}) => {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, textOf(result));
  return textOf(result);
};
const refused = async (client, name, args = {}) => {
  const result = await client.callTool({ name, arguments: args });
  assert.equal(result.isError, true, textOf(result));
  return textOf(result);
};
const handleIn = text => {
  const trailer = /(?:^|\n\n)\[session: (s_[a-z2-7]{26})\]$/.exec(text);
  assert.ok(trailer, text);
  return trailer[1];
};
/** Every name below a folder with its bytes and time of change. */
const snapshot = folder => readdirSync(folder, { recursive: true }).sort().map(name => {
  const path = join(folder, name);
  const { mtimeNs, ino } = statSync(path, { bigint: true });
  return [name, String(mtimeNs), String(ino), statSync(path).isFile() ? readFileSync(path, 'latin1') : ''];
});

for (const [way, open] of Object.entries(ways)) {
  test(`${way}: read, the server killed, edit on another connection, a person accepts (§11.1, §11.2)`, async () => {
    const where = place();
    const server = await open(where);
    let client = await server.connect();
    const shown = await call(client, 'read', { file_path: 'kelp.md' });
    assert.match(shown, /^ {5}1\t# Kelp\n {5}2\t\n {5}3\tKelp grows slowly here\.\n {5}4\tIt\u2019s brown\.\n/);
    const session_id = handleIn(shown);
    await server.restart();
    await client.close().catch(() => {});

    client = await server.connect();
    const edited = await call(client, 'edit', { file_path: 'kelp.md', old_string: 'grows slowly', new_string: 'grows fast', session_id });
    assert.match(edited, /^Edited kelp\.md: 1 change\(s\) pending: c_\w+ \(L3\)\./);
    assert.equal(where.review('export', 'kelp.md', '--base').out, kText);
    await client.close();

    client = await server.connect();
    const again = await call(client, 'read', { file_path: 'kelp.md', session_id });
    assert.match(again, /\n {5}3\tKelp grows fast here\.\n/);
    assert.match(again, /\n\[pending: 1\]\n {2}c_\w+ L3 \{--slowly--\}\{\+\+fast\+\+\} \(AI, /);
    assert.match(await call(client, 'grep', { pattern: 'grows fast', output_mode: 'content' }), /^kelp\.md:3:Kelp grows fast here\.$/);
    await client.close();

    const { changes } = JSON.parse(where.review('list', '--json').out);
    assert.equal(changes.length, 1);
    assert.deepEqual([changes[0].del, changes[0].ins, changes[0].path, changes[0].line], ['slowly', 'fast', 'kelp.md', 3]);
    const accepted = where.review('accept', changes[0].id);
    assert.equal(accepted.code, 0, accepted.err);
    assert.equal(readFileSync(where.note, 'utf8'), kText.replace('slowly', 'fast'), 'CRLF and the missing line end are as they were');
    await server.stop();
  });

  test(`${way}: bogus, expired and unread handles are refused, the next step is named, nothing has changed`, async () => {
    const where = place();
    const server = await open(where);
    const client = await server.connect();
    const session_id = handleIn(await call(client, 'read', { file_path: 'other.md' }));
    const before = snapshot(where.kb);
    const edit = more => ({ file_path: 'kelp.md', old_string: 'slowly', new_string: 'fast', ...more });

    assert.match(await refused(client, 'edit', edit({})), /^session_required: .*create_session/);
    const bogus = await refused(client, 'edit', edit({ session_id: 's_' + 'a'.repeat(26) }));
    assert.match(bogus, /^session_unknown: .*create_session.*read/s);
    assert.match(await refused(client, 'edit', edit({ session_id: 'x] "' })), /^session_unknown: /);
    assert.match(await refused(client, 'edit', edit({ session_id })), /^not_read: .*kelp\.md/s);
    for (const [name, args] of [['read', { file_path: 'kelp.md' }], ['glob', { pattern: '*' }], ['grep', { pattern: 'x' }], ['search', { query: 'x' }],
      ['get_links', { file_path: 'kelp.md' }], ['create', { file_path: 'new.md' }], ['move', { path: 'kelp.md', new_path: 'b.md' }], ['delete', { file_path: 'kelp.md' }],
      ['list_changes', {}], ['withdraw', { ids: ['c_1'] }], ['end_session', {}]])
      assert.match(await refused(client, name, { ...args, session_id: 's_' + 'b'.repeat(26) }), /^session_unknown: /, name);
    await client.close();
    where.setClock(Date.parse('2026-03-01T00:00:00Z') + 8 * kDay);  // also the transport's session is over then (design 8.11)
    const later = await server.connect();
    assert.match(await refused(later, 'edit', edit({ session_id, file_path: 'other.md' })), /^session_expired: .*create_session/s);
    assert.match(await refused(later, 'read', { file_path: 'kelp.md', session_id }), /^session_expired: /);
    assert.deepEqual(snapshot(where.kb), before);
    await later.close();
    await server.stop();
  });
}

test('a handle of another token is a wrong handle, word for word (§11.8)', async () => {
  const where = place();
  const server = await serve(where, { auth: true });
  const token = readFileSync(join(where.env.XDG_DATA_HOME, 'holdfast/token'), 'utf8').trim();
  const other = JSON.parse(where.run('token', 'add', 'bob', '--json').out).token;
  const connect = async bearer => {
    const client = new Client({ name: 'reader', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(server.url, { requestInit: { headers: { Authorization: `Bearer ${bearer}` } } }));
    return client;
  };
  const ada = await connect(token), bob = await connect(other);
  const session_id = handleIn(await call(ada, 'read', { file_path: 'kelp.md' }));
  const before = snapshot(where.kb);
  const edit = id => ({ file_path: 'kelp.md', old_string: 'slowly', new_string: 'fast', session_id: id });
  const leaked = await refused(bob, 'edit', edit(session_id));
  assert.equal(leaked, await refused(bob, 'edit', edit('s_' + 'c'.repeat(26))));
  assert.match(leaked, /^session_unknown: /);
  const list = async client => (await client.callTool({ name: 'session', arguments: { operation: 'list', type: 'document', allRoots: true } })).structuredContent;
  const [label] = (await list(ada)).sessions.map(item => item.label);
  assert.match(label, /^doc-/);
  assert.deepEqual((await list(bob)).sessions, []);
  assert.match(await refused(bob, 'create_session', { resume: label }), /^session_unknown: /);
  assert.deepEqual(snapshot(where.kb), before);
  assert.match(await call(ada, 'edit', edit(session_id)), /^Edited /, 'its owner can use it');
  await ada.close();
  await bob.close();
  await server.stop();
});

test('the context is lost: the list has the label, resume goes on without reading again (§11.9)', async () => {
  const where = place();
  const server = await serve(where);
  let client = new Client({ name: 'reader', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(server.url));
  const begun = await call(client, 'create_session', { name: 'Ada', model: 'm' });
  const lost = handleIn(begun);
  assert.equal(begun.split('\n')[0], lost, 'the first line is the bare id');
  await call(client, 'read', { file_path: 'kelp.md', session_id: lost });
  const { sessions } = (await client.callTool({ name: 'session', arguments: { operation: 'list', type: 'document' } })).structuredContent;
  assert.deepEqual(sessions.map(item => [item.type, item.author, item.counts.read]), [['document', "Ada's AI", 1]]);
  assert.ok(!JSON.stringify(sessions).includes(lost), 'a list never shows the handle');
  const session_id = handleIn(await call(client, 'create_session', { resume: sessions[0].label }));
  assert.match(await refused(client, 'read', { file_path: 'kelp.md', session_id: lost }), /^session_(expired|unknown): /);
  assert.match(await call(client, 'edit', { file_path: 'kelp.md', old_string: 'slowly', new_string: 'fast', session_id }), /^Edited /);
  const got = (await client.callTool({ name: 'session', arguments: { operation: 'get', sessionId: sessions[0].label } })).structuredContent;
  assert.deepEqual(got.entries.map(entry => entry.type), ['read', 'proposed']);
  await call(client, 'end_session', { session_id });
  assert.match(await refused(client, 'read', { file_path: 'kelp.md', session_id }), /^session_/);
  await client.close();
  await server.stop();
});

test('all tools are listed, in order; arguments that do not fit are tool errors in every version', async () => {
  const where = place();
  const server = await serve(where, { more: ['--documents', where.kb, '--tools', 'documents'] });
  for (const connect of [async () => {
    const client = new Client({ name: 'old', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(server.url));
    return client;
  }, async () => {
    const client = new ModernClient({ name: 'new', version: '1.0.0' }, { versionNegotiation: { mode: { pin: kModern } } });
    await client.connect(new ModernTransport(server.url));
    return client;
  }]) {
    const client = await connect();
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(tool => tool.name), kTools);
    for (const tool of tools) {
      assert.ok(tool.inputSchema.properties.session_id, tool.name);
      assert.equal(tool.outputSchema, undefined, tool.name);
    }
    assert.match(await refused(client, 'read', { file_path: 'kelp.md', line: 3 }), /^bad_argument: .*line/);
    for (const offset of [-1, 1.5, '3']) assert.match(await refused(client, 'read', { file_path: 'kelp.md', offset }), /^bad_argument: .*offset/);
    assert.match(await call(client, 'read', { file_path: 'kelp.md', offset: 3.0, limit: 1 }), /^ {5}3\tKelp/);
    await client.close();
  }
  await server.stop();
});

test('P28: without folders nothing is under review: not listed, refused over HTTP and on stdio, roots or not', async () => {
  const where = place();
  const server = await serve(where, { more: [] });
  let client = new Client({ name: 'reader', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(server.url));
  assert.match(await refused(client, 'read', { file_path: 'kelp.md' }), /^path_denied: .*documents\.roots/);
  assert.ok(!(await client.listTools()).tools.some(tool => kTools.includes(tool.name)));
  await client.close();
  await server.stop();

  client = new Client({ name: 'reader', version: '1.0.0' }, { capabilities: { roots: { listChanged: true } } });
  client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: `file://${where.kb}` }] }));
  await client.connect(new StdioClientTransport({ command, args: ['mcp', ...where.flags], env: where.env, stderr: 'inherit' }));
  assert.ok(!(await client.listTools()).tools.some(tool => kTools.includes(tool.name)), 'a project alone is not under review');
  assert.match(await refused(client, 'read', { file_path: 'kelp.md' }), /^path_denied: .*--documents/);
  await client.close();
});

await finish();
