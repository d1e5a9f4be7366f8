// Run it after `npm run build`, with the variables of a bucket: it uploads a file, and reads it back.
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
  throw new Error('The server did not start, or has no bucket.');
});

after(async () => {
  server.kill();
  await once(server, 'exit');
});

/** Uploads a file as a browser without JavaScript does, by the fields that the page has. */
async function upload(name, text) {
  const page = await (await fetch(url)).text();
  const first = page.slice(0, page.indexOf('</form>'));
  const form = new FormData();
  for (const [, field, value] of first.matchAll(/<input type="hidden" name="([^"]+)"(?: value="([^"]*)")?/g)) form.set(field, value ?? '');
  form.set('files', new File([text], name, { type: 'text/plain' }));
  await fetch(url, { method: 'POST', body: form, headers: { origin: url } });
}

test('a file is there after it was uploaded', async () => {
  const text = `Hello ${Math.random()}`;
  await upload('hello.txt', text);
  const [, path] = /href="(\/files\/[^"]+hello\.txt)"/.exec(await (await fetch(url)).text());
  const file = await fetch(new URL(path, url));
  assert.equal(await file.text(), text);
  assert.equal(file.headers.get('content-disposition'), 'attachment');
});

test('the newest file is the first', async () => {
  for (const name of ['a.txt', 'z.txt', 'm.txt']) await upload(name, name);
  const page = await (await fetch(url)).text();
  const names = [...page.matchAll(/href="\/files\/[^"]+\/([^"/]+)"/g)].map(([, name]) => name);
  assert.deepEqual(names.slice(0, 3), ['m.txt', 'z.txt', 'a.txt']);
});

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}
