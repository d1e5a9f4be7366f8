import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import os from 'node:os';
import { RunNetworks } from '../../src/modules/sandbox/network/run-networks.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { type Answer, useApp, WITH_SANDBOX } from '../support/test-app.js';

const PATH = '/api/v1/sandbox/executions';
/** A public address. Connections to it lead to the server of this file. */
const PUBLIC = '93.184.216.34';

const app = useApp({ ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2', APPS_NETWORK_REFUSED: '93.184.216.99' });
const make = new Make(app);
let person: Person;
let key: string;
let server: Server;
let addresses: Record<string, string[]>;
const connections: string[] = [];

beforeAll(async () => {
  person = await make.person({ plan: 'builder' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
  server = createServer((request, response) => response.end(`hello from ${request.headers.host}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const networks = app.get(RunNetworks);
  jest.spyOn(networks, 'resolve').mockImplementation((host) => Promise.resolve(addresses[host] ?? []));
  jest.spyOn(networks, 'connect').mockImplementation((port, address) => {
    connections.push(`${address}:${port}`);
    return connect((server.address() as AddressInfo).port, '127.0.0.1');
  });
});
beforeEach(() => {
  connections.length = 0;
  addresses = { 'api.example.com': [PUBLIC], 'a.b.example.org': [PUBLIC], 'example.org': [PUBLIC] };
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const execute = (body: object, by = key): Promise<Answer> =>
  app.post(PATH, { language: 'python', code: 'pass', network: { allow: ['api.example.com'] }, ...body }, as(by));

/** Returns what programs see of these URLs: the text, or the status or name of the error. */
async function seen(urls: readonly string[], allow: readonly string[]): Promise<string[]> {
  const code = `
import urllib.request, urllib.error
for url in ${JSON.stringify(urls)}:
    try:
        print(urllib.request.urlopen(url, timeout=5).read().decode())
    except urllib.error.HTTPError as error:
        print(error.code)
    except OSError as error:
        print(type(error).__name__)
`;
  const { data } = expectStatus(200, await execute({ code, network: { allow } })).body;
  expect(data).toMatchObject({ status: 'succeeded', stderr: '' });
  return (data.stdout as string).trimEnd().split('\n');
}

describe('an execution with a network', () => {
  it('reaches the hosts that it names, and no others', async () => {
    expect(
      await seen(
        ['http://api.example.com/', 'http://example.org/', 'http://a.b.example.org/', 'http://other.example.com/'],
        ['api.example.com', '*.example.org'],
      ),
    ).toEqual(['hello from api.example.com', '403', 'hello from a.b.example.org', '403']);
    expect(connections).toEqual([`${PUBLIC}:80`, `${PUBLIC}:80`]);
  });

  it('reaches them from JavaScript, too, and otherwise runs as any execution', async () => {
    const code = `
      const { readFileSync } = require('node:fs');
      fetch('http://api.example.com/').then(async (answer) => {
        console.log(await answer.text(), readFileSync(0, 'utf8'), require('./lib.js'), process.argv[2]);
        process.exitCode = 130;
      });`;
    const files = [{ path: 'lib.js', content: 'module.exports = 7' }];
    const { data } = expectStatus(
      200,
      await execute({ language: 'javascript', code, files, stdin: 'in', args: ['x'] }),
    ).body;
    expect(data).toMatchObject({ stdout: 'hello from api.example.com in 7 x\n', exit_code: 130, signal: null });
  });

  it.each([
    ['private', ['10.0.0.5']],
    ['of the machine', ['127.0.0.1']],
    ['of metadata', ['169.254.169.254']],
    ['refused by the operator', ['93.184.216.99']],
    ['refused by the operator, as IPv6', ['::ffff:93.184.216.99']],
  ])('reaches no address that is %s, whatever the name says', async (_which, found) => {
    addresses = { 'api.example.com': found };
    expect(['403', '502']).toContain((await seen(['http://api.example.com/'], ['api.example.com']))[0]);
    expect(connections).toEqual([]);
  });

  it('reaches no public address that the machine has itself, and the others of a name', async () => {
    const own = { address: PUBLIC, family: 'IPv4', internal: false } as os.NetworkInterfaceInfo;
    const interfaces = jest.spyOn(os, 'networkInterfaces').mockReturnValue({ eth0: [own] });
    expect(await seen(['http://api.example.com/'], ['api.example.com'])).toEqual(['502']);
    expect(connections).toEqual([]);
    addresses = { 'api.example.com': [PUBLIC, '2606:2800:220:1::1'] };
    expect(await seen(['http://api.example.com/'], ['api.example.com'])).toEqual(['hello from api.example.com']);
    interfaces.mockRestore();
    expect(connections).toEqual(['2606:2800:220:1::1:80']);
  });

  it('reaches no port but those that it names, and nothing without the proxy', async () => {
    const code = `
import socket
def tunnel(target):
    with socket.create_connection(("127.0.0.1", 3128), 5) as proxy:
        proxy.sendall(f"CONNECT {target} HTTP/1.1\\r\\n\\r\\n".encode())
        return proxy.recv(100).split()[1].decode()
targets = ["api.example.com:8443", "api.example.com:22", "93.184.216.34:443", "a.b.example.org:443"]
print([tunnel(target) for target in targets])
for address in ["93.184.216.34", "10.0.0.1"]:
    try:
        socket.create_connection((address, 443), 1)
    except OSError as error:
        print(error.errno)
`;
    const allow = ['api.example.com:8443', 'a.b.example.org'];
    const { data } = expectStatus(200, await execute({ code, network: { allow } })).body;
    expect(data.stdout).toBe("['200', '403', '403', '200']\n101\n101\n");
  });

  it('reaches nothing by a name that is rebound, and asks for it once', async () => {
    const answers = [[PUBLIC], ['169.254.169.254'], ['10.0.0.1'], ['127.0.0.1']];
    const resolve = jest.spyOn(app.get(RunNetworks), 'resolve');
    const original = resolve.getMockImplementation();
    resolve.mockImplementation(() => Promise.resolve(answers.shift() ?? ['192.168.0.1']));
    try {
      const urls = Array.from({ length: 5 }, () => 'http://api.example.com/');
      const [first, ...rest] = await seen(urls, ['api.example.com']);
      expect(first).toBe('hello from api.example.com');
      for (const each of rest) expect(['403', '502']).toContain(each);
      // The address that was checked is the one that is connected to.
      expect(connections).toEqual([`${PUBLIC}:80`]);
    } finally {
      resolve.mockImplementation(original);
    }
  });

  it('opens no tunnel to addresses in any spelling, to port 25, and to what listens on this machine', async () => {
    const port = (server.address() as AddressInfo).port;
    const targets = [
      ...['127.0.0.1', '0.0.0.0', 'localhost', '2130706433', '0x7f000001', '127.1', '[::1]', '[::ffff:127.0.0.1]'],
      ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '[fd00::1]', '[fe80::1]'],
      ...['metadata.google.internal', 'api.example.com.', 'api.example.com@127.0.0.1', 'evil-api.example.com'],
    ].flatMap((host) => [`${host}:443`, `${host}:${port}`]);
    const code = `
import json, socket
def tunnel(target):
    with socket.create_connection(("127.0.0.1", 3128), 5) as proxy:
        proxy.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n".encode())
        return (proxy.recv(100).split() + [b"", b"closed"])[1].decode()
def fetch(target):
    with socket.create_connection(("127.0.0.1", 3128), 5) as proxy:
        proxy.sendall(f"GET http://{target}/ HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n".encode())
        return (proxy.recv(100).split() + [b"", b"closed"])[1].decode()
targets = json.loads('${JSON.stringify([...targets, 'api.example.com:25', 'a.example.org:25'])}')
opened = [(target, how(target)) for target in targets for how in (tunnel, fetch)]
print([each for each in opened if each[1].startswith("2")])
`;
    const { data } = expectStatus(
      200,
      await execute({ code, network: { allow: ['api.example.com', '*.example.org'] } }),
    ).body;
    expect(data).toMatchObject({ stderr: '', stdout: '[]\n' });
    expect(connections).toEqual([]);
  });

  it('reaches no other run, whose network and proxy are its own', async () => {
    const serve = `
import os, socket, time
server = socket.create_server(("0.0.0.0", 47815))
server.settimeout(4)
print(os.listdir("/run") if os.path.exists("/run") else [])
try: print("reached", server.accept()[1])
except TimeoutError: print("alone")`;
    const attack = `
import socket, time
def tunnel(target):
    with socket.create_connection(("127.0.0.1", 3128), 5) as proxy:
        proxy.sendall(f"CONNECT {target} HTTP/1.1\\r\\n\\r\\n".encode())
        return proxy.recv(100).split()[1].decode()
reached = []
for _ in range(8):
    for address in ("127.0.0.1", "0.0.0.0", socket.gethostname()):
        try: socket.create_connection((address, 47815), 1); reached.append(address)
        except OSError: pass
    if tunnel("127.0.0.1:47815") == "200": reached.append("proxy")
    time.sleep(0.2)
print(reached, tunnel("b.example.org:443"))`;
    const [one, other] = await Promise.all([
      execute({ code: serve, network: { allow: ['b.example.org'] } }),
      execute({ code: attack }),
    ]);
    expect(expectStatus(200, one).body.data.stdout).toMatch(/alone\n$/);
    // What another run may reach is not what this one may.
    expect(expectStatus(200, other).body.data.stdout).toBe('[] 403\n');
  });

  it('keeps artifacts and shows results as any other', async () => {
    const { data } = expectStatus(
      200,
      await execute({ code: 'open("/artifacts/x", "w").close()\n1 + 1', artifacts: true, rich_results: true }),
    ).body;
    expect(data).toMatchObject({ artifacts: [{ path: 'x' }], results: [{ data: '2' }] });
  });

  it('is in the audit log with its hosts', async () => {
    const { data } = expectStatus(200, await execute({})).body;
    expect(
      await make.sql('SELECT action, actor_user_id, details FROM audit_log WHERE target_id = $1', [data.id]),
    ).toEqual([
      {
        action: 'execution.network_allowed',
        actor_user_id: person.user.id,
        details: { hosts: ['api.example.com'] },
      },
    ]);
  });

  it('leaves no socket behind', async () => {
    expectStatus(200, await execute({}));
    const { readdir } = await import('node:fs/promises');
    const { SandboxSettings } = await import('../../src/modules/sandbox/sandbox.settings.js');
    const left = await readdir(app.get(SandboxSettings).egressDirectory);
    expect(left.filter((name) => name.startsWith(`${process.pid}-`))).toEqual([]);
  });
});

describe('a network that is refused', () => {
  it.each([
    [{ allow: [] }],
    [{ allow: ['10.0.0.1'] }],
    [{ allow: ['localhost'] }],
    [{ allow: ['*.com'] }],
    [{ allow: ['*'] }],
    [{ allow: ['api.example.com:25'] }],
    [{ allow: ['api.example.com:0'] }],
    [{ allow: ['http://api.example.com'] }],
    [{ allow: Array.from({ length: 21 }, (_, n) => `h${n}.example.com`) }],
    [{ allow: 'api.example.com' }],
    [{ deny: [] }],
    ['api.example.com'],
  ])('is %j', async (network) => {
    expect((await execute({ network })).body.error).toMatchObject({ code: 'invalid_request', status: 400 });
  });

  it('is any on the Free plan, which names the plan that has one', async () => {
    const free = await make.key(await make.person({ plan: 'free' }));
    expect((await execute({}, free)).body.error).toMatchObject({
      code: 'invalid_request',
      status: 400,
      details: [{ path: 'network', code: 'plan' }],
      hint: 'Upgrade to Builder: its executions can connect to hosts that they name.',
    });
  });

  it('is any without a key or the scope', async () => {
    expectStatus(401, await app.post(PATH, { language: 'python', code: '1', network: { allow: ['api.example.com'] } }));
    const without = await make.key(person, { scopes: ['projects:read'] });
    expectStatus(403, await execute({}, without));
    const anonymous = { language: 'python', code: '1', network: { allow: ['api.example.com'] } };
    expectStatus(400, await app.post('/api/v1/sandbox/try', anonymous));
  });
});

describe('where the operator lets no code out', () => {
  const closed = useApp({ ...WITH_SANDBOX, APPS_NETWORK: 'off' });

  it('says so', async () => {
    const maker = new Make(closed);
    const theirs = await maker.key(await maker.person({ plan: 'builder' }));
    const body = { language: 'python', code: '1', network: { allow: ['api.example.com'] } };
    expect((await closed.post(PATH, body, as(theirs))).body.error).toMatchObject({
      code: 'feature_disabled',
      status: 403,
      details: { feature: 'sandbox_network' },
    });
  });
});
