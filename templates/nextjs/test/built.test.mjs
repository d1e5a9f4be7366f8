// Run it after `npm run build`: it starts what was built and asks for the page and the endpoint.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

let server;
let url;

before(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  server = spawn(process.execPath, ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', String(port)], { stdio: 'inherit' });
  for (let tries = 0; tries < 300; tries++) {
    if (await fetch(url).then(({ ok }) => ok, () => false)) return;
    await sleep(100);
  }
  throw new Error('The server did not start.');
});

after(async () => {
  server.kill();
  await once(server, 'exit');
});

test('the page is there, with its font beside it', async () => {
  const page = await (await fetch(url)).text();
  assert.match(page, /It runs\./);
  assert.doesNotMatch(page, /fonts\.(googleapis|gstatic)\.com/);
});

test('the icon is there, and the page names it', async () => {
  const [, path] = /<link rel="icon" href="([^"]+)"/.exec(await (await fetch(url)).text());
  assert.equal((await fetch(new URL(path, url))).headers.get('content-type'), 'image/svg+xml');
});

test('the endpoint greets', async () => {
  assert.deepEqual(await (await fetch(`${url}/api/hello?name=Ada`)).json(), { message: 'Hello, Ada!' });
});

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}
