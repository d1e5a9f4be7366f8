import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { type NetworkCounts } from '../../../src/platform/isolation/network/attached-network.js';
import { type NetworkRules } from '../../../src/platform/isolation/network/network-rules.js';
import { isDead, isStopped, startTicks } from '../../../src/platform/isolation/process-facts.js';
import { hasNetworkDevice } from '../../support/network-device.js';
import { eventually } from '../../support/test-app.js';
import { TestHosts } from '../../support/test-hosts.js';
import { launchPython } from './networked-python.js';

const ORDINARY_USER = { uid: 61_000, gid: 61_000 };
const PORTS = [25, 80, 465, 587, 5432];
const isRoot = process.getuid?.() === 0;
const isTunnelOpen = ((statSync('/dev/net/tun', { throwIfNoEntry: false })?.mode ?? 0) & 0o006) === 0o006;

const ATTEMPTS = `
import socket
def tcp(host, port, within=5):
    try:
        with socket.create_connection((host, port), within) as one: return one.recv(5).decode()
    except OSError as error: return type(error).__name__
def udp(host, port, count=1):
    with socket.socket(socket.AF_INET6 if ':' in host else socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(5 if count == 1 else 0.5)
        answers = 0
        try:
            for _ in range(count): one.sendto(b'hello', (host, port))
            if count == 1: return one.recv(5).decode()
            while True: one.recv(5); answers += 1
        except OSError as error: return answers if answers else type(error).__name__
`;

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ family }) => family === 'IPv4')
    .map(({ address }) => address);
}

const publicRules = (change: Partial<NetworkRules> = {}): NetworkRules => ({
  reach: 'public',
  listed: [],
  exempt: [],
  refused: ownAddresses(),
  ...change,
});

/** An address of this machine that is not loopback. Without one, nothing can be connected to at all. */
const ownAddress = ownAddresses().find((address) => !address.startsWith('127.'))!;

async function listening(): Promise<{ port: number; accepted: () => number; close: () => Promise<void> }> {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.on('error', () => undefined).end('hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return {
    port: (server.address() as { port: number }).port,
    accepted: () => accepted,
    close: async () => {
      server.close();
      await once(server, 'close');
    },
  };
}

const describeNetwork = hasNetworkDevice ? describe : describe.skip;

describeNetwork.each(['auto', 'off'] as const)('a program with a network, with cgroups %s', (cgroups) => {
  const isolation = new Isolation({ cgroups, copiesDirectory: '/var/lib/service-platform/runtime' });

  const python = async (rules: NetworkRules, code: string): Promise<{ lines: string[]; counts: NetworkCounts }> => {
    const { program, lines } = await launchPython(isolation, rules, `${ATTEMPTS}${code}`);
    await program.gone;
    expect(await program.exited).toMatchObject({ cause: 'exit', exitStatus: 0 });
    return { lines, counts: await program.network!.counts() };
  };

  beforeAll(async () => {
    expect(await isolation.missingForNetwork()).toEqual([]);
  });

  afterAll(async () => {
    await isolation.close();
  });

  it('reaches what the operator allows, and nothing else of this machine', async () => {
    const [allowed, other] = await Promise.all([listening(), listening()]);
    const { lines, counts } = await python(
      publicRules({ exempt: [{ address: ownAddress, port: allowed.port }] }),
      `
print(tcp('${ownAddress}', ${allowed.port}))
for host in ['${ownAddress}', '127.0.0.1', '127.0.0.2', '192.0.0.2', '192.0.0.3', '192.0.0.100', '0.0.0.0']:
    print(host, tcp(host, ${other.port}))
print(udp('${ownAddress}', ${other.port}), udp('192.0.0.3', 53))`,
    );
    expect(lines[0]).toBe('hello');
    expect(lines.slice(1)).toEqual([
      `${ownAddress} ConnectionRefusedError`,
      '127.0.0.1 ConnectionRefusedError',
      '127.0.0.2 ConnectionRefusedError',
      '192.0.0.2 ConnectionRefusedError',
      '192.0.0.3 ConnectionRefusedError',
      '192.0.0.100 ConnectionRefusedError',
      '0.0.0.0 ConnectionRefusedError',
      'PermissionError PermissionError',
    ]);
    expect([allowed.accepted(), other.accepted()]).toEqual([1, 0]);
    expect(counts.refusals).toBeGreaterThanOrEqual(5);
    expect(counts.sentBytes).toBeGreaterThan(0);
    expect(counts.receivedBytes).toBeGreaterThan(0);
    await Promise.all([allowed.close(), other.close()]);
  });

  it('has no capability, no raw sockets, no netlink of the firewall, and no other network to go to', async () => {
    const { lines } = await python(
      publicRules(),
      `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
raw = [(17, 3, 0), (17, 2, 0), (2, 3, 1), (2, 3, 6), (2, 3, 17), (2, 3, 255), (10, 3, 58)]
for kind in [*raw, (2, 2, 1), (16, 3, 12), (40, 1, 0)]:
    try: socket.socket(*kind); print('made', kind)
    except OSError: pass
for flags in [0x10000000, 0x40000000, 0x50000000]: print(libc.unshare(flags))
print([line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapPrm', 'CapEff', 'CapBnd'))])
with socket.socket() as one:
    try: one.setsockopt(1, 25, b'lo'); print('bound')
    except OSError as error: print(type(error).__name__)
    try: one.setsockopt(1, 36, 7); print('marked')
    except OSError as error: print(type(error).__name__)
print(os.access('/proc/sys/net/ipv4/ip_forward', os.W_OK))`,
    );
    expect(lines.slice(0, 4)).toEqual([
      '-1',
      '-1',
      '-1',
      `['${'0'.repeat(16)}', '${'0'.repeat(16)}', '${'0'.repeat(16)}']`,
    ]);
    expect(lines.slice(-2)).toEqual(['PermissionError', 'False']);
  });

  it('does not reach another program, even with the same address', async () => {
    const first = await launchPython(
      isolation,
      publicRules(),
      `
import socket
one = socket.create_server(('0.0.0.0', 3000)); print('listening', flush=True)
while True: one.accept(); print('reached', flush=True)`,
    );
    await eventually(() => first.lines.includes('listening'), 'the first program listens');
    const { lines } = await python(
      publicRules(),
      `for host in ['192.0.0.100', '192.0.0.15', '127.0.0.1', '${ownAddress}']: print(tcp(host, 3000, 2))`,
    );
    expect(new Set(lines)).toEqual(new Set(['ConnectionRefusedError']));
    expect(first.lines).toEqual(['listening']);
    await first.program.destroy();
  });

  it('follows rules that change while it runs, and keeps its network out of the way while it is frozen', async () => {
    const host = await listening();
    const { program, lines } = await launchPython(
      isolation,
      publicRules(),
      `${ATTEMPTS}
import time
while True: print(tcp('${ownAddress}', ${host.port}), flush=True); time.sleep(0.05)`,
    );
    await eventually(() => lines.includes('ConnectionRefusedError'), 'the first attempt is refused');
    expect(lines).not.toContain('hello');
    await program.network!.replace(publicRules({ exempt: [{ address: ownAddress, port: host.port }] }));
    await eventually(() => lines.includes('hello'), 'the allowed host is reached');

    const carrier = program.network!.carrierPid!;
    await program.freeze();
    await eventually(() => isStopped(carrier) && !isDead(carrier), 'the network is stopped too');
    program.thaw();
    const before = lines.length;
    await eventually(() => lines.slice(before).includes('hello'), 'the host is reached after the thaw');

    await program.network!.replace(publicRules());
    const changed = lines.length;
    await eventually(() => lines.slice(changed).includes('ConnectionRefusedError'), 'the host is refused again');
    await program.destroy();
    expect(isDead(carrier)).toBe(true);
    await host.close();
  });

  it('ends when what carries its network ends', async () => {
    const { program, lines } = await launchPython(
      isolation,
      publicRules(),
      `import time; print('up', flush=True); time.sleep(60)`,
    );
    await eventually(() => lines.includes('up'), 'the program runs');
    process.kill(program.network!.carrierPid!, 'SIGKILL');
    expect(await program.exited).toMatchObject({ cause: 'network' });
    await program.gone;
    expect(startTicks(program.initPid) === null || isDead(program.initPid)).toBe(true);
  });
});

const obstacle = TestHosts.obstacle;
if (obstacle !== undefined) console.warn(`The tests with hosts in network namespaces are skipped: ${obstacle}.`);

(obstacle === undefined ? describe : describe.skip)('a program beside hosts of a network', () => {
  const isolation = new Isolation({ cgroups: 'auto', copiesDirectory: '/var/lib/service-platform/runtime' });
  let hosts: TestHosts;

  beforeAll(async () => {
    hosts = await TestHosts.start(PORTS);
  });

  afterAll(async () => {
    await isolation.close();
    await hosts.stop();
  });

  const python = async (rules: NetworkRules, code: string): Promise<{ lines: string[]; counts: NetworkCounts }> => {
    const { program, lines } = await launchPython(isolation, rules, `${ATTEMPTS}${code}`);
    await program.gone;
    expect(await program.exited).toMatchObject({ cause: 'exit', exitStatus: 0 });
    return { lines, counts: await program.network!.counts() };
  };

  it('reaches a public host by TCP and UDP, and its port of mail submission, but not port 25', async () => {
    hosts.reached.length = 0;
    const { lines } = await python(
      publicRules(),
      `
for port in [80, 465, 587, 5432, 25]: print(port, tcp('${hosts.publicAddress}', port))
print(udp('${hosts.publicAddress}', 80), udp('${hosts.publicAddress}', 25))`,
    );
    expect(lines).toEqual([
      '80 hello',
      '465 hello',
      '587 hello',
      '5432 hello',
      '25 ConnectionRefusedError',
      'hello PermissionError',
    ]);
    expect(hosts.reached.some((line) => line.endsWith(' 25'))).toBe(false);
  });

  it('reaches none of the ranges that are not public, and none of the public addresses of this machine', async () => {
    const own = await listening();
    const inner = hosts.innerAddresses;
    hosts.reached.length = 0;
    // The machine itself reaches them, so that the test would notice an app that does.
    for (const address of inner) expect(await reaches(address, 80)).toBe(true);
    expect(await reaches(hosts.ownPublicAddress, own.port)).toBe(true);
    await eventually(
      () => hosts.reached.filter((line) => line.startsWith('tcp')).length >= inner.length,
      'all are counted',
    );
    hosts.reached.length = 0;

    const { lines, counts } = await python(
      publicRules(),
      `
for host in ${JSON.stringify(inner)}: print(host, tcp(host, 80, 2), udp(host, 80))
print(tcp('${hosts.ownPublicAddress}', ${own.port}), tcp('::ffff:10.77.0.2', 80, 2))
for host in ['255.255.255.255', '224.0.0.1', '240.0.0.1', '169.254.169.254', '168.63.129.16', '100.100.100.200']:
    print(tcp(host, 80, 2))`,
    );
    expect(lines.filter((line) => line.includes('hello'))).toEqual([]);
    expect(hosts.reached).toEqual([]);
    expect(own.accepted()).toBe(1);
    expect(counts.sentBytes).toBe(0);
    await own.close();
  });

  it('reaches only what is listed, by address and by port, when it may reach listed hosts only', async () => {
    const address = hosts.publicAddress;
    const program = `
for port in [80, 5432, 25]: print(port, tcp('${address}', port))`;
    const listed = async (rules: Partial<NetworkRules>): Promise<string[]> =>
      (await python(publicRules({ reach: 'listed', ...rules }), program)).lines;
    const no = 'ConnectionRefusedError';
    expect(await listed({})).toEqual([`80 ${no}`, `5432 ${no}`, `25 ${no}`]);
    expect(await listed({ listed: [{ address, port: 80 }] })).toEqual(['80 hello', `5432 ${no}`, `25 ${no}`]);
    expect(await listed({ listed: [{ address: `${address.replace(/\d+$/, '0')}/24`, port: null }] })).toEqual([
      '80 hello',
      '5432 hello',
      `25 ${no}`,
    ]);
    expect(await listed({ listed: [{ address: hosts.innerAddresses[0]!, port: null }], refused: [address] })).toEqual([
      `80 ${no}`,
      `5432 ${no}`,
      `25 ${no}`,
    ]);
  });

  it('cannot flood: each datagram to a silent host counts as a connection', async () => {
    const { lines, counts } = await python(
      publicRules(),
      `
sent = 0
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
    for port in range(10000, 14000):
        try: sent += one.sendto(b'x', ('${hosts.publicAddress}', port))
        except OSError: pass
print(100 < sent, sent < 4000)`,
    );
    expect(lines).toEqual(['True True']);
    expect(counts.refusals).toBeGreaterThan(0);
  });
});

describe('a network for programs of an ordinary user', () => {
  const run = async (rules: NetworkRules, code: string): Promise<unknown> => {
    const service = [join(__dirname, 'service-process.cjs'), join(__dirname, 'network-service.ts')];
    const { stdout } = await promisify(execFile)(process.execPath, [...service, JSON.stringify(rules), code], {
      timeout: 60_000,
      ...(isRoot ? ORDINARY_USER : {}),
    });
    return JSON.parse(stdout) as unknown;
  };

  it('exists, or names what is missing', async () => {
    const host = await listening();
    const rules = publicRules({ exempt: [{ address: ownAddress, port: host.port }] });
    const outcome = await run(
      rules,
      `${ATTEMPTS}\nprint(tcp('${ownAddress}', ${host.port}), tcp('10.255.255.254', 80))`,
    );
    expect(outcome).toMatchObject(
      isTunnelOpen
        ? { missing: [], lines: ['hello ConnectionRefusedError'], cause: 'exit' }
        : { missing: ['access to /dev/net/tun (chmod 666 /dev/net/tun)'] },
    );
    await host.close();
  });
});

(hasNetworkDevice ? it : it.skip)('ends with a service that is killed', async () => {
  const service = [join(__dirname, 'service-process.cjs'), join(__dirname, 'network-service.ts')];
  const child = spawn(process.execPath, [...service, JSON.stringify(publicRules()), 'import time; time.sleep(60)'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [first] = (await once(child.stderr.setEncoding('utf8'), 'data')) as [string];
  const pids = JSON.parse(first) as number[];
  expect(pids.map(isDead)).toEqual([false, false]);
  // A carrier that is stopped, as that of a frozen program, cannot notice anything by itself.
  process.kill(pids[1]!, 'SIGSTOP');
  child.kill('SIGKILL');
  await eventually(() => pids.every(isDead), 'nothing of the program is left');
});

describe('a machine without the programs for a network', () => {
  it('names them', async () => {
    const isolation = new Isolation({ cgroups: 'off', copiesDirectory: '/nowhere', networkPlaces: ['/nowhere'] });
    expect(await isolation.missingForNetwork()).toEqual([
      'the package slirp4netns (slirp4netns was not found)',
      'the package nftables (nft was not found)',
      'the package util-linux (nsenter was not found)',
      'the package util-linux (unshare was not found)',
    ]);
    await isolation.close();
  });
});

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
