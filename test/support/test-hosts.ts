import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Accepts on every port and address that it is given, says so on standard output, and answers TCP and UDP. */
const LISTENER = `
import select, socket, sys
sockets = {}
for port in map(int, sys.argv[1:]):
    for family, anywhere in ((socket.AF_INET, '0.0.0.0'), (socket.AF_INET6, '::')):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            one = socket.socket(family, kind)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6: one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            if family == socket.AF_INET and kind == socket.SOCK_DGRAM: one.setsockopt(socket.IPPROTO_IP, 8, 1)
            one.bind((anywhere, port))
            if kind == socket.SOCK_STREAM: one.listen(64)
            sockets[one] = (kind, port)
print('listening', flush=True)
while True:
    for one in select.select(list(sockets), [], [])[0]:
        kind, port = sockets[one]
        if kind == socket.SOCK_STREAM:
            connection, _ = one.accept()
            print('tcp', connection.getsockname()[0], port, flush=True)
            try: connection.sendall(b'hello')
            except OSError: pass
            connection.close()
        else:
            data, sender = one.recvfrom(2048)
            print('udp', '-', port, flush=True)
            one.sendto(data, sender)
`;

/** Carries what arrives at a port to a Unix socket, which any network namespace can reach. */
const RELAY = `
const { connect, createServer } = require('node:net');
const [port, path] = process.argv.slice(1);
createServer((from) => {
  const to = connect(path);
  from.pipe(to).pipe(from);
  from.on('error', () => to.destroy());
  to.on('error', () => from.destroy());
}).listen(Number(port), '0.0.0.0', () => console.log('listening'));
`;

/** Answers HTTP with the address that was asked, and says so on standard output. */
const HTTP_SERVER = `
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        address = self.connection.getsockname()[0]
        print('http', address, sys.argv[1], flush=True)
        body = f'hello from {address}'.encode()
        self.send_response(200)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(('0.0.0.0', int(sys.argv[1])), Handler)
print('listening', flush=True)
server.serve_forever()
`;

/** Where clouds serve the credentials of their machines. */
export const METADATA_ADDRESS = '169.254.169.254';

const MOST_COMPLAINT = 2_000;

let made = 0;

/**
 * Hosts beside this machine, in a network namespace of their own: one public IPv4 address, and others in ranges that
 * nothing of a tenant may reach. Only root can make them.
 */
export class TestHosts {
  private readonly relays: ChildProcess[] = [];
  /** What was reached, as `tcp <address> <port>` or `http …`; `-` replaces the address for `udp`. */
  readonly reached: string[] = [];

  private constructor(
    private readonly namespace: string,
    /** Differs between the test processes of a machine. */
    private readonly net: number,
    private readonly outer: string,
    private readonly listener: ChildProcess,
  ) {}

  /** Why this machine cannot have them; undefined when it can. */
  static get obstacle(): string | undefined {
    if (process.getuid?.() !== 0) return 'only root can make network namespaces';
    try {
      execFileSync('ip', ['-V'], { stdio: 'ignore' });
      return undefined;
    } catch {
      return 'the program ip (iproute2) is not installed';
    }
  }

  static async start(ports: readonly number[]): Promise<TestHosts> {
    // What a killed process has made stays, and its number is used again.
    const mark = randomBytes(4).toString('hex');
    const namespace = `test-${mark}-${++made}`;
    const net = (process.pid + made) % 250;
    const outer = `to${mark}x${made}`.slice(-15);
    ip('netns', 'add', namespace);
    try {
      ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'inner', 'netns', namespace);
      for (const [own, other] of addressPairs(net)) {
        const family = own.includes(':') ? ['-6'] : [];
        const late = own.includes(':') ? ['nodad'] : [];
        ip(...family, 'addr', 'add', own, 'dev', outer, ...late);
        ip('-n', namespace, ...family, 'addr', 'add', other, 'dev', 'inner', ...late);
      }
      ip('link', 'set', outer, 'up');
      ip('-n', namespace, 'link', 'set', 'inner', 'up');
      ip('-n', namespace, 'link', 'set', 'lo', 'up');
      const listener = await listening(namespace, ['/usr/bin/python3', '-c', LISTENER, ...ports.map(String)]);
      const hosts = new TestHosts(namespace, net, outer, listener);
      createInterface({ input: listener.stdout }).on('line', (line) => hosts.reached.push(line));
      return hosts;
    } catch (error) {
      ip('netns', 'del', namespace);
      throw error;
    }
  }

  /** An address of the internet, by its range. */
  get publicAddress(): string {
    return `11.77.${this.net}.2`;
  }

  /** This machine's own address in the same public range. */
  get ownPublicAddress(): string {
    return `11.77.${this.net}.1`;
  }

  /** Private, shared (CGNAT), link-local, benchmarking and reserved addresses, and two of IPv6. */
  get innerAddresses(): readonly string[] {
    return addressPairs(this.net)
      .slice(1)
      .map(([, other]) => other.split('/')[0]!);
  }

  /** Another public host of the same network. {@link addNeighbors} makes it. */
  get neighborAddress(): string {
    return `11.77.${this.net}.3`;
  }

  /** A third one, for a test to see that all earlier lines have come. */
  get lastAddress(): string {
    return `11.77.${this.net}.4`;
  }

  /** Adds public hosts beside the first one, and the address of metadata, which then leads there. */
  addNeighbors(): void {
    for (const address of [`${this.neighborAddress}/24`, `${this.lastAddress}/24`, `${METADATA_ADDRESS}/32`])
      ip('-n', this.namespace, 'addr', 'add', address, 'dev', 'inner');
    ip('route', 'add', `${METADATA_ADDRESS}/32`, 'dev', this.outer);
  }

  /** Serves HTTP at all addresses, with the address in the answer. */
  async serveHttp(port: number): Promise<void> {
    const server = await listening(this.namespace, ['/usr/bin/python3', '-c', HTTP_SERVER, String(port)]);
    createInterface({ input: server.stdout }).on('line', (line) => this.reached.push(line));
    this.relays.push(server);
  }

  /** Makes a server of this machine, which listens on a Unix socket, one of the public host. */
  async serve(port: number, socketPath: string): Promise<void> {
    const command = [process.execPath, '-e', RELAY, '--', String(port), socketPath];
    this.relays.push(await listening(this.namespace, command));
  }

  async stop(): Promise<void> {
    for (const program of [this.listener, ...this.relays]) {
      if (program.exitCode !== null || program.signalCode !== null) continue;
      const ended = once(program, 'exit');
      program.kill('SIGKILL');
      await ended;
    }
    // The pair of interfaces goes with the namespace.
    ip('netns', 'del', this.namespace);
  }
}

type Listening = ChildProcess & { readonly stdout: Readable };

/** Starts a program in the namespace and resolves when it listens. @throws {Error} with what it printed if it ends. */
export async function listening(namespace: string, command: readonly string[]): Promise<Listening> {
  const child = spawn('ip', ['netns', 'exec', namespace, ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-MOST_COMPLAINT);
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => {
      resolve();
    });
    child.once('error', reject);
    child.once('close', () => {
      reject(new Error(`A test host did not start: ${complaint.trim()}`));
    });
  });
  return child;
}

function addressPairs(net: number): [own: string, other: string][] {
  const v4 = ['11.77', '10.77', '172.29', '192.168', '100.77', '169.254', '198.18'].map((start): [string, string] => [
    `${start}.${net}.1/24`,
    `${start}.${net}.2/24`,
  ]);
  return [...v4, [`fd00:77:${net}::1/64`, `fd00:77:${net}::2/64`], [`2600:77:${net}::1/64`, `2600:77:${net}::2/64`]];
}

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
