import { type Attack, inBoth, inPython, REFUSED } from './attack.js';
import { SOCKET_BUFFERS } from './started-processes.js';

/** What listens on the host while the attacks run. */
export interface Listening {
  readonly port: number;
  /** The name of the abstract socket, without the zero byte. */
  readonly abstractName: string;
  readonly socketPath: string;
}

export const networkAttacks = ({ port, abstractName, socketPath }: Listening): readonly Attack[] => [
  ...inBoth(
    'connecting to loopback, the cloud’s metadata and the world',
    {
      javascript: `
const net = require('node:net'), dgram = require('node:dgram');
let left = 4;
const say = (what) => () => {
  if (what !== 'refused') console.log(what); if (--left > 0) return; console.log('refused'); process.exit(); };
for (const host of ['127.0.0.1', '169.254.169.254', '1.1.1.1']) net.connect({
  host, port: host === '127.0.0.1' ? ${port} : 80 }, say('reached ' + host)).on('error', say('refused'));
try { dgram.createSocket('udp4').on('error', say('refused')).send('x', 53, '1.1.1.1',
  (e) => say(e ? 'refused' : 'sent')()); } catch { say('refused')(); }`,
      python: `
import socket
reached = []
for family, kind, address in ((2, 1, ('127.0.0.1', ${port})), (2, 1, ('169.254.169.254', 80)), (2, 1,
    ('1.1.1.1', 53)), (2, 2, ('1.1.1.1', 53)),
                              (10, 1, ('::1', ${port}, 0, 0)), (40, 1, (2, ${port}))):
  try:
    socket.socket(family, kind).connect(address)
    reached.append(address)
  except OSError: pass
print('refused' if not reached else reached)`,
    },
    REFUSED,
  ),
  ...inBoth(
    'sockets of the host, abstract ones and files',
    {
      javascript: `
const net = require('node:net');
let left = 2;
for (const path of ['\\0${abstractName}', '${socketPath}']) net.connect({
  path }, () => console.log('reached')).on('error', () => { if (--left === 0) console.log('refused'); });`,
      python: `
import socket
reached = []
for path in ('\\0${abstractName}', '${socketPath}'):
  for kind in (1, 2, 5):
    try:
      socket.socket(1, kind).connect(path)
      reached.append(path)
    except OSError: pass
print('refused' if not reached else reached)`,
    },
    REFUSED,
  ),
  inPython(
    'an interface or a route of its own',
    `
import fcntl, socket, struct
gained = []
try:
  s = socket.socket(2, 2)
  for call, what in ((0x8914, struct.pack('16sH14x', b'lo', 0)),
      (0x890b, b'\\0' * 120), (0x89a0, b'br0' + b'\\0' * 13)):
    try: fcntl.ioctl(s, call, what); gained.append(hex(call))
    except OSError: pass
except OSError: pass
print('refused' if not gained else gained)`,
    REFUSED,
  ),
  SOCKET_BUFFERS,
  inPython(
    'names',
    "import socket\ntry: print(socket.getaddrinfo('example.com', 80))\nexcept OSError: print('refused')",
    REFUSED,
  ),
];
