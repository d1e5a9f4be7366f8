/** What one tenant leaves in a session for another one to find. It says where. */
export const TREASURE = `
import ctypes, mmap, os, socket, subprocess, threading
SECRET = "TREASURE-of-the-victim"
os.environ["TREASURE"] = SECRET
os.makedirs("/tmp/treasure", exist_ok=True)
for path in ("/session/treasure", "/tmp/treasure/file", "/dev/shm/treasure"):
  with open(path, "w") as file: file.write(SECRET)
reached = []
def serve(server):
  while True:
    try: connection, _ = server.accept()
    except OSError: return
    reached.append(server.getsockname())
    connection.close()
servers = []
for family, address in ((1, "\\0treasure"), (1, "/tmp/treasure/socket"), (2, ("127.0.0.1", 47812))):
  try:
    server = socket.socket(family, 1); server.bind(address); server.listen(8)
  except OSError: continue
  servers.append(server)
  threading.Thread(target=serve, args=(server,), daemon=True).start()
signals = []
import signal
for number in (1, 2, 10, 12, 15): signal.signal(number, lambda n, _: signals.append(n))
background = subprocess.Popen(["sleep", "7331"])
libc = ctypes.CDLL(None, use_errno=True)
segment = libc.shmget(0x7e57, 4096, 0o1666)
semaphores = libc.semget(0x7e57, 1, 0o1666)
queue = libc.msgget(0x7e57, 0o1666)
`;

/** The same in a session of JavaScript, as far as JavaScript can look for it. */
export const TREASURE_IN_JAVASCRIPT = `
const fs = require('node:fs'), net = require('node:net'), { spawn } = require('node:child_process');
fs.mkdirSync('/tmp/treasure', { recursive: true });
for (const path of ['/session/treasure', '/tmp/treasure/file', '/dev/shm/treasure'])
  fs.writeFileSync(path, 'TREASURE-of-the-victim');
for (const at of [{ path: '\\0treasure' }, { path: '/tmp/treasure/socket' }, { host: '127.0.0.1', port: 47812 }])
  await new Promise((resolve) => net.createServer().on('error', resolve).listen(at, resolve).unref());
spawn('sleep', ['7331'], { stdio: 'ignore' }).unref();
`;

/** Prints what it has reached of the other session, each as a kind and what it was, or that it was refused. */
export const PLUNDER = `
import ctypes, json, os, signal, socket
found = []
me = os.getpid()
for directory, names, files in os.walk("/"):
  if directory.startswith(("/proc", "/usr", "/bin", "/lib")): names.clear(); continue
  if any("treasure" in name for name in (*names, *files)): found.append(("file", directory))
for pid in filter(str.isdigit, os.listdir("/proc")):
  for name in ("cmdline", "environ"):
    try: text = open(f"/proc/{pid}/{name}", "rb").read()
    except OSError: continue
    if b"7331" in text or (b"TREASURE" in text and int(pid) != me): found.append(("process", name))
for number in (1, 10, 12, 15):
  for pid in range(2, 400):
    if pid in (me, os.getppid()): continue
    try: os.kill(pid, number); found.append(("process", "signal"))
    except OSError: pass
for family, address in ((1, "\\0treasure"), (1, "/tmp/treasure/socket"), (2, ("127.0.0.1", 47812))):
  try: socket.socket(family, 1).connect(address); found.append(("socket", str(address)))
  except OSError: pass
for line in open("/proc/net/unix"):
  if "treasure" in line: found.append(("socket", "name"))
libc = ctypes.CDLL(None, use_errno=True)
for call, arguments in (("shmget", (4096, 0o666)), ("semget", (1, 0o666)), ("msgget", (0o666,))):
  if getattr(libc, call)(0x7e57, *arguments) >= 0: found.append(("memory", call))
print("refused" if not found else json.dumps(found))
`;

/** The same from JavaScript, by its own means. */
export const PLUNDER_IN_JAVASCRIPT = `
const fs = require('node:fs'), net = require('node:net');
const found = [];
for (const path of ['/session/treasure', '/tmp/treasure/file', '/dev/shm/treasure'])
  try { fs.readFileSync(path, 'utf8'); found.push(['file', path]) } catch {}
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
  try {
    const line = fs.readFileSync('/proc/' + pid + '/cmdline', 'latin1');
    if (/7331|TREASURE/.test(line)) found.push(['process', 'cmdline']);
  } catch {}
for (const at of [{ path: '\\0treasure' }, { path: '/tmp/treasure/socket' }, { host: '127.0.0.1', port: 47812 }])
  await new Promise((resolve) => {
    try {
      net.connect(at, () => { found.push(['socket', at.path ?? 'port']); resolve() }).on('error', resolve);
    } catch { resolve() }
  });
console.log(found.length === 0 ? 'refused' : JSON.stringify(found));
`;

/** All of this that a session can have; memory, semaphores and queues of System V it cannot. */
export const FOUND_BY_THEIR_OWNER = {
  python: [
    ...['file /session', 'file /tmp', 'file /dev/shm', 'process cmdline', 'process environ', 'process signal'],
    ...['socket \0treasure', 'socket /tmp/treasure/socket', 'socket name'],
  ],
  javascript: [
    ...['file /session/treasure', 'file /tmp/treasure/file', 'file /dev/shm/treasure', 'process cmdline'],
    ...['socket \0treasure', 'socket /tmp/treasure/socket'],
  ],
  /** Where something counts the memory of internet sockets. */
  ports: { python: "socket ('127.0.0.1', 47812)", javascript: 'socket port' },
};

/** A timer of the kernel with this interval and first time, in seconds and nanoseconds. */
const continuedBy = (times: string): string => `
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)
class Event(ctypes.Structure):
  _fields_ = [("value", ctypes.c_void_p), ("signo", ctypes.c_int), ("notify", ctypes.c_int), ("pad", ctypes.c_int * 12)]
if os.fork() == 0:
  signal.signal(signal.SIGCONT, lambda *_: None)
  timer = ctypes.c_void_p()
  event = Event(None, signal.SIGCONT, 0)
  libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer))
  libc.timer_settime(timer, 0, (ctypes.c_long * 4)(${times}), None)
  while True: pass`;

/** Code that would go on while its session is frozen. */
export const SLEEPLESS: readonly (readonly [name: string, code: string])[] = [
  ['a loop in a process of its own session', 'import os\nif os.fork() == 0:\n  os.setsid()\n  while True: pass'],
  ['a timer that continues the process again and again', continuedBy('0, 1_000_000, 0, 1_000_000')],
  ['a timer that continues the process much later', continuedBy('0, 0, 1, 0')],
  [
    'threads of a process whose first thread has ended',
    `
import ctypes, os, subprocess, sys
subprocess.Popen([sys.executable, "-c", """
import ctypes, threading, time
def spin():
  while True: pass
threading.Thread(target=spin).start()
time.sleep(0.1)
ctypes.CDLL(None).syscall(%d, 0)
""" % (60 if os.uname().machine == "x86_64" else 93)])
import time; time.sleep(0.5)`,
  ],
  [
    'a process that waits in the kernel for its child',
    `
import ctypes, os
if os.fork() == 0:
  libc = ctypes.CDLL(None)
  if os.fork() == 0:
    while True: pass
  if os.uname().machine == "x86_64" and libc.syscall(58) == 0:
    while True: pass
  os._exit(0)
import time; time.sleep(0.2)`,
  ],
];

/** Takes all it can get of one thing. The session may end by it. */
export const BOMBS: readonly (readonly [name: string, code: string])[] = [
  ['memory', 'a = []\nwhile True: a.append(bytearray(10 ** 7))'],
  ['processes', 'import os\nwhile True:\n  try: os.fork()\n  except OSError: pass'],
  ['files', 'i = 0\nwhile True:\n  i += 1\n  open(f"/session/{i}", "w").close()'],
  ['bytes of files', 'with open("/session/x", "wb") as f:\n  while True: f.write(bytes(1 << 20))'],
  ['output', 'while True: print("x" * 65536)'],
  [
    'the processor',
    'import threading\nfor _ in range(8): threading.Thread(target=lambda: exec("while True: pass")).start()\n' +
      'while True: pass',
  ],
  [
    'the agent',
    'import os\nwhile True:\n  try: os.write(3, b"\\0\\0\\0\\2\\0\\0\\0\\0{}" * 1000)\n  except OSError: break',
  ],
];

/** What attacks the first processes of its session. It may end its session, and nothing else. */
export const MUTINIES: readonly (readonly [name: string, code: string])[] = [
  ['ending the first process', 'import os\nfor n in (9, 15, 19): os.kill(1, n)'],
  [
    'frames to every descriptor that can be opened',
    `
import json, os, struct
head = json.dumps({"op": "answer", "id": 1, "fault": None}).encode()
frame = struct.pack(">II", len(head), 5) + head + b"wrong"
for pid in filter(str.isdigit, os.listdir("/proc")):
  try: names = os.listdir(f"/proc/{pid}/fd")
  except OSError: continue
  for name in names:
    try:
      fd = os.open(f"/proc/{pid}/fd/{name}", os.O_WRONLY | os.O_NONBLOCK)
      os.write(fd, frame); os.close(fd)
    except OSError: pass
for fd in range(3, 64):
  try: os.set_blocking(fd, False); os.write(fd, frame)
  except OSError: pass`,
  ],
  ['closing its channel', 'import os\nos.closerange(0, 1024)'],
  [
    'giving its channel to a child',
    'import os\ncopy = os.dup(3)\nif os.fork() == 0:\n  os.setsid()\n  while True: pass',
  ],
  ['leaving nobody but a child', 'import os\nif os.fork() == 0:\n  while True: pass\nos._exit(0)'],
  [
    'orphans and zombies of every kind',
    `
import os, signal
for n in range(8):
  if os.fork() == 0:
    os.setsid()
    for s in range(1, 32):
      try: signal.signal(s, signal.SIG_IGN)
      except (OSError, ValueError): pass
    if os.fork() == 0:
      while True: signal.pause()
    os._exit(0)
for n in range(4):
  if os.fork() == 0: os._exit(0)`,
  ],
];

/** Prints how many bytes the kernel keeps for the connections of a session to itself. */
export const SOCKET_BUFFERS_OF_A_SESSION = `
import socket
def pages(): return int(open("/proc/net/sockstat").read().split("TCP:")[1].split(" mem ")[1].split()[0])
before, held = pages(), []
try:
  server = socket.create_server(("127.0.0.1", 0), backlog=128)
  while True:
    one = socket.create_connection(server.getsockname())
    held.append(one)
    other, _ = server.accept()
    held.append(other)
    for each in (one, other):
      each.setblocking(False)
      try:
        while True: each.send(b"x" * 65536)
      except BlockingIOError: pass
except OSError: pass
if held: held.pop().close()
print(len(held), (pages() - before) * 4096)
for each in held: each.close()`;
