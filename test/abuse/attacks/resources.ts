import { type Attack, inBoth, inJavaScript, inPython } from './attack.js';

const OUT_OF_MEMORY = { status: 'out_of_memory', timeoutMs: 5_000 } as const;
const MEGABYTE = 1024 * 1024;

export const RESOURCE_ATTACKS: readonly Attack[] = [
  inJavaScript('a heap without end', 'const a = []; for (;;) a.push(new Array(1e5).fill({}))', OUT_OF_MEMORY),
  ...inBoth(
    'memory without end',
    {
      javascript: 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))',
      python: 'a = []\nwhile True: a.append(bytearray(10 ** 7))',
    },
    OUT_OF_MEMORY,
  ),
  inPython(
    'memory mapped without end',
    'import mmap\na = []\nwhile True:\n  m = mmap.mmap(-1, 10 ** 7, ' +
      'flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n  m.write(b"x" * 10 ** 7)\n  a.append(m)',
    { status: ['out_of_memory', 'failed'], timeoutMs: 5_000 },
  ),
  inPython(
    'shared memory, which no process is charged for',
    `
import mmap
a = []
try:
  while len(a) < 100:
    m = mmap.mmap(-1, 10 ** 7)
    m.write(b'x' * 10 ** 7)
    a.append(m)
except OSError: print('refused')`,
    { status: 'succeeded', stdout: 'refused\n' },
  ),
  ...inBoth(
    'memory by forks',
    {
      javascript: `
const b = Buffer.alloc(1e8, 1);
const { fork } = require('node:child_process');
try { fork(__filename).on('error', () => console.log('refused')) } catch { console.log('refused') }`,
      python:
        'import os\nb = bytearray(10 ** 8)\ntry:\n  while True:\n' +
        '    if os.fork() == 0: c = bytearray(2 * 10 ** 8)\nexcept OSError: print("refused")',
    },
    { status: 'succeeded', stdout: 'refused\n' },
  ),
  inPython(
    'memory in the buffers of sockets',
    `
import socket
held = []
try:
  while True:
    a, b = socket.socketpair()
    a.setblocking(False)
    held.append((a, b))
    try:
      while True: a.send(b'x' * 65536)
    except BlockingIOError: pass
except OSError: print('refused')`,
    { status: ['succeeded', 'out_of_memory', 'failed'], timeoutMs: 5_000 },
  ),
  ...inBoth(
    'a disk filled',
    {
      javascript: `
const fs = require('node:fs');
const f = fs.openSync('/tmp/a', 'w');
let size = 0;
try { for (;;) size += fs.writeSync(f, Buffer.alloc(65536)) } catch (e) {
  console.log(e.code === 'ENOSPC' || e.code === 'EFBIG', size <= ${16 * MEGABYTE}) }`,
      python: `
size = 0
try:
  with open('/tmp/a', 'wb', 0) as f:
    while True: size += f.write(bytes(65536))
except OSError as e: print(*('true' if ok else 'false' for ok in (e.errno in (27, 28), size <= ${16 * MEGABYTE})))`,
    },
    { status: 'succeeded', stdout: 'true true\n' },
  ),
  ...inBoth(
    'a disk filled by many files',
    {
      javascript:
        "const fs = require('node:fs');\ntry { for (let i = 0; ; " +
        "i++) fs.writeFileSync('/tmp/' + i, Buffer.alloc(1e6)) } catch (e) { console.log(e.code) }",
      python:
        'import errno\ntry:\n  i = 0\n  while True:\n    i += 1\n' +
        "    open(f'/tmp/{i}', 'wb').write(bytes(10 ** 6))\n" +
        'except OSError as e: print(errno.errorcode[e.errno])',
    },
    { status: 'succeeded', stdout: 'ENOSPC\n' },
  ),
  ...inBoth(
    'inodes without end',
    {
      javascript: "const fs = require('node:fs'); for (let i = 0; ; i++) fs.writeFileSync('/tmp/' + i, '')",
      python: 'i = 0\nwhile True:\n  i += 1\n  open(f"/tmp/{i}", "w").close()',
    },
    {
      status: ['failed', 'out_of_memory'],
      check: ({ error, durationMs }) => {
        if (error?.name === 'LimitExceeded') expect(error.message).toContain('files');
        expect(durationMs).toBeLessThan(1_500);
      },
    },
  ),
  ...inBoth(
    'directories within each other without end',
    {
      javascript:
        "const fs = require('node:fs'); process.chdir('/tmp'); for (;;) { fs.mkdirSync('d'); process.chdir('d') }",
      python: "import os\nos.chdir('/tmp')\nwhile True:\n  os.mkdir('d')\n  os.chdir('d')",
    },
    { status: ['failed', 'out_of_memory'] },
  ),
  ...inBoth(
    '10,000 descriptors',
    {
      javascript:
        "const fs = require('node:fs'); let n = 0; try { for (; n < 1e4; " +
        "n++) fs.openSync('/dev/null') } catch (e) { console.log(e.code, n < 256) }",
      python:
        "import os, errno\nn = 0\ntry:\n  while n < 10_000:\n    os.open('/dev/null', os.O_RDONLY)\n" +
        "    n += 1\nexcept OSError as e: print(errno.errorcode[e.errno], 'true' if n < 256 else n)",
    },
    { status: 'succeeded', stdout: 'EMFILE true\n' },
  ),
  ...inBoth(
    'output without end',
    {
      javascript: "const s = 'x'.repeat(65536); for (;;) process.stdout.write(s)",
      python: "while True: print('x' * 65536)",
    },
    {
      status: 'output_limit',
      check: ({ truncated, stdout }) => {
        expect(truncated).toEqual({ stdout: true, stderr: false });
        expect(stdout).toHaveLength(MEGABYTE);
      },
    },
  ),
  ...inBoth(
    'errors without end',
    {
      javascript: "const s = 'x'.repeat(65536); for (;;) process.stderr.write(s)",
      python: "import sys\nwhile True: sys.stderr.write('x' * 65536)",
    },
    {
      status: 'output_limit',
      check: ({ truncated }) => {
        expect(truncated).toEqual({ stdout: false, stderr: true });
      },
    },
  ),
  ...inBoth(
    'output without end, one byte at a time',
    {
      javascript: "const fs = require('node:fs'); for (;;) fs.writeSync(1, 'x')",
      python: "import os\nwhile True: os.write(1, b'x')",
    },
    { status: ['output_limit', 'timed_out'], timeoutMs: 3_000 },
  ),
  ...inBoth(
    'output that is no text',
    {
      javascript: 'process.stdout.write(Buffer.from([0x61, 0, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62]))',
      python: 'import sys\nsys.stdout.buffer.write(bytes([0x61, 0, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62]))',
    },
    { status: 'succeeded', stdout: 'a\0\ufffd\ufffd\ufffd(\ufffd\ufffd\ufffdb' },
  ),
];
