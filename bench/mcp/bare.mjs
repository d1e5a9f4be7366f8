/** A server of the SDK that does nothing but the protocol: the same tools, and the same answer to `whoami`. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const state = { tools: [], answer: {} };
process.on('message', (given) => {
  Object.assign(state, given);
});

const handler = toNodeHandler(
  createMcpHandler(() => {
    const server = new Server({ name: 'bare', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: state.tools }));
    server.setRequestHandler('tools/call', () => state.answer);
    return server;
  }),
);

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(state.answer.structuredContent));
    return;
  }
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => void handler(request, response, JSON.parse(text)));
}).listen(0, '127.0.0.1', () => process.send(server.address().port));
