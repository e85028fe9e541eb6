// The TypeScript SDK v2 against the fixture server: negotiated to the modern era, pinned to it, and as a legacy
// client, over stdio and HTTP.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { commonTests, textOf } from './calls.mjs';
import { collector, finish, startHttp, stdioParameters, test, within } from './harness.mjs';

const kModern = '2026-07-28';
const kLogLevel = 'io.modelcontextprotocol/logLevel';

let server;
const transports = {
  stdio: () => new StdioClientTransport(stdioParameters),
  http: () => new StreamableHTTPClientTransport(server.url)
};
const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, options);

function makeClient(mode, capabilities = { sampling: {}, elicitation: {}, roots: {} }) {
  const client = new Client({ name: 'sdk-v2', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  client.asked = [];
  if (capabilities.elicitation)
    client.setRequestHandler('elicitation/create', async request => {
      client.asked.push(request.params);
      // Every form is filled: yes, one, or the same name.
      const fill = { boolean: true, integer: 1, number: 1 };
      const fields = Object.entries(request.params.requestedSchema?.properties ?? {});
      return { action: 'accept', content: Object.fromEntries(fields.map(([name, { type }]) => [name, fill[type] ?? 'Ada'])) };
    });
  if (capabilities.sampling)
    client.setRequestHandler('sampling/createMessage', async () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'Paris' } }));
  if (capabilities.roots)
    client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///home/ada/project', name: 'project' }] }));
  return client;
}

function testsOfBothEras(label, get) {
  const check = (name, body) => test(`${label}: ${name}`, () => body(get()));

  check('reports progress', async client => {
    const seen = [];
    await call(client, 'test_tool_with_progress', {}, { onprogress: p => seen.push(p) });
    assert.deepEqual(seen.map(p => [p.progress, p.total]), [[0, 100], [50, 100], [100, 100]]);
  });

  check('cancels a running call and goes on', async client => {
    const abort = new AbortController();
    const refused = assert.rejects(call(client, 'slow_compute', { seconds: 600, label: 'never' }, { signal: abort.signal }));
    await client.listTools(undefined, { cacheMode: 'bypass' }); // the call is on its way before the cancellation
    abort.abort('enough');
    await within(refused, 'cancelled call');
    assert.equal(textOf(await call(client, 'echo', { message: 'still here' })), 'still here');
  });
}

function legacyTests(label, get) {
  commonTests(label, get, { notFoundCode: -32602 }); // this SDK turns the legacy -32002 into the modern code
  testsOfBothEras(label, get);
  const check = (name, body) => test(`${label}: ${name}`, () => body(get()));
  check('pings, asks the person, subscribes', async client => {
    await client.ping();
    assert.match(textOf(await call(client, 'test_elicitation', { message: 'Name?' })), /Ada/);
    await client.subscribeResource({ uri: 'test://watched-resource' });
    await client.unsubscribeResource({ uri: 'test://watched-resource' });
  });
}

function modernTests(label, get, mode, transport) {
  commonTests(label, get, { notFoundCode: -32602 });
  testsOfBothEras(label, get);
  const check = (name, body) => test(`${label}: ${name}`, () => body(get()));

  check('discovers what is served', async client => {
    const found = await client.discover();
    assert.ok(found.supportedVersions.includes(kModern));
    for (const wanted of ['tools', 'resources', 'prompts', 'completions']) assert.ok(found.capabilities[wanted], wanted);
  });

  check('answers after the person was asked', async client => {
    client.asked.length = 0;
    assert.equal(textOf(await call(client, 'test_input_required_result_elicitation')), 'Hello, Ada!');
    assert.equal(client.asked.length, 1);
  });

  check('answers after model, roots, all of them, and two rounds', async client => {
    assert.match(textOf(await call(client, 'test_input_required_result_sampling')), /Paris/);
    assert.ok(textOf(await call(client, 'test_input_required_result_list_roots')));
    assert.match(textOf(await call(client, 'test_input_required_result_request_state')), /state-ok/);
    assert.ok(textOf(await call(client, 'test_input_required_result_multiple_inputs')));
    assert.ok(textOf(await call(client, 'test_input_required_result_multi_round')));
  });

  check('asks in a prompt', async client => {
    const prompt = await client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.ok(prompt.messages.length > 0);
  });

  check('refuses what the client cannot do', async () => {
    const poor = makeClient(mode, {});
    await poor.connect(transport());
    await assert.rejects(call(poor, 'test_missing_capability'), { code: -32021 });
    await poor.close();
  });

  check('logs only when a call asks for it', async client => {
    const logged = collector();
    client.setNotificationHandler('notifications/message', n => logged.push(n.params));
    await call(client, 'test_logging_tool');
    assert.deepEqual(logged.values, []);
    await client.callTool({ name: 'test_logging_tool', arguments: {}, _meta: { [kLogLevel]: 'debug' } });
    await logged.reached(1, 'a log message');
  });

  check('hears of changes while it listens', async client => {
    const changes = collector();
    client.setNotificationHandler('notifications/tools/list_changed', () => changes.push('tools'));
    client.setNotificationHandler('notifications/prompts/list_changed', () => changes.push('prompts'));
    const listening = await client.listen({ toolsListChanged: true });
    assert.deepEqual(listening.honoredFilter, { toolsListChanged: true });
    await call(client, 'test_trigger_prompt_change'); // not asked for
    await call(client, 'test_trigger_tool_change');
    await changes.reached(1, 'a change');
    assert.deepEqual(changes.values, ['tools']);
    await listening.close();
    assert.equal(await within(listening.closed, 'end of the subscription'), 'local');
    assert.equal(textOf(await call(client, 'echo', { message: 'after' })), 'after');
  });

  check('listens to a resource', async client => {
    const listening = await client.listen({ resourceSubscriptions: ['test://watched-resource'] });
    assert.deepEqual(listening.honoredFilter.resourceSubscriptions, ['test://watched-resource']);
    await listening.close();
  });
}

test('http: starts', async () => { server = await startHttp(); });
for (const [kind, transport] of Object.entries(transports)) {
  for (const [name, mode, era] of [['auto', 'auto', 'modern'], ['pinned', { pin: kModern }, 'modern'], ['legacy', 'legacy', 'legacy']]) {
    const label = `${kind} ${name}`;
    const client = makeClient(mode);
    test(`${label}: connects`, async () => {
      await client.connect(transport());
      assert.equal(client.getProtocolEra(), era);
      assert.equal(client.getNegotiatedProtocolVersion(), era === 'modern' ? kModern : '2025-11-25');
    });
    if (era === 'modern') modernTests(label, () => client, mode, transport);
    else legacyTests(label, () => client);
    test(`${label}: leaves`, () => client.close());
  }
}
test('http: the server ends when asked', () => server.stop());

await finish();
