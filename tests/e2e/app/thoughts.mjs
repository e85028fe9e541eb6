// Thoughts that cannot be lost, with official clients over real transports (reasoning-sessions §0, §11): connections come and go, the server is killed, and no
// id is ever passed.
//
// usage: thoughts.mjs HOLDFAST
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { command, finish, freePort, startHttp, test } from '../harness.mjs';

const kThoughts = 200;
const kModern = '2026-07-28';
const root = 'file:///home/ada/project';

const folders = [];
process.setMaxListeners(100); // one for every server that is started
process.once('exit', () => folders.forEach(folder => rmSync(folder, { recursive: true, force: true })));
const freshStore = () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-thoughts-'));
  folders.push(folder);
  return `sqlite:${join(folder, 'store.db')}`;
};

const serve = (store, port, more = ['--root', root]) => startHttp({ port, extra: ['--no-auth', '--store', store, ...more] });
const state = result => {
  assert.ok(!result.isError, result.content?.[0]?.text);
  assert.deepEqual(JSON.parse(result.content.at(-1).text), result.structuredContent); // U1
  return result.structuredContent;
};
const refusal = result => {
  assert.ok(result.isError, 'an error was expected');
  return result.structuredContent;
};
const think = async (client, text, more = {}) => state(await client.callTool({ name: 'thought', arguments: { thought: text, ...more } }));
const init = (client, operation, more = {}) => client.callTool({ name: 'init', arguments: { operation, ...more } });
const session = async (client, operation, more = {}) => state(await client.callTool({ name: 'session', arguments: { operation, ...more } }));

async function legacy(url, { roots } = {}) {
  const client = new Client({ name: 'thinker', version: '1.0.0' }, { capabilities: roots ? { roots: { listChanged: true } } : {} });
  if (roots) client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: roots() }));
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

async function modern(url) {
  const client = new ModernClient({ name: 'thinker', version: '1.0.0' }, { versionNegotiation: { mode: { pin: kModern } } });
  await client.connect(new ModernTransport(url));
  return client;
}

/** One session, all thoughts, in order, none twice. */
async function expectOneChain(client, count = kThoughts) {
  const list = await session(client, 'list', { allRoots: true });
  assert.equal(list.total, 1, `sessions: ${JSON.stringify(list.sessions.map(s => s.title))}`);
  const { thoughts } = await session(client, 'get', { sessionId: list.sessions[0].id, limit: 1000 });
  assert.deepEqual(thoughts.map(t => t.thoughtNumber), Array.from({ length: count }, (_, i) => i + 1));
  assert.deepEqual(thoughts.map(t => t.thought), Array.from({ length: count }, (_, i) => `thought ${i + 1}`));
  assert.ok((await session(client, 'verify', { sessionId: list.sessions[0].id })).ok);
}

test('HTTP: the connection is dropped every few thoughts, the server killed and restarted', async () => {
  const store = freshStore();
  const port = await freePort();
  let server = await serve(store, port);
  let client;
  for (let i = 1; i <= kThoughts; ++i) {
    if (i % 40 === 0) {
      await server.kill();
      server = await serve(store, port);
    }
    if (i % 7 === 1) {
      await client?.close();
      client = await legacy(server.url);
    }
    assert.equal((await think(client, `thought ${i}`)).thoughtNumber, i);
  }
  await expectOneChain(client);
  await client.close();
  await server.stop();
});

test('HTTP: one connection per call', async () => {
  const server = await serve(freshStore());
  for (let i = 1; i <= kThoughts; ++i) {
    const client = await legacy(server.url);
    assert.equal((await think(client, `thought ${i}`)).thoughtNumber, i);
    if (i === kThoughts) await expectOneChain(client);
    await client.close();
  }
  await server.stop();
});

test('stdio: the server process is killed every few thoughts', async () => {
  const store = freshStore();
  let client, transport;
  for (let i = 1; i <= kThoughts; ++i) {
    if (i % 9 === 1) {
      if (transport) process.kill(transport.pid, 'SIGKILL');
      await client?.close();
      client = new Client({ name: 'thinker', version: '1.0.0' });
      transport = new StdioClientTransport({ command, args: ['mcp', '--store', store, '--root', root], stderr: 'inherit' });
      await client.connect(transport);
    }
    assert.equal((await think(client, `thought ${i}`)).thoughtNumber, i);
  }
  await expectOneChain(client);
  await client.close();
});

test('2026-07-28: no handshake, no connection, the server killed in between', async () => {
  const store = freshStore();
  const port = await freePort();
  let server = await serve(store, port);
  const client = await modern(server.url);
  for (let i = 1; i <= kThoughts; ++i) {
    if (i % 40 === 0) {
      await server.kill();
      server = await serve(store, port);
    }
    const made = await think(client, `thought ${i}`);
    assert.equal(made.thoughtNumber, i);
    assert.equal(made.attached, i === 1 ? 'new' : 'recovered');
  }
  await expectOneChain(client);
  await client.close();
  await server.stop();
});

test('two clients at once, reconnecting all the time, share one chain', async () => {
  const server = await serve(freshStore());
  const first = await legacy(server.url);
  await think(first, 'beginning');
  await first.close();
  const write = async name => {
    for (let i = 1; i <= kThoughts / 2; ++i) {
      const client = await legacy(server.url);
      state(await init(client, 'load_context'));
      await think(client, `${name} ${i}`);
      await client.close();
    }
  };
  await Promise.all([write('a'), write('b')]);
  const client = await modern(server.url);
  const list = await session(client, 'list', { allRoots: true });
  assert.equal(list.total, 1);
  const { thoughts } = await session(client, 'get', { sessionId: list.sessions[0].id, limit: 1000 });
  assert.deepEqual(thoughts.map(t => t.thoughtNumber), Array.from({ length: kThoughts + 1 }, (_, i) => i + 1));
  for (const name of ['a', 'b'])
    assert.deepEqual(thoughts.map(t => t.thought).filter(t => t.startsWith(name + ' ')), Array.from({ length: kThoughts / 2 }, (_, i) => `${name} ${i + 1}`));
  await client.close();
  await server.stop();
});

test('two clients at once that only think lose nothing and double nothing', async () => {
  const server = await serve(freshStore());
  const write = async (name, connect) => {
    for (let i = 1; i <= kThoughts / 2; ++i) {
      const client = await connect(server.url);
      await think(client, `${name} ${i}`);
      await client.close();
    }
  };
  await Promise.all([write('a', legacy), write('b', modern)]);
  const client = await legacy(server.url);
  const texts = [];
  const list = await session(client, 'list', { allRoots: true });
  // At most one of its own for each window, and one for each that is shared by thoughts which could have gone to either.
  assert.ok(list.total <= 4, `${list.total} sessions`);
  for (const { id } of list.sessions) {
    const { thoughts } = await session(client, 'get', { sessionId: id, limit: 1000 });
    assert.deepEqual(thoughts.map(t => t.thoughtNumber), thoughts.map((_, i) => i + 1));
    texts.push(...thoughts.map(t => t.thought));
  }
  assert.equal(texts.length, kThoughts);
  assert.equal(new Set(texts).size, kThoughts);
  await client.close();
  await server.stop();
});

test('a broken stream: the call is sent again with its key and stored once', async () => {
  const store = freshStore();
  const port = await freePort();
  let server = await serve(store, port);
  let client = await modern(server.url);
  await think(client, 'once', { idempotencyKey: 'k1' });
  await server.kill();
  server = await serve(store, port);
  client = await modern(server.url);
  const again = await think(client, 'once', { idempotencyKey: 'k1' });
  assert.ok(again.replayed);
  assert.equal(again.thoughtNumber, 1);
  await client.close();
  await server.stop();
});

test('the project is what the client offers as its root, asked for once on the stream of the call', async () => {
  const server = await serve(freshStore(), undefined, []);
  let asked = 0;
  const offered = () => { asked += 1; return [{ uri: 'file:///home/ada/My%20App/', name: 'app' }]; };
  let client = await legacy(server.url, { roots: offered });
  await think(client, 'first');
  await think(client, 'second');
  assert.equal(state(await init(client, 'get_state')).rootSource, 'mcp');
  assert.equal(asked, 1);
  await client.close();
  client = await legacy(server.url, { roots: offered });
  const answer = await init(client, 'load_context');
  const loaded = state(answer);
  assert.match(answer.content[0].text, /^Recovered session [0-9a-f-]{36}: 2 thoughts, just now$/); // L4
  assert.equal(loaded.nextThoughtNumber, 3);
  assert.equal(loaded.root, 'file:///home/ada/My%20App');
  assert.ok(loaded.autoRecovered);
  await client.close();
  await server.stop();
});

test('a client that declares roots and never answers costs three seconds once', async () => {
  const server = await serve(freshStore(), undefined, []);
  const client = new Client({ name: 'silent', version: '1.0.0' }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => new Promise(() => {}));
  await client.connect(new StreamableHTTPClientTransport(server.url));
  assert.equal((await think(client, 'first')).thoughtNumber, 1);
  assert.equal(state(await init(client, 'list_roots')).available, false);
  assert.equal((await think(client, 'second')).thoughtNumber, 2);
  await client.close();
  await server.stop();
});

test('roots can change, be bound, and vanish', async () => {
  const server = await serve(freshStore(), undefined, []);
  let roots = [{ uri: 'file:///a' }, { uri: 'file:///b', name: 'bee' }];
  const client = await legacy(server.url, { roots: () => roots });
  assert.equal(refusal(await init(client, 'start_new')).error, 'ambiguous_root');
  assert.equal(refusal(await init(client, 'bind_root', { rootUri: 'file:///c' })).error, 'root_not_offered');
  assert.equal(state(await init(client, 'bind_root', { rootUri: '/b/' })).boundRoot, 'file:///b');
  assert.deepEqual(state(await init(client, 'list_roots')).roots.map(r => [r.name, r.isBound]), [['a', false], ['bee', true]]);
  assert.equal(state(await init(client, 'start_new', { title: 'On b' })).root, 'file:///b');
  roots = [{ uri: 'file:///a' }];
  await client.sendRootsListChanged();
  let now;
  do now = state(await init(client, 'get_state')); while (now.boundRoot); // the notification is taken before the next answer, or the one after
  assert.equal(now.root, 'file:///a');
  await client.close();
  await server.stop();
});

test('P31: load_context in a new project says that nothing is there, and is no error', async () => {
  const server = await serve(freshStore(), undefined, []);
  const client = await legacy(server.url, { roots: () => [{ uri: 'file:///new' }] });
  const answer = await init(client, 'load_context');
  const nothing = state(answer);
  assert.deepEqual([nothing.sessionId, nothing.thoughtCount, nothing.nextThoughtNumber, nothing.root], [null, 0, 1, 'file:///new']);
  assert.match(answer.content[0].text, /there is no session under file:\/\/\/new yet: init with operation start_new begins one/);
  assert.equal((await think(client, 'first')).thoughtNumber, 1);
  assert.equal(state(await init(client, 'load_context')).thoughtCount, 1);
  assert.equal(refusal(await init(client, 'load_context', { sessionId: 'never-was' })).error, 'not_found');
  await client.close();
  await server.stop();
});

test('errors say what to do, and change nothing', async () => {
  const server = await serve(freshStore(), undefined, []);
  const client = await legacy(server.url);
  assert.equal(refusal(await init(client, 'load_context')).error, 'no_root');
  const call = (name, args) => client.callTool({ name, arguments: args });
  assert.equal(refusal(await call('thought', { thought: ' ' })).error, 'invalid_argument');
  assert.equal(refusal(await call('thought', { thought: 'x', branchId: 'a' })).error, 'branch_origin_required');
  assert.equal(refusal(await call('thought', { thought: 'x', thoughtType: 'decision_frame' })).error, 'invalid_argument');
  assert.equal((await session(client, 'list', { allRoots: true })).total, 0);
  const odd = await think(client, 'strings are numbers', { thought_number: '3', nextThoughtNeeded: 'true', critique: true });
  assert.equal(odd.thoughtNumber, 3);
  assert.deepEqual(odd.ignoredFields, ['critique']);
  assert.ok(JSON.stringify(odd).length <= 400);
  await client.close();
  await server.stop();
});

test('branches, revisions, close, export, brief and prompts through one session', async () => {
  const store = freshStore();
  const port = await freePort();
  let server = await serve(store, port);
  let client = await legacy(server.url);
  for (let i = 1; i <= 4; ++i) await think(client, `main ${i}`);
  for (const branchId of ['a', 'b']) for (let i = 0; i < 3; ++i) await think(client, `${branchId} ${i}`, { branchId, branchFromThought: 4 });
  await think(client, 'main 5 goes with a', { revisesThought: 3 });
  await server.kill();
  server = await serve(store, port);
  client = await legacy(server.url);
  const loaded = state(await init(client, 'load_context'));
  assert.equal(loaded.branchCount, 2);
  assert.deepEqual(loaded.branches.map(b => [b.branchId, b.forks, b.length, b.last]), [['a', 4, 3, 7], ['b', 4, 3, 7]]);
  const { sessionId } = loaded;
  assert.equal((await session(client, 'get_structure')).revisions[0][1], 3);
  assert.equal((await session(client, 'read_thoughts', { branchId: 'b', thoughtNumber: 5 })).thoughts[0].thought, 'b 0');
  for (const format of ['markdown', 'json', 'cipher']) assert.match((await session(client, 'export', { sessionId, format })).content, /b 2/);
  assert.match((await session(client, 'brief')).brief, /main 5 goes with a/);
  assert.match((await session(client, 'graph', { sessionId, format: 'svg' })).content, /^<svg/);
  assert.equal((await session(client, 'search', { query: '"goes with"' })).matches[0].hits[0].thoughtNumber, 5);
  const prompt = await client.getPrompt({ name: 'continue_project', arguments: {} });
  assert.match(prompt.messages[0].content.text, new RegExp(sessionId));
  const closed = await think(client, 'done', { nextThoughtNeeded: false });
  assert.equal(closed.sessionId, null);
  assert.equal(closed.closedSessionId, sessionId);
  assert.equal(closed.auditManifest.thoughtCounts.total, 12);
  assert.equal((await session(client, 'get', { sessionId })).session.status, 'completed');
  const { confirmation_token } = await session(client, 'delete', { sessionId });
  assert.ok((await session(client, 'delete', { sessionId, confirmation_token, choice: 'delete' })).deleted);
  assert.equal((await session(client, 'list')).total, 0);
  assert.ok((await session(client, 'restore', { sessionId })).changed);
  assert.equal((await session(client, 'get', { sessionId })).session.status, 'completed');
  await client.close();
  await server.stop();
});

test('U5: the three tools are listed in under 10 KB, always in the same order', async () => {
  const server = await serve(freshStore(), undefined, ['--tools', 'reasoning']);
  const client = await legacy(server.url);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(t => t.name), ['init', 'thought', 'session']);
  assert.ok(JSON.stringify(tools).length < 10_000, `${JSON.stringify(tools).length} bytes`);
  await client.close();
  await server.stop();
});

await finish();
