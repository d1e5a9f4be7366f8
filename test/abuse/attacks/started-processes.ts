import { type SandboxOutcome } from '../../../src/modules/sandbox/domain/sandbox-runtime.js';
import { type Attack, inJavaScript, inPython, REFUSED } from './attack.js';

const MEBIBYTE = 1024 * 1024;
/** In the mode without cgroups, programs start nothing, and attacks end by the error or by their time. */
const ENDS = { status: ['succeeded', 'failed', 'timed_out', 'out_of_memory'] as const };
const PAGE_BYTES = 4096;

/** What the program printed last, as a number; zero when the sandbox did not let it come so far. */
const lastNumber = ({ stdout }: SandboxOutcome): number => Number(stdout.trim().split('\n').at(-1) ?? 0);

/** What programs of organizations may do and those of anonymous callers may not: start others, and share memory. */
const ATTACKS: readonly Attack[] = [
  inPython('a fork bomb', 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass', {
    status: ['timed_out', 'failed'],
    timeoutMs: 1_000,
  }),
  inJavaScript(
    'a fork bomb',
    `
const { spawn } = require('node:child_process');
const bomb = () => {
  try { spawn(process.execPath, [__filename], { stdio: 'ignore' }).on('error', () => {}) } catch {}
  setImmediate(bomb);
};
bomb();`,
    { ...ENDS, timeoutMs: 1_500 },
  ),
  inPython('a fork bomb of the shell', "import os, time\nos.system('bomb() { bomb | bomb & }; bomb')\ntime.sleep(10)", {
    ...ENDS,
    timeoutMs: 1_500,
  }),
  inPython(
    'more processes than allowed',
    `
import os, time
made = 0
for attempt in range(400):
  try:
    if os.fork() == 0: time.sleep(60)
    made += 1
  except OSError: pass
print(made)`,
    {
      status: 'succeeded',
      check: (outcome) => {
        expect(lastNumber(outcome)).toBeLessThanOrEqual(128);
      },
    },
  ),
  inPython(
    'daemons that hold the pipes and outlive the program',
    `
import os, signal, time
try:
  for _ in range(20):
    if os.fork() == 0:
      os.setsid()
      for s in range(1, 65):
        try: signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError): pass
      while True: time.sleep(1)
except OSError: pass
print('left')`,
    {
      status: 'succeeded',
      stdout: 'left\n',
      check: ({ durationMs }) => {
        expect(durationMs).toBeLessThan(1_500);
      },
    },
  ),
  inPython(
    'memory by processes, each within the limit',
    `
import os, time
try:
  for _ in range(16):
    if os.fork() == 0:
      held = bytearray(os.urandom(1) * 10 ** 8)
      time.sleep(60)
except OSError: pass
time.sleep(1.5)
print('done')`,
    {
      ...ENDS,
      timeoutMs: 4_000,
      check: ({ memoryPeakBytes }) => {
        expect(memoryPeakBytes).toBeLessThanOrEqual(256 * MEBIBYTE + 48 * MEBIBYTE);
      },
    },
  ),
  inPython(
    'a full /dev/shm',
    `
size = 0
try:
  with open('/dev/shm/a', 'wb', 0) as f:
    while True: size += f.write(bytes(65536))
except OSError: pass
print(size)`,
    {
      ...ENDS,
      timeoutMs: 4_000,
      check: (outcome) => {
        expect(lastNumber(outcome)).toBeLessThanOrEqual(128 * MEBIBYTE);
        // What lies there counts into the memory of the run.
        expect(outcome.memoryPeakBytes).toBeGreaterThanOrEqual(lastNumber(outcome));
        expect(outcome.memoryPeakBytes).toBeLessThanOrEqual(256 * MEBIBYTE + 48 * MEBIBYTE);
      },
    },
  ),
  inPython('files in /dev/shm without end', "i = 0\nwhile True:\n  i += 1\n  open(f'/dev/shm/{i}', 'w').close()", {
    ...ENDS,
    timeoutMs: 2_000,
  }),
  inPython(
    'privileged programs of the system',
    `
import os, subprocess
gained = []
for command in ('su -c id', 'mount -t tmpfs none /tmp', 'umount /tmp', 'unshare -Ur id', 'unshare -n id', 'chroot /tmp',
    'newuidmap 1 0 0 1', 'nsenter -t 1 -m id', 'cat /etc/shadow', 'cat /proc/1/environ', 'dmesg', 'hostname other'):
  try:
    ran = subprocess.run(command, shell=True, capture_output=True, stdin=subprocess.DEVNULL)
    if ran.returncode == 0: gained.append(command)
  except OSError: pass
print('refused' if not gained else gained)`,
    { ...REFUSED, timeoutMs: 5_000 },
  ),
  inPython(
    'the memory of a process that it started, by ptrace',
    `
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
try: child = os.fork()
except OSError: child = os.getpid()
if child == 0:
  time.sleep(60)
print('refused' if libc.ptrace(16, child, 0, 0) == -1 else 'attached')`,
    REFUSED,
  ),
  inJavaScript(
    'killing everyone, from a process that it started',
    `
try { require('node:child_process').spawnSync('/bin/sh', ['-c', 'kill -9 -1']) } catch {}
console.log('refused')`,
    { status: ['succeeded', 'failed'] },
  ),
];

export const STARTED_PROCESS_ATTACKS: readonly Attack[] = ATTACKS.map((attack) => ({ ...attack, processes: 64 }));

/** Buffers of sockets belong to no process. What the kernel did not count for the run would be without limit. */
export const SOCKET_BUFFERS = inPython(
  'memory in the buffers of connections to itself',
  `
import socket
def pages(): return int(open('/proc/net/sockstat').read().split('TCP:')[1].split(' mem ')[1].split()[0])
before, held = pages(), []
try:
  server = socket.create_server(('127.0.0.1', 0), backlog=128)
  while True:
    one = socket.create_connection(server.getsockname())
    other, _ = server.accept()
    held.append((one, other))
    for each in (one, other):
      each.setblocking(False)
      try:
        while True: each.send(b'x' * 65536)
      except BlockingIOError: pass
except OSError: pass
print((pages() - before) * ${PAGE_BYTES})`,
  {
    ...ENDS,
    timeoutMs: 5_000,
    check: (outcome) => {
      expect(lastNumber(outcome)).toBeLessThanOrEqual(80 * MEBIBYTE);
    },
  },
);
