import { createHmac } from 'node:crypto';
import { GithubDeliveries } from '../../src/modules/github/github-deliveries.js';
import { Clock } from '../../src/platform/time/clock.js';
import { FakeGithub } from '../support/fake-github.js';
import { as, expectStatus, Make, type Org, type Person, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

jest.setTimeout(120_000);
const BASE = '/api/v1/integrations/github';
const LONG = 100_000;

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false', DEPLOY_CONCURRENCY: '2' };
const github = FakeGithub.use(settings);
const app = useApp(settings);
const make = new Make(app);
let ada: Person;
let org: Org;
let key: string;

beforeAll(async () => {
  ada = await make.person();
  org = await make.org(ada, { plan: 'builder' });
  key = await make.key(ada, { kind: 'org_bound', org_id: org.id });
  github.account('templates', 'Organization');
  await github.repository('templates', 'nextjs', { isPrivate: false });
});

async function stateOf(by: Person | string = key): Promise<string> {
  const { data } = expectStatus(201, await app.call('POST', `${BASE}/links`, as(by))).body;
  return new URL(data.install_url as string).searchParams.get('state')!;
}
const finish = (body: object, by: Person | string = key): Promise<Answer> =>
  app.post(`${BASE}/installations`, body, as(by));
/** A connected account that `login` on GitHub owns. */
async function connected(
  login = uniqueName('gh'),
  by: Person | string = key,
): Promise<{ id: string; installationId: number; account: string }> {
  github.account(login);
  const installation = github.install(login);
  const { data } = expectStatus(
    201,
    await finish({ state: await stateOf(by), code: github.codeFor(login), installation_id: installation.id }, by),
  ).body;
  return { id: data.id, installationId: installation.id, account: login };
}
const refusal = ({ status, body }: Answer): [number, string] => [status, body?.error?.code];

describe('connecting a GitHub account', () => {
  it('redirects to GitHub and back, and verifies the account there', async () => {
    const { data: link } = expectStatus(201, await app.call('POST', `${BASE}/links`, as(key))).body;
    expect(link.install_url).toMatch(new RegExp(`^${github.url}/apps/fake-app/installations/new\\?state=ghs_`));
    expect(link.authorize_url).toContain(`${github.url}/login/oauth/authorize?client_id=Iv1.`);
    github.account('ada-on-github');
    const { id } = github.install('ada-on-github');
    const state = new URL(link.install_url as string).searchParams.get('state')!;
    const { data } = expectStatus(
      201,
      await finish({ state, code: github.codeFor('ada-on-github'), installation_id: id }),
    ).body;
    expect(data).toEqual({
      id: expect.stringMatching(/^ghi_/),
      org_id: org.id,
      installation_id: id,
      account: 'ada-on-github',
      account_type: 'User',
      created_at: expect.any(String),
    });
    const shown = expectStatus(200, await app.fetch(BASE, as(key))).body.data;
    expect(shown).toEqual({ configured: true, installations: [data] });
    // What proved who they are is given back.
    expect(github.requests.at(-1)).toMatchObject({
      method: 'DELETE',
      path: '/api/applications/Iv1.0123456789abcdef/token',
    });
    const audit = expectStatus(200, await app.fetch(`/api/v1/orgs/${org.id}/audit-log`, as(ada))).body.data;
    expect(audit.map(({ action }: any) => action)).toContain('github.connected');
    expectStatus(204, await app.call('DELETE', `${BASE}/installations/${data.id}`, as(key)));
  });

  it('accepts a state once, from its person, unchanged and in time', async () => {
    const { account, installationId } = await connected();
    const body = { code: 'x', installation_id: installationId };
    const used = await stateOf();
    expect(refusal(await finish({ ...body, state: used }))).toEqual([403, 'github_access_denied']);
    expect(refusal(await finish({ ...body, state: used, code: github.codeFor(account) }))).toEqual([
      400,
      'invalid_link_state',
    ]);

    // The browser of another user was sent there: it would connect their account to the wrong organization.
    const mallory = await make.person();
    await make.member(org, mallory, 'admin');
    expect(refusal(await finish({ ...body, state: await stateOf(), code: github.codeFor(account) }, mallory))).toEqual([
      400,
      'invalid_link_state',
    ]);

    // The last letter, in bits that count and in those that do not.
    const fresh = await stateOf();
    const changed = ['A', 'B', 'E', 'F']
      .map((letter) => fresh.slice(0, -1) + letter)
      .filter((state) => state !== fresh);
    for (const state of [...changed, 'ghs_x.y', `${(await stateOf()).split('.')[0]!}.`])
      expect(refusal(await finish({ ...body, state }))).toEqual([400, 'invalid_link_state']);

    const late = await stateOf();
    const clock = app.get(Clock);
    const now = clock.now.bind(clock);
    clock.now = () => new Date(now().getTime() + 16 * 60_000);
    try {
      expect(refusal(await finish({ ...body, state: late, code: github.codeFor(account) }, ada))).toEqual([
        400,
        'invalid_link_state',
      ]);
    } finally {
      clock.now = now;
    }
  });

  it('rejects an installation of an account that the person does not administer', async () => {
    github.account('acme', 'Organization', ['boss']);
    for (const login of ['boss', 'collaborator', 'outsider']) github.account(login);
    const { id } = github.install('acme');
    const ofBoss = github.install('boss');
    const tryAs = async (login: string, installationId: number): Promise<Answer> =>
      finish({ state: await stateOf(), code: github.codeFor(login), installation_id: installationId });
    expect(refusal(await tryAs('collaborator', id))).toEqual([403, 'github_access_denied']);
    expect(refusal(await tryAs('outsider', ofBoss.id))).toEqual([403, 'github_access_denied']);
    expect(refusal(await tryAs('boss', 999_999))).toEqual([403, 'github_access_denied']);
    expectStatus(201, await tryAs('boss', id));

    // It belongs to one organization: another one of the same person does not get it as well.
    const other = await make.org(ada);
    const otherKey = await make.key(ada, { kind: 'org_bound', org_id: other.id });
    expect(
      refusal(
        await finish({ state: await stateOf(otherKey), code: github.codeFor('boss'), installation_id: id }, otherKey),
      ),
    ).toEqual([409, 'already_exists']);
    // One that is deleted holds nothing.
    const [row] = await make.sql('SELECT id FROM github_installations WHERE installation_id = $1', [id]);
    await make.sql('UPDATE github_installations SET org_id = $1 WHERE id = $2', [other.id, row!['id']]);
    expectStatus(204, await app.call('DELETE', `/api/v1/orgs/${other.id}`, as(ada)));
    expectStatus(201, await tryAs('boss', id));
  });

  it('requires permission to change the organization in both steps', async () => {
    const member = await make.person();
    await make.member(org, member, 'member');
    const theirs = await make.key(member, { kind: 'org_bound', org_id: org.id });
    expect(refusal(await app.call('POST', `${BASE}/links`, as(theirs)))).toEqual([403, 'insufficient_scopes']);
    await make.role(org, member, 'admin');
    const state = await stateOf(theirs);
    await make.role(org, member, 'member');
    github.account('short-lived');
    const { id } = github.install('short-lived');
    expect(refusal(await finish({ state, code: github.codeFor('short-lived'), installation_id: id }, theirs))).toEqual([
      403,
      'insufficient_scopes',
    ]);
  });

  it('returns validation errors, and 503 when GitHub is unavailable', async () => {
    expect(refusal(await finish({}))).toEqual([400, 'invalid_request']);
    expect(refusal(await finish({ state: 'x', code: 'y', installation_id: '1' }))).toEqual([400, 'invalid_request']);
    expect(
      refusal(
        await app.post(
          `${BASE}/installations`,
          { state: 'x', code: 'y', installation_id: 1 },
          as(key, { headers: { 'dry-run': 'true' } }),
        ),
      ),
    ).toEqual([400, 'invalid_request']);
    const state = await stateOf();
    github.failure = { status: 503, body: { message: 'Unicorn' } };
    const answer = await finish({ state, code: 'x', installation_id: 1 });
    github.failure = undefined;
    expect([...refusal(answer), answer.body.error.message]).toEqual([
      502,
      'upstream_error',
      'GitHub answered 503: Unicorn',
    ]);
  });

  it("disconnects an account, and returns 404 for another organization's installation", async () => {
    const { id } = await connected();
    const outsider = await make.key(await make.person());
    const answers = await Promise.all(
      [id, `ghi_${'0'.repeat(26)}`, 'x'].map((one) => app.call('DELETE', `${BASE}/installations/${one}`, as(outsider))),
    );
    for (const answer of answers)
      expect([answer.status, answer.text.replace(/req_\w+/, '…')]).toEqual([
        404,
        answers[1]!.text.replace(/req_\w+/, '…'),
      ]);
    expectStatus(204, await app.call('DELETE', `${BASE}/installations/${id}`, as(key)));
    expectStatus(404, await app.call('DELETE', `${BASE}/installations/${id}`, as(key)));
  });

  it('escapes the callback page', async () => {
    const page = await app.fetch(
      '/integrations/github/callback?state=ghs_x.%3Cscript%3E&code=a%27b%22&installation_id=12&setup_action=install',
    );
    expect([
      page.status,
      page.headers.get('content-type'),
      page.headers.get('cache-control'),
      page.headers.get('referrer-policy'),
    ]).toEqual([200, 'text/html; charset=utf-8', 'no-store', 'no-referrer']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).not.toContain('<script');
    expect(page.text).toContain('installation_id&quot;:12');
    expect(page.text).toContain(
      'href="/app/connect-github#state=ghs_x.%3Cscript%3E&amp;code=a%27b%22&amp;installation_id=12"',
    );
    expect((await app.fetch('/integrations/github/callback?error=access_denied')).text).toContain('did not authorize');
  });
});

describe('GitHub webhooks', () => {
  const ping = { zen: 'Keep it logically awesome.' };

  it('verifies the signature over the raw body before parsing it', async () => {
    const { installationId } = await connected();
    const push = {
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
      repository: { id: 1, clone_url: 'https://github.com/a/b.git' },
      installation: { id: installationId },
    };
    expectStatus(202, await github.deliver(app, 'ping', ping));
    for (const options of [{ secret: 'another-secret-than-that' }, { sent: `${JSON.stringify(push)} ` }]) {
      expect(refusal(await github.deliver(app, 'push', push, options))).toEqual([401, 'invalid_signature']);
    }
    for (const headers of [
      {},
      { 'x-hub-signature-256': 'sha256=00' },
      { 'x-hub-signature': 'sha1=00', 'x-github-delivery': '1' },
    ] as Record<string, string>[]) {
      expect(refusal(await app.post('/webhooks/github', push, { headers }))).toEqual([401, 'invalid_signature']);
    }
    expect(refusal(await github.deliver(app, 'push', push, { id: '' }))).toEqual([401, 'invalid_signature']);
  });

  it('are handled once when they are repeated', async () => {
    const { installationId } = await connected();
    const push = {
      ref: 'refs/heads/main',
      after: 'a'.repeat(40),
      repository: { id: 1, clone_url: 'https://github.com/a/b.git' },
      installation: { id: installationId },
    };
    const id = uniqueName('delivery');
    const answers = await Promise.all(Array.from({ length: 5 }, () => github.deliver(app, 'push', push, { id })));
    expect(answers.map(({ status, body }) => [status, body.data.outcome]).sort()).toEqual([
      [202, 'accepted'],
      ...Array.from({ length: 4 }, () => [202, 'repeated']),
    ]);
    expect((await github.deliver(app, 'push', push)).body.data.outcome).toBe('accepted');
    // What GitHub does not tell again any more is forgotten.
    await make.sql("UPDATE github_deliveries SET received_at = now() - interval '31 days' WHERE id = $1", [id]);
    await app.get(GithubDeliveries).forgetOld();
    expect(await make.sql('SELECT id FROM github_deliveries WHERE id = $1', [id])).toEqual([]);
  });

  it.each<[string, string, object]>([
    [
      'a tag',
      'push',
      { ref: 'refs/tags/v1', after: 'a'.repeat(40), repository: { id: 1, clone_url: 'x' }, installation: { id: 1 } },
    ],
    ['an event that is not ours', 'issues', { action: 'opened', installation: { id: 1 } }],
    [
      'a push without an installation',
      'push',
      { ref: 'refs/heads/main', after: 'a'.repeat(40), repository: { id: 1, clone_url: 'x' } },
    ],
    ['something that is no push', 'push', { ref: 7, installation: { id: 1 } }],
    ['a list', 'push', []],
  ])('are ignored without consequences: %s', async (_what, event, payload) => {
    expect((await github.deliver(app, event, payload)).body.data).toEqual({ outcome: 'ignored' });
  });

  it('are ignored when a signed body is not JSON', async () => {
    const answer = await app.call('POST', '/webhooks/github', { headers: signedHeaders('not json'), body: 'not json' });
    expect([answer.status, answer.body.data.outcome]).toEqual([202, 'ignored']);
  });

  it('are accepted while unauthenticated callers send slow bodies, which are cut off after five seconds', async () => {
    const from = '198.18.40.4';
    const slow = (): Promise<string> =>
      app.raw(
        [
          'POST /webhooks/github HTTP/1.1',
          'Host: api.test',
          `X-Forwarded-For: ${from}`,
          'Content-Length: 1000',
          ...Object.entries(signedHeaders('never sent')).map(([name, value]) => `${name}: ${value}`),
          '',
          'a first part',
        ].join('\r\n'),
      );
    const began = performance.now();
    const over: string[] = [];
    const answers = Promise.all(
      Array.from({ length: 24 }, () =>
        slow().then((answer) => {
          over.push(answer);
          return answer;
        }),
      ),
    );
    await eventually(() => over.length >= 8, 'eight are refused at once');
    expect(refusal(await github.deliver(app, 'ping', ping, { from }))).toEqual([503, 'service_unavailable']);
    expectStatus(202, await github.deliver(app, 'ping', ping));
    const codes = (await answers).map((answer) => /"code":"(\w+)"/.exec(answer)?.[1]).sort();
    expect(codes).toEqual([
      ...Array.from({ length: 16 }, () => 'request_timeout'),
      ...Array.from({ length: 8 }, () => 'service_unavailable'),
    ]);
    // Half a minute without the deadline.
    expect(performance.now() - began).toBeLessThan(20_000);
    expectStatus(202, await github.deliver(app, 'ping', ping, { from }));
  }, 40_000);

  it('suspend and delete installations', async () => {
    const { installationId, account } = await connected();
    const shown = async (): Promise<any> =>
      expectStatus(200, await app.fetch(BASE, as(key))).body.data.installations.find(
        ({ installation_id: id }: any) => id === installationId,
      );
    const tell = (action: string): Promise<Answer> =>
      github.deliver(app, 'installation', { action, installation: { id: installationId } });
    await tell('suspend');
    await eventually(async () => (await shown()).suspended_at !== undefined, 'it is suspended', LONG);
    expect(
      refusal(
        await app.post(
          '/api/v1/repositories',
          { name: uniqueName('r'), template: 'nextjs', provider: 'github', account },
          as(key),
        ),
      ),
    ).toEqual([409, 'github_not_connected']);
    await tell('unsuspend');
    await eventually(async () => (await shown()).suspended_at === undefined, 'it is not any more', LONG);
    await tell('deleted');
    await eventually(async () => (await shown()) === undefined, 'it is gone', LONG);
  });
});

function signedHeaders(body: string): Record<string, string> {
  return {
    'x-github-event': 'push',
    'x-github-delivery': uniqueName('d'),
    'x-hub-signature-256':
      'sha256=' + createHmac('sha256', settings['GITHUB_WEBHOOK_SECRET']!).update(body).digest('hex'),
  };
}

describe('a repository at GitHub', () => {
  const create = (body: object, options: Record<string, string> = {}): Promise<Answer> =>
    app.post(
      '/api/v1/repositories',
      { provider: 'github', template: 'nextjs', ...body },
      as(key, { headers: options }),
    );

  it('is created from a template in the account, listed, and unlinked without deletion at GitHub', async () => {
    const { account } = await connected();
    const name = uniqueName('shop');
    const { data } = expectStatus(201, await create({ name, account })).body;
    expect(data).toEqual({
      id: expect.stringMatching(/^repo_/),
      org_id: org.id,
      name,
      provider: 'github',
      template: 'nextjs',
      repo_url: `${github.url}/${account}/${name}.git`,
      default_branch: 'main',
      created_at: expect.any(String),
    });
    expect(expectStatus(200, await app.fetch(`/api/v1/repositories/${data.id}`, as(key))).body.data).toEqual(data);
    expect(expectStatus(200, await app.fetch('/api/v1/repositories', as(key))).body.data).toContainEqual(data);
    const asked = github.requests.filter(({ path }) => path.endsWith('/generate')).at(-1);
    expect(asked).toMatchObject({
      path: '/api/repos/templates/nextjs/generate',
      body: { owner: account, name, private: true },
    });
    // The address of our own git does not lead to it.
    expect(
      (
        await app.fetch(`/git/${org.slug}/${name}.git/info/refs?service=git-upload-pack`, {
          headers: { authorization: `Basic ${Buffer.from(`x:${key}`).toString('base64')}` },
        })
      ).status,
    ).toBe(404);
    expect(refusal(await create({ name: name.toUpperCase(), account }))).toEqual([409, 'already_exists']);
    expectStatus(204, await app.call('DELETE', `/api/v1/repositories/${data.id}`, as(key)));
    // It is there still, so that the name is free here and not there; that took nothing.
    expect(refusal(await create({ name, account }))).toEqual([409, 'already_exists']);
    const count = (): Promise<any[]> =>
      make.sql(
        'SELECT count(*)::int AS count FROM repositories WHERE org_id = $1 AND name = $2 AND deleted_at IS NULL',
        [org.id, name],
      );
    expect(await count()).toEqual([{ count: 0 }]);
  });

  it('sends nothing to GitHub in a dry run, and is created once per idempotency key', async () => {
    const { account } = await connected();
    const name = uniqueName('shop');
    const before = github.requests.length;
    const rehearsed = expectStatus(201, await create({ name, account }, { 'dry-run': 'true' })).body;
    expect([rehearsed.meta.dry_run, rehearsed.data.repo_url, github.requests.length]).toEqual([
      true,
      `${github.url}/${account}/${name}.git`,
      before,
    ]);
    const [one, other] = [
      await create({ name, account }, { 'idempotency-key': name }),
      await create({ name, account }, { 'idempotency-key': name }),
    ];
    expect([one.status, other.status, other.body.data.id]).toEqual([201, 201, one.body.data.id]);
    expect(github.requests.filter(({ path, body }) => path.endsWith('/generate') && body.name === name)).toHaveLength(
      1,
    );
  });

  it('requires a template, and a connected account by name if there are several', async () => {
    const name = uniqueName('shop');
    await Promise.all([connected(), connected()]);
    expect(refusal(await app.post('/api/v1/repositories', { provider: 'github', name }, as(key)))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(refusal(await create({ name }))).toEqual([400, 'invalid_request']);
    expect(refusal(await create({ name, account: 'nobody' }))).toEqual([409, 'github_not_connected']);
    expect(
      refusal(
        await app.post(
          '/api/v1/repositories',
          { provider: 'github', template: 'nextjs', name },
          as(await make.key(ada)),
        ),
      ),
    ).toEqual([409, 'github_not_connected']);
  });

  it('returns the error of GitHub, and creates nothing', async () => {
    const { account } = await connected();
    const name = uniqueName('shop');
    github.failure = { status: 403, body: { message: 'Resource not accessible by integration' } };
    const answer = await create({ name, account });
    github.failure = undefined;
    expect([...refusal(answer), answer.body.error.message]).toEqual([
      502,
      'upstream_error',
      'GitHub answered 403: Resource not accessible by integration',
    ]);
    expectStatus(201, await create({ name, account }));
  });

  it('is unlinked when the installation cannot see it any more', async () => {
    const { account, installationId } = await connected();
    const { data } = expectStatus(201, await create({ name: uniqueName('shop'), account })).body;
    const [row] = await make.sql('SELECT remote_id FROM repositories WHERE id = $1', [data.id]);
    await github.deliver(app, 'installation_repositories', {
      action: 'removed',
      installation: { id: installationId },
      repositories_removed: [{ id: Number(row!['remote_id']) }],
    });
    await eventually(
      async () => (await app.fetch(`/api/v1/repositories/${data.id}`, as(key))).status === 404,
      'it is gone',
      LONG,
    );
  });
});

describe('from GitHub to a live site', () => {
  const get = async (id: string, by = key): Promise<any> =>
    expectStatus(200, await app.fetch(`/api/v1/deploys/${id}`, as(by))).body.data;
  const over = async (id: string, by = key): Promise<any> => {
    await eventually(async () => (await get(id, by)).finished_at !== undefined, `${id} is over`, LONG);
    return get(id, by);
  };
  async function open(url: string): Promise<string> {
    return app.raw(`GET / HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`, { port: app.appsPort });
  }
  const project = async (repoUrl: string, by = key): Promise<string> =>
    expectStatus(201, await app.post('/api/v1/projects', { name: uniqueName('site'), repo_url: repoUrl }, as(by))).body
      .data.id as string;
  const deploy = async (id: string, by = key): Promise<any> =>
    over(expectStatus(202, await app.post(`/api/v1/projects/${id}/deploys`, {}, as(by))).body.data.id as string, by);

  it('fetches a private repository with its own token, deploys pushes, and leaks no token', async () => {
    const { account } = await connected();
    const name = uniqueName('shop');
    const { data: repository } = expectStatus(
      201,
      await app.post('/api/v1/repositories', { provider: 'github', template: 'nextjs', name, account }, as(key)),
    ).body;
    const id = await project((repository.repo_url as string).replace(/\.git$/, ''));
    const first = await deploy(id);
    expect([first.state, first.error]).toEqual(['ready', undefined]);
    expect(await open(first.url as string)).toContain('From nextjs');
    const minted = github.requests
      .filter(({ path, body }) => path.endsWith('/access_tokens') && body.repositories !== undefined)
      .map(({ body }) => body as { repositories: string[]; permissions: object });
    // Reports on commits have tokens of their own.
    expect(minted).toContainEqual({ repositories: [name], permissions: { contents: 'read' } });
    expect(minted.filter(({ repositories }) => repositories.join() !== name)).toEqual([]);

    // GitHub names it with `.git`, the project without.
    const sha = await github.push(app, [account, name], { 'index.html': '<h1>Pushed</h1>' });
    let pushed: any;
    await eventually(
      async () => {
        const { data } = (await app.fetch(`/api/v1/projects/${id}/deploys`, as(key))).body;
        pushed = data.find(
          ({ commit, finished_at: finishedAt }: any) => commit?.sha === sha && finishedAt !== undefined,
        );
        return pushed !== undefined;
      },
      'what was pushed is deployed',
      LONG,
    );
    expect([pushed.state, pushed.type]).toEqual(['ready', 'production']);
    expect(await open(pushed.url as string)).toContain('Pushed');

    const said = [
      (await app.fetch(`/api/v1/deploys/${first.id}/logs`, as(key))).text,
      (await app.fetch(`/api/v1/deploys/${first.id}/events`, as(key))).text,
      JSON.stringify(app.log()),
    ].join('\n');
    expect(github.tokens.length).toBeGreaterThan(0);
    for (const token of github.tokens) expect(said).not.toContain(token);
    const kept = await make.sql(
      `SELECT (SELECT json_agg(d)::text FROM deploys d) AS deploys, (SELECT json_agg(r)::text
        FROM repositories r) AS repositories`,
    );
    for (const token of github.tokens) expect(JSON.stringify(kept)).not.toContain(token);
  });

  it('rejects private repositories of another organization or a disconnected account', async () => {
    const { account, id: installation } = await connected();
    const name = uniqueName('secret');
    await github.repository(account, name);
    const url = `${github.url}/${account}/${name}.git`;
    const bob = await make.person();
    const theirs = await make.key(bob);
    await connected(uniqueName('bob'), theirs);
    const stolen = await deploy(await project(url, theirs), theirs);
    expect([stolen.state, stolen.error?.code]).toEqual(['error', 'repository_unreachable']);
    const mine = await project(url);
    expect((await deploy(mine)).state).toBe('ready');
    expectStatus(204, await app.call('DELETE', `${BASE}/installations/${installation}`, as(key)));
    const again = expectStatus(202, await app.post(`/api/v1/projects/${mine}/deploys`, { force: true }, as(key))).body
      .data.id as string;
    expect((await over(again)).error?.code).toBe('repository_unreachable');
    // A push to what is not connected any more deploys nothing.
    const before = (await app.fetch(`/api/v1/projects/${mine}/deploys`, as(key))).body.data.length as number;
    await github.push(app, [account, name], { 'index.html': 'later' });
    await eventually(
      async () => (await make.sql('SELECT 1 FROM outbox_messages')).length === 0,
      'the message was delivered',
      LONG,
    );
    expect((await app.fetch(`/api/v1/projects/${mine}/deploys`, as(key))).body.data).toHaveLength(before);
  });

  it('fails with a message when GitHub is unavailable', async () => {
    const { account } = await connected();
    const name = uniqueName('shop');
    await github.repository(account, name);
    const id = await project(`${github.url}/${account}/${name}`);
    github.failure = { status: 503, body: { message: 'Unicorn' } };
    const failed = await deploy(id);
    github.failure = undefined;
    expect(failed.error).toEqual({
      code: 'repository_unreachable',
      message: 'GitHub answered 503: Unicorn. See /docs/deploys#errors.',
    });
  });
});

describe('without a GitHub App', () => {
  const without = useApp({}, 'api');
  const their = new Make(without);

  it('returns an error, and keeps hosted repositories working', async () => {
    const bare = await their.key(await their.person());
    expect(expectStatus(200, await without.fetch(BASE, as(bare))).body.data).toEqual({
      configured: false,
      installations: [],
    });
    expect(refusal(await without.call('POST', `${BASE}/links`, as(bare)))).toEqual([409, 'integration_not_configured']);
    expect(
      refusal(
        await send(
          without,
          ['POST', '/api/v1/repositories'],
          { name: 'shop', template: 'nextjs', provider: 'github' },
          as(bare),
        ),
      ),
    ).toEqual([409, 'integration_not_configured']);
    expect(refusal(await without.post('/webhooks/github', {}))).toEqual([409, 'integration_not_configured']);
    expect(
      expectStatus(201, await without.post('/api/v1/repositories', { name: 'shop' }, as(bare))).body.data.provider,
    ).toBe('service');
  });
});
