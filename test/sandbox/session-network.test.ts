import { readdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { RunNetworks } from '../../src/modules/sandbox/network/run-networks.js';
import { SandboxSettings } from '../../src/modules/sandbox/sandbox.settings.js';
import { SessionProcesses } from '../../src/modules/sandbox/sessions/host/session-processes.js';
import { Isolation } from '../../src/platform/isolation/isolation.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(60_000));

const PATH = '/api/v1/sandbox/sessions';
/** A public address. Connections to it lead to the server of this file. */
const PUBLIC = '93.184.216.34';
const SETTINGS = {
  ...WITH_SANDBOX,
  SANDBOX_CONCURRENCY: '2',
  SANDBOX_SESSIONS: '4',
  SANDBOX_SESSIONS_SHARE_PERCENT: '100',
};

/** Where nothing counts the memory of sockets, as for an ordinary user without cgroups, no session has a network. */
const { countsSockets } = new Isolation({ cgroups: 'auto', copiesDirectory: '/nowhere' });
const describeNetwork = countsSockets ? describe : describe.skip;

const app = useApp({ ...SETTINGS, APPS_NETWORK_REFUSED: '93.184.216.99' });
const make = new Make(app);
let person: Person;
let key: string;
let server: Server;
let addresses: Record<string, string[]>;
const connections: string[] = [];
/** The names that a proxy was asked to connect to, and agreed to. */
const resolved: string[] = [];
const begun: string[] = [];

beforeAll(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
  server = createServer((request, response) => {
    if (request.url !== '/large') response.end(`hello from ${request.headers.host}`);
    else response.end(Buffer.alloc(3 << 20, 'x'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const networks = app.get(RunNetworks);
  jest.spyOn(networks, 'resolve').mockImplementation((host) => {
    resolved.push(host);
    return Promise.resolve(addresses[host] ?? []);
  });
  jest.spyOn(networks, 'connect').mockImplementation((port, address) => {
    connections.push(`${address}:${port}`);
    return connect((server.address() as AddressInfo).port, '127.0.0.1');
  });
});
beforeEach(() => {
  connections.length = 0;
  resolved.length = 0;
  addresses = { 'api.example.com': [PUBLIC], 'a.b.example.org': [PUBLIC], 'example.org': [PUBLIC] };
});
afterEach(async () => {
  for (const id of begun.splice(0)) await app.call('DELETE', `${PATH}/${id}`, as(key));
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const create = (body: object, by = key): Promise<Answer> =>
  app.post(PATH, { language: 'python', network: { allow: ['api.example.com'] }, ...body }, as(by));
async function started(body: object = {}): Promise<string> {
  const { data } = expectStatus(201, await create(body)).body;
  begun.push(data.id as string);
  return data.id as string;
}
const run = async (id: string, code: string, more: object = {}, by = key): Promise<any> =>
  expectStatus(200, await app.post(`${PATH}/${id}/runs`, { code, ...more }, as(by))).body.data;
const printed = async (id: string, code: string, more?: object, by = key): Promise<string> => {
  const data = await run(id, code, more, by);
  expect(data).toMatchObject({ status: 'succeeded', stderr: '' });
  return (data.stdout as string).trimEnd();
};
const shell = async (id: string, command: string): Promise<any> =>
  expectStatus(200, await app.post(`${PATH}/${id}/shell`, { command }, as(key))).body.data;

const TOOLS = `
import socket, urllib.error, urllib.request
def get(url):
    try: return urllib.request.urlopen(url, timeout=5).read().decode()
    except urllib.error.HTTPError as error: return str(error.code)
    except OSError as error: return type(error).__name__
def tunnel(target):
    with socket.create_connection(("127.0.0.1", 3128), 5) as proxy:
        proxy.sendall(f"CONNECT {target} HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n".encode())
        return (proxy.recv(100).split() + [b"", b"closed"])[1].decode()
`;

describeNetwork('a session with a network', () => {
  it('says which hosts it may connect to, reaches them in every run, and no others', async () => {
    const allow = ['api.example.com', '*.example.org'];
    const { data } = expectStatus(201, await create({ network: { allow } })).body;
    begun.push(data.id as string);
    expect(data).toMatchObject({ status: 'awake', network: { allow } });
    expect((await app.fetch(`${PATH}/${data.id}`, as(key))).body.data).toMatchObject({ network: { allow } });
    await run(data.id as string, TOOLS);
    const seen = await printed(
      data.id as string,
      'hosts = ["api.example.com", "example.org", "a.b.example.org", "x.example.com"]\n' +
        'print([get(f"http://{host}/") for host in hosts])',
    );
    expect(seen).toBe("['hello from api.example.com', '403', 'hello from a.b.example.org', '403']");
    expect(connections).toEqual([`${PUBLIC}:80`, `${PUBLIC}:80`]);
    expect(await printed(data.id as string, 'print(get("http://api.example.com/"))')).toBe(
      'hello from api.example.com',
    );
  });

  it('reaches them from JavaScript and from commands, too', async () => {
    const id = await started({ language: 'javascript' });
    const code = 'console.log(await (await fetch("http://api.example.com/")).text())';
    expect(await printed(id, code)).toBe('hello from api.example.com');
    const fetching = 'fetch("http://api.example.com/").then(async (a) => console.log(await a.text()))';
    const command = `/runtime/node -e '${fetching}'`;
    expect(await shell(id, command)).toMatchObject({ stdout: 'hello from api.example.com\n' });
  });

  it('keeps it when it was frozen, with connections that were open', async () => {
    const id = await started();
    const refused = '[get("http://example.org/"), tunnel("example.org:443"), tunnel("10.0.0.1:443")]';
    await run(id, `${TOOLS}\nkept = socket.create_connection(("127.0.0.1", 3128), 5)`);
    expect(await printed(id, `print(${refused})`)).toBe("['403', '403', '403']");
    expectStatus(200, await app.call('POST', `${PATH}/${id}/freeze`, as(key)));
    const { data } = (await app.fetch(`${PATH}/${id}`, as(key))).body;
    expect(data.status).toBe('frozen');
    const code =
      'kept.sendall(b"GET http://api.example.com/ HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n")\n' +
      'print(kept.recv(1000).split()[1].decode(), get("http://api.example.com/"))';
    expect(await printed(id, code)).toBe('200 hello from api.example.com');
    // What was refused before stays refused, by a new connection and by the one that was open.
    expect(await printed(id, `print(${refused})`)).toBe("['403', '403', '403']");
    const again =
      'kept.sendall(b"GET http://example.org/ HTTP/1.1\\r\\nHost: example.org\\r\\n\\r\\n")\n' +
      'text = b""\n' +
      'while not text.endswith((b"example.org", b"closed")) and b" 403 " not in text:\n' +
      '    text += kept.recv(1000) or b"closed"\n' +
      'print(b"hello from example.org" in text)';
    expect(await printed(id, again)).toBe('False');
    expect(new Set(resolved)).toEqual(new Set(['api.example.com']));
  });

  it('has it again in the next run when its code has stopped or ended the way out, or its interpreter', async () => {
    const id = await started();
    await run(id, `${TOOLS}\nimport os, signal\nself = {1, os.getpid(), os.getppid()}`);
    for (const signal of ['SIGSTOP', 'SIGKILL']) {
      const without = await run(
        id,
        'for pid in [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) not in self]:\n' +
          `    os.kill(pid, signal.${signal})\n` +
          'try: urllib.request.urlopen("http://api.example.com/", timeout=0.5); print("hello")\n' +
          'except OSError: print("nothing")',
      );
      expect(without.stdout).toBe('nothing\n');
      expect(await printed(id, 'print(get("http://api.example.com/"))')).toBe('hello from api.example.com');
    }
    expect(await run(id, 'os._exit(1)')).toMatchObject({ state_lost: true });
    expect(await printed(id, `${TOOLS}\nprint(get("http://api.example.com/"))`)).toBe('hello from api.example.com');
  });

  it('moves many connections and large answers at once, and goes on after those that break off', async () => {
    const id = await started();
    const code = `${TOOLS}
import threading
sizes = []
def load(): sizes.append(len(get("http://api.example.com/large")))
def leave():
    broken = socket.create_connection(("127.0.0.1", 3128), 5)
    broken.sendall(b"GET http://api.example.com/large HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n")
    broken.recv(10); broken.close()
threads = [threading.Thread(target=each) for each in [load, leave] * 10]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sizes == [3 << 20] * 10, get("http://api.example.com/"))`;
    expect(await printed(id, code, { timeout_ms: 60_000 })).toBe('True hello from api.example.com');
  });

  it('is in the audit log with its hosts, once', async () => {
    const id = await started();
    await run(id, 'pass');
    const entries = await make.sql(
      'SELECT action, actor_user_id, org_id, details FROM audit_log WHERE target_id = $1',
      [id],
    );
    expect(entries).toEqual([
      {
        action: 'sandbox_session.network_allowed',
        actor_user_id: person.user.id,
        org_id: expect.any(String),
        details: { hosts: ['api.example.com'] },
      },
    ]);
  });

  it('leaves no socket behind when it has ended, however it ends', async () => {
    const [one, other] = [await started(), await started()];
    const sockets = async (): Promise<number> =>
      (await readdir(app.get(SandboxSettings).egressDirectory)).filter((name) => name.startsWith(`${process.pid}-`))
        .length;
    expect(await sockets()).toBe(2);
    expectStatus(200, await app.call('DELETE', `${PATH}/${one}`, as(key)));
    await eventually(async () => (await sockets()) === 1, 'that of the first is gone');
    await run(other, 'import os, time\nos.kill(os.getppid(), 9)\ntime.sleep(9)');
    await eventually(async () => (await sockets()) === 0, 'that of the second is gone');
  });
});

describeNetwork('hostile code in a session with a network', () => {
  it.each([
    ['private', ['10.0.0.5']],
    ['of the machine', ['127.0.0.1']],
    ['of metadata', ['169.254.169.254']],
    ['refused by the operator', ['93.184.216.99']],
  ])('reaches no address that is %s, whatever the name says', async (_which, found) => {
    const id = await started();
    addresses = { 'api.example.com': found };
    expect(['403', '502']).toContain(await printed(id, `${TOOLS}\nprint(get("http://api.example.com/"))`));
    expect(connections).toEqual([]);
  });

  it('opens no tunnel to addresses, other hosts, other ports and what listens on this machine', async () => {
    const id = await started({ network: { allow: ['api.example.com', '*.example.org'] } });
    const port = (server.address() as AddressInfo).port;
    const targets = [
      ...['127.0.0.1', '0.0.0.0', 'localhost', '2130706433', '0x7f000001', '[::1]', '[::ffff:127.0.0.1]', PUBLIC],
      ...['10.0.0.1', '192.168.1.1', '169.254.169.254', '[fd00::1]', 'metadata.google.internal'],
      ...['api.example.com.', 'api.example.com@127.0.0.1', 'evil-api.example.com', 'example.org'],
    ].flatMap((host) => [`${host}:443`, `${host}:${port}`]);
    const all = JSON.stringify([...targets, 'api.example.com:22', 'api.example.com:25', 'a.example.org:25']);
    const code = `${TOOLS}\nprint([target for target in ${all} if tunnel(target).startswith("2")])`;
    expect(await printed(id, code)).toBe('[]');
    expect(connections).toEqual([]);
  });

  it('reaches nothing past the proxy', async () => {
    const id = await started();
    const code = `
import os, socket
def attempt(family, address):
    try: socket.socket(family).connect(address); return "reached"
    except OSError as error: return error.errno
print([attempt(socket.AF_INET, (address, 443)) for address in ("${PUBLIC}", "10.0.0.1", "169.254.169.254")])
print(attempt(socket.AF_INET, ("127.0.0.1", ${(server.address() as AddressInfo).port})))
print(os.listdir("/run"), os.listdir("/run/egress"))
for path in ("/run/egress/other", "/run/egress/proxy"):
    try: open(path, "w"); print("opened")
    except OSError: pass
try: os.unlink("/run/egress/proxy"); print("removed")
except OSError: pass`;
    expect(await printed(id, code)).toBe("[101, 101, 101]\n111\n['egress'] ['proxy']");
  });

  it('can use neither the network nor the proxy of the session of another organization', async () => {
    const outsider = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
    const theirs = expectStatus(201, await create({ network: { allow: ['b.example.org'] } }, outsider)).body.data;
    const other = await started({ network: { allow: ['api.example.com'] } });
    const without = expectStatus(201, await app.post(PATH, { language: 'python' }, as(key))).body.data;
    begun.push(without.id as string);
    expect(without).not.toHaveProperty('network');
    addresses['b.example.org'] = [PUBLIC];
    const reachable = `${TOOLS}
server = socket.create_server(("0.0.0.0", 47815))
print(get("http://b.example.org/"), socket.create_connection(("127.0.0.1", 47815), 1) is not None)`;
    const attack = `${TOOLS}
reached = []
for address in ("127.0.0.1", "0.0.0.0", socket.gethostname()):
    try: socket.create_connection((address, 47815), 1); reached.append(address)
    except OSError: pass
print(reached, tunnel("127.0.0.1:47815"), tunnel("b.example.org:443"), get("http://b.example.org/"))`;
    try {
      // Both can be had by the session itself, so that the other one would find them.
      expect(await printed(theirs.id as string, reachable, {}, outsider)).toBe('hello from b.example.org True');
      expect(await printed(other, attack)).toBe('[] 403 403 403');
      // Nor can the owner of one be sent to the other by its id.
      expectStatus(404, await app.post(`${PATH}/${theirs.id}/runs`, { code: 'pass' }, as(key)));
    } finally {
      expectStatus(200, await app.call('DELETE', `${PATH}/${theirs.id}`, as(outsider)));
    }
    const alone = `${TOOLS}
import os
try: tunnel("api.example.com:443"); print("opened")
except OSError as error: print(error.errno, os.path.exists("/run/egress"))`;
    expect(await printed(without.id as string, alone)).toBe('111 False');
  });

  it('fills the relay with connections, and has it again when they are gone', async () => {
    const id = await started();
    const code = `${TOOLS}
import time
many = []
for _ in range(400):
    try: many.append(socket.create_connection(("127.0.0.1", 3128), 1))
    except OSError: break
for each in many: each.close()
time.sleep(0.5)
print(get("http://api.example.com/"))`;
    expect(await printed(id, code, { timeout_ms: 30_000 })).toBe('hello from api.example.com');
  });

  it('may move as much in each run as an execution', async () => {
    const networks = app.get(RunNetworks);
    const renew = jest.fn();
    const original = networks.open.bind(networks);
    const open = jest.spyOn(networks, 'open').mockImplementationOnce(async (...asked) => {
      const network = await original(...asked);
      renew.mockImplementation(network.renew);
      return { ...network, renew };
    });
    const id = await started();
    open.mockRestore();
    expect(renew).not.toHaveBeenCalled();
    expect(await printed(id, `${TOOLS}\nprint(get("http://api.example.com/"))`)).toBe('hello from api.example.com');
    expect(renew).toHaveBeenCalledTimes(1);
    await shell(id, 'true');
    expect(renew).toHaveBeenCalledTimes(2);
  });
});

(countsSockets ? describe.skip : describe)('a session where nothing counts the memory of sockets', () => {
  it('can have no network, and reaches nothing without one', async () => {
    expectStatus(503, await create({}));
    const { id } = expectStatus(201, await app.post(PATH, { language: 'python' }, as(key))).body.data;
    begun.push(id as string);
    const port = (server.address() as AddressInfo).port;
    const code = `
import os, socket
reached = []
for address in ("127.0.0.1", "${PUBLIC}"):
    try: socket.create_connection((address, ${port}), 1); reached.append(address)
    except OSError: pass
print(reached, os.path.exists("/run/egress"))`;
    expect(await printed(id as string, code)).toBe('[] False');
    expect(connections).toEqual([]);
  });
});

describe('a network that is refused', () => {
  it.each([
    [{ allow: [] }],
    [{ allow: ['10.0.0.1'] }],
    [{ allow: ['localhost'] }],
    [{ allow: ['*.com'] }],
    [{ allow: ['api.example.com:25'] }],
    [{ allow: ['http://api.example.com'] }],
    [{ allow: Array.from({ length: 21 }, (_, n) => `h${n}.example.com`) }],
    [{ deny: [] }],
    ['api.example.com'],
  ])('is %j', async (network) => {
    expect((await create({ network })).body.error).toMatchObject({ code: 'invalid_request', status: 400 });
  });

  it('is any on the Free plan, which names the plan that has one', async () => {
    const free = await make.key(await make.person({ plan: 'free' }));
    expect((await create({}, free)).body.error).toMatchObject({
      code: 'invalid_request',
      status: 400,
      details: [{ path: 'network', code: 'plan', message: 'sessions have no network on the Free plan' }],
      hint: 'Upgrade to Builder: its sessions can connect to hosts that they name.',
    });
  });

  it('is any without a key or the scope', async () => {
    expectStatus(401, await app.post(PATH, { language: 'python', network: { allow: ['api.example.com'] } }));
    expectStatus(403, await create({}, await make.key(person, { scopes: ['projects:read'] })));
  });

  it('is any where nothing limits the memory of sockets, and says what is missing', async () => {
    const processes = app.get(SessionProcesses);
    jest.spyOn(processes, 'canHaveEgress', 'get').mockReturnValueOnce(false);
    expect((await create({})).body.error).toMatchObject({
      code: 'sandbox_unavailable',
      status: 503,
      details: { missing: [expect.stringContaining('cgroups')] },
    });
  });
});

describe('where the operator lets no code out', () => {
  const closed = useApp({ ...SETTINGS, APPS_NETWORK: 'off' });

  it('says so, also in advance', async () => {
    const maker = new Make(closed);
    const theirs = await maker.key(await maker.person({ plan: 'builder' }));
    const body = { language: 'python', network: { allow: ['api.example.com'] } };
    for (const headers of [{}, { 'dry-run': 'true' }]) {
      const options = as(theirs);
      const answer = await closed.post(PATH, body, { ...options, headers: { ...options.headers, ...headers } });
      expect(answer.body.error).toMatchObject({
        code: 'feature_disabled',
        status: 403,
        details: { feature: 'sandbox_network' },
      });
    }
  });
});
