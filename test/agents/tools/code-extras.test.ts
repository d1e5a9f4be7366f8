import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { InsufficientScopes } from '../../../src/modules/auth/access.errors.js';
import { HostingSettings } from '../../../src/modules/hosting/hosting.settings.js';
import { RunNetworks } from '../../../src/modules/sandbox/network/run-networks.js';
import { OrgSessionsService } from '../../../src/modules/sandbox/org-sessions.service.js';
import { Make, type Org, type Person, uniqueName } from '../../support/make.js';
import { PackageIndex } from '../../support/package-index.js';
import { onThisMachine } from '../../support/patience.js';
import { useApp, WITH_SANDBOX } from '../../support/test-app.js';
import { ToolCaller, type ToolCallOptions } from '../../support/tool-caller.js';

jest.setTimeout(onThisMachine(120_000));

/** A public address. Connections to it lead to the server of this file. */
const PUBLIC = '93.184.216.34';
const HOSTS = { hosts: ['api.example.com', '*.example.org'] };
const GET = `
import urllib.request
print(urllib.request.urlopen("http://api.example.com/", timeout=5).read().decode())`;

const index = new PackageIndex([
  { name: 'one', version: '1.0', files: { 'one.py': 'NAME = "one"\n' } },
  { name: 'two', version: '1.5', files: { 'two.py': 'NAME = "two"\n' } },
]);
const settings: NodeJS.ProcessEnv = { ...WITH_SANDBOX, SANDBOX_CONCURRENCY: '2', SANDBOX_SESSIONS: '4' };
beforeAll(async () => {
  await index.listen();
  settings['BUILD_PYTHON_INDEX'] = index.url;
});

describe('code of agents with packages, a network and files', () => {
  const app = useApp(settings);
  const make = new Make(app);
  let server: Server;
  let person: Person;
  let org: Org;
  let caller: ToolCaller;
  let run: string;

  beforeAll(async () => {
    person = await make.person();
    org = await make.org(person, { plan: 'pro' });
    caller = new ToolCaller(app, org, person);
    server = createServer((_, response) => response.end('words of others'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const networks = app.get(RunNetworks);
    jest.spyOn(networks, 'resolve').mockImplementation(() => Promise.resolve([PUBLIC]));
    jest
      .spyOn(networks, 'connect')
      .mockImplementation(() => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  });
  beforeEach(() => {
    run = `run_${uniqueName('x')}`;
  });
  afterEach(async () => {
    const live = 'SELECT run_id FROM sandbox_sessions WHERE org_id = $1 AND ended_at IS NULL';
    for (const { run_id: id } of await make.sql(live, [org.id]))
      await app.get(OrgSessionsService).endAllOf(id as string);
  });
  afterAll(async () => {
    index.close();
    await new Promise((resolve) => server.close(resolve));
  });

  const call = (kind: string, input: object, options: ToolCallOptions = {}): Promise<any> =>
    caller.call(kind, { language: 'python', ...input }, { ...options, run: { id: run } });
  const refused = (kind: string, input: object, options?: ToolCallOptions): Promise<any> =>
    call(kind, input, options).catch((error: unknown) => error);
  const output = async (kind: string, input: object, options?: ToolCallOptions): Promise<any> => {
    const outcome = await call(kind, input, options);
    if (outcome.kind !== 'succeeded') throw new Error(JSON.stringify(outcome));
    return outcome.output;
  };
  const rows = (sql: string, ...values: unknown[]): Promise<Record<string, any>[]> => make.sql(sql, values);

  describe.each(['run_code', 'run_in_session'])('%s', (kind) => {
    it('has the packages that the model names, which are installed first', async () => {
      const asked = { code: 'import one; print(one.NAME)', packages: { pip: ['one==1.0'] } };
      expect(await output(kind, asked)).toMatchObject({ status: 'succeeded', stdout: 'one\n' });
      // The version may leave them out.
      const without = await call(kind, asked, { settings: { packages: false } });
      expect(without).toMatchObject({ kind: 'failed', code: 'packages_not_allowed' });
    });

    it('says what the installer says, as words of others', async () => {
      const outcome = await call(kind, { code: '1', packages: { pip: ['absent==1.0'] } });
      expect(outcome).toMatchObject({
        kind: 'succeeded',
        taints: true,
        output: {
          status: 'not_run',
          error: { name: 'package_install_failed' },
          log: expect.stringContaining('No matching distribution found for absent'),
        },
      });
    });

    it('reaches only hosts that the version and the call name, and marks the run then', async () => {
      const asked = { code: GET, network: { allow: ['api.example.com'] } };
      const reached = await call(kind, asked, { settings: HOSTS });
      expect(reached).toMatchObject({ kind: 'succeeded', taints: true, output: { stdout: 'words of others\n' } });
      const [entry] = await rows(
        "SELECT details FROM audit_log WHERE org_id = $1 AND action LIKE '%network_allowed'",
        org.id,
      );
      expect(entry!['details']).toEqual({ hosts: ['api.example.com'] });
      run = `run_${uniqueName('offline')}`;
      const offline = await call(kind, { code: GET }, { settings: HOSTS });
      expect(offline).toMatchObject({ kind: 'succeeded', output: { status: 'failed' } });
      expect(offline.taints).toBeUndefined();
      for (const [allow, settings] of [
        [['api.example.com'], {}],
        [['evil.example.com'], HOSTS],
        [['api.example.com', 'evil.example.com'], HOSTS],
      ] as const)
        expect(await call(kind, { code: GET, network: { allow } }, { settings })).toMatchObject({
          kind: 'failed',
          code: 'host_not_listed',
        });
    });

    it('gets no more than the plan, the operator and the scopes allow', async () => {
      const free = await make.person({ plan: 'free' });
      const theirs = new ToolCaller(app, free.organization, free);
      const network = { allow: ['api.example.com'] };
      for (const extra of [{ network }, { packages: { pip: ['one==1.0'] } }])
        await expect(
          theirs.call(kind, { language: 'python', code: '1', ...extra }, { settings: HOSTS, run: { id: run } }),
        ).rejects.toMatchObject({ code: 'invalid_request', status: 400, help: { details: [{ code: 'plan' }] } });
      const scopes = ['ai:invoke'] as const;
      expect(await refused(kind, { code: '1', network }, { settings: HOSTS, scopes })).toBeInstanceOf(
        InsufficientScopes,
      );
      const off = jest.replaceProperty(app.get(HostingSettings), 'appsNetwork', 'off');
      try {
        expect(await refused(kind, { code: '1', network }, { settings: HOSTS })).toMatchObject({
          code: 'feature_disabled',
        });
      } finally {
        off.restore();
      }
      for (const extra of [
        { network: { allow: [] } },
        { packages: { pip: ['one'] } },
        { packages: { npm: ['left@1.0.0'] } },
        { package_set: 'node-common' },
      ])
        expect(await refused(kind, { code: '1', ...extra }, { settings: HOSTS })).toMatchObject({
          code: 'invalid_request',
          status: 400,
        });
    });

    it('offers a model only what the version allows', async () => {
      const propertiesOf = async (given: object): Promise<any> => {
        const [tool] = await caller.tools(kind, given as Record<string, unknown>);
        return { ...(tool!.inputSchema as any).properties, isOutward: tool!.isOutward };
      };
      const plain = await propertiesOf({});
      expect(Object.keys(plain)).toEqual(expect.arrayContaining(['package_set', 'packages']));
      expect(plain).not.toHaveProperty('network');
      expect(plain.isOutward).toBe(false);
      expect(await propertiesOf({ packages: false })).not.toHaveProperty('packages');
      const withHosts = await propertiesOf(HOSTS);
      expect(withHosts.network.properties.allow.items.enum).toEqual(HOSTS.hosts);
      expect(withHosts.isOutward).toBe(true);
      const faults = (given: object): string[] =>
        caller.faults(kind, given as Record<string, unknown>).map(({ path }) => path);
      expect(faults({ ...HOSTS, packages: true })).toEqual([]);
      expect(faults({ hosts: [] })).toEqual(['tools[0].settings.hosts']);
      expect(faults({ hosts: 'api.example.com' })).toEqual(['tools[0].settings.hosts']);
      expect(faults({ hosts: Array(21).fill('a.example.com') })).toEqual(['tools[0].settings.hosts']);
      expect(faults({ hosts: ['a.example.com', '10.0.0.1', 'b.example.com:25', '*', 1] })).toEqual(
        [1, 2, 3, 4].map((at) => `tools[0].settings.hosts[${at}]`),
      );
      expect(faults({ packages: 'yes' })).toEqual(['tools[0].settings.packages']);
    });
  });

  it('run_in_session begins another interpreter when the model names other packages or hosts', async () => {
    const sessionOf = async (input: object): Promise<string> =>
      (await output('run_in_session', { code: '1', ...input }, { settings: HOSTS })).session_id as string;
    const first = await sessionOf({ packages: { pip: ['one==1.0', 'two==1.5'] } });
    expect(await sessionOf({})).toBe(first);
    expect(await sessionOf({ packages: { pip: ['two==1.5', 'one==1.0'] } })).toBe(first);
    const second = await sessionOf({ packages: { pip: ['two==1.5'] } });
    expect(second).not.toBe(first);
    const third = await sessionOf({ network: { allow: ['api.example.com'] } });
    expect(third).not.toBe(second);
    expect(await sessionOf({ network: { allow: ['API.example.com'.toLowerCase()] } })).toBe(third);
    expect(await sessionOf({})).toBe(third);
    const states = await rows('SELECT id, status FROM sandbox_sessions WHERE run_id = $1', run);
    expect(
      states
        .filter(({ status }) => status === 'ended')
        .map(({ id }) => id as string)
        .sort(),
    ).toEqual([first, second].sort());
    // What comes from a session with a network may be words of others, whatever this call names.
    expect((await call('run_in_session', { code: 'print(1)' })).taints).toBe(true);
  });

  it('read_artifact reads what was kept, in pieces, and nothing of others', async () => {
    const code =
      'open("/artifacts/a ü.txt", "w").write("ä€😀" * 9_000); open("/artifacts/b.bin", "wb").write(bytes(9))';
    const kept = await output('run_code', { code, artifacts: true });
    const { execution_id } = kept;
    const [text, binary] = kept.artifacts.map(({ id }: any) => id as string);
    const read = (artifact_id: string, more: object = {}): Promise<any> =>
      output('read_artifact', { execution_id, artifact_id, ...more });
    let whole = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const piece: any = await read(text, { offset });
      expect(piece).toMatchObject({ path: 'a ü.txt', size_bytes: 81_000, type: 'text/plain' });
      whole += piece.text as string;
      offset = piece.next_offset as number | undefined;
    }
    expect(whole).toBe('ä€😀'.repeat(9_000));
    expect(await read(text, { offset: 1_000_000 })).toMatchObject({ text: '' });
    expect(await read(binary)).toEqual({
      path: 'b.bin',
      size_bytes: 9,
      type: 'application/octet-stream',
      note: 'The file is binary. Read it with code.',
    });
    expect((await caller.tools('read_artifact'))[0]).toMatchObject({ effect: 'read', taints: true, isOutward: false });

    const outsider = await make.person({ plan: 'pro' });
    const theirs = new ToolCaller(app, outsider.organization, outsider);
    await expect(theirs.call('read_artifact', { execution_id, artifact_id: text })).rejects.toMatchObject({
      code: 'execution_not_found',
    });
    // The same person in another organization acts for that one.
    const other = new ToolCaller(app, person.organization, person);
    await expect(other.call('read_artifact', { execution_id, artifact_id: text })).rejects.toMatchObject({
      code: 'execution_not_found',
    });
    for (const artifact_id of ['art_01jd3m8yeqf5rb0xkq5ym8s6tn', '../x', '\0'])
      expect(await refused('read_artifact', { execution_id, artifact_id })).toMatchObject({
        code: 'artifact_not_found',
        status: 404,
      });
    expect(
      await refused('read_artifact', { execution_id, artifact_id: text }, { scopes: ['ai:invoke'] }),
    ).toBeInstanceOf(InsufficientScopes);
  });

  it('read_session_file reads the files of the interpreter of the run, and of no other run', async () => {
    const read = (path: string, more: object = {}): Promise<any> => refused('read_session_file', { path, ...more });
    expect(await read('a.txt')).toMatchObject({ kind: 'failed', code: 'sandbox_session_not_found' });
    await output('run_in_session', { code: 'n = open("a.txt", "w").write("x" * 40_000 + "end")' });
    const first = (await read('a.txt')).output;
    expect(first).toMatchObject({ size_bytes: 40_003, next_offset: 32_768 });
    const rest = (await read('a.txt', { offset: first.next_offset })).output;
    expect(first.text + rest.text).toBe(`${'x'.repeat(40_000)}end`);
    expect(rest).not.toHaveProperty('next_offset');
    expect(await read('absent')).toMatchObject({ code: 'session_file_not_found', status: 404 });
    for (const path of ['../a.txt', '/etc/passwd', '', 'a\0b', 'x'.repeat(2_000)])
      expect(await read(path)).toMatchObject({ code: 'invalid_request', status: 400 });
    expect(await read('a.txt', { language: 'javascript' })).toMatchObject({ code: 'sandbox_session_not_found' });
    run = `run_${uniqueName('other')}`;
    expect(await read('a.txt')).toMatchObject({ code: 'sandbox_session_not_found' });
  });
});
