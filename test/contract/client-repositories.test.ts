import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { useCommandLine } from '../support/command-line.js';
import { useFaultProxy } from '../support/fault-proxy.js';
import { GitClient } from '../support/git-client.js';
import { useApp } from '../support/test-app.js';

const { AuthorizationError, ConflictError, NotFoundError, Service, ValidationError } = client;

const TEMPLATES = ['nextjs', 'nextjs-postgres', 'nextjs-uploads', 'expo', 'ai-chat'];

describe('the built client and the command line with repositories', () => {
  const app = useApp({ ANONYMOUS_CALLS_PER_SECOND: '1000', DEFAULT_PLAN: 'builder' }, 'api');
  const proxy = useFaultProxy(() => app.url);
  const command = useCommandLine(() => app.url);
  let account: Account;
  let service: InstanceType<typeof Service>;

  beforeAll(async () => {
    account = await signUpWithKey(app.url);
  });
  beforeEach(() => {
    service = new Service({ apiKey: account.apiKey, baseUrl: proxy.url });
  });

  it('creates a repository from a template, finds it, links it to a project and deletes it', async () => {
    expect((await service.repositories.templates()).map(({ id }) => id)).toEqual(TEMPLATES);
    const repository = await service.repositories.create({ name: 'shop', template: 'nextjs' });
    expect(repository).toMatchObject({
      name: 'shop',
      template: 'nextjs',
      default_branch: 'main',
      repo_url: expect.stringMatching(/\/git\/[^/]+\/shop\.git$/),
    });
    expect(await service.repositories.get(repository.id)).toMatchObject(repository);
    expect((await service.projects.create({ name: 'Shop', repo_url: repository.repo_url })).repo_url).toBe(
      repository.repo_url,
    );

    const git = new GitClient();
    try {
      await git.run([
        'clone',
        '--quiet',
        app.url.replace('//', `//ada:${account.apiKey}@`) + new URL(repository.repo_url).pathname,
        'shop',
      ]);
      expect(await git.run(['log', '--format=%s'], { cwd: 'shop' })).toBe('Start from the template nextjs');
    } finally {
      git.remove();
    }
    await service.repositories.delete(repository.id);
    await expect(service.repositories.get(repository.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('commits files, and reads them', async () => {
    const { id } = await service.repositories.create({ name: 'files' });
    const first = {
      branch: 'main',
      message: 'Begin',
      files: [
        { path: 'a', content: '1' },
        { path: 'b', content: '2' },
      ],
    };
    const { commit } = await service.repositories.commit(id, { ...first, expected_head: null });
    expect(await service.repositories.files(id, { path: ['b', 'a'], branch: 'main' })).toMatchObject({
      commit,
      files: [
        { path: 'b', content: '2' },
        { path: 'a', content: '1' },
      ],
    });
    const stale = service.repositories.commit(id, { ...first, expected_head: null });
    await expect(stale).rejects.toBeInstanceOf(ConflictError);
    await service.repositories.delete(id);
  });

  it('lists them page by page', async () => {
    const made = [];
    for (const name of ['one', 'two', 'three']) made.unshift((await service.repositories.create({ name })).id);
    const seen = [];
    for await (const { id } of service.repositories.list({ limit: 2 })) seen.push(id);
    expect(seen).toEqual(made);
  });

  it('throws the error of each refusal', async () => {
    await expect(service.repositories.create({ name: 'a/b' })).rejects.toBeInstanceOf(ValidationError);
    await expect(service.repositories.create({ name: 'x', template: 'rails' as 'expo' })).rejects.toMatchObject({
      details: [{ path: 'template', expected: TEMPLATES }],
    });
    await expect(service.repositories.create({ name: 'ONE' })).rejects.toBeInstanceOf(ConflictError);
    const { secret } = await service.keys.create({ name: 'reader', kind: 'personal', preset: 'read_only' });
    await expect(
      new Service({ apiKey: secret, baseUrl: proxy.url }).repositories.create({ name: 'x' }),
    ).rejects.toBeInstanceOf(AuthorizationError);
  });

  it('creates one repository when a lost response is retried', async () => {
    proxy.reset({ kind: 'lose-answer' });
    await expect(
      service.repositories.create({ name: 'only-once' }, { idempotencyKey: 'repository-1' }),
    ).rejects.toThrow('fetch failed');
    expect((await service.repositories.create({ name: 'only-once' }, { idempotencyKey: 'repository-1' })).name).toBe(
      'only-once',
    );
  });

  it('are available in the command line', async () => {
    const env = { SERVICE_API_KEY: account.apiKey };
    const created = await command.run(['repositories', 'create', 'from-shell', '--template', 'expo'], { env });
    expect(created).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\/from-shell\.git\n$/),
      stderr: expect.stringContaining('Created from-shell (repo_'),
    });
    const listed = await command.run(['--json', 'repositories', 'list'], { env });
    const { id } = (JSON.parse(listed.stdout) as { id: string; name: string }[]).find(
      ({ name }) => name === 'from-shell',
    )!;
    expect((await command.run(['repositories', 'list'], { env })).stdout).toMatch(
      new RegExp(`${id} +from-shell +expo +http`),
    );
    expect(await command.run(['repositories', 'delete', id], { env })).toEqual({
      code: 0,
      stdout: `${id} is deleted.\n`,
      stderr: '',
    });
    expect((await command.run(['repositories', 'delete', id], { env })).code).toBe(5);
    expect((await command.run(['repositories', 'create', 'x', '--template', 'rails'], { env })).code).toBe(2);
  });
});
