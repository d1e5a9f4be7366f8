import { Ajv } from 'ajv';
import { as, Make, type Person, send } from '../support/make.js';
import { mailTo } from '../support/mailbox.js';
import { type Answer, useApp } from '../support/test-app.js';

describe('responses about people and organizations', () => {
  const app = useApp();
  const make = new Make(app);
  let document: any;
  let ajv: Ajv;
  let ada: Person;

  beforeAll(async () => {
    document = (await app.fetch('/api/v1/openapi.json')).body;
    ajv = new Ajv({ strict: false, allErrors: true, formats: { 'date-time': true, email: true, password: true } });
    ajv.addSchema(forbidUnknown(document) as object, 'api');
    ada = await make.person();
  });

  /** The status is described, the body is as its schema says, and holds nothing else. */
  function expectDescribed(
    [method, path]: readonly [string, string],
    status: number,
    { status: answered, body, text }: Answer,
  ): void {
    expect({ method, path, status: answered, text: answered === status ? '' : text }).toEqual({
      method,
      path,
      status,
      text: '',
    });
    const described = document.paths[`/api/v1${path}`][method.toLowerCase()].responses[status];
    expect(described).toBeDefined();
    if (status === 204) {
      expect(text).toBe('');
      return;
    }
    const pointer = [
      'paths',
      `/api/v1${path}`,
      method.toLowerCase(),
      'responses',
      String(status),
      'content',
      'application/json',
      'schema',
    ];
    const validate = ajv.compile({
      $ref:
        'api#/' + pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/'),
    });
    validate(body);
    expect({ path, errors: validate.errors }).toEqual({ path, errors: null });
  }

  async function walk(
    method: string,
    path: string,
    status: number,
    { body, by, at = path }: { body?: object; by?: Person | string; at?: string } = {},
  ): Promise<any> {
    const options = by === undefined ? {} : as(by);
    const answer = await (body === undefined
      ? app.call(method, `/api/v1${at}`, options)
      : send(app, [method, `/api/v1${at}`], body, options));
    expectDescribed([method, path], status, answer);
    return answer.body?.data;
  }

  it('match the OpenAPI document: accounts and sessions', async () => {
    const account = { username: 'described', email: 'described@example.org', password: 'correct horse battery' };
    const { session_token: by } = await walk('POST', '/auth/sign-up', 201, { body: account });
    await walk('POST', '/auth/sign-up', 409, { body: account });
    await walk('POST', '/auth/sign-up', 400, { body: {} });
    await walk('POST', '/auth/sign-in', 200, { body: { login: 'described', password: account.password } });
    await walk('POST', '/auth/sign-in', 401, { body: { login: 'described', password: 'not this one' } });
    await walk('POST', '/auth/verify-email', 400, { body: { token: 'x' } });
    await walk('POST', '/auth/verify-email/resend', 202, { by });
    await walk('POST', '/auth/verify-email', 200, {
      body: { token: (await mailTo(app, account.email, 'Verify')).token },
    });
    await walk('POST', '/auth/password/forgot', 202, { body: { email: account.email } });
    const { token } = await mailTo(app, account.email, 'Reset your password');
    await walk('PUT', '/auth/password', 401, {
      by,
      body: { current_password: 'not this one', new_password: 'another long secret' },
    });
    const { session_token: rotated } = await walk('POST', '/auth/session/rotate', 200, { by });
    const sessions = await walk('GET', '/auth/sessions', 200, { by: rotated });
    await walk('DELETE', '/auth/sessions/{session_id}', 404, { by: rotated, at: '/auth/sessions/x' });
    await walk('DELETE', '/auth/sessions/{session_id}', 204, { by: rotated, at: `/auth/sessions/${sessions[0].id}` });
    await walk('POST', '/auth/password/reset', 200, { body: { token, password: 'another long secret' } });
    await walk('POST', '/auth/sign-out', 401, { by: rotated });
    const { session_token: last } = await walk('POST', '/auth/sign-in', 200, {
      body: { login: 'described', password: 'another long secret' },
    });
    await walk('PUT', '/auth/password', 200, {
      by: last,
      body: { current_password: 'another long secret', new_password: 'one more long secret' },
    });
    await walk('POST', '/auth/sign-out', 204, { by: last });
  });

  it('match the OpenAPI document: projects and their environment', async () => {
    const by = await make.key(ada);
    const outsider = await make.key(await make.person());
    const all = {
      name: 'Described',
      slug: 'described',
      repo_url: 'https://github.com/acme/shop',
      framework: 'nextjs',
      root_directory: 'apps/web',
      install_command: 'npm ci',
      build_command: 'npm run build',
      output_directory: 'dist',
      node_version: '22',
      production_branch: 'main',
    };
    const { id } = await walk('POST', '/projects', 201, { by, body: all });
    await walk('POST', '/projects', 409, { by, body: all });
    await walk('POST', '/projects', 400, { by, body: { repo_url: 'file:///' } });
    await walk('POST', '/projects', 401, { body: all });
    for (const name of ['two', 'three']) await walk('POST', '/projects', 201, { by, body: { name } });
    await walk('POST', '/projects', 403, { by, body: { name: 'four' } });
    await walk('GET', '/projects', 200, { by, at: '/projects?limit=2' });
    await walk('GET', '/projects/{project_id}', 200, { by, at: `/projects/${id}` });
    await walk('GET', '/projects/{project_id}', 404, { by: outsider, at: `/projects/${id}` });
    await walk('PATCH', '/projects/{project_id}', 200, {
      by,
      at: `/projects/${id}`,
      body: { repo_url: null, framework: null },
    });
    await walk('PATCH', '/projects/{project_id}', 409, { by, at: `/projects/${id}`, body: { slug: 'two' } });
    const env = {
      variables: [
        { name: 'A', value: '1', targets: ['production'] },
        { name: 'B', value: '2', targets: ['preview', 'development'], secret: false },
      ],
    };
    await walk('PUT', '/projects/{project_id}/env', 200, { by, at: `/projects/${id}/env`, body: env });
    await walk('PUT', '/projects/{project_id}/env', 400, { by, at: `/projects/${id}/env`, body: { variables: [{}] } });
    await walk('PUT', '/projects/{project_id}/env', 413, {
      by,
      at: `/projects/${id}/env`,
      body: { variables: 'x'.repeat(2_200_000) },
    });
    await walk('GET', '/projects/{project_id}/env', 200, { by, at: `/projects/${id}/env` });
    await walk('GET', '/projects/{project_id}/env', 404, { by: outsider, at: `/projects/${id}/env` });
    await walk('DELETE', '/projects/{project_id}/env', 204, { by, at: `/projects/${id}/env?name=A` });
    await walk('DELETE', '/projects/{project_id}', 204, { by, at: `/projects/${id}` });
    await walk('DELETE', '/projects/{project_id}', 404, { by, at: `/projects/${id}` });
  });

  it('match the OpenAPI document: deploys', async () => {
    const rich = await make.person({ plan: 'builder' });
    const by = await make.key(rich);
    const poor = await make.key(await make.person());
    const { id: project } = await walk('POST', '/projects', 201, {
      by,
      body: { name: 'Deployed', repo_url: 'https://repository.invalid.acme.com/a/b' },
    });
    const { id: bare } = await walk('POST', '/projects', 201, { by: poor, body: { name: 'Bare' } });
    const deploys = { path: '/projects/{project_id}/deploys', at: `/projects/${project}/deploys` };
    const deploy = await walk('POST', deploys.path, 202, {
      by,
      at: deploys.at,
      body: { branch: 'main', type: 'production', force: true, commit: '0'.repeat(40) },
    });
    await walk('POST', deploys.path, 400, { by, at: deploys.at, body: { type: 'x' } });
    await walk('POST', deploys.path, 401, { at: deploys.at, body: {} });
    await walk('POST', deploys.path, 403, { by: poor, at: `/projects/${bare}/deploys`, body: { type: 'production' } });
    await walk('POST', deploys.path, 404, { by: poor, at: deploys.at, body: {} });
    await walk('POST', deploys.path, 409, { by: poor, at: `/projects/${bare}/deploys`, body: {} });
    await walk('GET', deploys.path, 200, { by, at: `${deploys.at}?type=production&limit=1` });
    await walk('GET', deploys.path, 400, { by, at: `${deploys.at}?type=x` });
    const one = `/deploys/${deploy.id as string}`;
    await walk('GET', '/deploys/{deploy_id}', 200, { by, at: one });
    await walk('GET', '/deploys/{deploy_id}', 404, { by: poor, at: one });
    await walk('GET', '/deploys/{deploy_id}/events', 200, { by, at: `${one}/events` });
    await walk('GET', '/deploys/{deploy_id}/logs', 404, { by: poor, at: `${one}/logs` });
    await walk('POST', '/deploys/{deploy_id}/promote', 409, { by, at: `${one}/promote`, body: {} });
    await walk('POST', '/projects/{project_id}/rollback', 409, { by, at: `/projects/${project}/rollback`, body: {} });
    await walk('POST', '/projects/{project_id}/rollback', 403, {
      by: poor,
      at: `/projects/${bare}/rollback`,
      body: {},
    });
    const preview = await walk('POST', deploys.path, 202, { by, at: deploys.at, body: { branch: 'other' } });
    await app.call('POST', `/api/v1/deploys/${preview.id as string}/cancel`, as(by));
    await walk('POST', '/deploys/{deploy_id}/cancel', 409, {
      by,
      at: `/deploys/${preview.id as string}/cancel`,
      body: {},
    });
  });

  it('match the OpenAPI document: organizations', async () => {
    const grace = await make.person();
    const { id } = await walk('POST', '/orgs', 201, { by: ada, body: { name: 'Described', slug: 'described-org' } });
    await walk('POST', '/orgs', 409, { by: ada, body: { name: 'Described', slug: 'described-org' } });
    await walk('GET', '/orgs', 200, { by: ada });
    await walk('GET', '/orgs/{org_id}', 200, { by: ada, at: `/orgs/${id}` });
    await walk('GET', '/orgs/{org_id}', 404, { by: grace, at: `/orgs/${id}` });
    await walk('GET', '/orgs/{org_id}', 401, { at: `/orgs/${id}` });
    await walk('PATCH', '/orgs/{org_id}', 200, { by: ada, at: `/orgs/${id}`, body: { name: 'New' } });
    const members = { path: '/orgs/{org_id}/members', at: `/orgs/${id}/members` };
    const invitation = await walk('POST', members.path, 201, {
      by: ada,
      at: members.at,
      body: { email: 'nobody@example.org', role: 'viewer' },
    });
    await walk('POST', members.path, 201, {
      by: ada,
      at: members.at,
      body: { email: grace.user.email, role: 'viewer' },
    });
    await walk('GET', '/orgs/{org_id}/invitations', 200, { by: ada, at: `/orgs/${id}/invitations` });
    await walk('DELETE', '/orgs/{org_id}/invitations/{invitation_id}', 204, {
      by: ada,
      at: `/orgs/${id}/invitations/${invitation.id}`,
    });
    await walk('POST', '/invitations/accept', 400, { by: grace, body: { token: 'x' } });
    await walk('POST', '/invitations/accept', 200, {
      by: grace,
      body: { token: (await mailTo(app, grace.user.email, 'invites')).token },
    });
    await walk('GET', members.path, 200, { by: grace, at: members.at });
    const member = '/orgs/{org_id}/members/{user_id}';
    await walk('PATCH', member, 409, { by: ada, at: `${members.at}/${ada.user.id}`, body: { role: 'admin' } });
    await walk('PATCH', member, 200, { by: ada, at: `${members.at}/${grace.user.id}`, body: { role: 'admin' } });
    await walk('DELETE', '/orgs/{org_id}', 403, { by: grace, at: `/orgs/${id}` });
    await walk('GET', '/orgs/{org_id}/audit-log', 200, { by: grace, at: `/orgs/${id}/audit-log` });
    await walk('DELETE', member, 204, { by: grace, at: `${members.at}/${grace.user.id}` });
    await walk('DELETE', '/orgs/{org_id}', 204, { by: ada, at: `/orgs/${id}` });
  });
});

/** The document as it is, in which no object may have more than it names. */
function forbidUnknown(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forbidUnknown);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, forbidUnknown(value)]));
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy;
}
