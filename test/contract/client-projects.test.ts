import { type Account, client, signUpWithKey } from '../support/built-client.js';
import { useFaultProxy } from '../support/fault-proxy.js';
import { useApp } from '../support/test-app.js';

const { AuthorizationError, ConflictError, NotFoundError, Service, ValidationError } = client;

describe('the built client with projects', () => {
  // Nothing answers questions about names here.
  const settings = { ANONYMOUS_CALLS_PER_SECOND: '1000', DEFAULT_PLAN: 'builder', DOMAINS_RESOLVER: '127.0.0.1:1' };
  const app = useApp(settings, 'api');
  const proxy = useFaultProxy(() => app.url);
  let account: Account;
  let service: InstanceType<typeof Service>;

  beforeAll(async () => {
    account = await signUpWithKey(app.url);
  });
  beforeEach(() => {
    service = new Service({ apiKey: account.apiKey, baseUrl: proxy.url });
  });

  it('creates, finds by id and slug, links, unlinks and deletes a project', async () => {
    const project = await service.projects.create({ name: 'Shop', framework: 'nextjs' });
    expect(project).toMatchObject({
      slug: 'shop',
      org_id: account.organizationId,
      framework: 'nextjs',
      production_branch: 'main',
    });
    expect(await service.projects.get('shop')).toEqual(project);
    const linked = await service.projects.update(project.id, { repo_url: 'https://github.com/acme/shop' });
    expect(linked.repo_url).toBe('https://github.com/acme/shop');
    expect(await service.projects.update('shop', { repo_url: null, framework: null })).not.toHaveProperty('repo_url');
    await service.projects.delete(project.id);
    await expect(service.projects.get(project.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('lists them page by page', async () => {
    const made = [];
    for (const name of ['one', 'two', 'three']) made.unshift((await service.projects.create({ name })).id);
    const seen = [];
    for await (const { id } of service.projects.list({ limit: 2 })) seen.push(id);
    expect(seen).toEqual(made);
  });

  it('sets, lists and deletes environment variables, and returns no secret', async () => {
    const { id } = await service.projects.create({ name: 'With variables' });
    await service.projects.setEnv(id, [
      { name: 'TOKEN', value: 'hunter2', targets: ['production', 'preview'] },
      { name: 'REGION', value: 'eu', targets: ['production'], secret: false },
    ]);
    await service.projects.unsetEnv(id, 'TOKEN', 'preview');
    const variables = await service.projects.env(id);
    expect(variables).toMatchObject([
      { name: 'REGION', value: 'eu', secret: false },
      { name: 'TOKEN', targets: ['production'], secret: true },
    ]);
    expect(JSON.stringify(variables)).not.toContain('hunter2');
    await service.projects.unsetEnv(id, 'TOKEN');
    expect((await service.projects.env(id)).map(({ name }) => name)).toEqual(['REGION']);
  });

  it('adds, finds by name, verifies, lists, changes and removes domains', async () => {
    const { id } = await service.projects.create({ name: 'With domains' });
    const domain = await service.domains.create(id, { name: 'Bücher.example.com', www_redirect: true });
    expect(domain).toMatchObject({ name: 'xn--bcher-kva.example.com', state: 'pending' });
    expect(await service.domains.get(id, 'bücher.example.com')).toEqual(domain);
    const checked = await service.domains.verify(id, domain.id);
    expect(checked).toMatchObject({ state: 'pending', problem: { code: 'resolver_unavailable' } });
    const names = [];
    for await (const { name } of service.domains.list(id)) names.push(name);
    expect(names).toEqual([`www.${domain.name}`, domain.name]);
    await expect(service.domains.delete(id, domain.name)).rejects.toMatchObject({ code: 'domain_in_use' });
    const changed = await service.domains.update(id, `www.${domain.name}`, { redirect_to: null, hsts: true });
    expect(changed).toMatchObject({ hsts: true });
    expect(changed).not.toHaveProperty('redirect_to');
    await service.domains.delete(id, domain.name);
    await expect(service.domains.get(id, domain.name)).rejects.toBeInstanceOf(NotFoundError);
    await expect(service.domains.create(id, { name: '*.example.com' })).rejects.toBeInstanceOf(AuthorizationError);
  });

  it('throws the error of each refusal', async () => {
    await expect(service.projects.create({ name: 'x', repo_url: 'https://127.0.0.1/a/b' })).rejects.toBeInstanceOf(
      ValidationError,
    );
    await expect(service.projects.create({ name: 'x', slug: 'three' })).rejects.toBeInstanceOf(ConflictError);
    await expect(service.projects.env('prj_00000000000000000000000000')).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'project_not_found',
    });
    const { secret } = await service.keys.create({ name: 'reader', kind: 'personal', preset: 'read_only' });
    await expect(
      new Service({ apiKey: secret, baseUrl: proxy.url }).projects.create({ name: 'x' }),
    ).rejects.toBeInstanceOf(AuthorizationError);
  });

  it('creates one project when a lost response is retried', async () => {
    proxy.reset({ kind: 'lose-answer' });
    const input = { name: 'Only once' };
    await expect(service.projects.create(input, { idempotencyKey: 'project-1' })).rejects.toThrow('fetch failed');
    const project = await service.projects.create(input, { idempotencyKey: 'project-1' });
    expect(project.slug).toBe('only-once');
  });
});
