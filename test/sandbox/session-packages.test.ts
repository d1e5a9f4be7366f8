import { execFileSync } from 'node:child_process';
import { BuildsSettings } from '../../src/modules/builds/builds.settings.js';
import { PackageInstaller } from '../../src/modules/sandbox/packages/package-installer.js';
import { choiceOfSet } from '../../src/modules/sandbox/domain/package-sets.js';
import { type Ended, useCommandLine } from '../support/command-line.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { NpmPackages } from '../support/npm-packages.js';
import { PackageIndex } from '../support/package-index.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';

jest.setTimeout(onThisMachine(120_000));

const PATH = '/api/v1/sandbox/sessions';
const UNKNOWN = 'sbx_01jd3m8yeqf5rb0xkq5ym8s6tn';

/** The packages of `node-common`, in the versions of the set, each with nothing but its name. */
const OF_SET = choiceOfSet('node-common').packages.map((each) => {
  const [name, version] = each.split('@') as [string, string];
  return { name, version, files: { 'index.js': `module.exports = "the ${name} of the set"` } };
});

const registry = new NpmPackages([
  ...OF_SET,
  {
    name: 'left',
    version: '1.0.0',
    files: { 'index.js': 'exports.side = require("right")' },
    dependencies: { right: '1' },
  },
  { name: 'right', version: '1.0.0', files: { 'index.js': 'module.exports = "right"' } },
]);
const index = new PackageIndex([
  { name: 'one', version: '1.0', files: { 'one.py': 'import two\nNAME = "one and " + two.NAME\n' }, requires: ['two'] },
  { name: 'two', version: '1.5', files: { 'two/__init__.py': 'NAME = "two"\n' } },
  // It takes the name of a module of the standard library that no interpreter has imported when it starts.
  { name: 'shadow', version: '1.0', files: { 'wave.py': 'raise SystemExit("shadow")\n', 'shadow.py': 'NAME = 1\n' } },
]);

/** The fakes listen before the service reads where they are. */
const settings: NodeJS.ProcessEnv = {
  ...WITH_SANDBOX,
  SANDBOX_CONCURRENCY: '2',
  SANDBOX_SESSIONS: '4',
  SANDBOX_SESSIONS_SHARE_PERCENT: '100',
};
beforeAll(async () => {
  await Promise.all([registry.listen(), index.listen()]);
  Object.assign(settings, { BUILD_NPM_REGISTRY: registry.url, BUILD_PYTHON_INDEX: index.url });
});
const app = useApp(settings);
const make = new Make(app);
const command = useCommandLine(() => app.url);
let person: Person;
let key: string;

beforeAll(async () => {
  person = await make.person({ plan: 'pro' });
  key = await make.key(person, { scopes: ['sandbox:execute'] });
});
afterAll(() => {
  registry.close();
  index.close();
});

const create = (body: object, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, { language: 'python', ...body }, as(by, options));
const started = async (body: object, by = key): Promise<string> =>
  expectStatus(201, await create(body, {}, by)).body.data.id as string;
const read = async (id: string): Promise<any> => expectStatus(200, await app.fetch(`${PATH}/${id}`, as(key))).body.data;
async function printed(id: string, kind: 'runs' | 'shell', text: string, by = key): Promise<string> {
  const body = kind === 'runs' ? { code: text } : { command: text };
  const { data } = expectStatus(200, await app.post(`${PATH}/${id}/${kind}`, body, as(by))).body;
  return `${data.stdout as string}${data.stderr as string}`;
}
const list = async (): Promise<{ id: string; status: string; end_reason?: string; ended_at?: string }[]> =>
  expectStatus(200, await app.fetch(`${PATH}?limit=100`, as(key))).body.data;
const installations = async (): Promise<number> =>
  (await make.sql("SELECT 1 FROM usage_events WHERE source_id LIKE 'sandbox-packages:%'")).length;

/** This leaves what a worker has when only another one has installed packages. */
function removeLayers(ecosystem: string): void {
  const { directory } = app.get(BuildsSettings);
  execFileSync('/bin/sh', ['-c', `rm -rf "$1"/caches-*/.package-layers/${ecosystem}-*`, 'sh', directory]);
}

afterEach(async () => {
  for (const { id, ended_at } of await list())
    if (ended_at === undefined) expectStatus(200, await app.call('DELETE', `${PATH}/${id}`, as(key)));
});

describe('a session with packages', () => {
  it('finds those of Python in each run, in commands, and in a new interpreter', async () => {
    const id = await started({ packages: { pip: ['one==1.0'] } });
    expect(await printed(id, 'runs', 'import one\nprint(one.NAME)')).toBe('one and two\n');
    expect(await printed(id, 'runs', 'print(one.NAME)')).toBe('one and two\n');
    expect(await printed(id, 'shell', 'python3 -c "import one; print(one.NAME)"')).toBe('one and two\n');
    await printed(id, 'runs', 'import os; os._exit(0)');
    expect(await printed(id, 'runs', 'import one; print(one.NAME)')).toBe('one and two\n');
    expect((await read(id)).packages).toEqual({ pip: ['one==1.0'] });
    expect(await read(id)).not.toHaveProperty('package_set');
  });

  it('finds those of npm by require and by import, in JavaScript and in TypeScript', async () => {
    for (const language of ['javascript', 'typescript']) {
      const id = await started({ language, packages: { npm: ['left@1.0.0'] } });
      expect(await printed(id, 'runs', 'console.log(require("left").side)')).toBe('right\n');
      expect(await printed(id, 'runs', 'import { side } from "left"; console.log(side)')).toBe('right\n');
    }
  });

  it('finds those of a set, on every plan', async () => {
    const free = await make.key(await make.person({ plan: 'free' }), { scopes: ['sandbox:execute'] });
    const body = { language: 'javascript', package_set: 'node-common' };
    const { data } = expectStatus(201, await create(body, {}, free)).body;
    expect(data).toMatchObject({ package_set: 'node-common' });
    expect(data).not.toHaveProperty('packages');
    expect(await printed(data.id as string, 'runs', 'console.log(require("lodash"))', free)).toBe(
      'the lodash of the set\n',
    );
    expectStatus(200, await app.call('DELETE', `${PATH}/${data.id as string}`, as(free)));
  });

  it('keeps its own environment, and the standard library before the packages', async () => {
    const id = await started({ packages: { pip: ['shadow==1.0'] }, env: { NAME: 'Ada', MPLBACKEND: 'svg' } });
    const code = 'import os, shadow, wave\nprint(shadow.NAME, hasattr(wave, "Wave_read"), os.environ["NAME"])';
    expect(await printed(id, 'runs', code)).toBe('1 True Ada\n');
    expect(await printed(id, 'runs', 'print(os.environ["MPLBACKEND"])')).toBe('svg\n');
  });

  it('cannot change its packages, which another session does not have', async () => {
    const id = await started({ packages: { pip: ['one==1.0'] } });
    const writes = `
import os, one
for path in (one.__file__, os.path.dirname(one.__file__) + "/new"):
    try: open(path, "w"); print("written")
    except OSError as error: print(error.strerror)`;
    expect(await printed(id, 'runs', writes)).toBe('Read-only file system\nRead-only file system\n');
    expect(await printed(await started({}), 'runs', 'import one')).toContain("No module named 'one'");
  });

  it('has them installed and charged for once, and executions find the same', async () => {
    const before = await installations();
    const body = { packages: { pip: ['two==1.5', 'shadow==1.0'] } };
    await started(body);
    expect(await installations()).toBe(before + 1);
    const asked = index.requests.length;
    await started(body);
    const run = { language: 'python', code: 'import two; print(two.NAME)', ...body };
    const { data } = expectStatus(200, await app.post('/api/v1/sandbox/executions', run, as(key))).body;
    expect(data.stdout).toBe('two\n');
    expect(await installations()).toBe(before + 1);
    expect(index.requests.length).toBe(asked);
  });

  it('waits while its worker installs them from their lock', async () => {
    const body = { language: 'javascript', packages: { npm: ['right@1.0.0'] } };
    await started(body);
    removeLayers('npm');
    const [before, asked] = [await installations(), registry.requests.length];
    expect(await printed(await started(body), 'runs', 'console.log(require("right"))')).toBe('right\n');
    expect(registry.requests.length).toBeGreaterThan(asked);
    expect(await installations()).toBe(before);
  });

  it('is not started when they cannot be installed, and takes no place', async () => {
    const answer = expectStatus(422, await create({ packages: { pip: ['absent==1.0'] } }));
    expect(answer.body.error).toMatchObject({
      code: 'package_install_failed',
      details: { log: expect.stringContaining('No matching distribution found for absent') },
    });
    expect((await list())[0]).toMatchObject({ status: 'ended', end_reason: 'not_started' });
  });

  it('is refused when the sessions of the organization have four other choices of packages', async () => {
    const other = await make.person({ plan: 'pro' });
    const theirs = await make.key(other, { scopes: ['sandbox:execute'] });
    await make.sql(
      `INSERT INTO sandbox_sessions (id, org_id, user_id, language, status, limits, idle_timeout_seconds, created_at,
         last_used_at, expires_at, alive_until, packages)
       SELECT 'sbx_choice' || n, $1, $2, 'python', 'starting', '{}', 300, now(), now(), now(),
         now() + interval '1 hour',
         jsonb_build_object('ecosystem', 'pip', 'packages', jsonb_build_array('two==1.' || (4 + n)))
       FROM generate_series(1, 4) AS n`,
      [other.organization.id, other.user.id],
    );
    const answer = expectStatus(429, await create({ packages: { pip: ['one==1.0'] } }, {}, theirs));
    expect(answer.body.error).toMatchObject({
      code: 'concurrency_limit_exceeded',
      message: expect.stringContaining('4 choices of packages'),
      details: { policy: 'sandbox_session_packages', limit: 4, remaining: 0 },
      hint: expect.stringContaining('End a session with other packages'),
    });
    const id = await started({ packages: { pip: ['two==1.5'] } }, theirs);
    expect(await printed(id, 'runs', 'import two; print(two.NAME)', theirs)).toBe('two\n');
    expectStatus(200, await app.call('DELETE', `${PATH}/${id}`, as(theirs)));
    expectStatus(201, await create({ package_set: 'node-common', language: 'javascript' }, {}, theirs));
    await make.sql(
      "UPDATE sandbox_sessions SET status = 'ended', end_reason = 'requested', ended_at = now() WHERE org_id = $1",
      [other.organization.id],
    );
  });

  it('installs nothing in a dry run', async () => {
    const asked = index.requests.length;
    const headers = { 'dry-run': 'true' };
    const answer = await create({ packages: { pip: ['one==1.0', 'shadow==1.0'] } }, { headers });
    const { data } = expectStatus(201, answer).body;
    expect(data.packages).toEqual({ pip: ['one==1.0', 'shadow==1.0'] });
    expect(index.requests.length).toBe(asked);
  });

  it.each([
    ['a range', { packages: { pip: ['one>=1.0'] } }, { path: 'packages.pip', code: 'is_pip_package' }],
    ['packages of another language', { packages: { npm: ['left@1.0.0'] } }, { code: 'fits_language' }],
    ['too many', { packages: { pip: Array.from({ length: 21 }, (_, n) => `p${n}==1.0`) } }, { code: 'array_max_size' }],
    ['null', { packages: null }, { path: 'packages' }],
    ['an unknown set', { package_set: 'everything' }, { path: 'package_set', code: 'is_in' }],
    ['a set of another language', { package_set: 'node-common' }, { code: 'is_set_of_language' }],
    ['a set and packages', { package_set: 'python-data', packages: { pip: ['one==1.0'] } }, { path: 'packages' }],
  ])('is refused for %s', async (_, fields, fault) => {
    const answer = expectStatus(400, await create(fields));
    expect(answer.body.error.code).toBe('invalid_request');
    expect(answer.body.error.details).toEqual(expect.arrayContaining([expect.objectContaining(fault)]));
  });

  it('needs a paid plan for packages by name', async () => {
    const free = await make.key(await make.person({ plan: 'free' }), { scopes: ['sandbox:execute'] });
    const answer = expectStatus(400, await create({ packages: { pip: ['one==1.0'] } }, {}, free));
    expect(answer.body.error).toMatchObject({
      details: [{ path: 'packages', code: 'plan' }],
      hint: 'Upgrade to Builder to install packages, or use package_set, which every plan has.',
    });
  });

  it('needs a key with the scope, and is not seen by others', async () => {
    const body = { language: 'python', packages: { pip: ['one==1.0'] } };
    expectStatus(401, await app.post(PATH, body));
    expectStatus(403, await create(body, {}, await make.key(person, { scopes: ['deploys:read'] })));
    const outsider = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
    const id = await started(body);
    for (const path of [`${PATH}/${id}`, `${PATH}/${UNKNOWN}`]) expectStatus(404, await app.fetch(path, as(outsider)));
    expectStatus(404, await app.post(`${PATH}/${id}/runs`, { code: 'import one' }, as(outsider)));
  });
});

describe('the command line', () => {
  const service = (args: readonly string[], input?: string): Promise<Ended> =>
    command.run(['sandbox', ...args], { ...(input === undefined ? {} : { input }), env: { SERVICE_API_KEY: key } });

  it('creates sessions with packages', async () => {
    const named = await service(['session', 'create', '--package', 'pip:one==1.0']);
    expect(named).toMatchObject({ code: 0, stderr: '' });
    expect(await printed(named.stdout.trim(), 'runs', 'import one; print(one.NAME)')).toBe('one and two\n');
    const set = await service(['session', 'create', '--language', 'javascript', '--package-set', 'node-common']);
    expect(await read(set.stdout.trim())).toMatchObject({ package_set: 'node-common' });
  });

  it('has a prompt with packages', async () => {
    const typed = 'import one\nprint(one.NAME)\n';
    const ended = await service(['repl', '--package', 'pip:one==1.0'], typed);
    expect(ended).toMatchObject({ code: 0, stdout: 'one and two\n' });
  });

  it('refuses what are no packages, and packages for a session that exists', async () => {
    expect(await service(['session', 'create', '--package', 'one==1.0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--package'),
    });
    expect(await service(['session', 'create', '--package-set', 'everything'])).toMatchObject({ code: 2 });
    expect(await service(['repl', '--session', UNKNOWN, '--package', 'pip:one==1.0'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--session'),
    });
  });
});

describe('the layer of a session', () => {
  it('is held until the session ends, and no longer', async () => {
    const releases: string[] = [];
    const installer = app.get(PackageInstaller);
    const lease = installer.lease.bind(installer);
    const spy = jest.spyOn(installer, 'lease').mockImplementation(async (wanted) => {
      const held = await lease(wanted);
      if (held === null) return null;
      return {
        ...held,
        directory: held.directory,
        release: () => {
          releases.push(wanted.id);
          held.release();
        },
      };
    });
    try {
      const id = await started({ packages: { pip: ['one==1.0'] } });
      expect(await printed(id, 'runs', 'import one; print(one.NAME)')).toBe('one and two\n');
      expect(releases).toEqual([]);
      expectStatus(200, await app.call('DELETE', `${PATH}/${id}`, as(key)));
      await eventually(() => Promise.resolve(releases.length === 1), 'the layer is released');
    } finally {
      spy.mockRestore();
    }
  });
});
