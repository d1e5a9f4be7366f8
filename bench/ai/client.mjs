/**
 * A process that calls models: `run.mjs` sends it a load, and gets the times of the first bytes in ms.
 * A load is `{ url, keys, body, concurrency, calls }`; the calls take turns with the keys.
 */
import { Agent, request } from 'node:http';

process.on('message', (load) => {
  run(load).then(
    (result) => process.send(result),
    (error) => process.send({ error: error.message }),
  );
});

async function run({ url, keys, body, concurrency, calls }) {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const firstBytes = [];
  const failures = {};
  let sent = 0;
  const startedAt = performance.now();
  const caller = async () => {
    while (sent < calls) {
      const { status, firstMs } = await call({ agent, url, key: keys[sent++ % keys.length], body });
      if (status === 200) firstBytes.push(firstMs);
      else failures[status] = (failures[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  return { firstBytes, failures, perSecond: firstBytes.length / seconds };
}

function call({ agent, url, key, body }) {
  return new Promise((resolve) => {
    const from = performance.now();
    let firstMs;
    const text = JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...(key && { authorization: `Bearer ${key}` }),
    };
    request(url, { agent, method: 'POST', headers }, (response) => {
      response.on('data', () => {
        firstMs ??= performance.now() - from;
      });
      response.once('close', () => {
        resolve({ status: response.complete ? response.statusCode : 'broken', firstMs });
      });
    })
      .once('error', ({ code }) => {
        resolve({ status: code });
      })
      .end(text);
  });
}
