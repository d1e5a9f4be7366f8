import { once } from 'node:events';
import { connect } from 'node:net';
import { RunNetworks } from '../../src/modules/sandbox/network/run-networks.js';
import { as, expectStatus, Make } from '../support/make.js';
import { eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';
import { METADATA_ADDRESS, TestHosts } from '../support/test-hosts.js';

const ALLOWED = 'api.example.com';
const OTHER = 'other.example.com';
const PORT = 443;

const { obstacle } = TestHosts;
if (obstacle !== undefined) console.warn(`LEFT OUT: hosts beside this machine, as ${obstacle}.`);

/** With connections to real hosts. Only the names are of the test, as nobody answers for them. */
(obstacle === undefined ? describe : describe.skip)('an execution with a network, beside real hosts', () => {
  const app = useApp(WITH_SANDBOX);
  const make = new Make(app);
  let hosts: TestHosts;
  let key: string;
  let addresses: Record<string, string[]>;

  beforeAll(async () => {
    hosts = await TestHosts.start([PORT]);
    hosts.addNeighbors();
    await hosts.serveHttp(80);
    key = await make.key(await make.person({ plan: 'builder' }), { scopes: ['sandbox:execute'] });
  });
  beforeEach(() => {
    addresses = { [ALLOWED]: [hosts.publicAddress], [OTHER]: [hosts.neighborAddress] };
    jest.spyOn(app.get(RunNetworks), 'resolve').mockImplementation((host) => Promise.resolve(addresses[host] ?? []));
  });
  afterAll(() => hosts.stop());

  async function printed(code: string): Promise<string> {
    const body = { language: 'python', code, network: { allow: [ALLOWED, `${ALLOWED}:${PORT}`] } };
    const { data } = expectStatus(200, await app.post('/api/v1/sandbox/executions', body, as(key))).body;
    expect(data).toMatchObject({ status: 'succeeded', stderr: '' });
    return (data.stdout as string).trimEnd();
  }

  /** What a program sees of the URLs: the text, or the status of the answer. */
  const seen = async (...urls: string[]): Promise<string[]> =>
    (
      await printed(`
import urllib.error, urllib.request
for url in ${JSON.stringify(urls)}:
    try: print(urllib.request.urlopen(url, timeout=5).read().decode())
    except urllib.error.HTTPError as error: print(error.code)
`)
    ).split('\n');

  /** All that stands beside this machine, with those addresses that no program may reach. */
  const forbidden = (): string[] => [
    hosts.neighborAddress,
    METADATA_ADDRESS,
    ...hosts.innerAddresses.filter((address) => !address.startsWith('2600:')),
  ];

  /** All that was reached since the last time. */
  async function reached(): Promise<string[]> {
    const last = [`http ${hosts.lastAddress} 80`, `tcp ${hosts.lastAddress} ${PORT}`];
    await fetch(`http://${hosts.lastAddress}/`);
    await once(connect(PORT, hosts.lastAddress).resume(), 'close');
    await eventually(() => last.every((line) => hosts.reached.includes(line)), 'the hosts have reported all');
    return hosts.reached.splice(0).filter((line) => !last.includes(line));
  }

  it('has hosts beside it that this machine itself reaches', async () => {
    for (const address of [hosts.publicAddress, ...forbidden()].filter((each) => !each.includes(':')))
      expect(await (await fetch(`http://${address}/`)).text()).toBe(`hello from ${address}`);
    expect(await reached()).toContain(`http ${METADATA_ADDRESS} 80`);
  });

  it('reaches the host that it names, and no other of the same network', async () => {
    const urls = [`http://${ALLOWED}/`, `http://${OTHER}/`, `http://${hosts.neighborAddress}/`];
    expect(await seen(...urls, `http://${hosts.publicAddress}/`)).toEqual([
      `hello from ${hosts.publicAddress}`,
      '403',
      '403',
      '403',
    ]);
    expect(await reached()).toEqual([`http ${hosts.publicAddress} 80`]);
  });

  it('reaches no address of the inside, nor that of metadata, by an allowed name', async () => {
    for (const address of [...forbidden(), hosts.ownPublicAddress].filter((each) => each !== hosts.neighborAddress)) {
      addresses = { [ALLOWED]: [address] };
      expect(['403', '502']).toContain((await seen(`http://${ALLOWED}/`))[0]);
    }
    expect(await reached()).toEqual([]);
  });

  it('reaches nothing more by a name whose addresses change between two questions', async () => {
    const answers = [[hosts.publicAddress], [METADATA_ADDRESS], [hosts.innerAddresses[0]!]];
    jest
      .spyOn(app.get(RunNetworks), 'resolve')
      .mockImplementation(() => Promise.resolve(answers.shift() ?? [METADATA_ADDRESS]));
    const [first, ...others] = await seen(...Array.from({ length: 4 }, () => `http://${ALLOWED}/`));
    expect(first).toBe(`hello from ${hosts.publicAddress}`);
    for (const other of others) expect(['403', '502']).toContain(other);
    expect(await reached()).toEqual([`http ${hosts.publicAddress} 80`]);
  });

  it('reaches nothing without the proxy, not even the host that it names', async () => {
    const targets = [hosts.publicAddress, ...forbidden()].flatMap((address) => [
      [address, 80],
      [address, PORT],
    ]);
    const code = `
import socket
answers = set()
for address, port in ${JSON.stringify(targets)}:
    family = socket.AF_INET6 if ':' in address else socket.AF_INET
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(family, kind) as one:
            one.settimeout(1)
            try:
                one.connect((address, port))
                one.send(b'hello')
                answers.add('reached')
            except OSError as error: answers.add(error.errno)
print(sorted(answers, key=str))`;
    // ENETUNREACH, or without IPv6 in the namespace EADDRNOTAVAIL.
    expect(await printed(code)).toMatch(/^\[101(, 99)?\]$|^\[99, 101\]$/);
    expect(await reached()).toEqual([]);
  });

  it('gets nothing through a tunnel to the allowed host but by TLS', async () => {
    const code = `
import socket
with socket.create_connection(("127.0.0.1", 3128), 5) as proxy:
    proxy.sendall(b"CONNECT ${ALLOWED}:${PORT} HTTP/1.1\\r\\n\\r\\n")
    print(proxy.recv(100).split()[1].decode())
    proxy.sendall(b"GET / HTTP/1.1\\r\\nHost: ${ALLOWED}\\r\\n\\r\\n")
    try: print(proxy.recv(100))
    except ConnectionResetError: print(b"")`;
    expect(await printed(code)).toBe("200\nb''");
    expect(await reached()).toEqual([`tcp ${hosts.publicAddress} ${PORT}`]);
  });
});
