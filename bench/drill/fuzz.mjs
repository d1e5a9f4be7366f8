/**
 * Malformed requests to `api` and `edge`, fixed ones and mutations of good ones: none may be answered 5xx, and no
 * process may end.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { childrenOf, startService } from '../service.mjs';
import { FIXED, GOOD } from './requests.mjs';

const CONCURRENCY = 96;
/** A request that is not whole is waited for by the server; we do not. */
const ANSWER_WITHIN_MS = 1_000;
const READY_WITHIN_MS = 60_000;
const SEED = 20_261_122;
const EXTREMES = [
  '-1',
  '0',
  '99999999999999999999',
  '0x10',
  'NaN',
  '1e9',
  '',
  '\0',
  '\r',
  '\n',
  '%00',
  '../',
  '\u00e4',
];

export async function fuzz({ short, signal }) {
  const service = await startService({
    settings: { ANONYMOUS_CALLS_PER_SECOND: '100000', ANONYMOUS_CALLS_PER_DAY: '10000000' },
  });
  let isOver = false;
  // Where the time is over nothing stays behind.
  signal.addEventListener('abort', () => {
    if (!isOver) process.kill(service.pid, 'SIGKILL');
  });
  try {
    const token = /any:([^@]+)@/.exec(service.gitUrl('x'))[1];
    // Where none is set, hosts of deploys are answered at the port after that of the API.
    const appsPort = service.port + 1;
    await untilAllAreReady(service.url);
    const processes = namedChildrenOf(service.pid);
    const good = GOOD.map((text) => text.replaceAll('TOKEN', token));
    const random = randomFrom(SEED);
    const mutated = Array.from({ length: short ? 1_000 : 10_000 }, () => mutate(good, random));
    const ports = [service.port, appsPort];
    const fixedTally = await sendAll(
      ports.flatMap((port) => FIXED.map((text) => ({ port, bytes: Buffer.from(text, 'latin1') }))),
    );
    const mutatedTally = await sendAll(
      mutated.map((bytes, index) => ({ port: index % 10 === 0 ? appsPort : service.port, bytes })),
    );
    const isWell = await fetch(`http://127.0.0.1:${service.port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    const ended = processes.filter((pid) => !namedChildrenOf(service.pid).includes(pid)).length;
    return [
      rowOf('fuzz: fixed requests', fixedTally, { isWell, ended }),
      rowOf('fuzz: mutated requests', mutatedTally, { isWell, ended }),
    ];
  } finally {
    isOver = true;
    await service.stop();
  }
}

/** The API is ready first; `edge` follows. */
async function untilAllAreReady(url) {
  const until = performance.now() + READY_WITHIN_MS;
  const isUp = async () => (await (await fetch(`${url}/ready`)).json()).details?.edge?.status === 'up';
  while (!(await isUp().catch(() => false))) {
    if (performance.now() > until) throw new Error('The process edge did not start.');
    await sleep(100);
  }
}

/** The processes of the service itself; what they start comes and goes. */
const namedChildrenOf = (pid) =>
  childrenOf(pid).filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('--supervised'));

function rowOf(drill, { total, byClass, faults }, { isWell, ended }) {
  for (const fault of faults.slice(0, 5)) console.log(`${fault.status}: ${JSON.stringify(fault.text)}`);
  const figures = `${Object.entries(byClass)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ')}; ${ended} processes ended`;
  return {
    drill,
    count: String(total),
    figures,
    verdict: faults.length === 0 && isWell && ended === 0 ? 'held' : 'missed',
  };
}

async function sendAll(requests) {
  const tally = { total: requests.length, byClass: {}, faults: [] };
  const waiting = [...requests];
  const next = async () => {
    for (let request = waiting.pop(); request !== undefined; request = waiting.pop()) {
      const status = await send(request);
      const name = status === undefined ? 'closed' : `${Math.floor(status / 100)}xx`;
      tally.byClass[name] = (tally.byClass[name] ?? 0) + 1;
      if (status >= 500) tally.faults.push({ status, text: request.bytes.toString('latin1').slice(0, 300) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, next));
  return tally;
}

/**
 * The status of the first answer; 599 when nobody listens; undefined when the connection is closed without one, or none
 * comes.
 */
function send({ port, bytes }) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const end = () => {
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
      socket.destroy();
      resolve(status === undefined ? undefined : Number(status));
    };
    socket.setTimeout(ANSWER_WITHIN_MS, end);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (text.includes('\r\n')) end();
    });
    socket.on('error', ({ code }) => {
      // Nobody listens any more.
      if (code === 'ECONNREFUSED') text = 'HTTP/1.1 599';
      end();
    });
    socket.on('close', end);
    socket.write(bytes);
  });
}

function mutate(good, random) {
  const below = (end) => Math.floor(random() * end);
  let bytes = Buffer.from(good[below(good.length)], 'latin1');
  for (let change = 0; change <= below(4); change++) {
    const at = below(bytes.length);
    const rest = at + 1 + below(8);
    const insert = (part) => Buffer.concat([bytes.subarray(0, at), part, bytes.subarray(at)]);
    bytes = [
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from([below(256)]), bytes.subarray(at + 1)]),
      () => insert(Buffer.from(Array.from({ length: 1 + below(16) }, () => below(256)))),
      () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(rest)]),
      () => insert(Buffer.from(EXTREMES[below(EXTREMES.length)], 'latin1')),
      () => insert(bytes.subarray(at, Math.min(bytes.length, at + 64))),
      () => bytes.subarray(0, at),
      () => insert(Buffer.alloc(1 + below(20_000), 0x61)),
    ][below(7)]();
    if (bytes.length === 0) bytes = Buffer.from('\r\n');
  }
  return bytes;
}

/** The same sequence for the same seed (mulberry32), so that a fault can be found again. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
