import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { IgnoreRules } from '../../cli/src/upload/ignore-rules.js';
import { signUpWithKey, client } from '../support/built-client.js';
import { type Ended, useCommandLine } from '../support/command-line.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { GitClient } from '../support/git-client.js';
import { Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';

jest.setTimeout(120_000);

function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

describe('ignore rules', () => {
  const TREE = ['a', 'b.js', 'dir/a', 'dir/b.js', 'dir/sub/a', 'dir/sub/c d.txt', 'x y ', 'Q/!a', 'Q/#b', 'Q/[z]'];
  const git = new GitClient();
  beforeAll(async () => {
    await git.run(['init', '--quiet', '.']);
    write(git.directory, Object.fromEntries(TREE.map((path) => [path, ''])));
  });
  afterAll(() => {
    git.remove();
  });

  const ignoredByUs = (text: string, path: string): boolean => {
    const rules = new IgnoreRules(text);
    const parts = path.split('/');
    return parts.some(
      (_part, index) => rules.ignores(parts.slice(0, index + 1).join('/'), index + 1 < parts.length) === true,
    );
  };

  it('ignore what git ignores', async () => {
    const token = fc.constantFrom(
      ...[
        'a',
        'b.js',
        'dir',
        'sub',
        '*',
        '**',
        '/',
        '?',
        '!',
        '#',
        '\\',
        ' ',
        '[',
        ']',
        '[a-d]',
        '[d-a]',
        '[a-',
        '[!a]',
        '.js',
        'Q',
        '^',
      ],
      ...['[[:alpha:]]', '**/', '/**', '-', 'x y'],
    );
    // Git drops the letters before the first asterisk, so that it reads `a**/b` as a and then `**/b`.
    const line = fc
      .array(token, { minLength: 1, maxLength: 5 })
      .map((tokens) => tokens.join(''))
      .filter((text) => !/[^/!]\*\*|\*\*\*/.test(text));
    const texts = fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        writeFileSync(git.path('.gitignore'), text);
        const listed = (await git.run(['ls-files', '-z', '--others', '--exclude-standard', ...TREE.map(exact)])).split(
          '\0',
        );
        const kept = TREE.filter((path) => !ignoredByUs(text, path));
        expect([...kept].sort()).toEqual(listed.filter((path) => path !== '').sort());
      }),
      { numRuns: 60 },
    );
  });
  /** Git reads its arguments as patterns otherwise. */
  const exact = (path: string): string => `:(literal)${path}`;
});

describe('service deploy <directory>', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'uploads-'));
  chmodSync(dataDirectory, 0o711);
  const app = useApp({
    DATA_DIR: dataDirectory,
    ANONYMOUS_CALLS_PER_SECOND: '1000',
    DEFAULT_PLAN: 'builder',
    SANDBOX_ENABLED: 'false',
  });
  const builds = new FakeBuilds(app);
  const command = useCommandLine(() => app.url);
  let key: string;
  let site: string;
  let project: string;

  beforeAll(async () => {
    key = (await signUpWithKey(app.url)).apiKey;
    const service = new client.Service({ apiKey: key, baseUrl: app.url });
    project = (await service.projects.create({ name: 'Site' })).id;
    site = join(command.home, 'site');
    write(site, {
      'index.html': '<h1>hello</h1>',
      'copy.html': '<h1>hello</h1>',
      'run.sh': '#!/bin/sh',
      '.gitignore': 'dist\n*.log\n',
      '.serviceignore': '!keep.log\ndrafts/\n',
      'keep.log': '1',
      'drop.log': '1',
      'dist/out.js': '1',
      'drafts/x': '1',
      'deep/.gitignore': '/only-here\n',
      'deep/only-here': '1',
      'deep/kept/only-here': '1',
      '.git/config': 'secret',
      'deep/node_modules/x/index.js': '1',
      '.env': 'secret',
      '.env.production': 'secret',
      '.service.json': JSON.stringify({ project }),
    });
    chmodSync(join(site, 'run.sh'), 0o755);
    symlinkSync('/etc/passwd', join(site, 'link'));
  });
  afterAll(() => {
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const run = (args: readonly string[]): Promise<Ended> => command.run(args, { env: { SERVICE_API_KEY: key } });
  const commits = (): Promise<string[]> =>
    new Make(app)
      .sql<{ commit_sha: string }>('SELECT commit_sha FROM uploads ORDER BY id')
      .then((rows) => rows.map((row) => row.commit_sha));

  it('uploads what no ignore file excludes, and then only what is new', async () => {
    const first = await run(['deploy', 'site']);
    expect(first.stderr).toContain('9 files (0.0 MB), 7 of them new');
    expect(first.stderr).toContain('not uploaded: link.');
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^http:\/\/.+\n$/) });
    const [request] = builds.built;
    expect(request!.source).toMatchObject({
      ref: expect.stringMatching(/^[0-9a-f]{40}$/),
      repoUrl: `upload:${project}`,
    });
    const git = new GitClient();
    const listed = await git.run([
      ...['-c', 'safe.directory=*', '--git-dir', request!.source.localRepository!],
      ...['ls-tree', '-r', '--format=%(objectmode) %(path)', request!.source.ref],
    ]);
    git.remove();
    expect(listed.split('\n')).toEqual([
      '100644 .gitignore',
      '100644 .service.json',
      '100644 .serviceignore',
      '100644 copy.html',
      '100644 deep/.gitignore',
      '100644 deep/kept/only-here',
      '100644 index.html',
      '100644 keep.log',
      '100755 run.sh',
    ]);
    expect(await commits()).toEqual([request!.source.ref]);

    writeFileSync(join(site, 'index.html'), '<h1>changed</h1>');
    const second = await run(['deploy', 'site', '--branch', 'idea', '--json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ branch: 'idea', state: 'ready', upload_id: expect.any(String) });
    expect((await run(['deploy', 'site', '--no-wait'])).stderr).toContain('0 of them new');
  });

  it('says what is wrong with a directory or its project', async () => {
    mkdirSync(join(command.home, 'empty'), { recursive: true });
    for (const [args, message] of [
      [['deploy', 'nothing', '--project', project], 'not a directory'],
      [['deploy', 'empty', '--project', project], 'no file to deploy'],
      [['deploy', 'empty'], 'service link'],
      [['deploy', 'site', '--commit', 'a'.repeat(40)], 'no commits'],
    ] as const)
      expect(await run(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(await run(['deploy', '--project', project])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('service deploy <directory>'),
    });
  });
});
