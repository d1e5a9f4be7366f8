import { type Attack, inBoth, inJavaScript, inPython, REFUSED, SHORT_MS } from './attack.js';

const ENDLESS = { status: 'timed_out', timeoutMs: SHORT_MS } as const;

export const PROCESS_ATTACKS: readonly Attack[] = [
  ...inBoth(
    'a fork bomb',
    {
      javascript: `
const { spawn } = require('node:child_process');
let left = 200;
const bomb = () => {
  const next = () => (--left === 0 ? console.log('refused') : bomb());
  try { spawn(process.execPath, [__filename], { detached: true, stdio: 'inherit' }).on('error',
    next).on('spawn', () => { console.log('forked'); process.exit(); }); } catch { next(); }
};
bomb();`,
      python: `
import os
made = 0
for attempt in range(2000):
  try:
    if os.fork() == 0:
      while True: os.fork()
    made += 1
  except OSError: pass
print('refused' if made == 0 else made)`,
    },
    REFUSED,
  ),
  inPython(
    'a fork bomb by every system call that forks',
    `
import ctypes, platform
libc = ctypes.CDLL(None, use_errno=True)
calls = [(56, 17), (57,), (58,), (435, 0, 0)] if platform.machine() == 'x86_64' else [(220, 17), (435, 0, 0)]
print('refused' if all(libc.syscall(*call, 0, 0, 0, 0) == -1 for call in calls for _ in range(500)) else 'forked')`,
    REFUSED,
  ),
  ...inBoth(
    'threads without end',
    {
      javascript: `
const { Worker } = require('node:worker_threads');
for (let i = 0; i < 500; i++) new Worker('for (;;) ;', { eval: true }).on('error', () => {});
setInterval(() => {}, 1e6);`,
      python: `
import threading, time
threading.stack_size(65536)
while True:
  try: threading.Thread(target=time.sleep, args=(1e6,)).start()
  except RuntimeError: time.sleep(0.01)`,
    },
    { status: ['timed_out', 'failed', 'out_of_memory'], timeoutMs: 1_000 },
  ),
  ...inBoth(
    'killing everyone (kill -1)',
    {
      javascript: "try { process.kill(-1, 'SIGKILL') } catch {}\nconsole.log('refused')",
      python: "import os\ntry: os.kill(-1, 9)\nexcept OSError: pass\nprint('refused')",
    },
    REFUSED,
  ),
  ...inBoth(
    'killing the first process',
    {
      javascript: "try { process.kill(1, 'SIGKILL') } catch {}\nsetTimeout(() => console.log('refused'), 20)",
      python:
        'import os, time\nfor s in range(1, 32):\n  try: os.kill(1, s)\n  except OSError: pass\n' +
        "time.sleep(0.02)\nprint('refused')",
    },
    REFUSED,
  ),
  ...inBoth(
    'killing itself',
    {
      javascript: "process.kill(process.pid, 'SIGKILL')",
      python: 'import os\nos.kill(os.getpid(), 9)',
    },
    {
      status: 'failed',
      check: (outcome) => {
        expect(outcome).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      },
    },
  ),
  ...inBoth(
    'ignoring SIGTERM, and all others that can be',
    {
      javascript:
        "for (const s of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2', 'SIGXCPU']) process.on(s, () => {});\n" +
        'setInterval(() => {}, 1e6)',
      python:
        'import signal, time\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n' +
        '  except (OSError, ValueError): pass\nwhile True: time.sleep(1e6)',
    },
    ENDLESS,
  ),
  ...inBoth('an endless loop', { javascript: 'for (;;) ;', python: 'while True: pass' }, ENDLESS),
  ...inBoth(
    'a daemon that holds the pipes',
    {
      javascript: `
try { require('node:child_process').spawn('/runtime/node', ['-e', 'setInterval(() => {}, 1e6)'], {
  detached: true, stdio: 'inherit' }).on('error', () => console.log('refused')).unref() } catch {
  console.log('refused') }`,
      python: `
import os
try:
  if os.fork() == 0:
    os.setsid()
    while True: pass
except OSError: print('refused')`,
    },
    REFUSED,
  ),
  inPython(
    'threads that outlive the main one and hold the pipes',
    'import threading, time\nthreading.Thread(target=time.sleep, args=(1e6,)).start()',
    ENDLESS,
  ),
  // Without cgroups, workers are not available.
  inJavaScript(
    'a worker that outlives the main thread',
    "new (require('node:worker_threads').Worker)('for (;;) ;', { eval: true })",
    { ...ENDLESS, status: ['timed_out', 'failed'] },
  ),
  inPython(
    'becoming another program, with the same limits, for ever',
    'import os, sys\nos.execv(sys.executable, [sys.executable, "-ISc", "import os, sys; ' +
      'os.execv(sys.executable, sys.orig_argv)"])',
    ENDLESS,
  ),
  inJavaScript(
    'becoming another program, with the same limits',
    "process.execve('/runtime/node', ['node', '-e', 'for (;;) ;'], {})",
    ENDLESS,
  ),
  inPython(
    'a huge argv',
    `
import os, sys
try: os.execv(sys.executable, [sys.executable, '-c', 'pass'] + ['x' * 100_000] * 200)
except OSError as e: print('refused')`,
    REFUSED,
  ),
  inJavaScript(
    'a huge argv',
    `
const { spawn } = require('node:child_process');
try { spawn('/runtime/node', Array(200).fill('x'.repeat(100_000))).on('error',
  () => console.log('refused')) } catch { console.log('refused') }`,
    REFUSED,
  ),
  ...inBoth(
    'leaving in the middle of its output',
    {
      javascript: "process.stdout.write('x'.repeat(500_000)); process.exit(7)",
      python: "import os, sys\nsys.stdout.write('x' * 500_000)\nsys.stdout.flush()\nos._exit(7)",
    },
    {
      status: 'failed',
      check: ({ exitCode, stdout }) => {
        expect([exitCode, stdout.length]).toEqual([7, 500_000]);
      },
    },
  ),
  ...inBoth(
    'endless recursion',
    { javascript: 'function f() { f(); } f()', python: 'def f(): f()\nf()' },
    { status: 'failed' },
  ),
  inPython(
    'recursion that overflows the stack of the interpreter',
    'import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n' +
      '  def __getattr__(self, n): return getattr(self, n)\ngetattr(A(), "x")',
    { status: ['failed', 'out_of_memory', 'timed_out'] },
  ),
  ...inBoth(
    'a catastrophic regular expression',
    {
      javascript: "/^(a+)+$/.test('a'.repeat(40) + '!')",
      python: "import re\nre.match(r'^(a+)+$', 'a' * 40 + '!')",
    },
    ENDLESS,
  ),
];
