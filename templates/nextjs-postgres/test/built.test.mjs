// Run it after `npm run build`, with DATABASE_URL: it starts what was built, signs the book and reads it back.
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
  throw new Error('The server did not start, or has no database.');
});

after(async () => {
  server.kill();
  await once(server, 'exit');
});

test('an entry is on the page after it was made', async () => {
  const message = `Hello ${Math.random()}`;
  const page = await (await fetch(url)).text();
  // The form works without JavaScript, by the fields that the page has.
  const form = new FormData();
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)) form.set(name, value ?? '');
  form.set('name', 'Ada');
  form.set('message', message);
  await fetch(url, { method: 'POST', body: form, headers: { origin: url } });
  assert.ok((await (await fetch(url)).text()).includes(message));
});

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}
