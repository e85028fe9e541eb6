// usage: oauth_sdk.mjs RESOURCE ISSUER    the TypeScript SDK's client logs in to holdfast, and steps up when it may not do something
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [resource] = process.argv.slice(2);

// A person whose browser is redirected back with a code.
const person = {
  redirectUrl: 'http://127.0.0.1:9/callback',
  clientMetadata: { client_name: 'sdk', redirect_uris: ['http://127.0.0.1:9/callback'], token_endpoint_auth_method: 'none' },
  clientInformation() { return this.client; },
  saveClientInformation(client) { this.client = client; },
  tokens() { return this.kept; },
  saveTokens(tokens) { this.kept = tokens; },
  saveCodeVerifier(verifier) { this.verifier = verifier; },
  codeVerifier() { return this.verifier; },
  async redirectToAuthorization(url) {
    const answer = await fetch(url, { redirect: 'manual' });
    this.code = new URL(answer.headers.get('location')).searchParams.get('code');
  },
};

const statuses = [];
const counted = async (url, options) => {
  const answer = await fetch(url, options);
  // Calls alone: the stream that the SDK opens beside them is answered whenever it is.
  if (String(url) === resource && options?.method === 'POST') statuses.push(answer.status);
  return answer;
};

const open = () => new StreamableHTTPClientTransport(new URL(resource), { authProvider: person, fetch: counted });
const first = open();
await assert.rejects(new Client({ name: 'sdk', version: '1' }).connect(first), UnauthorizedError);
assert.equal(statuses[0], 401);
await first.finishAuth(person.code);

const client = new Client({ name: 'sdk', version: '1' });
const transport = open();
await client.connect(transport);
const session = async args => JSON.parse((await client.callTool({ name: 'session', arguments: args })).content.at(-1).text);
const listed = await session({ operation: 'list' });

// The SDK reads the challenge, has its token renewed with the scope that is missing, and sends the call again.
statuses.length = 0;
const archived = await session({ operation: 'archive', sessionId: 'anns-1' });
const [refused, repeated] = statuses;
await client.close();
console.log(JSON.stringify({ listed: listed.sessions.map(each => each.id), refused, repeated, archived: !archived.error }));
