/**
 * The sandbox layer alone: from handing over a program to its result, with each way to start it. Beside them a cold
 * `bwrap` and interpreter without our filter, limits and watch, and `isolate` where it is installed
 * (https://github.com/ioi/isolate; `make isolate && make install`, with `cg_root` in its configuration).
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';

import { HELLO } from './hello.mjs';
import { hasIsolate, runInIsolate } from './isolate.mjs';

const require = createRequire(import.meta.url);
const { HostedRuntime } = require('../../dist/src/modules/sandbox/runtime/host/hosted-runtime.js');

const LIMITS = { timeoutMs: 30_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 1024 * 1024 };
export const NODE = require.resolve(`node-linux-${process.arch}/package.json`).replace('package.json', 'bin/node');

/** Node 24 strips types by itself. */
const COLD = {
  javascript: [NODE, '/program', '-e', HELLO.javascript],
  typescript: [
    NODE,
    '/program',
    '--disable-warning=ExperimentalWarning',
    '--input-type=commonjs-typescript',
    '-e',
    HELLO.typescript,
  ],
  python: ['/usr/bin/python3', '/program', '-IS', '-c', HELLO.python],
};

/** What a program needs to start, and nothing more: the least that isolates it. */
function coldArguments([program, inside, ...rest]) {
  return [
    '--unshare-all',
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--tmpfs',
    '/tmp',
    '--ro-bind',
    program,
    inside,
    '--die-with-parent',
    '--new-session',
    '--',
    inside,
    ...rest,
  ];
}

export function runCold(language) {
  return new Promise((resolve, reject) => {
    const child = spawn('bwrap', coldArguments(COLD[language]), { env: {}, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', reject);
    child.on('close', () => {
      resolve(output);
    });
  });
}

function runIsolate(language) {
  const [program, , ...rest] = COLD[language];
  return runInIsolate([program, language === 'python' ? program : '/runtime/node', ...rest]);
}

async function runOurs(runtime, language) {
  const run = { id: 'exe_bench', language, code: HELLO[language], stdin: '', limits: LIMITS };
  const { stdout, durationMs } = await runtime.run(run);
  requireHello(stdout);
  return durationMs;
}

export function requireHello(output) {
  if (output.trim() !== 'hello') throw new Error(`not a run: ${JSON.stringify(output)}`);
}

export async function openRuntime({ cgroups, cpuWeight }, forkServer) {
  const runtime = new HostedRuntime({
    isolation: { cgroups, cpuWeight, copiesDirectory: '/var/lib/service-platform/sandbox' },
    runtime: { concurrency: availableParallelism(), limits: LIMITS, forkServer },
  });
  const readiness = await runtime.probe();
  if (!readiness.available) throw new Error(`The sandbox is not available: ${readiness.missing.join('; ')}`);
  return { runtime, mode: readiness.mode };
}

/** Its ways resolve with the time of the program, as the layer measures it. */
export async function openLayer(isolation) {
  const { runtime: forking, mode } = await openRuntime(isolation, 'auto');
  const { runtime: starting } = await openRuntime(isolation, 'off');
  const isForked = (language) => forking.readings.some(({ languages, forks }) => forks && languages.includes(language));
  return {
    mode,
    waysOf: (language) => [
      // Longer than the pools last.
      ...(isForked(language) ? [{ way: 'fork server', seconds: 2, run: () => runOurs(forking, language) }] : []),
      { way: 'warm pool', seconds: 2, run: () => runOurs(starting, language) },
      ...(hasIsolate() ? [{ way: 'isolate', seconds: 1, run: () => runIsolate(language).then(requireHello) }] : []),
    ],
    close: () => Promise.all([forking.close(), starting.close()]),
  };
}

export const coldWay = (language) => ({
  way: 'cold bwrap',
  seconds: 1,
  run: () => runCold(language).then(requireHello),
});
