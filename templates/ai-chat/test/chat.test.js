// Starts the server beside a model that always says the same.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

let model;
const servers = [];

before(async () => {
  model = createServer((request, response) => {
    assert.equal(request.headers.authorization, 'Bearer key-of-the-test');
    if (request.url === '/models') {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ object: 'list', data: [{ id: 'small' }] }));
    }
    const chunk = (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`${chunk('Hello, ')}${chunk('Ada!')}data: [DONE]\n\n`);
  }).listen(0, '127.0.0.1');
  await once(model, 'listening');
});

after(() => {
  model.close();
  for (const server of servers) server.kill();
});

async function start(variables) {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  const { OPENAI_API_KEY, OPENAI_BASE_URL, ...others } = process.env;
  const server = spawn(process.execPath, ['server.js'], {
    env: { ...others, ...variables, PORT: String(port), HOSTNAME: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  servers.push(server);
  await once(server.stdout, 'data');
  return `http://127.0.0.1:${port}`;
}

const ask = (url, body) => fetch(`${url}/api/chat`, { method: 'POST', body: JSON.stringify(body) });
const MESSAGES = [{ role: 'user', content: 'Hi' }];

test('the answer of the model arrives, piece by piece', async () => {
  const url = await start({
    OPENAI_API_KEY: 'key-of-the-test',
    OPENAI_BASE_URL: `http://127.0.0.1:${model.address().port}`,
  });
  assert.match(await (await fetch(url)).text(), /<title>Chat<\/title>/);
  assert.deepEqual(await (await fetch(`${url}/api/models`)).json(), { models: ['small'] });
  assert.equal(await (await ask(url, { model: 'small', messages: MESSAGES })).text(), 'Hello, Ada!');
  assert.equal((await ask(url, { messages: MESSAGES })).status, 400);
  assert.equal((await fetch(`${url}/api/chat`, { method: 'POST', body: '{' })).status, 400);
  assert.equal((await fetch(`${url}/server.js`)).status, 404);
});

test('without a key, the page says how to get one', async () => {
  const url = await start({});
  assert.match((await (await fetch(`${url}/api/models`)).json()).hint, /model-access/);
  assert.equal((await ask(url, { model: 'small', messages: MESSAGES })).status, 503);
});
