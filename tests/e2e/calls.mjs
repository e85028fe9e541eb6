// What every client must get from the fixture server, whatever SDK, era and transport carries it.
import assert from 'node:assert/strict';
import { test } from './harness.mjs';

export const textOf = result => result.content.filter(block => block.type === 'text').map(block => block.text).join('\n');

/** Registers the tests that need no handler on the client's side. `get` gives the connected client. */
export function commonTests(label, get, { notFoundCode }) {
  const check = (name, body) => test(`${label}: ${name}`, () => body(get()));
  const call = (client, name, args = {}, options) => client.callTool({ name, arguments: args }, ...options ?? []);

  check('lists tools with descriptions and object schemas', async client => {
    const { tools } = await client.listTools();
    for (const tool of tools) {
      assert.ok(tool.description, tool.name);
      assert.equal(tool.inputSchema.type, 'object', tool.name);
    }
    const names = tools.map(tool => tool.name);
    assert.equal(new Set(names).size, names.length);
    for (const wanted of ['test_simple_text', 'test_image_content', 'test_tool_with_progress', 'echo']) assert.ok(names.includes(wanted), wanted);
  });

  check('calls tools: text, image, audio, resource, mixed', async client => {
    assert.equal(textOf(await call(client, 'test_simple_text')), 'This is a simple text response for testing.');
    const [image] = (await call(client, 'test_image_content')).content;
    assert.equal(image.mimeType, 'image/png');
    assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG');
    assert.equal((await call(client, 'test_audio_content')).content[0].mimeType, 'audio/wav');
    const [embedded] = (await call(client, 'test_embedded_resource')).content;
    assert.equal(embedded.resource.uri, 'test://embedded-resource');
    assert.equal(embedded.resource.text, 'This is an embedded resource content.');
    const mixed = await call(client, 'test_multiple_content_types');
    assert.deepEqual(mixed.content.map(block => block.type), ['text', 'image', 'resource']);
  });

  check('reports a tool that failed as a result', async client => {
    const result = await call(client, 'test_error_handling');
    assert.equal(result.isError, true);
    assert.equal(textOf(result), 'This tool intentionally returns an error for testing');
  });

  check('refuses an unknown tool', async client => {
    await assert.rejects(call(client, 'no_such_tool'), { code: -32602 });
  });

  check('echoes text of every kind', async client => {
    for (const message of ['', 'plain', 'Grüße, 世界 🌍\n\t"quoted" \\ \u0001 \u2028', 'x'.repeat(1_000_000)])
      assert.equal(textOf(await call(client, 'echo', { message })), message);
  });

  check('answers 64 calls at once, each its own', async client => {
    const messages = Array.from({ length: 64 }, (_, i) => `message ${i}`);
    const answers = await Promise.all(messages.map(message => call(client, 'echo', { message })));
    assert.deepEqual(answers.map(textOf), messages);
  });

  check('lists and reads resources', async client => {
    const { resources } = await client.listResources();
    assert.deepEqual(resources.filter(r => /^test:\/\/static/.test(r.uri)).map(r => r.uri), ['test://static-text', 'test://static-binary']);
    const [text] = (await client.readResource({ uri: 'test://static-text' })).contents;
    assert.equal(text.text, 'This is the content of the static text resource.');
    const [binary] = (await client.readResource({ uri: 'test://static-binary' })).contents;
    assert.equal(binary.mimeType, 'image/png');
    assert.ok(binary.blob.length > 0);
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.ok(resourceTemplates.some(t => t.uriTemplate === 'test://template/{id}/data'));
    const [filled] = (await client.readResource({ uri: 'test://template/123/data' })).contents;
    assert.deepEqual(JSON.parse(filled.text), { id: '123', templateTest: true, data: 'Data for ID: 123' });
    await assert.rejects(client.readResource({ uri: 'test://nowhere' }), { code: notFoundCode });
  });

  check('lists and gets prompts', async client => {
    const { prompts } = await client.listPrompts();
    const names = prompts.map(prompt => prompt.name);
    for (const wanted of ['test_simple_prompt', 'test_prompt_with_arguments', 'test_prompt_with_image']) assert.ok(names.includes(wanted), wanted);
    const simple = await client.getPrompt({ name: 'test_simple_prompt' });
    assert.equal(simple.messages[0].content.text, 'This is a simple prompt for testing.');
    const filled = await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'hello', arg2: 'world' } });
    assert.equal(filled.messages[0].content.text, "Prompt with arguments: arg1='hello', arg2='world'");
    await assert.rejects(client.getPrompt({ name: 'no_such_prompt' }), { code: -32602 });
  });

  check('completes an argument', async client => {
    const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'par' } });
    assert.ok(Array.isArray(completion.values));
    for (const value of completion.values) assert.ok(value.startsWith('par'), value);
  });
}
