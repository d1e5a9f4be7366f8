import { FakeBuilds } from '../support/fake-builds.js';
import { FakeGithub } from '../support/fake-github.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { eventually, useApp } from '../support/test-app.js';

jest.setTimeout(120_000);
const LONG = 60_000;

const settings: NodeJS.ProcessEnv = { SANDBOX_ENABLED: 'false', DEPLOY_CONCURRENCY: '2' };
const github = FakeGithub.use(settings);
const app = useApp(settings);
const make = new Make(app);
const builds = new FakeBuilds(app);

let ada: Person;
let key: string;
let account: string;
let slug: string;
let project: string;

beforeAll(async () => {
  ada = await make.person({ plan: 'pro' });
  key = await make.key(ada);
  account = uniqueName('gh');
  github.account(account);
  const { id } = github.install(account);
  const { data: link } = expectStatus(201, await app.call('POST', '/api/v1/integrations/github/links', as(key))).body;
  const state = new URL(link.install_url as string).searchParams.get('state')!;
  expectStatus(
    201,
    await app.post(
      '/api/v1/integrations/github/installations',
      { state, code: github.codeFor(account), installation_id: id },
      as(key),
    ),
  );
  await github.repository(account, 'shop');
});

beforeEach(async () => {
  slug = uniqueName('shop');
  project = await newProject(`${github.url}/${account}/shop`);
  for (const list of [github.statuses, github.pulls, github.comments, github.requests]) list.length = 0;
});

afterEach(() => {
  github.failure = undefined;
});

async function newProject(repoUrl: string): Promise<string> {
  const body = { name: slug, slug, repo_url: repoUrl };
  return expectStatus(201, await app.post('/api/v1/projects', body, as(key))).body.data.id as string;
}
async function deploy(branch: string, commit: string): Promise<any> {
  builds.commit = commit.repeat(40);
  const { id } = expectStatus(202, await app.post(`/api/v1/projects/${project}/deploys`, { branch }, as(key))).body
    .data;
  const get = async (): Promise<any> => (await app.fetch(`/api/v1/deploys/${id}`, as(key))).body.data;
  await eventually(async () => (await get()).finished_at !== undefined, 'the deploy has ended', LONG);
  return get();
}
const pull = (branch: string, number: number): void => {
  github.pulls.push({ repository: `${account}/shop`, branch, number });
};
const lastStatus = (): any => github.statuses.at(-1)?.body;
const statusIs = (state: string): Promise<void> =>
  eventually(() => lastStatus()?.state === state, `the last status is ${state}`, LONG);

describe('a deploy of a repository at GitHub', () => {
  it('sets the status of its commit, and edits one comment on the pull request of its branch', async () => {
    pull('next', 7);
    pull('other', 8);
    const first = await deploy('next', 'a');
    await statusIs('success');
    expect(github.statuses.at(-1)).toEqual({
      repository: `${account}/shop`,
      sha: 'a'.repeat(40),
      body: { state: 'success', description: 'Ready', target_url: first.url, context: `deploy/${slug}` },
    });
    await eventually(
      () => github.comments[0]?.body.includes(first.url as string) === true,
      'the comment is there',
      LONG,
    );
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]).toMatchObject({ pull: 7, body: expect.stringContaining('`aaaaaaa`') });

    const second = await deploy('next', 'b');
    await eventually(() => github.comments[0]!.body.includes(second.url as string), 'the comment is edited', LONG);
    expect(github.comments).toHaveLength(1);
    expect(github.comments[0]!.body).not.toContain(first.url);

    const { BuildFailed } = await import('../../src/modules/builds/build-failed.js');
    builds.failure = new BuildFailed('build_failed', 'The build failed.');
    await deploy('next', 'c');
    await statusIs('failure');
    expect(lastStatus()).toMatchObject({ description: 'Failed: build_failed' });
    await eventually(() => github.comments[0]!.body.includes('build_failed'), 'the comment shows the failure', LONG);
    expect(github.comments).toHaveLength(1);
  });

  it('is not delayed while GitHub refuses or limits calls, and is reported later', async () => {
    pull('busy', 9);
    const held = builds.holdAt('build');
    const deploying = deploy('busy', 'd');
    await held.reached;
    await statusIs('pending');
    await eventually(() => github.comments.length === 1, 'the comment is there', LONG);
    for (const list of [github.statuses, github.requests]) list.length = 0;
    github.failure = { status: 403, headers: { 'retry-after': '1' }, body: { message: 'You have exceeded a limit' } };
    held.letGo();
    expect((await deploying).state).toBe('ready');
    await eventually(() => github.requests.length > 0, 'a report was tried', LONG);
    expect(github.statuses).toEqual([]);
    github.failure = undefined;
    await statusIs('success');
    await eventually(() => github.comments[0]!.body.includes('Ready'), 'the comment is edited', LONG);
  });

  it('leaves a comment deleted that a person has deleted, and needs no pull request', async () => {
    pull('gone', 10);
    await deploy('gone', 'e');
    await eventually(() => github.comments[0]?.body.includes('Ready') === true, 'the comment is there', LONG);
    github.comments.length = 0;
    await deploy('gone', 'f');
    await statusIs('success');
    await deploy('alone', '1');
    await eventually(
      () => github.statuses.at(-1)?.sha === '1'.repeat(40) && lastStatus().state === 'success',
      'it is reported',
      LONG,
    );
    expect(github.comments).toEqual([]);
  });
});

describe('a deploy of another repository', () => {
  it('reports nothing', async () => {
    slug = uniqueName('shop');
    project = await newProject('https://gitlab.com/acme/shop');
    await deploy('main', '2');
    expect(github.requests).toEqual([]);
  });
});
