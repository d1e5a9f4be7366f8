import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Server } from 'node:net';

import { PooledRuntime } from '../../src/modules/sandbox/runtime/pooled-runtime.js';
import { type Language, type SandboxLimits, type SandboxOutcome } from '../../src/modules/sandbox/sandbox-runtime.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';

/** Root's own, unlike anything below /tmp. */
const COPIES = '/var/lib/service-platform/runtime';

const MEBIBYTE = 1024 * 1024;
const LIMITS: SandboxLimits = { timeoutMs: 3_000, memoryBytes: 256 * MEBIBYTE, outputBytes: MEBIBYTE };
const SHORT: SandboxLimits = { ...LIMITS, timeoutMs: 250 };

/** What a machine without load needs; the limit itself is 50 ms, and this test shares its processors with others. */
const ENDS_WITHIN_MS = 250;

/** These name system calls by their numbers. */
const onX64 = process.arch === 'x64' ? it : it.skip;

/** An abstract socket's name is one for the whole machine. */
const ABSTRACT = `canary-of-the-sandbox-test-${process.pid}`;

const CANARY = 'CANARY_IN_THE_ENVIRONMENT_OF_THE_SERVICE';

describe.each(['auto', 'off'] as const)('the runtime with cgroups %s', (cgroups) => {
  const isolation = new Isolation({ cgroups, copiesDirectory: COPIES });
  const runtime = new PooledRuntime(isolation, { concurrency: 2, limits: LIMITS });

  const run = (language: Language, code: string, limits = LIMITS, stdin = ''): Promise<SandboxOutcome> =>
    runtime.run({ id: 'exe_test', language, code, stdin, limits });
  const js = (code: string, limits = LIMITS): Promise<SandboxOutcome> => run('javascript', code, limits);
  const py = (code: string, limits = LIMITS): Promise<SandboxOutcome> => run('python', code, limits);

  beforeAll(async () => {
    process.env[CANARY] = 'secret';
    expect(await runtime.probe()).toMatchObject({ available: true });
  });

  afterAll(async () => {
    Reflect.deleteProperty(process.env, CANARY);
    await runtime.close();
  });

  describe('runs', () => {
    it.each([
      ['javascript', "const fs = require('node:fs'); console.log(fs.readFileSync(0, 'utf8').toUpperCase())"],
      ['javascript', "import fs from 'node:fs'; console.log(await Promise.resolve(fs.readFileSync(0, 'utf8').toUpperCase()))"],
      ['typescript', "enum E { A = 'a' }\nimport fs from 'node:fs';\nconst s: string = fs.readFileSync(0, 'utf8');\nconsole.log(await Promise.resolve(s.toUpperCase()))"],
      ['typescript', "import fs = require('fs');\nconsole.log((fs.readFileSync(0, 'utf8') as string).toUpperCase())"],
      ['python', 'import sys\nprint(sys.stdin.read().upper())'],
    ] as const)('%s with standard input, then end of file: %#', async (language, code) => {
      expect(await run(language, code, LIMITS, 'hé')).toMatchObject({
        status: 'succeeded', stdout: 'HÉ\n', stderr: '', exitCode: 0, signal: null, truncated: { stdout: false, stderr: false },
      });
    });

    it('tells times, memory and the interpreter', async () => {
      const outcome = await py('x = bytearray(50_000_000)\nsum(range(3_000_000))');
      expect(outcome.durationMs).toBeGreaterThan(10);
      expect(outcome.cpuMs).toBeGreaterThan(5);
      expect(outcome.memoryPeakBytes).toBeGreaterThan(50_000_000);
      expect(outcome.runtime).toEqual({ name: 'python', version: expect.stringMatching(/^3\.\d+\.\d+$/) as string });
    });

    it('shows bytes that are not UTF-8 as U+FFFD', async () => {
      const outcome = await py("import sys; sys.stdout.buffer.write(b'a\\xff\\x00b')");
      expect(outcome.stdout).toBe('a\ufffd\u0000b');
    });
  });

  describe('tells errors in the lines of the code', () => {
    it.each([
      ['javascript', 'let a = 1;\nfunction f() {\n  throw new TypeError("bad");\n}\nf()', { name: 'TypeError', message: 'bad', line: 3, column: 9 }],
      ['javascript', 'let a = 1;\nlet b = = 3;', { name: 'SyntaxError', line: 2, column: 9 }],
      ['javascript', 'import fs from "node:fs";\nlet b = = 3;', { name: 'SyntaxError', line: 2, column: 9 }],
      ['typescript', 'interface A {\n  a: 1;\n}\nenum B { X }\nthrow new RangeError(B[0])', { name: 'RangeError', message: 'X', line: 5, column: 7 }],
      ['typescript', 'let a: number = 1;\nlet b = = 3;', { name: 'SyntaxError', line: 2, column: 9 }],
      ['typescript', `${'('.repeat(60_000)}1`, undefined],
      ['python', 'def f():\n  return 1 / 0\n\nf()', { name: 'ZeroDivisionError', message: 'division by zero', line: 2 }],
      ['python', 'x = 1\nprint(x', { name: 'SyntaxError', line: 2, column: 6 }],
    ] as const)('%s: %#', async (language, code, error) => {
      const outcome = await run(language, code);
      expect(outcome.status).toBe('failed');
      if (error !== undefined) expect(outcome).toMatchObject({ exitCode: 1, error });
    });

    it('and keeps its own program out of the traces', async () => {
      for (const outcome of [await js('throw new Error("x")'), await py('1/0'), await run('typescript', 'throw new Error("x")')]) {
        expect(outcome.stderr).not.toContain('bootstrap');
      }
    });
  });

  describe('tells the truth about the end', () => {
    it.each([
      ['javascript', "process.stdout.write('x'.repeat(300_000)); process.exit(3)", { exitCode: 3, signal: null }],
      ['python', "import os, sys; sys.stdout.write('x' * 300_000 + '\\n'); os._exit(3)", { exitCode: 3, signal: null }],
      ['javascript', 'process.exit(200)', { exitCode: 200, signal: null }],
      ['javascript', 'process.exit(137)', { exitCode: 137, signal: null }],
      ['python', 'import sys; sys.exit(134)', { exitCode: 134, signal: null }],
      ['javascript', 'process.kill(process.pid, "SIGKILL")', { exitCode: null, signal: 'SIGKILL' }],
      ['javascript', 'process.abort()', { exitCode: null, signal: 'SIGABRT' }],
      ['python', 'import os; os.abort()', { exitCode: null, signal: 'SIGABRT' }],
    ] as const)('%s: %s', async (language, code, end) => {
      const outcome = await run(language, code);
      expect(outcome).toMatchObject({ status: 'failed', ...end });
      if (outcome.exitCode === 3) expect(outcome.stdout.trim()).toHaveLength(300_000);
    });

    it.each([
      ['javascript', `const fs = require('fs');
        fs.writeSync(4, JSON.stringify({ exit: 0, exitCode: 0, status: 'succeeded', error: { name: 'Fake', message: 'no', line: -1 } }) + '\\n');
        fs.writeSync(4, '{"error":{"name":1}}\\n\\0[[[');
        process.exit(7)`],
      ['python', `import os
os.write(4, b'{"exit": 0, "exitCode": 0, "status": "succeeded"}\\n' * 100)
os.write(4, b'\\xff' * 1000)
os._exit(7)`],
    ] as const)('though %s forges the report', async (language, code) => {
      expect(await run(language, code)).toMatchObject({ status: 'failed', exitCode: 7, signal: null });
    });

    it('and passes over an error that a run which succeeded reports', async () => {
      const outcome = await js(`require('fs').writeSync(4, '{"error":{"name":"A","message":"b"}}\\n')`);
      expect(outcome.status).toBe('succeeded');
      expect(outcome.error).toBeUndefined();
    });

    it('with a report that never ends', async () => {
      const outcome = await py('import os\ntry:\n  while True: os.write(4, b"x" * 65536)\nexcept OSError: print("closed")');
      expect(['failed', 'succeeded']).toContain(outcome.status);
    });
  });

  describe('ends within its limits', () => {
    const attacks: { attack: string; language: Language; code: string; limits?: SandboxLimits; expected: Partial<SandboxOutcome> }[] = [
      { attack: 'an endless loop', language: 'javascript', code: 'for (;;) ;', limits: SHORT, expected: { status: 'timed_out', exitCode: null, signal: 'SIGKILL' } },
      { attack: 'an endless loop', language: 'python', code: 'while True: pass', limits: SHORT, expected: { status: 'timed_out' } },
      { attack: 'endless sleep', language: 'javascript', code: "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)", limits: SHORT, expected: { status: 'timed_out' } },
      { attack: 'endless sleep, ignoring signals', language: 'python', code: 'import signal, time\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n  except OSError: pass\ntime.sleep(1e6)', limits: SHORT, expected: { status: 'timed_out' } },
      { attack: 'output without end', language: 'javascript', code: "const s = 'x'.repeat(65536); for (;;) process.stdout.write(s)", expected: { status: 'output_limit', truncated: { stdout: true, stderr: false } } },
      { attack: 'errors without end', language: 'javascript', code: "const s = 'x'.repeat(65536); for (;;) process.stderr.write(s)", expected: { status: 'output_limit', truncated: { stdout: false, stderr: true } } },
      { attack: 'output without end', language: 'python', code: "while True: print('x' * 65536)", expected: { status: 'output_limit', truncated: { stdout: true, stderr: false } } },
      { attack: 'errors without end', language: 'python', code: "import sys\nwhile True: sys.stderr.write('x' * 65536)", expected: { status: 'output_limit', truncated: { stdout: false, stderr: true } } },
      { attack: 'a heap without end', language: 'javascript', code: 'const a = []; for (;;) a.push(new Array(1e5).fill({}))', expected: { status: 'out_of_memory' } },
      { attack: 'buffers without end', language: 'javascript', code: 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))', expected: { status: 'out_of_memory' } },
      { attack: 'memory without end', language: 'python', code: 'a = []\nwhile True: a.append(bytearray(10 ** 7))', expected: { status: 'out_of_memory' } },
      { attack: 'files without end', language: 'python', code: 'i = 0\nwhile True:\n  i += 1\n  open(f"/tmp/{i}", "w").close()', expected: { status: 'failed' } },
      { attack: 'endless recursion', language: 'javascript', code: 'function f() { f(); } f()', expected: { status: 'failed', exitCode: 1 } },
      { attack: 'endless recursion', language: 'python', code: 'def f(): f()\nf()', expected: { status: 'failed', exitCode: 1 } },
    ];

    it.each(attacks)('$attack in $language', async ({ language, code, limits = LIMITS, expected }) => {
      const outcome = await run(language, code, limits);
      expect(outcome).toMatchObject(expected);
      expect(outcome.durationMs).toBeLessThan(limits.timeoutMs + ENDS_WITHIN_MS);
      expect(Buffer.byteLength(outcome.stdout)).toBeLessThanOrEqual(limits.outputBytes);
      expect(await run(language, language === 'python' ? 'print(1)' : 'console.log(1)')).toMatchObject({ status: 'succeeded', stdout: '1\n' });
    });

    it('stops at 16 MB of files', async () => {
      const outcome = await py("try:\n  with open('/tmp/a', 'wb') as f:\n    while True: f.write(b'x' * 65536)\nexcept OSError as e: print(e.errno)\nimport os\nprint(os.stat('/tmp/a').st_size <= 16 << 20)");
      expect(outcome).toMatchObject({ status: 'succeeded', stdout: expect.stringMatching(/^(27|28)\nTrue\n$/) as string });
    });
  });

  describe('makes no second process', () => {
    it.each([
      ['javascript', "try { require('child_process').spawnSync('/runtime/node', ['-v']).error && console.log('refused') } catch { console.log('refused') }"],
      ['python', 'import os\ntry:\n  while True: os.fork()\nexcept OSError as e: print("refused")'],
      ...(process.arch === 'x64' ? [['python', 'import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nprint("refused" if libc.syscall(56, 17, 0, 0, 0, 0) == -1 and libc.syscall(58) == -1 and libc.syscall(435, 0, 0) == -1 else "forked")'] as const] : []),
    ] as const)('in %s: %#', async (language, code) => {
      expect(await run(language, code)).toMatchObject({ status: 'succeeded', stdout: 'refused\n' });
    });

    it('and a bounded number of threads', async () => {
      const outcome = await py('import threading, time\nthreading.stack_size(65536)\nn = 0\ntry:\n  while n < 5000:\n    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n    n += 1\nexcept RuntimeError: pass\nprint(n < 100)\nimport os\nos._exit(0)');
      expect([`True\n`, '']).toContain(outcome.stdout);
      expect(outcome.durationMs).toBeLessThan(LIMITS.timeoutMs);
    });

    it('survives attempts to kill the first process and everyone', async () => {
      const outcome = await py('import os\nfor target in (1, -1):\n  try: os.kill(target, 9)\n  except OSError: pass\nprint("alive")');
      expect(outcome).toMatchObject({ status: 'succeeded', stdout: 'alive\n' });
    });
  });

  describe('reaches nothing of the host', () => {
    const servers: Server[] = [];
    let connections = 0;
    let port = 0;

    beforeAll(async () => {
      const listen = (at: object): Promise<Server> => new Promise((resolve, reject) => {
        const server = createServer((socket) => { connections += 1; socket.destroy(); }).on('error', reject);
        server.listen(at, () => { resolve(server); });
        servers.push(server);
      });
      const server = await listen({ host: '127.0.0.1', port: 0 });
      port = (server.address() as { port: number }).port;
      // Node 20 listens on abstract sockets.
      await listen({ path: `\0${ABSTRACT}` });
    });

    afterAll(() => { for (const server of servers) server.close(); });

    const reach = (at: NetConnectOpts): Promise<void> => new Promise((resolve) => { connect(at).resume().once('close', () => { resolve(); }); });

    it('over the network, loopback and abstract sockets included', async () => {
      const fromPython = await py(`
import socket
for family, address in ((socket.AF_INET, ('127.0.0.1', ${port})), (socket.AF_INET, ('169.254.169.254', 80)),
                        (socket.AF_UNIX, '\\0${ABSTRACT}'), (40, (2, 1)), (16, (0, 0)), (17, ('lo', 0))):
  try:
    socket.socket(family, socket.SOCK_STREAM if family != 17 else socket.SOCK_RAW).connect(address)
    print('reached', family)
  except OSError: print('refused')`);
      expect(fromPython).toMatchObject({ status: 'succeeded', stdout: 'refused\n'.repeat(6) });
      const fromNode = await js(`
const net = require('net');
for (const at of [{ port: ${port}, host: '127.0.0.1' }, { path: '\\0${ABSTRACT}' }])
  net.connect(at, () => console.log('reached')).on('error', () => console.log('refused'));`);
      expect(fromNode).toMatchObject({ status: 'succeeded', stdout: 'refused\nrefused\n' });
      expect(connections).toBe(0);

      // The canaries do listen.
      await reach({ host: '127.0.0.1', port });
      await reach({ path: `\0${ABSTRACT}` });
      expect(connections).toBe(2);
    });

    it('through files, /proc and devices', async () => {
      const outcome = await py(`
import os
for path in ('/etc/passwd', '/etc/hostname', '/root', '/home', '/work', '/usr/bin/env', '/bin/sh', '/proc/1/root/etc/passwd',
             '/proc/1/cwd/etc', '/sys/kernel', '/dev/vda', '/dev/shm', '/dev/tty', '/dev/mem', '/proc/kcore', '/var/lib'):
  try:
    os.stat(path) and (os.listdir(path) if os.path.isdir(path) else open(path, 'rb').read(1))
    print('read', path)
  except OSError: pass
for path in ('/x', '/dev/x', '/runtime/x', '/usr/x', '/proc/x', '/proc/sys/kernel/hostname'):
  try:
    open(path, 'w')
    print('wrote', path)
  except OSError: pass
os.symlink('/etc/shadow', '/tmp/link')
try: print(open('/tmp/link').read())
except OSError: print('done')`);
      expect(outcome).toMatchObject({ status: 'succeeded', stdout: 'done\n' });
    });

    it.each([
      ['javascript', "const fs = require('fs'); const e = ['/proc/1/environ', '/proc/self/environ'].map((p) => { try { return fs.readFileSync(p, 'utf8') } catch { return '' } }); console.log(JSON.stringify([e, process.env]))"],
      ['python', "import os\nfor p in ('/proc/1/environ', '/proc/self/environ'):\n  try: print(open(p).read())\n  except OSError: pass\nprint(dict(os.environ))"],
    ] as const)('through the environment, in %s', async (language, code) => {
      const outcome = await run(language, code);
      expect(outcome.status).toBe('succeeded');
      expect(outcome.stdout).not.toContain(CANARY);
    });

    it('through descriptors of the service', async () => {
      const outcome = await py("import os\nprint(sorted({os.readlink(f'/proc/self/fd/{f}').split(':')[0] for f in os.listdir('/proc/self/fd') if os.path.lexists(f'/proc/self/fd/{f}')}))");
      expect(["['/tmp/stdin (deleted)', 'socket']\n", "['/dev/null', '/tmp/stdin (deleted)', 'socket']\n"]).toContain(outcome.stdout);
    });

    onX64('by system calls', async () => {
      const outcome = await py(`
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
calls = dict(ptrace=(101, 16, 1), keyctl=(250, 0, -3, 1), io_uring=(425, 8, 0), userfaultfd=(323, 0), unshare=(272, 0x10000000),
  memfd=(319, b'x', 0), shmget=(29, 0, 4096, 0o1777), mount=(165, b'x', b'/tmp', b'tmpfs', 0, 0), bpf=(321, 0, 0, 0), perf=(298, 0, 0, -1, -1, 0),
  setns=(308, 0, 0), vm_readv=(310, 1, 0, 0, 0, 0, 0), chroot=(161, b'/tmp'), open_by_handle=(304, 0, 0, 0), userns=(56, 0x10000011, 0, 0, 0, 0),
  shared=(9, 0, 4096, 3, 0x21, -1, 0), grows=(9, 0, 4096, 3, 0x122, -1, 0), execveat=(322, -100, b'/runtime/node', 0, 0, 0))
libc.syscall.restype = ctypes.c_long
def refused(args):
  result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
  # By the filter (EPERM, ENOMEM, ENOSYS), not because the arguments are nonsense.
  return result == -1 and ctypes.get_errno() in (1, 12, 38)
print([name for name, args in calls.items() if not refused(args)])
status = open('/proc/self/status').read()
print([line for line in status.split('\\n') if line.split(':')[0] in ('Seccomp', 'NoNewPrivs', 'CapEff', 'CapBnd')])`);
      expect(outcome).toMatchObject({
        status: 'succeeded',
        stdout: "[]\n['CapEff:\\t0000000000000000', 'CapBnd:\\t0000000000000000', 'NoNewPrivs:\\t1', 'Seccomp:\\t2']\n",
      });
    });

    it('with memory of the run before', async () => {
      await py("open('/tmp/left', 'w').write('x')");
      expect(await py("import os; print(os.listdir('/tmp'))")).toMatchObject({ stdout: "['main.py']\n" });
    });
  });

  it('ends a run at once when its signal is aborted', async () => {
    const stop = new AbortController();
    const startedAt = performance.now();
    const running = runtime.run({ id: 'exe_a', language: 'python', code: 'while True: pass', stdin: '', limits: LIMITS }, stop.signal);
    setTimeout(() => { stop.abort(); }, 200);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('leaves no process, cgroup or descriptor behind', async () => {
    const descriptors = (): number => readdirSync('/proc/self/fd').length;
    const before = descriptors();
    const another = new PooledRuntime(new Isolation({ cgroups, copiesDirectory: COPIES }), { concurrency: 2, limits: LIMITS });
    await another.probe();
    const codes = ['for (;;) ;', 'console.log(1)', 'process.exit(1)', "for (;;) process.stdout.write('x'.repeat(65536))", 'throw 1'];
    await Promise.all(codes.map((code) => another.run({ id: 'exe_x', language: 'javascript', code, stdin: '', limits: SHORT })));
    await runtime.close();
    await another.close();
    await until(() => descriptors() <= before && cgroupsLeft().length === 0 && sandboxProcesses().length === 0);
  });
});

it('says what is missing and runs nothing without it', async () => {
  const isolation = new Isolation({ cgroups: 'off', copiesDirectory: '/nowhere', bubblewrapPlaces: ['/nowhere/bwrap'] });
  const runtime = new PooledRuntime(isolation, { concurrency: 2, limits: LIMITS });
  expect(await runtime.probe()).toEqual({ available: false, missing: ['the package bubblewrap (bwrap was not found)'] });
  const run = { id: 'exe_x', language: 'python', code: 'print(1)', stdin: '', limits: LIMITS } as const;
  await expect(runtime.run(run)).rejects.toThrow('not available');
  await runtime.close();
});

/** Those of this process; other test files run at the same time. */
function cgroupsLeft(): string[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8').split('\n').map((line) => line.split(':'));
  return own.flatMap(([, controller = '', path = '']) => {
    try {
      return readdirSync(`/sys/fs/cgroup/${controller}${path}`).filter((name) => name.startsWith(`isolated-${process.pid}-`));
    } catch {
      return [];
    }
  });
}

/** Children of this process that are still there. */
function sandboxProcesses(): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid)).flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      return stat.slice(stat.lastIndexOf(')')).split(' ')[2] === String(process.pid) && stat.includes('(bwrap)') ? [stat] : [];
    } catch {
      return [];
    }
  });
}

async function until(holds: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 200 && !holds(); attempt++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(holds()).toBe(true);
}
