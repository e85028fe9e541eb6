// The TypeScript SDK v1, the client most programs use today, against the fixture server: legacy era, stdio and HTTP.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateMessageRequestSchema, ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { commonTests, textOf } from './calls.mjs';
import { collector, finish, startHttp, stdioParameters, test, within } from './harness.mjs';

const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, CallToolResultSchema, options);

function makeClient() {
  const client = new Client({ name: 'sdk-v1', version: '1.0.0' }, { capabilities: { sampling: {}, elicitation: {} } });
  client.asked = [];
  client.answer = { action: 'accept', content: { response: 'yes' } };
  client.setRequestHandler(ElicitRequestSchema, async request => { client.asked.push(request.params); return client.answer; });
  client.setRequestHandler(CreateMessageRequestSchema, async request => {
    client.asked.push(request.params);
    return { model: 'm', role: 'assistant', content: { type: 'text', text: 'four' } };
  });
  return client;
}

function legacyTests(label, get) {
  commonTests(label, get, { notFoundCode: -32002 });
  const check = (name, body) => test(`${label}: ${name}`, () => body(get()));

  check('introduces itself and answers ping', async client => {
    assert.ok(client.getServerVersion().name);
    const capabilities = client.getServerCapabilities();
    assert.deepEqual(capabilities.resources, { subscribe: true, listChanged: true });
    for (const wanted of ['tools', 'prompts', 'logging', 'completions']) assert.ok(capabilities[wanted], wanted);
    assert.deepEqual(await client.ping(), {});
  });

  check('reports progress', async client => {
    const seen = [];
    await call(client, 'test_tool_with_progress', {}, { onprogress: p => seen.push(p) });
    assert.deepEqual(seen.map(p => [p.progress, p.total]), [[0, 100], [50, 100], [100, 100]]);
  });

  check('sends log messages at the level asked for', async client => {
    const logged = collector();
    client.setNotificationHandler(LoggingMessageNotificationSchema, n => logged.push(n.params));
    await client.setLoggingLevel('debug');
    await call(client, 'test_tool_with_logging');
    for (const message of await logged.reached(3, 'log messages')) assert.equal(message.level, 'info');
    await client.setLoggingLevel('error');
    await call(client, 'test_tool_with_logging');
    await client.ping();
    assert.equal(logged.values.length, 3);
  });

  check('asks the model', async client => {
    client.asked.length = 0;
    assert.equal(textOf(await call(client, 'test_sampling', { prompt: 'two and two?' })), 'LLM response: four');
    assert.equal(client.asked[0].messages[0].content.text, 'two and two?');
    assert.equal(client.asked[0].maxTokens, 100);
  });

  check('asks the person, who accepts or declines', async client => {
    client.asked.length = 0;
    client.answer = { action: 'accept', content: { response: 'indeed' } };
    assert.match(textOf(await call(client, 'test_elicitation', { message: 'Sure?' })), /^User response: .*indeed/);
    assert.equal(client.asked[0].message, 'Sure?');
    client.answer = { action: 'decline' };
    assert.match(textOf(await call(client, 'test_elicitation', { message: 'Sure?' })), /decline/);
  });

  check('offers defaults in a form', async client => {
    client.asked.length = 0;
    client.answer = { action: 'accept', content: { name: 'Ada', age: 36, score: 1.5, status: 'active', verified: false } };
    assert.match(textOf(await call(client, 'test_elicitation_sep1034_defaults')), /Ada/);
    const { properties } = client.asked[0].requestedSchema;
    assert.deepEqual(['name', 'age', 'score', 'status', 'verified'].map(key => properties[key].default), ['John Doe', 30, 95.5, 'active', true]);
  });

  check('subscribes to a resource and back', async client => {
    assert.deepEqual(await client.subscribeResource({ uri: 'test://watched-resource' }), {});
    assert.deepEqual(await client.unsubscribeResource({ uri: 'test://watched-resource' }), {});
  });

  check('cancels a running call and goes on', async client => {
    const abort = new AbortController();
    const running = call(client, 'slow_compute', { seconds: 600, label: 'never' }, { signal: abort.signal });
    const refused = assert.rejects(running);
    await client.ping(); // the call is on its way before the cancellation
    abort.abort('enough');
    await within(refused, 'cancelled call');
    assert.equal(textOf(await call(client, 'echo', { message: 'still here' })), 'still here');
  });
}

const stdio = makeClient();
test('stdio: connects', () => stdio.connect(new StdioClientTransport(stdioParameters)));
legacyTests('stdio', () => stdio);
test('stdio: ends when the client leaves', () => stdio.close());

let server;
const http = makeClient();
let transport;
test('http: connects', async () => {
  server = await startHttp();
  transport = new StreamableHTTPClientTransport(server.url);
  await http.connect(transport);
  assert.match(transport.sessionId, /^[\x21-\x7e]+$/);
});
legacyTests('http', () => http);

test('http: a second client has its own session', async () => {
  const other = makeClient();
  const its = new StreamableHTTPClientTransport(server.url);
  await other.connect(its);
  assert.notEqual(its.sessionId, transport.sessionId);
  assert.equal(textOf(await call(other, 'echo', { message: 'b' })), 'b');
  await other.close();
});

test('http: a terminated session is gone, the server is not', async () => {
  const gone = transport.sessionId;
  await transport.terminateSession();
  await http.close();
  const answer = await fetch(server.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': gone } });
  assert.equal(answer.status, 404);
  const next = makeClient();
  await next.connect(new StreamableHTTPClientTransport(server.url));
  await next.close();
});

test('http: the server ends when asked', () => server.stop());

await finish();
