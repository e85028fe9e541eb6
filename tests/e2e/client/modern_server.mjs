// A server on the official SDK v2, for our client: modern over pipes and HTTP.
//   node modern_server.mjs --stdio | --port N
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod/v4';

const text = value => ({ content: [{ type: 'text', text: value }] });

function build() {
  const server = new McpServer({ name: 'reference', version: '1.0.0' });
  server.registerTool('echo', { description: 'echo', inputSchema: z.object({ message: z.string() }) }, async ({ message }) => text(message));
  server.registerTool('where', { description: 'the first root', inputSchema: z.object({}) }, async (_, context) => {
    const answer = context.mcpReq.inputResponses?.roots;
    if (!answer) return inputRequired({ inputRequests: { roots: inputRequired.listRoots() }, requestState: 'asked once' });
    return text(answer.roots[0].uri);
  });
  return server;
}

if (process.argv.includes('--stdio')) {
  serveStdio(build);
} else {
  const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
  createServer(toNodeHandler(createMcpHandler(build))).listen(port, '127.0.0.1', () => console.error(`listening on port ${port}`));
}
