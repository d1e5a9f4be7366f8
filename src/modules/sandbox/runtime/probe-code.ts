import { type Language } from '../domain/sandbox-runtime.js';

/** The JSON that the probe's programs print. */
export interface SeenInside {
  readonly version: string;
  readonly pid: number;
  /** `/proc/self/status`. */
  readonly status: string;
  /** `/proc/1/environ`: empty, or the error of reading it. */
  readonly environment: string;
  /** `/proc/net/dev`. */
  readonly interfaces: string;
  /** The names of the errors of creating a directory in `/` and of connecting to the internet. */
  readonly write: string;
  readonly connect: string;
}

const JAVASCRIPT = (printVersion: string): string => `
const fs = require('node:fs');
const attempt = (work) => { try { return work() ?? 'allowed'; } catch (error) { return error.code ?? String(error); } };
const seen = {
  pid: process.pid,
  status: fs.readFileSync('/proc/self/status', 'latin1'),
  environment: attempt(() => fs.readFileSync('/proc/1/environ', 'latin1')),
  interfaces: fs.readFileSync('/proc/net/dev', 'latin1'),
  write: attempt(() => { fs.mkdirSync('/probe'); }),
};
const print = (connect) => { console.log(JSON.stringify({ ...seen, connect })); process.exit(); };
${printVersion};
const socket = require('node:net').connect(53, '1.1.1.1', () => print('allowed'));
socket.on('error', (error) => print(error.code));
`;

const PYTHON = (printVersion: string): string => `
import errno, json, os, socket
def attempt(work):
    try:
        return work() or 'allowed'
    except OSError as error:
        return errno.errorcode[error.errno]
def read(path):
    with open(path, encoding='latin1') as file:
        return file.read()
${printVersion}
print(json.dumps(dict(
    pid=os.getpid(), status=read('/proc/self/status'), environment=attempt(lambda: read('/proc/1/environ') or '\\0'),
    interfaces=read('/proc/net/dev'), write=attempt(lambda: os.mkdir('/probe')),
    connect=attempt(lambda: socket.create_connection(('1.1.1.1', 53), 1) and None))))
`;

/** Programs that inspect their sandbox from inside. The first line of their output is the interpreter's version. */
export const PROBE_CODE: Readonly<Record<Language, (printVersion: string) => string>> = {
  javascript: JAVASCRIPT,
  typescript: (printVersion) => `const typed: number = 1;${JAVASCRIPT(printVersion)}`,
  python: PYTHON,
};

/** The JSON that {@link FORK_PROBE_CODE} prints. */
export interface SeenInFork {
  /** From every source of randomness that programs use. */
  readonly random: readonly (string | number)[];
  readonly descriptors: readonly string[];
  /** The error of creating a process in namespaces of its own, which the filter of the template alone allows. */
  readonly isolatedFork: string;
  /** The error of creating a process. */
  readonly fork: string;
}

const PYTHON_FORK = `
import ctypes, errno, json, os, random, secrets, signal, uuid
values = [random.random(), os.urandom(8).hex(), secrets.token_hex(8), uuid.uuid4().hex]
try:
    import ssl
    values.append(ssl.RAND_bytes(8).hex())
except ImportError:
    pass
held = [fd for fd in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + fd)]
def attempt(fork):
    try:
        if fork() == 0:
            os._exit(0)
        return 'allowed'
    except OSError as error:
        return errno.errorcode[error.errno]
def isolated_fork():
    number = {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
    pid = libc.syscall(ctypes.c_long(number), ctypes.c_long(NEW_USER | NEW_PID | signal.SIGCHLD), *[None] * 4)
    if pid < 0:
        raise OSError(ctypes.get_errno(), 'refused')
    return pid
NEW_USER, NEW_PID = 0x10000000, 0x20000000
libc = ctypes.PyDLL(None, use_errno=True)
print(json.dumps(dict(
    random=values, descriptors=held, isolatedFork=attempt(isolated_fork), fork=attempt(os.fork))))
`;

/** Programs that inspect what a fork has from its template, for the languages that fork. */
export const FORK_PROBE_CODE: Partial<Readonly<Record<Language, string>>> = { python: PYTHON_FORK };
