import type { Scope } from '../../../src/modules/auth/scopes.js';
import { Database } from '../../../src/platform/database/database.js';
import { FakeBuilds } from '../../support/fake-builds.js';
import { as, expectStatus, Make, type Org, type Person, uniqueName } from '../../support/make.js';
import { eventually, useApp } from '../../support/test-app.js';
import { ToolCaller } from '../../support/tool-caller.js';

describe('the tools for deploys', () => {
  const app = useApp();
  const make = new Make(app);
  const builds = new FakeBuilds(app);
  let person: Person;
  let org: Org;
  let caller: ToolCaller;
  let project: { id: string; slug: string };
  beforeAll(async () => {
    person = await make.person();
    org = await make.org(person, { plan: 'pro' });
    caller = new ToolCaller(app, org, person);
    project = await newProject(org);
  });
  const newProject = async ({ id }: Pick<Org, 'id'>, by = person): Promise<{ id: string; slug: string }> => {
    const body = { name: uniqueName('shop'), repo_url: 'https://github.com/acme/shop' };
    const options = as(await make.key(by), { headers: { 'x-service-org': id } });
    return expectStatus(201, await app.post('/api/v1/projects', body, options)).body.data as typeof project;
  };
  const deploysOf = (): Promise<unknown[]> => make.sql('SELECT id FROM deploys WHERE project_id = $1', [project.id]);

  it('queue a deploy, read its log and list it', async () => {
    builds.says = ['one', 'two'];
    const { id, state } = await caller.output('deploy_project', { project: project.slug, branch: 'feature' });
    expect(state).toBe('queued');
    let read: any;
    await eventually(async () => {
      read = await caller.output('deploy_logs', { deploy_id: id });
      return read.state === 'ready';
    }, 'the deploy is ready');
    expect(read).toMatchObject({ id, project_id: project.id, branch: 'feature', type: 'preview', truncated: false });
    expect(read.log).toMatch(/\[\w+\] one\n\[\w+\] two\n/);
    const short = await caller.output('deploy_logs', { deploy_id: id, lines: 1 });
    expect(short.truncated).toBe(true);
    expect(short.log.split('\n')).toHaveLength(1);
    expect(read.log.endsWith(short.log as string)).toBe(true);
    const { deploys } = await caller.output('list_deploys', { project: project.id, limit: 5 });
    expect(deploys).toMatchObject([{ id, state: 'ready' }]);
  });

  it('leave no deploy when the result of the call is not committed', async () => {
    const before = (await deploysOf()).length;
    const work = app.get(Database).transaction(async () => {
      await caller.output('deploy_project', { project: project.id });
      expect(await deploysOf()).toHaveLength(before + 1);
      throw new Error('The fence was lost.');
    });
    await expect(work).rejects.toThrow('The fence was lost.');
    expect(await deploysOf()).toHaveLength(before);
  });

  it('ask for approval of production, and need its scope', async () => {
    const [tool] = await caller.tools('deploy_project');
    expect(tool!.effect).toBe('local');
    expect(tool!.needsApproval!({ project: 'a', type: 'production' })).toBe(true);
    expect(tool!.needsApproval!({ project: 'a' })).toBe(false);
    const production = { project: project.id, type: 'production' };
    const without = caller.call('deploy_project', production, { scopes: ['deploys:write', 'deploys:read'] });
    await expect(without).rejects.toMatchObject({ code: 'insufficient_scopes' });
    expect(await caller.output('deploy_project', production)).toMatchObject({ type: 'production' });
  });

  it('list the projects of the organization', async () => {
    const second = await newProject(org);
    const { projects } = await caller.output('list_projects', {});
    expect(projects.map(({ id }: { id: string }) => id)).toEqual([second.id, project.id]);
    expect(projects[1]).toMatchObject({ slug: project.slug, production_branch: 'main' });
  });

  it('refuse what the caller may not do, and know no other organization', async () => {
    const outsider = await make.person();
    const other = await newProject(outsider.organization, outsider);
    const own = await newProject(person.organization);
    const codeOf = async (kind: string, input: object, scopes?: Scope[]): Promise<unknown> =>
      caller
        .call(kind, input, scopes === undefined ? {} : { scopes })
        .catch((error: unknown) => error)
        .then((found) => (found as { code: string }).code);
    for (const id of [other.id, own.id]) {
      expect(await codeOf('deploy_project', { project: id })).toBe('project_not_found');
      expect(await codeOf('list_deploys', { project: id })).toBe('project_not_found');
    }
    expect(await codeOf('deploy_logs', { deploy_id: 'dpl_00000000000000000000000000' })).toBe('deploy_not_found');
    expect(await codeOf('deploy_project', { project: project.id, branch: 'a..b' })).toBe('branch_invalid');
    for (const kind of ['deploy_project', 'list_deploys'])
      expect(await codeOf(kind, { project: project.id }, ['ai:invoke'])).toBe('insufficient_scopes');
    expect(await codeOf('list_projects', {}, ['ai:invoke'])).toBe('insufficient_scopes');
  });
});
