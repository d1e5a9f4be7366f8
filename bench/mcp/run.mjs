/**
 * `npm run bench:mcp [-- rounds]`: what a tool adds to the call of the API that it is.
 *
 * Each round asks `GET /me`, calls the tool `whoami` in both eras of the protocol, and lists all tools, one call at a
 * time; then it does the same at a server of the SDK that has the same tools and does nothing else. Figures are medians
 * of the rounds, and differences compare what was measured in the same round.
 */
import '../../scripts/on-pinned-node.mjs';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { availableParallelism, loadavg } from 'node:os';
import { commandLineOf, cpuOf, descendantsOf, median, quantile, startService } from '../service.mjs';

const [rounds = 7] = process.argv.slice(2).map(Number);
const CALLS = 300;
/** They take turns, so that none reaches the limit of its bursts. */
const ORGANIZATIONS = 20;
const VERSION = '2026-07-28';
const AIMS = { addedMs: 5, cpuMs: 3, listMs: 10 };

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const bare = fork(new URL('bare.mjs', import.meta.url));
const [barePort] = await once(bare, 'message');
const service = await startService();
const api = descendantsOf(service.pid).find((pid) => commandLineOf(pid).includes('\0api\0--supervised'));

try {
  const keys = await keysOf(ORGANIZATIONS);
  const ours = { url: service.url, pid: api, keys };
  const theirs = { url: `http://127.0.0.1:${barePort}`, pid: bare.pid, keys: [''] };
  const listed = (await send(ours, modern('tools/list'), keys[0])).result;
  const answer = (await send(ours, modern('tools/call', { name: 'whoami', arguments: {} }), keys[0])).result;
  const { content, structuredContent } = answer;
  bare.send({ tools: listed.tools, answer: { content, structuredContent } });

  const kinds = {
    'GET /me': [ours, { method: 'GET', path: '/api/v1/me' }],
    whoami: [ours, modern('tools/call', { name: 'whoami', arguments: {} })],
    'whoami, 2025': [ours, legacy('tools/call', { name: 'whoami', arguments: {} })],
    'tools/list': [ours, modern('tools/list')],
    'bare: whoami': [theirs, modern('tools/call', { name: 'whoami', arguments: {} })],
    'bare: tools/list': [theirs, modern('tools/list')],
  };
  const seen = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  console.log(
    `Node ${process.versions.node}, ${availableParallelism()} processors, ${listed.tools.length} tools, ${rounds} ` +
      `rounds of ${CALLS} calls, a load of ${(loadavg()[0] / availableParallelism()).toFixed(1)} each before\n`,
  );
  for (const [to, call] of Object.values(kinds)) await measure(to, call);
  for (let round = 0; round < rounds; round++)
    for (const [kind, [to, call]] of Object.entries(kinds)) seen[kind].push(await measure(to, call));

  console.log('| One call at a time | p50 | p99 | Processor time |\n|---|---|---|---|');
  for (const [kind, all] of Object.entries(seen)) {
    const [p50, p99, cpu] = ['p50', 'p99', 'cpuMs'].map((name) => median(all.map((each) => each[name])).toFixed(2));
    console.log(`| ${kind} | ${p50} ms | ${p99} ms | ${cpu} ms |`);
  }
  const added = median(seen.whoami.map(({ p50 }, round) => p50 - seen['GET /me'][round].p50));
  const ratio = median(seen.whoami.map(({ p50 }, round) => p50 / seen['GET /me'][round].p50));
  const figures = [
    ['whoami adds to GET /me, p50', added, AIMS.addedMs],
    ['Processor time of whoami', median(seen.whoami.map(({ cpuMs }) => cpuMs)), AIMS.cpuMs],
    ['All tools listed, p50', median(seen['tools/list'].map(({ p50 }) => p50)), AIMS.listMs],
  ];
  console.log('\n| What | Aim | Figure |\n|---|---|---|');
  for (const [what, ms, aimMs] of figures)
    console.log(`| ${what} | ≤ ${aimMs} ms | ${ms.toFixed(2)} ms${ms <= aimMs ? '' : ': missed'} |`);
  console.log(`\nwhoami ÷ GET /me, p50: ${ratio.toFixed(2)}`);
} finally {
  agent.destroy();
  await service.stop();
  bare.kill();
}

async function keysOf(count) {
  const keys = [];
  for (let number = 0; number < count; number++) {
    const slug = `bench-${number}`;
    await service.call('POST', '/orgs', { name: slug, slug });
    keys.push(
      (await service.call('POST', '/keys', { name: slug, kind: 'org_bound', org_id: slug, scopes: ['*'] })).secret,
    );
  }
  return keys;
}

/** A call of the protocol of 2026, which needs no session. */
function modern(method, params = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
  };
  return { ...message(method, { ...params, _meta: meta }), headers };
}

function legacy(method, params) {
  return { ...message(method, params), headers: { 'mcp-protocol-version': '2025-11-25' } };
}

function message(method, params) {
  return { method: 'POST', path: '/mcp', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
}

async function measure(to, call) {
  const times = [];
  const before = cpuOf([to.pid]);
  for (let count = 0; count < CALLS; count++) {
    const from = performance.now();
    await send(to, call, to.keys[count % to.keys.length]);
    times.push(performance.now() - from);
  }
  return { p50: median(times), p99: quantile(times, 0.99), cpuMs: ((cpuOf([to.pid]) - before) * 1_000) / CALLS };
}

function send({ url }, { method, path, headers = {}, body }, key) {
  return new Promise((resolve, reject) => {
    const call = request(
      url + path,
      {
        method,
        agent,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(key && { authorization: `Bearer ${key}` }),
          ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const answer = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
          if (response.statusCode === 200 && answer.error === undefined) resolve(answer);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 500)}`));
        });
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
