// A client keeps its session when the server is killed and started again on the same store: the next call is
// answered, on the same client object, without a new handshake.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { textOf } from './calls.mjs';
import { finish, freePort, startHttp, test } from './harness.mjs';

const kKills = 5;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-restart-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const start = port => startHttp({ port, extra: ['--store', `sqlite:${join(folder, 'store.db')}`] });
const echo = async (client, message) => textOf(await client.callTool({ name: 'echo', arguments: { message } }));

/** Counts the handshakes that really go over the wire. */
function watchedTransport(url) {
  const sent = [];
  const watchedFetch = (address, options) => {
    if (options?.body) sent.push(JSON.parse(options.body).method);
    return fetch(address, options);
  };
  return { sent, transport: new StreamableHTTPClientTransport(url, { fetch: watchedFetch }) };
}

test(`a session outlives ${kKills} kills of the server`, async () => {
  const port = await freePort();
  let server = await start(port);
  const client = new Client({ name: 'restart', version: '1.0.0' });
  const { sent, transport } = watchedTransport(server.url);
  await client.connect(transport);
  const session = transport.sessionId;
  for (let round = 0; round < kKills; ++round) {
    assert.equal(await echo(client, `before ${round}`), `before ${round}`);
    await server.kill();
    server = await start(port);
    assert.equal(await echo(client, `after ${round}`), `after ${round}`);
    assert.deepEqual(await client.ping(), {});
  }
  assert.equal(transport.sessionId, session);
  assert.equal(sent.filter(method => method === 'initialize').length, 1);
  await client.close();
  await server.stop();
});

test('a session that was ended stays ended after a restart', async () => {
  const port = await freePort();
  let server = await start(port);
  const client = new Client({ name: 'restart', version: '1.0.0' });
  const { transport } = watchedTransport(server.url);
  await client.connect(transport);
  const ended = transport.sessionId;
  await transport.terminateSession();
  await client.close();
  await server.kill();
  server = await start(port);
  const answer = await fetch(server.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': ended } });
  assert.equal(answer.status, 404);
  await server.stop();
});

await finish();
