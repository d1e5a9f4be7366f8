import { type Ended, useCommandLine } from '../support/command-line.js';
import { parseUsd } from '../../src/platform/money/nano-dollars.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { NpmPackages } from '../support/npm-packages.js';
import { PackageIndex } from '../support/package-index.js';
import { type Answer, type CallOptions, eventually, useApp, WITH_SANDBOX } from '../support/test-app.js';
import { execFileSync } from 'node:child_process';
import { BuildsSettings } from '../../src/modules/builds/builds.settings.js';
import { OldPackageLocksSweeper } from '../../src/modules/sandbox/packages/old-package-locks-sweeper.js';
import { choiceOfSet } from '../../src/modules/sandbox/domain/package-sets.js';

const PATH = '/api/v1/sandbox/executions';
const SETS = '/api/v1/sandbox/package-sets';

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
  {
    name: 'modern',
    version: '1.0.0',
    files: { 'index.js': 'export const side = "modern"', 'index.d.ts': 'export declare const side: string' },
    manifest: { type: 'module', exports: { types: './index.d.ts', default: './index.js' } },
  },
  { name: 'fs', version: '1.0.0', files: { 'index.js': 'module.exports = "shadow"' } },
]);
const index = new PackageIndex([
  {
    name: 'one',
    version: '1.0',
    files: { 'one.py': 'import two\nNAME = "one and " + two.NAME\n' },
    requires: ['two>=1'],
  },
  { name: 'two', version: '1.5', files: { 'two/__init__.py': 'NAME = "two"\n' } },
  // It takes the names of modules of the standard library.
  { name: 'shadow', version: '1.0', files: { 'json.py': 'raise SystemExit("shadow")\n', 'shadow.py': 'NAME = 1\n' } },
]);

/** The fakes listen before the service reads where they are. */
const settings: NodeJS.ProcessEnv = {
  ...WITH_SANDBOX,
  SANDBOX_CONCURRENCY: '2',
  SANDBOX_PACKAGE_SETS: 'node-common',
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

/** This leaves what a worker has when only another one has installed packages. */
function removeLayers(ecosystem: string): void {
  const { directory } = app.get(BuildsSettings);
  execFileSync('/bin/sh', ['-c', `rm -rf "$1"/caches-*/.package-layers/${ecosystem}-*`, 'sh', directory]);
}

const execute = (body: object, options?: CallOptions, by = key): Promise<Answer> =>
  app.post(PATH, { queue_timeout_ms: 60_000, ...body }, as(by, options));
const python = (code: string, ...pip: string[]): object => ({ language: 'python', code, packages: { pip } });
const javascript = (code: string, ...npm: string[]): object => ({ language: 'javascript', code, packages: { npm } });
const stdoutOf = async (body: object, by = key): Promise<string> => {
  const { data } = expectStatus(200, await execute(body, {}, by)).body;
  return `${data.stdout as string}${data.stderr as string}`;
};

describe('packages of an execution', () => {
  it('are resolved with what they depend on, and are found by require and by import', async () => {
    expect(await stdoutOf(javascript('console.log(require("left").side)', 'left@1.0.0'))).toBe('right\n');
    expect(await stdoutOf(javascript('import { side } from "left"; console.log(side)', 'left@1.0.0'))).toBe('right\n');
    const typed = { language: 'typescript', code: 'import { side } from "modern"; console.log(side.length)' };
    const packages = { npm: ['modern@1.0.0'] };
    expect(await stdoutOf({ ...typed, packages, check: true })).toBe('6\n');
  });

  it('are found by Python, also in programs that it starts', async () => {
    const code = `
import one, subprocess, sys
print(one.NAME, flush=True)
subprocess.run([sys.executable, "-c", "import one; print(one.NAME)"])`;
    expect(await stdoutOf(python(code, 'one==1.0'))).toBe('one and two\none and two\n');
  });

  it('cannot take the place of the standard library', async () => {
    expect(await stdoutOf(python('import json, shadow; print(json.dumps(shadow.NAME))', 'shadow==1.0'))).toBe('1\n');
    expect(await stdoutOf(javascript('console.log(typeof require("fs").readFileSync)', 'fs@1.0.0'))).toBe('function\n');
  });

  it('cannot be changed by a program, and are gone for the next one that does not name them', async () => {
    const writes = `
import os, one
for path in (one.__file__, os.path.dirname(one.__file__) + "/new"):
    try: open(path, "w"); print("written")
    except OSError as error: print(error.strerror)`;
    expect(await stdoutOf(python(writes, 'one==1.0'))).toBe('Read-only file system\nRead-only file system\n');
    expect(await stdoutOf({ language: 'python', code: 'import one' })).toContain("No module named 'one'");
  });

  it('are installed and charged for once by an organization, and resolved again for another one', async () => {
    const usage = async (): Promise<number> =>
      (await make.sql("SELECT 1 FROM usage_events WHERE source_id LIKE 'sandbox-packages:%'")).length;
    const before = { asked: index.requests.length, charged: await usage() };
    expect(await stdoutOf(python('import two; print(two.NAME)', 'two==1.5'))).toBe('two\n');
    const first = { asked: index.requests.length, charged: await usage() };
    expect(first.asked).toBeGreaterThan(before.asked);
    expect(first.charged).toBe(before.charged + 1);
    expect(await stdoutOf(python('import two; print(two.NAME)', 'two==1.5'))).toBe('two\n');
    expect({ asked: index.requests.length, charged: await usage() }).toEqual(first);
    const other = await make.key(await make.person({ plan: 'pro' }), { scopes: ['sandbox:execute'] });
    expect(await stdoutOf(python('import two; print(two.NAME)', 'two==1.5'), other)).toBe('two\n');
    expect(index.requests.length).toBeGreaterThan(first.asked);
  });

  it('that cannot be installed are refused with the words of the installer, and nothing runs', async () => {
    const answer = expectStatus(422, await execute(python('print(1)', 'absent==1.0')));
    expect(answer.body.error).toMatchObject({
      type: 'api_error',
      code: 'package_install_failed',
      details: { log: expect.stringContaining('No matching distribution found for absent') },
    });
    expectStatus(422, await execute(javascript('console.log(1)', 'left@9.9.9')));
  });

  it('are refused on the free plan, which has sets', async () => {
    const free = await make.key(await make.person({ plan: 'free' }), { scopes: ['sandbox:execute'] });
    const answer = expectStatus(400, await execute(python('print(1)', 'one==1.0'), {}, free));
    expect(answer.body.error).toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'packages', code: 'plan' }],
      hint: 'Upgrade to Builder to install packages, or use package_set, which every plan has.',
    });
  });

  it('cost nothing and are not installed in a dry run', async () => {
    const asked = index.requests.length;
    expectStatus(200, await execute(python('print(1)', 'one==1.0', 'two==1.5'), { headers: { 'dry-run': 'true' } }));
    expect(index.requests.length).toBe(asked);
  });

  it('add the price of the longest installation to the cost of a dry run, until they were installed', async () => {
    const [large, other] = await Promise.all(
      [0, 1].map(async () => make.key(await make.person({ plan: 'enterprise' }), { scopes: ['sandbox:execute'] })),
    );
    const dryRun = { headers: { 'dry-run': 'true' } };
    const costOf = async (body: object, by: string): Promise<bigint> =>
      parseUsd(expectStatus(200, await execute(body, dryRun, by)).body.data.max_cost as string);
    const timeout_ms = 240_000;
    const price = await costOf({ language: 'python', code: '1', timeout_ms }, large!);
    expect(price).toBeGreaterThan(0n);
    const asks = { ...python('import two', 'two==1.5'), timeout_ms };
    expect(await costOf(asks, large!)).toBe(2n * price);
    expect(await stdoutOf(asks, large)).toBe('');
    expect(await costOf(asks, large!)).toBe(price);
    // Another organization installs its own, and sets are free.
    expect(await costOf(asks, other!)).toBe(2n * price);
    const ofSet = { language: 'javascript', code: '1', package_set: 'node-common', timeout_ms };
    expect(await costOf(ofSet, other!)).toBe(price);
  });

  it('are refused in a dry run when their installation does not fit into a budget', async () => {
    const dryRun = { headers: { 'dry-run': 'true' } };
    const owner = await make.person({ plan: 'pro' });
    const named = { name: 'small', scopes: ['sandbox:execute'] };
    const { id, secret: by } = expectStatus(201, await app.post('/api/v1/keys', named, as(owner))).body.data;
    const budget = { limit: '0.001', window: 'day' };
    expectStatus(200, await send(app, ['PUT', `/api/v1/billing/budgets/key:${id as string}`], budget, as(owner)));
    expectStatus(200, await execute({ language: 'python', code: '1' }, dryRun, by));
    const answer = expectStatus(402, await execute(python('1', 'one==1.0'), dryRun, by));
    expect(answer.body.error.code).toBe('budget_exceeded');
  });

  it('are installed again from their lock where this machine does not have them, at no charge', async () => {
    expect(await stdoutOf(javascript('console.log(require("left").side)', 'left@1.0.0'))).toBe('right\n');
    const asked = registry.requests.length;
    const [usage] = await make.sql('SELECT count(*) AS count FROM usage_events', []);
    removeLayers('npm');
    const { data } = expectStatus(
      200,
      await execute(javascript('console.log(require("left").side)', 'left@1.0.0')),
    ).body;
    expect(data).toMatchObject({ status: 'succeeded', stdout: 'right\n' });
    expect(
      registry.requests
        .slice(asked)
        .filter((path) => path.startsWith('/files/'))
        .sort(),
    ).toEqual(['/files/left-1.0.0.tgz', '/files/right-1.0.0.tgz']);
    // The run alone.
    const [after] = await make.sql('SELECT count(*) AS count FROM usage_events', []);
    expect(Number(after!['count'])).toBe(Number(usage!['count']) + 1);
  });

  it('go on being installed when the caller does not wait for that, and are there later', async () => {
    const asks = python('import one, two; print("both")', 'one==1.0', 'two==1.5');
    const answer = expectStatus(503, await execute({ ...asks, queue_timeout_ms: 200 }));
    expect(answer.body.error).toMatchObject({
      code: 'packages_unavailable',
      message: 'The packages are being installed.',
      retry_after: 5,
    });
    expect(answer.headers.get('retry-after')).toBe('5');
    await eventually(async () => (await execute(asks)).body.data?.stdout === 'both\n', 'the packages are there');
  });

  it('are forgotten when the organization has not used them for 90 days, and beyond the last hundred', async () => {
    const { id: orgId } = person.organization;
    const count = async (): Promise<number> =>
      (await make.sql('SELECT 1 FROM sandbox_package_locks WHERE org_id = $1', [orgId])).length;
    await make.sql(
      `INSERT INTO sandbox_package_locks SELECT encode(sha256(n::text::bytea), 'hex'), $1, 'pip', 'python', '', now(),
         now() - make_interval(days => 80 + n) FROM generate_series(1, 100) AS n`,
      [orgId],
    );
    expect(await count()).toBeGreaterThanOrEqual(100);
    expectStatus(200, await execute(javascript('require("right")', 'right@1.0.0')));
    expect(await count()).toBe(100);
    await app.get(OldPackageLocksSweeper).run();
    const [old] = await make.sql(
      "SELECT count(*) AS count FROM sandbox_package_locks WHERE used_at < now() - interval '90 days'",
    );
    expect(old!['count']).toBe('0');
    expect(await count()).toBeGreaterThan(10);
  });

  it('can be named on the command line', async () => {
    const run = (...args: string[]): Promise<Ended> =>
      command.run(['sandbox', 'run', '-', '--language', 'python', ...args], {
        input: 'import one; print(one.NAME)',
        env: { SERVICE_API_KEY: key },
      });
    expect(await run('--package', 'pip:one==1.0')).toEqual({ code: 0, stdout: 'one and two\n', stderr: '' });
    expect(await run('--package', 'one==1.0')).toMatchObject({ code: 2, stderr: expect.stringContaining('--package') });
    expect(await run('--package-set', 'everything')).toMatchObject({ code: 2 });
    const anonymous = await command.run(['sandbox', 'run', '-', '--language', 'python', '--package', 'pip:one==1.0'], {
      input: '1',
    });
    expect(anonymous).toMatchObject({ code: 2, stderr: expect.stringContaining('Packages need an account.') });
  });

  it('can be used by an execution whose caller does not wait', async () => {
    const { id } = expectStatus(
      202,
      await execute({ ...python('import one; print(one.NAME)', 'one==1.0'), wait: false }),
    ).body.data;
    await eventually(
      async () => (await app.fetch(`${PATH}/${id}`, as(key))).body.data.stdout === 'one and two\n',
      'the execution has ended',
    );
  });

  it.each([
    ['a range', { npm: ['left@^1.0.0'] }, { path: 'packages.npm', code: 'is_npm_package' }],
    ['a tag', { npm: ['left@latest'] }, { path: 'packages.npm' }],
    ['no version', { npm: ['left'] }, { path: 'packages.npm' }],
    ['an address', { npm: ['left@https://example.com/left.tgz'] }, { path: 'packages.npm' }],
    ['another name', { npm: ['left@npm:right@1.0.0'] }, { path: 'packages.npm' }],
    ['git', { npm: ['git+ssh://git@example.com/left.git'] }, { path: 'packages.npm' }],
    ['a path', { npm: ['../left@1.0.0'] }, { path: 'packages.npm' }],
    ['an option', { npm: ['--registry=x@1.0.0'] }, { path: 'packages.npm' }],
    ['two versions of one', { npm: ['left@1.0.0', 'left@1.0.1'] }, { code: 'are_distinct_packages' }],
    ['too many', { npm: Array.from({ length: 21 }, (_, n) => `p${n}@1.0.0`) }, { code: 'array_max_size' }],
    ['none', { npm: [] }, { code: 'array_min_size' }],
    ['a number', { npm: [1] }, { path: 'packages.npm' }],
    ['another type', { npm: 'left@1.0.0' }, { path: 'packages.npm' }],
    ['those of Python', { pip: ['one==1.0'] }, { path: 'packages', code: 'fits_language' }],
    ['nothing at all', {}, { path: 'packages', code: 'fits_language' }],
    ['null', null, { path: 'packages' }],
    ['an unknown installer', { gem: ['x'] }, {}],
  ])('are refused when they name %s', async (_, packages, fault) => {
    const answer = expectStatus(400, await execute({ language: 'javascript', code: '1', packages }));
    expect(answer.body.error.code).toBe('invalid_request');
    expect(answer.body.error.details).toEqual(expect.arrayContaining([expect.objectContaining(fault)]));
  });

  it.each([
    'one>=1.0',
    'one',
    'one==1.*',
    'one[extra]==1.0',
    'one==1.0; python_version > "3"',
    'one @ http://x/one.whl',
    '-r x==1',
    './one==1.0',
    'one==1.0 --hash=sha256:00',
    'one==1.0\ntwo==1.5',
  ])('are refused when pip is asked for %j', async (each) => {
    const answer = expectStatus(400, await execute(python('1', each)));
    expect(answer.body.error.details).toEqual([
      expect.objectContaining({ path: 'packages.pip', code: 'is_pip_package' }),
    ]);
  });

  it('are not part of the sandbox without an account', async () => {
    const answer = await app.post('/api/v1/sandbox/try', python('print(1)', 'one==1.0'));
    expectStatus(400, answer);
    expect(answer.body.error.details).toEqual([expect.objectContaining({ path: 'packages', code: 'unknown_field' })]);
  });
});

describe('sets of packages', () => {
  const listed = async (): Promise<Record<string, unknown>[]> =>
    expectStatus(200, await app.fetch(SETS, as(key))).body.data;

  it('are listed with versions and state; what the operator named is installed when a worker starts', async () => {
    await eventually(async () => (await listed())[1]!['state'] === 'available', 'the set is installed');
    expect(await listed()).toEqual([
      {
        name: 'python-data',
        languages: ['python'],
        packages: expect.arrayContaining([{ name: 'numpy', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }]),
        state: 'unavailable',
        reason: 'It is not installed yet. The first execution that names it installs it.',
      },
      {
        name: 'node-common',
        languages: ['javascript', 'typescript'],
        packages: expect.arrayContaining([{ name: 'lodash', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) }]),
        state: 'available',
      },
    ]);
    const code = 'console.log(require("lodash"))';
    const free = await make.key(await make.person({ plan: 'free' }), { scopes: ['sandbox:execute'] });
    expect(await stdoutOf({ language: 'javascript', code, package_set: 'node-common' }, free)).toBe(
      'the lodash of the set\n',
    );
  });

  it('that the index does not have are refused, and say so, while everything else runs', async () => {
    const data = { language: 'python', code: 'print(1)', package_set: 'python-data' };
    // The fake index has none of its packages.
    const answer = expectStatus(422, await execute(data));
    expect(answer.body.error.code).toBe('package_install_failed');
    const [first] = await listed();
    expect(first).toMatchObject({ state: 'unavailable', reason: 'The packages could not be installed.' });
    expect(await stdoutOf({ language: 'python', code: 'print(1)' })).toBe('1\n');
  });

  it.each([
    ['an unknown set', { package_set: 'everything' }, { path: 'package_set', code: 'is_in' }],
    ['a set of another language', { package_set: 'node-common' }, { path: 'package_set', code: 'is_set_of_language' }],
    ['null', { package_set: null }, { path: 'package_set' }],
    ['a set and packages', { package_set: 'python-data', packages: { pip: ['one==1.0'] } }, { path: 'packages' }],
  ])('are refused for %s', async (_, fields, fault) => {
    const answer = expectStatus(400, await execute({ language: 'python', code: '1', ...fields }));
    expect(answer.body.error.details).toEqual(expect.arrayContaining([expect.objectContaining(fault)]));
  });

  it('need a key with the scope of executions', async () => {
    expectStatus(401, await app.fetch(SETS));
    const other = await make.key(person, { scopes: ['deploys:read'] });
    expectStatus(403, await app.fetch(SETS, as(other)));
    expectStatus(403, await execute(python('1', 'one==1.0'), {}, other));
  });
});

describe('without the registry', () => {
  beforeAll(() => {
    registry.close();
    index.close();
  });

  it('packages that are new are unavailable, and those that are installed can be used', async () => {
    for (const body of [python('print(1)', 'late==1.0'), javascript('1', 'late@1.0.0')]) {
      const answer = expectStatus(503, await execute(body));
      expect(answer.body.error).toMatchObject({
        type: 'api_error',
        code: 'packages_unavailable',
        message: expect.stringMatching(/^The package registry 127\.0\.0\.2:\d+ cannot be reached from this machine\.$/),
        hint: 'Nothing ran. Retry after 60 s, or run the code without packages.',
      });
    }
    expect(await stdoutOf(python('import one; print(one.NAME)', 'one==1.0'))).toBe('one and two\n');
  });

  it('an execution whose packages are gone from this machine is given up, and costs nothing', async () => {
    removeLayers('pip');
    const answer = expectStatus(503, await execute(python('print(1)', 'one==1.0')));
    expect(answer.body.error.code).toBe('sandbox_unavailable');
    const [last] = (await app.fetch(PATH, as(key))).body.data;
    expect(last).toMatchObject({ status: 'lost' });
    expect(last).not.toHaveProperty('cost');
  });
});
