/**
 * What people deploy, served by the service, beside what else serves the same: files beside nginx (if it is installed,
 * or NGINX names one) and serve-handler, a Node server beside the same program started by hand.
 *
 * All run at once and take turns. Of files the figure is requests for a second of processor time, which does not depend
 * on how fast the caller is, nor much on what else the machine does.
 *
 *   npm run bench:hosting -- [rounds] [seconds]
 */
import '../../scripts/on-pinned-node.mjs';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import autocannon from 'autocannon';
import {
  childrenOf,
  cpuOf,
  descendantsOf,
  freePort,
  mebibytesOf,
  median,
  pushAndWait,
  quantile,
  repositoryWith,
  ROOT,
  sorted,
  startService,
  visit,
  write,
} from '../service.mjs';

const [rounds = 7, seconds = 3, wakes = 25] = process.argv.slice(2).map(Number);
const CONNECTIONS = 32;
const SMALL = Buffer.from('<!doctype html><title>Small</title>'.padEnd(1_024, 'x'));
/** Nothing makes it smaller. */
const LARGE = Buffer.from(Uint8Array.from({ length: 1_048_576 }, (_, index) => (index * 2_654_435_761) >>> 13));
const APP =
  'require("node:http").createServer((request, response) => response.end("hello")).listen(process.env.PORT, ' +
  'process.env.HOSTNAME);';

const directory = mkdtempSync(join(tmpdir(), 'bench-hosting-'));
const ends = [() => rmSync(directory, { recursive: true, force: true })];
try {
  const files = { 'index.html': SMALL, 'large.bin': LARGE };
  write(join(directory, 'files'), files);
  const service = await startService({ pinned: true });
  ends.unshift(service.stop);
  const { deploy } = await pushAndWait(service, await repositoryWith(service, 'site', { files }));
  const servers = [
    {
      name: 'the service',
      url: `http://127.0.0.1:${service.appsPort}`,
      host: new URL(deploy.url).host,
      pids: () => [service.edgePid()],
    },
    await startServeHandler(),
    ...(await startNginx()),
  ];
  const restMib = mebibytesOf(service.edgePid(), 'status', 'VmRSS');

  const results = {};
  for (const [what, path, size] of [
    ['1 KiB page', '/', SMALL.length],
    ['1 MiB file', '/large.bin', LARGE.length],
  ]) {
    for (const server of servers) {
      const { status, bytes } = await visit(new URL(server.url).port, server.host ?? 'localhost', path);
      if (status !== 200 || bytes !== size) throw new Error(`${server.name} answered ${status} with ${bytes} bytes.`);
      await load(server, path, 1);
    }
    results[what] = Object.fromEntries(servers.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const server of round % 2 === 0 ? servers : [...servers].reverse())
        results[what][server.name].push(await load(server, path, seconds));
    }
  }
  const loadedMib = mebibytesOf(service.edgePid(), 'status', 'VmRSS');
  await service.stop();

  console.log(
    `Node ${process.versions.node}; ${rounds} rounds of ${seconds} s, ${CONNECTIONS} connections; medians (range)\n`,
  );
  console.log('| What | Server | Requests a CPU-second | The service is |\n|---|---|---|---|');
  for (const [what, byName] of Object.entries(results)) {
    for (const [name, values] of Object.entries(byName)) {
      const ratios = values.map((value, round) => byName['the service'][round] / value);
      console.log(
        `| ${what} | ${name} | ${Math.round(median(values)).toLocaleString('en')} ` +
          `(${Math.round(sorted(values)[0]).toLocaleString('en')}–` +
          `${Math.round(sorted(values).at(-1)).toLocaleString('en')}) | ` +
          (name === 'the service'
            ? ' |'
            : `${median(ratios).toFixed(2)} × (${sorted(ratios)[0].toFixed(2)}–${sorted(ratios).at(-1).toFixed(2)}) |`),
      );
    }
  }
  console.log(
    `\nResident memory of the service: ${Math.round(restMib)} MiB before, ${Math.round(loadedMib)} MiB after.\n`,
  );
  await measureWaking();
} finally {
  for (const end of ends) await end();
}

async function load({ url, host, pids }, path, duration) {
  const before = cpuOf(pids());
  const { requests, non2xx, errors } = await autocannon({
    url: url + path,
    connections: CONNECTIONS,
    duration,
    ...(host && { headers: { host } }),
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${url} failed ${non2xx + errors} times.`);
  return requests.total / (cpuOf(pids()) - before);
}

async function startServeHandler() {
  const child = spawn('taskset', ['-c', '0', process.execPath, join(ROOT, 'bench/hosting/serve-handler.mjs')], {
    env: { PATH: process.env.PATH, FILES: join(directory, 'files') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  ends.unshift(() => child.kill('SIGKILL'));
  const [said] = await once(child.stderr, 'data');
  return { name: 'serve-handler', url: String(said).trim(), pids: () => [child.pid] };
}

/** One worker; like the service it writes a line for each request. */
async function startNginx() {
  const program = process.env.NGINX ?? 'nginx';
  if (spawnSync(program, ['-v']).status !== 0) {
    console.warn('nginx is not installed: it is left out.');
    return [];
  }
  const port = await freePort();
  const place = join(directory, 'nginx');
  mkdirSync(place);
  writeFileSync(
    join(place, 'nginx.conf'),
    `
    daemon off; worker_processes 1; pid ${place}/pid; error_log ${place}/error.log;
    ${process.getuid() === 0 ? 'user root;' : ''}
    events { worker_connections 1024; }
    http {
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `${name}_temp_path ${place}/${name};`)
        .join(' ')}
      types { text/html html; } default_type application/octet-stream; access_log ${place}/access.log;
      sendfile on; tcp_nopush on; keepalive_requests 1000000; etag on;
      server { listen 127.0.0.1:${port}; root ${directory}/files; index index.html; }
    }`,
  );
  const child = spawn(
    'taskset',
    ['-c', '0', program, '-p', place, '-c', join(place, 'nginx.conf'), '-e', join(place, 'error.log')],
    { stdio: 'ignore' },
  );
  ends.unshift(() => child.kill('SIGTERM'));
  const url = `http://127.0.0.1:${port}`;
  for (
    let tries = 0;
    !(await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ));
    tries++
  ) {
    if (tries > 100) throw new Error(`nginx does not start: ${readFileSync(join(place, 'error.log'), 'utf8')}`);
    await sleep(50);
  }
  return [{ name: 'nginx', url, pids: () => [child.pid, ...childrenOf(child.pid)] }];
}

/** A server that has ended, one that sleeps and one that runs, each asked once, in turns with the program by hand. */
async function measureWaking() {
  const service = await startService({ settings: { APP_FREEZE_AFTER_MS: '400', APP_STOP_AFTER_MS: '1200' } });
  ends.unshift(service.stop);
  const repository = await repositoryWith(service, 'app', {
    files: {
      'package.json': JSON.stringify({ name: 'app', private: true, scripts: { start: 'node server.js' } }),
      'server.js': APP,
    },
  });
  const { deploy } = await pushAndWait(service, repository);
  const host = new URL(deploy.url).host;
  const times = {
    running: [],
    'after a sleep (thaw)': [],
    'after its end (cold)': [],
    'the program by hand, to its first answer': [],
  };
  const ask = async () => {
    const { status, ms } = await visit(service.appsPort, host);
    if (status !== 200) throw new Error(`The app answered ${status}.`);
    return ms;
  };
  let appMib = 0;
  for (let round = 0; round < wakes; round++) {
    await until(service, ({ running, frozen }) => running + frozen === 0);
    times['after its end (cold)'].push(await ask());
    times.running.push(await ask());
    appMib = descendantsOf(service.edgePid())
      .filter((pid) => isNode(pid))
      .reduce((sum, pid) => sum + mebibytesOf(pid, 'smaps_rollup', 'Pss'), 0);
    await until(service, ({ frozen }) => frozen === 1);
    times['after a sleep (thaw)'].push(await ask());
    times['the program by hand, to its first answer'].push(await byHand());
  }
  console.log(`| A Node server is asked, ${wakes} times | p50 | p95 |\n|---|---|---|`);
  for (const [what, values] of Object.entries(times))
    console.log(`| ${what} | ${median(values).toFixed(1)} ms | ${quantile(values, 0.95).toFixed(1)} ms |`);
  const ratios = times['after its end (cold)'].map(
    (ms, round) => ms / times['the program by hand, to its first answer'][round],
  );
  console.log(
    `\nCold is ${median(ratios).toFixed(2)} × the program by hand. The server itself: ${Math.round(appMib)} MiB (Pss).`,
  );
}

function isNode(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('server.js');
  } catch {
    return false;
  }
}

async function until(service, check) {
  for (;;) {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const of = (state) => Number(new RegExp(`^app_servers\\{state="${state}"\\} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    if (check({ running: of('running'), frozen: of('frozen') })) return;
    await sleep(20);
  }
}

async function byHand() {
  const port = await freePort();
  writeFileSync(join(directory, 'server.js'), APP);
  const from = performance.now();
  const child = spawn(process.execPath, [join(directory, 'server.js')], {
    env: { PATH: process.env.PATH, PORT: String(port), HOSTNAME: '127.0.0.1' },
    stdio: 'ignore',
  });
  while (
    !(await visit(port, 'localhost').then(
      () => true,
      () => false,
    ))
  )
    await sleep(2);
  const ms = performance.now() - from;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return ms;
}
