import { Outbox } from '../../../src/platform/outbox/outbox.js';
import { GitClient } from '../../support/git-client.js';
import { as, expectStatus, Make, type Org, type Person, uniqueName } from '../../support/make.js';
import { useApp } from '../../support/test-app.js';
import { ToolCaller, type ToolCallOptions } from '../../support/tool-caller.js';

const ABSENT = '0'.repeat(40);

describe('the tools for files of repositories', () => {
  const app = useApp();
  const make = new Make(app);
  const git = new GitClient();
  let person: Person;
  let org: Org;
  let key: string;
  let caller: ToolCaller;
  beforeAll(async () => {
    person = await make.person();
    org = await make.org(person, { plan: 'pro' });
    key = await make.key(person);
    caller = new ToolCaller(app, org, person);
  });
  afterAll(() => {
    git.remove();
  });

  const created = async (orgId = org.id, by = key): Promise<{ id: string; name: string; url: string }> => {
    const name = uniqueName('repo');
    const options = as(by, { headers: { 'x-service-org': orgId } });
    const { data } = expectStatus(201, await app.post('/api/v1/repositories', { name }, options)).body;
    return { id: data.id, name, url: `${app.url.replace('//', `//any:${by}@`)}/git/${orgId}/${name}.git` };
  };
  /** Pushes with the git of a developer. Returns the directory of the clone and the commit. */
  const pushed = async (url: string, script: string): Promise<{ clone: string; head: string }> => {
    const clone = uniqueName('clone');
    await git.run(['clone', '--quiet', url, clone]);
    await git.run(['checkout', '--quiet', '-B', 'main'], { cwd: clone });
    await git.run(['-c', `alias.do=!${script}`, 'do'], { cwd: clone });
    await git.run(['add', '--all'], { cwd: clone });
    await git.run(['commit', '--quiet', '--message', 'Files'], { cwd: clone });
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: clone });
    return { clone, head: await git.run(['rev-parse', 'HEAD'], { cwd: clone }) };
  };
  const write = (repository: string, input: object, options?: ToolCallOptions): Promise<any> =>
    caller.output('write_files', { repository, branch: 'main', message: 'Change', ...input }, options);
  const codeOf = async (kind: string, input: object, options?: ToolCallOptions): Promise<unknown> =>
    caller
      .call(kind, input, options)
      .catch((error: unknown) => error)
      .then((found) => (found as { code?: string }).code);

  it('read files, list directories and find lines', async () => {
    const { id, name, url } = await created();
    const script = [
      'mkdir -p "src/a b" && printf "one\\ntwo Needle\\n" > "src/a b/x.txt"',
      'printf "needle needle" > ":(top)" && printf "a\\0b needle" > binary',
      'head -c 1100000 /dev/zero | tr "\\0" a > large && ln -s /etc/passwd link',
    ].join(' && ');
    const { head } = await pushed(url, script);
    const paths = ['src/a b/x.txt', 'binary', 'large', 'link', 'missing', 'src/', '.', ':(top)', '../x', '/etc/passwd'];
    const { files, ...facts } = await caller.output('read_files', { repository: name, paths });
    expect(facts).toEqual({ repository_id: id, branch: 'main', commit: head });
    const all = [':(top)', 'binary', 'large', 'link', 'src/a b/x.txt'];
    expect(files).toEqual([
      { path: 'src/a b/x.txt', size: 15, content: 'one\ntwo Needle\n' },
      { path: 'binary', size: 10, note: 'The file is binary.' },
      { path: 'large', size: 1_100_000, note: expect.stringContaining('too large') },
      // The target of the link is shown, and not what is there on this machine.
      { path: 'link', size: 11, content: '/etc/passwd' },
      { path: 'missing', note: 'There is no such file.' },
      { path: 'src', files: ['src/a b/x.txt'], truncated: false },
      { path: '.', files: all, truncated: false },
      { path: ':(top)', size: 13, content: 'needle needle' },
      { path: '../x', note: 'There is no such file.' },
      { path: 'etc/passwd', note: 'There is no such file.' },
    ]);

    const search = async (input: object): Promise<any> => caller.output('search_files', { repository: id, ...input });
    expect(await search({ text: 'needle' })).toMatchObject({
      commit: head,
      lines: [{ path: ':(top)', line: 1, text: 'needle needle' }],
      truncated: false,
    });
    expect((await search({ text: 'NEEDLE', ignore_case: true })).lines).toHaveLength(2);
    expect((await search({ text: 'needle', ignore_case: true, path: 'src/' })).lines).toMatchObject([{ line: 2 }]);
    expect(await search({ text: 'needle', ignore_case: true, limit: 1 })).toMatchObject({ truncated: true });
    expect((await search({ text: 'n.*e' })).lines).toEqual([]);
    expect((await search({ text: '--help' })).lines).toEqual([]);
    expect((await search({ text: 'needle', path: '../x' })).lines).toEqual([]);
    for (const kind of ['read_files', 'search_files'])
      expect((await caller.tools(kind))[0]).toMatchObject({ effect: 'read', taints: true });
  });

  it('write a commit on its expected parent, as a push that is reported', async () => {
    const { id, url } = await created();
    const { clone, head } = await pushed(url, 'printf a > a && chmod +x a && mkdir d && printf b > d/b');
    const files = [
      { path: 'a', content: 'changed' },
      { path: 'd/b', content: null },
      { path: 'new/"q" ü\'s.txt', content: 'ü' },
    ];
    const { commit } = await write(id, { files, expected_head: head, message: 'Change it\n\nWhy.' });
    await git.run(['pull', '--quiet', 'origin', 'main'], { cwd: clone });
    expect(await git.run(['rev-parse', 'HEAD', 'HEAD^'], { cwd: clone })).toBe(`${String(commit)}\n${head}`);
    expect(await git.run(['-c', 'core.quotePath=false', 'ls-files', '-s'], { cwd: clone })).toMatch(
      /^100755 \w+ 0\ta\n100644 \w+ 0\t"new\/\\"q\\" ü's.txt"$/,
    );
    expect(await git.run(['log', '-1', '--format=%B'], { cwd: clone })).toMatch(
      /^Change it\n\nWhy\.\n\nEffect-Key: [0-9a-f]{64}$/,
    );
    expect(await git.run(['log', '-1', '--format=%an'], { cwd: clone })).toBe(person.user.username);
    const [branch] = await make.sql('SELECT commit_sha FROM repository_branches WHERE repository_id = $1', [id]);
    expect(branch).toEqual({ commit_sha: commit });
    expect(await git.run(['fsck', '--strict'], { cwd: clone })).toBe('');
  });

  it('publish the event of a push once', async () => {
    const { id } = await created();
    const input = { files: [{ path: 'a', content: 'a' }], expected_head: null };
    const effect = uniqueName('effect');
    const publish = jest.spyOn(app.get(Outbox), 'publish');
    const { commit } = await write(id, input, { effect });
    await write(id, input, { effect });
    const events = publish.mock.calls.filter(([event]) => event.name === 'repository-pushed');
    publish.mockRestore();
    const facts = { repositoryId: id, orgId: org.id, branch: 'main', commitSha: commit, pusherId: person.user.id };
    expect(events.map(([, payload]) => payload)).toEqual([expect.objectContaining(facts)]);
  });

  it('return the commit of an earlier call with the same key instead of writing again', async () => {
    const { id, url } = await created();
    const { clone, head } = await pushed(url, 'printf a > a');
    const effect = uniqueName('effect');
    const input = { files: [{ path: 'a', content: 'b' }], expected_head: head };
    const first = await write(id, input, { effect });
    expect(await write(id, input, { effect })).toEqual(first);
    // Also after others have pushed.
    await git.run(['pull', '--quiet', 'origin', 'main'], { cwd: clone });
    await git.run(['commit', '--quiet', '--allow-empty', '-m', 'Later'], { cwd: clone });
    await git.run(['push', '--quiet', 'origin', 'main'], { cwd: clone });
    expect(await write(id, input, { effect })).toEqual(first);
    const racing = await Promise.all(
      Array.from({ length: 4 }, () =>
        codeOf('write_files', { repository: id, branch: 'main', message: 'm', ...input, expected_head: first.commit }),
      ),
    );
    expect(new Set(racing)).toEqual(new Set(['branch_moved']));
  });

  it('let one of several writers win, and write nothing for the others', async () => {
    const { id, url } = await created();
    const { clone, head } = await pushed(url, 'printf a > a');
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        codeOf('write_files', {
          repository: id,
          branch: 'main',
          message: 'm',
          files: [{ path: `file-${index}`, content: 'x' }],
          expected_head: head,
        }),
      ),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(1);
    expect(outcomes.filter((code) => code === 'branch_moved')).toHaveLength(4);
    await git.run(['pull', '--quiet', 'origin', 'main'], { cwd: clone });
    expect(await git.run(['rev-list', '--count', 'HEAD'], { cwd: clone })).toBe('2');
  });

  it('begin a branch at an existing commit, and a repository with a first one', async () => {
    const { id } = await created();
    const first = await write(id, { files: [{ path: 'a', content: 'a' }], expected_head: null });
    const feature = { branch: 'feature/x', files: [{ path: 'b', content: 'b' }], expected_head: first.commit };
    await write(id, feature);
    const { files } = await caller.output('read_files', { repository: id, branch: 'feature/x', paths: ['.'] });
    expect(files).toMatchObject([{ files: ['a', 'b'] }]);
    const again = { repository: id, branch: 'main', message: 'm', files: feature.files };
    expect(await codeOf('write_files', { ...again, expected_head: null })).toBe('branch_moved');
    expect(await codeOf('write_files', { ...again, expected_head: ABSENT })).toBe('branch_moved');
    expect(await codeOf('write_files', { ...again, branch: 'other', expected_head: ABSENT })).toBe('branch_moved');
    expect(await codeOf('read_files', { repository: id, branch: 'other', paths: ['a'] })).toBe('branch_not_found');
  });

  it.each([
    ['a path of git', [{ path: '.git/hooks/post-checkout', content: 'x' }]],
    ['a path outside', [{ path: '../x', content: 'x' }]],
    [
      'a path twice',
      [
        { path: 'x', content: 'x' },
        { path: 'x', content: 'y' },
      ],
    ],
    ['a file that is a directory', [{ path: 'd', content: 'x' }]],
    ['a missing file to delete', [{ path: 'nothing', content: null }]],
    ['a large file', [{ path: 'x', content: 'ü'.repeat(600_000) }]],
    [
      'too much together',
      Array.from({ length: 5 }, (_, index) => ({ path: `${index}`, content: 'x'.repeat(1_000_000) })),
    ],
    ['too many files', Array.from({ length: 101 }, (_, index) => ({ path: `${index}`, content: '' }))],
  ])('refuse %s', async (_, files) => {
    const { id } = await created();
    const first = await write(id, { files: [{ path: 'd/a', content: 'a' }], expected_head: null });
    const input = { repository: id, branch: 'main', message: 'm', files, expected_head: first.commit };
    expect(await codeOf('write_files', input)).toBe('invalid_request');
  });

  it('need the permissions of the caller, and know no repository of another organization', async () => {
    const { id, name } = await created();
    const outsider = await make.person();
    const other = await created(outsider.organization.id, await make.key(outsider));
    const own = await created(person.organization.id);
    const input = { paths: ['a'], text: 'a', branch: 'main', message: 'm', files: [{ path: 'a', content: '' }] };
    for (const kind of ['read_files', 'search_files', 'write_files']) {
      for (const repository of [other.id, other.name, own.id, own.name, 'repo_x', 'no such'])
        expect(await codeOf(kind, { ...input, repository, expected_head: null })).toBe('repository_not_found');
      for (const repository of [id, name]) {
        const without = { scopes: ['ai:invoke'] } as const;
        expect(await codeOf(kind, { ...input, repository, expected_head: null }, without)).toBe('insufficient_scopes');
      }
    }
    expect(
      await codeOf('write_files', { ...input, repository: id, expected_head: null }, { scopes: ['repositories:read'] }),
    ).toBe('insufficient_scopes');
  });
});
