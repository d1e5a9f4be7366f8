import { type Attack, inBoth, inPython, REFUSED } from './attack.js';
import { REFUSED as REFUSED_CALLS, UNIMPLEMENTED } from '../../../src/platform/isolation/seccomp/syscalls.js';

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x64';

const numbersOf = (
  calls: Readonly<Record<string, Readonly<Record<'x64' | 'arm64', number | null>>>>,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(calls).flatMap(([name, numbers]) =>
      numbers[ARCHITECTURE] === null ? [] : [[name, numbers[ARCHITECTURE]]],
    ),
  );

const CALLS = JSON.stringify({ ...numbersOf(REFUSED_CALLS), ...numbersOf(UNIMPLEMENTED) });

/**
 * `attempt(name, *arguments)`: whether the filter refused the call, rather than the kernel because it makes no sense.
 */
const LIBC = `
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
numbers = ${CALLS}
def refused(name, *arguments):
  result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in (numbers[name], *arguments)])
  return result == -1 and ctypes.get_errno() in (1, 38)
def say(*outcomes): print('refused' if all(outcomes) else outcomes)
`;
const bySyscall = (name: string, attempts: string): Attack => inPython(name, `${LIBC}say(${attempts})`, REFUSED);

const CLONE = ARCHITECTURE === 'x64' ? 56 : 220;

export const ESCAPE_ATTACKS: readonly Attack[] = [
  bySyscall('every call that the filter refuses', '*[refused(name, 0, 0, 0, 0, 0, 0) for name in numbers]'),
  bySyscall(
    'ptrace',
    "refused('ptrace', 0, 0, 0, 0), refused('ptrace', 16, 1, 0, 0), refused('ptrace', 0x4206, 1, 0, 0)",
  ),
  bySyscall('io_uring', "refused('io_uring_setup', 8, ctypes.create_string_buffer(256))"),
  bySyscall(
    'keyctl',
    "refused('keyctl', 0, -3, 1), refused('add_key', b'user', b'a', b'b', 1, -3), refused('request_key', " +
      "b'user', b'a', None, -3)",
  ),
  bySyscall(
    'mount',
    "refused('mount', b'none', b'/tmp', b'tmpfs', 0, None), refused('fsopen', b'tmpfs', 0), " +
      "refused('umount2', b'/tmp', 2), refused('pivot_root', b'/tmp', b'/tmp')",
  ),
  bySyscall(
    'nested user namespaces',
    `refused('unshare', 0x10000000), refused('setns', 3, 0), libc.syscall(${CLONE}, 0x10000011, 0, 0, 0, ` +
      `0) == -1, refused('clone3', 0, 0)`,
  ),
  bySyscall(
    'the memory of another process',
    "refused('process_vm_readv', 1, None, 0, None, 0, 0), refused('process_vm_writev', 1, None, 0, None, 0, 0)",
  ),
  bySyscall(
    'memory without an owner',
    "refused('memfd_create', b'x', 0), refused('shmget', 0, 4096, 0o1777), refused('mq_open', b'/x', 0o102, " +
      '0o600, None)',
  ),
  inPython(
    'sockets that no network namespace bounds, and raw ones',
    `
import socket
def refused(*family):
  try: socket.socket(*family)
  except OSError: return True
vsock, netlink, packet, alg, bluetooth, netfilter = 40, 16, 17, 38, 31, 12
print('refused' if all([refused(vsock, 1), refused(netlink, 3, netfilter), refused(packet, 3), refused(alg, 5),
    refused(bluetooth, 3, 0), refused(2, 3, 1), refused(2, 3, 255), refused(10, 3, 58), refused(2, 1, 132),
    refused(2, 1, 262)]) else 'open')`,
    REFUSED,
  ),
  ...inBoth(
    'a link to files of the host',
    {
      javascript: `
const fs = require('node:fs');
const read = ['/etc/shadow', '/etc/hostname', '/root', '/proc/1/root/etc/passwd', '/proc/1/cwd',
  '/proc/self/root/etc/hostname'].filter((path, i) => {
  try { fs.symlinkSync(path, '/tmp/link' + i); fs.readFileSync('/tmp/link' + i);
    return true } catch (e) { return e.code === 'EISDIR' && path !== '/proc/1/cwd' }
});
console.log(read.length === 0 ? 'refused' : read)`,
      python: `
import os
read = []
for i, path in enumerate(('/etc/shadow', '/etc/hostname', '/root', '/proc/1/root/etc/passwd',
    '/proc/self/root/etc/hostname', '/proc/1/fd/0')):
  try:
    os.symlink(path, f'/tmp/link{i}')
    open(f'/tmp/link{i}').read(1)
    read.append(path)
  except OSError: pass
print('refused' if not read else read)`,
    },
    REFUSED,
  ),
  inPython(
    'the users of the host',
    `
import grp, pwd
users = [user.pw_name for user in pwd.getpwall()]
print('refused' if users == ['sandbox'] and len(grp.getgrall()) == 1 else users)`,
    REFUSED,
  ),
  ...inBoth(
    'the environment and arguments of the first process',
    {
      javascript:
        "const fs = require('node:fs'); const all = ['environ', " +
        "'cmdline'].map((f) => { try { return fs.readFileSync('/proc/1/' + f, " +
        "'latin1') } catch { return '' } }).join(); console.log(/CANARY|PATH=|secret/.test(all + " +
        "JSON.stringify(process.env)) ? all : 'refused')",
      python:
        "import os, re\nall = ''\nfor f in ('environ', 'cmdline'):\n" +
        "  try: all += open('/proc/1/' + f).read()\n  except OSError: pass\n" +
        "print(all if re.search('CANARY|PATH=|secret', all + str(dict(os.environ))) else 'refused')",
    },
    REFUSED,
  ),
  inPython(
    'files where none may be',
    `
import os
wrote = []
for path in ('/x', '/dev/x', '/dev/shm/x', '/runtime/x', '/usr/lib/x', '/proc/x',
    '/proc/sys/kernel/hostname', '/proc/sys/kernel/core_pattern', '/proc/sysrq-trigger', '/sys/x',
    '/proc/self/uid_map'):
  try:
    with open(path, 'w') as f: f.write('0')
    wrote.append(path)
  except OSError: pass
for path in ('/runtime', '/usr/lib', '/dev/null', '/tmp'):
  try: os.rename(path, '/tmp/moved'); wrote.append(path)
  except OSError: pass
print('refused' if not wrote else wrote)`,
    REFUSED,
  ),
  inPython(
    'the first process, which runs as the same user',
    `
import os
touched = []
for path in ('mem', 'task/1/mem', 'oom_score_adj', 'comm', 'environ', 'root/etc/passwd', 'fd/0', 'ns/mnt'):
  for mode in (os.O_RDWR, os.O_RDONLY):
    try: os.open('/proc/1/' + path, mode); touched.append(path)
    except OSError: pass
try:
  with open('/proc/self/oom_score_adj', 'w') as f: f.write('-1000')
  touched.append('oom_score_adj')
except OSError: pass
print('refused' if not touched else touched)`,
    REFUSED,
  ),
  inPython(
    'devices of its own',
    `
import os, stat
made = []
for kind, number in ((stat.S_IFBLK, os.makedev(8, 0)), (stat.S_IFCHR, os.makedev(1, 1))):
  try: os.mknod('/tmp/device', 0o666 | kind, number); made.append(number)
  except OSError: pass
print('refused' if not made else made)`,
    REFUSED,
  ),
  inPython(
    'more rights',
    `
import os, resource
gained = []
for name, attempt in dict(root=lambda: os.setuid(0), group=lambda: os.setgroups([0]), nice=lambda: os.nice(-5),
    files=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (4096,
        4096)), core=lambda: resource.setrlimit(resource.RLIMIT_CORE, (1, 1)),
    cpu=lambda: resource.setrlimit(resource.RLIMIT_CPU, (10 ** 6, 10 ** 6)), chroot=lambda: os.chroot('/tmp')).items():
  try: attempt(); gained.append(name)
  except (OSError, ValueError): pass
print('refused' if not gained else gained)`,
    REFUSED,
  ),
  ...inBoth(
    'a forged result',
    {
      javascript: `
const fs = require('node:fs');
fs.writeSync(4, JSON.stringify({ exit: 0, status: 'succeeded', error: {
  name: 'Fake', message: 'no', line: -1 } }) + '\\n\\0[[[{');
process.exit(9)`,
      python: `
import os
os.write(4, b'{"exit": 0, "exitCode": 0, "status": "succeeded"}\\n' * 100 + b'\\xff' * 1000)
os._exit(9)`,
    },
    {
      status: 'failed',
      check: (outcome) => {
        expect(outcome).toMatchObject({ exitCode: 9, signal: null });
      },
    },
  ),
  ...inBoth(
    'reading the channels',
    {
      javascript:
        "const fs = require('node:fs'); const got = [3, 4, 5, 6, 7, 8, " +
        '9].filter((fd) => { try { return fs.readSync(fd, Buffer.alloc(64), 0, 64, ' +
        "null) > 0 && !fs.readlinkSync('/proc/self/fd/' + fd).includes('event') } catch { return false } }); " +
        "console.log(got.length === 0 ? 'refused' : got); process.exit()",
      python:
        'import os\ngot = []\nfor fd in range(3, 64):\n  try:\n    os.set_blocking(fd, False)\n' +
        "    if os.read(fd, 64): got.append(fd)\n  except OSError: pass\nprint('refused' if not got else got)",
    },
    {
      status: ['succeeded', 'timed_out'],
      timeoutMs: 500,
      check: ({ stdout }) => {
        expect(['refused\n', '']).toContain(stdout);
      },
    },
  ),
  ...inBoth(
    'a report without end',
    {
      javascript:
        "const fs = require('node:fs'); try { for (;;) fs.writeSync(4, " +
        "'x'.repeat(65536)) } catch { console.log('refused') }",
      python:
        'import os, signal\nsignal.signal(signal.SIGPIPE, signal.SIG_IGN)\ntry:\n' +
        "  while True: os.write(4, b'x' * 65536)\nexcept OSError: print('refused')",
    },
    REFUSED,
  ),
];
