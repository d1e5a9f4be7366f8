/** Restarts of two `api` processes behind HAProxy, one after the other, under load: no request may fail. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, ROOT, startService } from '../service.mjs';

/** The short form shares its machine with the rest of CI. */
const PER_SECOND = { long: 150, short: 50 };
const WRITE_EVERY = 10;
const READY_WITHIN_MS = 60_000;

export async function rolling({ short, signal }) {
  const haproxy = findHaproxy();
  if (haproxy === undefined)
    return [
      {
        drill: 'rolling restarts',
        count: '-',
        figures: 'HAProxy is missing: apt-get install haproxy',
        verdict: 'left out',
      },
    ];
  const restarts = short ? 2 : 10;
  const service = await startService();
  const running = [
    {
      stop: service.stop,
      kill: () => {
        process.kill(service.pid, 'SIGKILL');
      },
    },
  ];
  // Where the time is over nothing stays behind.
  signal.addEventListener('abort', () => {
    for (const { kill } of running) kill();
  });
  try {
    const apis = [await apiOf(service), await apiOf(service)];
    running.push(...apis);
    for (const api of apis) await api.start();
    const proxy = await startHaproxy(haproxy, service.dataDir, apis);
    running.push(proxy);

    const load = startLoad({
      url: proxy.url,
      token: /any:([^@]+)@/.exec(service.gitUrl('x'))[1],
      perSecond: short ? PER_SECOND.short : PER_SECOND.long,
    });
    for (let restart = 0; restart < restarts; restart++) {
      const api = apis[restart % apis.length];
      await api.stop();
      await api.start();
      // The proxy must see it before the other one stops, as in every rolling restart.
      await proxy.untilAllAreUp();
    }
    const { sent, failed, examples } = await load.stop();
    for (const example of examples) console.log(`Failed: ${example}`);
    return [
      {
        drill: 'rolling restarts',
        count: `${restarts} restarts, ${sent} requests`,
        figures: `${failed} failed`,
        verdict: failed === 0 && sent > 0 ? 'held' : 'missed',
      },
    ];
  } finally {
    for (const { stop } of running.splice(0).reverse()) await stop();
  }
}

function findHaproxy() {
  const find = () =>
    spawnSync('/bin/sh', ['-c', 'PATH="$PATH:/usr/sbin"; command -v haproxy'], { encoding: 'utf8' }).stdout.trim();
  if (find() === '' && process.getuid() === 0) {
    console.log('Installing HAProxy.');
    spawnSync('/usr/bin/apt-get', ['install', '--yes', '--no-install-recommends', 'haproxy'], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return find() || undefined;
}

/** A process of the role `api` on the servers, the data and the secrets of a service that runs. */
async function apiOf({ dataDir }) {
  const port = await freePort();
  const secret = (name) => readFileSync(join(dataDir, 'secrets', name), 'utf8').trim();
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    DATA_DIR: dataDir,
    DATABASE_URL: `postgres://app@${encodeURIComponent(join(dataDir, 'postgres/run'))}:5432/postgres`,
    REDIS_URL: `unix://${join(dataDir, 'redis/run/redis.sock')}`,
    API_KEY_PEPPER: secret('api-key-pepper'),
    SECRETS_KEY: secret('secrets-key'),
    DEFAULT_PLAN: 'enterprise',
    TRUST_PROXY: '1',
  };
  let child;
  const stop = async () => {
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const start = async () => {
    const log = openSync(join(dataDir, `api-${port}.log`), 'a');
    child = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), 'api'], {
      cwd: ROOT,
      env,
      stdio: ['ignore', log, log],
    });
    const until = performance.now() + READY_WITHIN_MS;
    while (
      !(await fetch(`http://127.0.0.1:${port}/ready`).then(
        ({ ok }) => ok,
        () => false,
      ))
    ) {
      if (child.exitCode !== null || performance.now() > until)
        throw new Error(`api did not start: ${readFileSync(join(dataDir, `api-${port}.log`), 'utf8').slice(-2_000)}`);
      await sleep(50);
    }
  };
  return {
    port,
    start,
    stop,
    kill: () => {
      child?.kill('SIGKILL');
    },
  };
}

async function startHaproxy(program, dataDir, apis) {
  const [port, statsPort] = [await freePort(), await freePort()];
  const directory = join(dataDir, 'haproxy');
  mkdirSync(directory);
  const file = join(directory, 'haproxy.cfg');
  writeFileSync(
    file,
    `global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 30s
  timeout check 5s
  option redispatch
  retries 3
frontend in
  bind 127.0.0.1:${port}
  default_backend api
frontend stats
  bind 127.0.0.1:${statsPort}
  stats enable
  stats uri /
backend api
  option httpchk GET /ready
  default-server check inter 200ms fall 1 rise 1
${apis.map((api, index) => `  server api${index} 127.0.0.1:${api.port}`).join('\n')}
`,
  );
  const child = spawn(program, ['-f', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const until = performance.now() + READY_WITHIN_MS;
  while (
    !(await fetch(`${url}/ready`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() > until) throw new Error('HAProxy did not start.');
    await sleep(50);
  }
  const stop = async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const untilAllAreUp = async () => {
    const giveUpAtMs = performance.now() + READY_WITHIN_MS;
    const states = async () =>
      [
        ...(await (await fetch(`http://127.0.0.1:${statsPort}/;csv`)).text()).matchAll(
          /^api,api\d.*?,(UP|DOWN)[^,]*,/gm,
        ),
      ].map(([, state]) => state);
    while ((await states()).filter((state) => state === 'UP').length < apis.length) {
      if (performance.now() > giveUpAtMs) throw new Error('HAProxy does not see all servers.');
      await sleep(100);
    }
  };
  return {
    url,
    stop,
    untilAllAreUp,
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}

/** So many requests a second, whether or not earlier ones are answered: reads, and a write among ten. */
function startLoad({ url, token, perSecond }) {
  const tally = { sent: 0, failed: 0, examples: [] };
  const running = new Set();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const fail = (what) => {
    tally.failed++;
    if (tally.examples.length < 5) tally.examples.push(what);
  };
  const send = async () => {
    const isWrite = ++tally.sent % WRITE_EVERY === 0;
    const name = `drill-${tally.sent}`;
    const body = isWrite
      ? { method: 'POST', body: JSON.stringify({ name }), headers: { ...headers, 'idempotency-key': name } }
      : { headers };
    try {
      const response = await fetch(`${url}/api/v1/${isWrite ? 'keys' : 'me'}`, body);
      const text = await response.text();
      if (!response.ok) fail(`${response.status} of ${isWrite ? 'a write' : 'a read'}: ${text.slice(0, 200)}`);
    } catch (error) {
      fail(String(error.cause ?? error));
    }
  };
  const timer = setInterval(() => {
    const request = send().finally(() => {
      running.delete(request);
    });
    running.add(request);
  }, 1_000 / perSecond);
  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
      return tally;
    },
  };
}
