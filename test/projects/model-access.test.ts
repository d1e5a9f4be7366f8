import { ProjectEnvService } from '../../src/modules/projects/project-env.service.js';
import { as, expectStatus, Make, type Person, send } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const PROJECTS = '/api/v1/projects';
const app = useApp();
const make = new Make(app);
let ada: Person;
let key: string;
let project: string;

beforeAll(async () => {
  ada = await make.person();
  key = await make.key(ada);
});

beforeEach(async () => {
  project = expectStatus(201, await app.post(PROJECTS, { name: 'Shop' }, as(key))).body.data.id as string;
});

afterEach(() => app.call('DELETE', `${PROJECTS}/${project}`, as(key)));

const at = (id = project): string => `${PROJECTS}/${id}/model-access`;
const enable = (by = key, id = project): Promise<Answer> => app.call('PUT', at(id), as(by));
const disable = (by = key, id = project): Promise<Answer> => app.call('DELETE', at(id), as(by));
const variables = async (): Promise<Record<string, string>> => {
  const env = app.get(ProjectEnvService);
  const opened = env.open(project, 'production', await env.sealedFor(project, 'production'));
  return Object.fromEntries(opened.map(({ name, value }) => [name, value]));
};
const codeOf = (answer: Answer): [number, string] => [answer.status, answer.body.error?.code];

describe('PUT /projects/:id/model-access', () => {
  it('gives the deploys of a project a key for models, and repeating it changes nothing', async () => {
    expect(expectStatus(200, await app.fetch(at(), as(key))).body.data).toEqual({ enabled: false });
    const first = expectStatus(200, await enable()).body.data;
    expect(first).toEqual({
      enabled: true,
      key_id: expect.stringMatching(/^key_/),
      last4: expect.any(String),
      created_at: expect.any(String),
    });
    expect(expectStatus(200, await enable()).body.data).toEqual(first);
    expect(expectStatus(200, await app.fetch(at(), as(key))).body.data).toEqual(first);

    const { OPENAI_API_KEY: secret, ...others } = await variables();
    expect(others).toEqual({ OPENAI_BASE_URL: 'http://127.0.0.1:9797/api/v1/ai' });
    expect(secret).toMatch(/^svc_org_/);
    // The key calls models, and may do nothing else.
    expect(codeOf(await app.fetch(PROJECTS, as(secret!)))).toEqual([403, 'insufficient_scopes']);
    expect(expectStatus(200, await app.fetch('/api/v1/keys/current', as(secret!))).body.data).toMatchObject({
      project_id: project,
      scopes: ['ai:invoke'],
      last4: first.last4,
    });
  });

  it('keeps variables that the project has already', async () => {
    const own = { variables: [{ name: 'OPENAI_API_KEY', value: 'sk-own', targets: ['production'] }] };
    expectStatus(200, await send(app, ['PUT', `${PROJECTS}/${project}/env`], own, as(key)));
    expect(codeOf(await enable())).toEqual([409, 'already_exists']);
    expect(await variables()).toEqual({ OPENAI_API_KEY: 'sk-own' });
  });

  it('needs the rights to change the project and to create keys', async () => {
    const narrow = await make.key(ada, { scopes: ['projects:read', 'projects:write'] });
    expect(codeOf(await enable(narrow))).toEqual([403, 'insufficient_scopes']);
    expect(await variables()).toEqual({});
    expect(codeOf(await enable('svc_pat_nobody'))).toEqual([401, 'malformed_api_key']);
  });

  it('does not know projects of other organizations', async () => {
    const outsider = await make.key(await make.person());
    for (const answer of [await enable(outsider), await disable(outsider), await app.fetch(at(), as(outsider))])
      expect(codeOf(answer)).toEqual([404, 'project_not_found']);
    expect(codeOf(await enable(key, 'prj_00000000000000000000000000'))).toEqual([404, 'project_not_found']);
  });
});

describe('the key of a project', () => {
  it('stops working when the access ends, and can be had once more', async () => {
    expectStatus(200, await enable());
    const { OPENAI_API_KEY: secret } = await variables();
    expectStatus(204, await disable());
    expectStatus(204, await disable());
    expect(await variables()).toEqual({});
    expect(codeOf(await app.fetch('/api/v1/keys/current', as(secret!)))).toEqual([401, 'revoked_api_key']);
    expectStatus(200, await enable());
    expect((await variables())['OPENAI_API_KEY']).not.toBe(secret);
  });

  it('is revoked when the project is deleted', async () => {
    expectStatus(200, await enable());
    const { OPENAI_API_KEY: secret } = await variables();
    expectStatus(204, await app.call('DELETE', `${PROJECTS}/${project}`, as(key)));
    await eventually(
      async () => (await app.fetch('/api/v1/keys/current', as(secret!))).status === 401,
      'the key is revoked',
    );
  });
});
