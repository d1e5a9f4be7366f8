import { DatabaseAttachments } from '../../src/modules/databases/database-attachments.js';
import { codeOf, DATABASES, Databases } from '../support/databases.js';
import { as, expectStatus, Make, send, uniqueName } from '../support/make.js';
import { type Answer, eventually, useApp } from '../support/test-app.js';

const app = useApp({}, 'all');
const make = new Make(app);
const databases = new Databases(app);
let database: any;
let project: any;

beforeAll(async () => {
  await databases.begin();
  database = await databases.ready();
});
beforeEach(async () => {
  project = await databases.project();
});

const put = (projectId: string, body: object = {}, key = databases.key, id = database.id as string): Promise<Answer> =>
  send(app, ['PUT', `${DATABASES}/${id}/attachments/${projectId}`], body, as(key));
const remove = (projectId: string, key = databases.key): Promise<Answer> =>
  app.call('DELETE', `${DATABASES}/${database.id}/attachments/${projectId}`, as(key));
const attachments = async (id = database.id as string): Promise<any[]> =>
  expectStatus(200, await app.fetch(`${DATABASES}/${id}/attachments?limit=100`, as(databases.key))).body.data as any[];
const door = (): DatabaseAttachments => app.get(DatabaseAttachments);

describe('PUT, GET and DELETE /api/v1/databases/:database_id/attachments/:project_id', () => {
  it('attaches to production and previews as DATABASE, and changes that', async () => {
    const { data } = expectStatus(200, await put(project.slug)).body;
    expect(data).toEqual({
      database_id: database.id,
      project_id: project.id,
      prefix: 'DATABASE',
      targets: ['production', 'preview'],
      previews: 'same',
      access: 'owner',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await attachments()).toContainEqual(data);
    expect((await databases.get(database.id as string)).in_production).toBe(true);
    const changed = { prefix: 'ANALYTICS', targets: ['production'], previews: 'none', access: 'reader' };
    const after = expectStatus(200, await put(project.id, changed)).body.data;
    expect(after).toMatchObject({ ...changed, created_at: data.created_at });
    expect((await attachments()).filter(({ project_id }) => project_id === project.id)).toEqual([after]);
    const actions = await make.sql('SELECT action FROM audit_log WHERE target_id = $1', [database.id]);
    expect(actions.map(({ action }) => action)).toContain('database.attached');
  });

  it('detaches', async () => {
    await put(project.id);
    expectStatus(204, await remove(project.id));
    expect(codeOf(await remove(project.id))).toEqual([404, 'database_attachment_not_found']);
    expect(await door().ofProject(project.id, 'production')).toEqual([]);
  });

  it.each<[string, object]>([
    ['prefix', { prefix: 'database' }],
    ['prefix', { prefix: '1X' }],
    ['prefix', { prefix: 'X'.repeat(33) }],
    ['prefix', { prefix: null }],
    ['targets', { targets: [] }],
    ['targets', { targets: ['development'] }],
    ['targets', { targets: ['preview', 'preview'] }],
    ['targets', { targets: 'preview' }],
    ['previews', { previews: 'copy' }],
    ['access', { access: 'platform' }],
    ['role', { role: 'owner' }],
  ])('returns 400 and names the field: %s (%#)', async (path, body) => {
    const answer = await put(project.id, body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.error.details[0].path).toBe(path);
  });

  it('returns 409 for a prefix that another database has for the same deploys, also when two race', async () => {
    const other = await databases.ready();
    const answers = await Promise.all([put(project.id), put(project.id, {}, databases.key, other.id as string)]);
    expect(answers.map(codeOf).sort()).toEqual([
      [200, undefined],
      [409, 'already_exists'],
    ]);
    const loser = answers[0].status === 409 ? database.id : other.id;
    expectStatus(200, await put(project.id, { prefix: 'OTHER' }, databases.key, loser as string));
    expect(await door().ofProject(project.id, 'preview')).toHaveLength(2);
  });

  it('returns 401, 403 and 404, for a project or database of another tenant as for none', async () => {
    const outsider = new Databases(app);
    await outsider.begin();
    const foreign = await outsider.project();
    const path = `${DATABASES}/${database.id}/attachments`;
    expect(codeOf(await app.fetch(path))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await app.call('DELETE', `${path}/${project.id}`))).toEqual([401, 'missing_api_key']);
    expect(codeOf(await send(app, ['PUT', `${path}/${project.id}`], {}))).toEqual([401, 'missing_api_key']);
    const none = await make.key(databases.owner, { scopes: ['projects:read'] });
    const reader = await make.key(databases.owner, { scopes: ['databases:read'] });
    expect(codeOf(await app.fetch(path, as(none)))).toEqual([403, 'insufficient_scopes']);
    expectStatus(200, await app.fetch(path, as(reader)));
    expect(codeOf(await put(project.id, {}, reader))).toEqual([403, 'insufficient_scopes']);
    expect(codeOf(await remove(project.id, reader))).toEqual([403, 'insufficient_scopes']);

    const [one, other] = [await put(foreign.id as string), await put('none')];
    expect(codeOf(one)).toEqual([404, 'project_not_found']);
    expect(one.body.error).toEqual(other.body.error);
    expect(codeOf(await remove(foreign.id as string))).toEqual([404, 'project_not_found']);
    expect(codeOf(await put(foreign.id as string, {}, outsider.key))).toEqual([404, 'database_not_found']);
    expect(codeOf(await app.fetch(path, as(outsider.key)))).toEqual([404, 'database_not_found']);
    expect(codeOf(await app.fetch(`${path}?cursor=x`, as(databases.key)))).toEqual([400, 'invalid_request']);
    // Both belong to the caller, and to different organizations.
    const org = await make.org(databases.owner, { plan: 'pro' });
    const inOrg = as(databases.key, { headers: { 'x-service-org': org.id } });
    const apart = expectStatus(201, await app.post('/api/v1/projects', { name: 'Apart' }, inOrg)).body.data;
    expect(codeOf(await put(apart.id as string))).toEqual([404, 'project_not_found']);
  });

  it('returns 400 beyond 20 databases of a project', async () => {
    await make.sql(
      `WITH copies AS (
         INSERT INTO databases SELECT (jsonb_populate_record(d, jsonb_build_object('id', 'db_full' || n, 'name',
           'full' || n, 'label', 'full' || n, 'cluster_id', 'clu_full' || n))).*
         FROM databases d, generate_series(1, 20) n WHERE d.id = $1 RETURNING id, created_by)
       INSERT INTO database_attachments SELECT id, $2, upper(replace(id, 'db_', '')), '{preview}', 'same', 'owner',
         created_by, now(), now() FROM copies`,
      [database.id, project.id],
    );
    expect(codeOf(await put(project.id))).toEqual([400, 'invalid_request']);
  });
});

describe('the databases of deploys', () => {
  it('are those that are attached for the target and ready, oldest first', async () => {
    const second = await databases.ready();
    await put(project.id, { targets: ['production'] });
    await put(project.id, { prefix: 'SECOND', previews: 'none', access: 'reader' }, databases.key, second.id as string);
    expect(await door().ofProject(project.id, 'production')).toEqual([
      { databaseId: database.id, prefix: 'DATABASE', access: 'owner', previews: 'same' },
      { databaseId: second.id, prefix: 'SECOND', access: 'reader', previews: 'none' },
    ]);
    expect(await door().ofProject(project.id, 'preview', 'main')).toEqual([]);
    await databases.deleted(second.id as string);
    expect(await door().ofProject(project.id, 'production')).toHaveLength(1);
    expectStatus(200, await databases.undelete(second.id as string));
    expect(await door().ofProject(project.id, 'production')).toHaveLength(2);
  });

  it('are branches for previews with `branch`: one for each git branch, however many ask at once', async () => {
    await put(project.id, { previews: 'branch' });
    const of = (branch: string): Promise<string> =>
      door().branchFor({ databaseId: database.id as string, projectId: project.id as string, branch });
    const ids = await Promise.all([of('fix/a'), of('fix/a'), of('fix/a')]);
    expect(new Set(ids).size).toBe(1);
    const branch = await databases.get(ids[0]);
    expect(branch).toMatchObject({ parent_id: database.id, project_id: project.id, name: `${database.name} fix/a` });
    expect(await of('fix/b')).not.toBe(ids[0]);
    expect(await door().ofProject(project.id, 'preview', 'fix/a')).toMatchObject([{ databaseId: ids[0] }]);
    expect(await door().ofProject(project.id, 'production')).toMatchObject([{ databaseId: database.id }]);
    expect(codeOf(await databases.delete(database.id as string))).toEqual([409, 'branch_has_children']);

    await endOperations(ids[0]);
    await door().forgetBranch(project.id as string, 'fix/a');
    await app.runSchedule('unused-database-branches');
    await databases.until(ids[0], 'deleted');
    // The branch exists again.
    expect(await of('fix/a')).not.toBe(ids[0]);
  });

  it('are deleted when nothing has used them for 7 days, or the project is deleted', async () => {
    await put(project.id, { previews: 'branch' });
    const of = (branch: string): Promise<string> =>
      door().branchFor({ databaseId: database.id as string, projectId: project.id as string, branch });
    const [old, used, fresh] = [await of('old'), await of('used'), await of('fresh')];
    for (const id of [old, used, fresh]) await endOperations(id);
    await make.sql(
      `UPDATE database_preview_branches SET used_at = now() - interval '169 hours' WHERE database_id = ANY($1)`,
      [[old, used]],
    );
    await make.sql(`UPDATE databases SET last_active_at = now() - interval '1 hour' WHERE id = $1`, [used]);
    await app.runSchedule('unused-database-branches');
    await databases.until(old, 'deleted');
    expect((await databases.get(used)).state).toBe('ready');
    expect((await databases.get(fresh)).state).toBe('ready');

    expectStatus(204, await app.call('DELETE', `/api/v1/projects/${project.id}`, as(databases.key)));
    await eventually(async () => (await databases.get(used)).project_id === null, 'the project is forgotten');
    expect((await attachments()).filter(({ project_id }) => project_id === project.id)).toEqual([]);
    await app.runSchedule('unused-database-branches');
    await databases.until(used, 'deleted');
    await databases.until(fresh, 'deleted');
  });

  it('count towards the plan', async () => {
    const small = new Databases(app);
    await small.begin('free');
    const own = await small.project();
    const parent = await small.ready();
    await small.created({ name: uniqueName('second') });
    await expect(
      door().branchFor({ databaseId: parent.id as string, projectId: own.id as string, branch: 'main' }),
    ).rejects.toThrow('Database limit reached: Free allows 2.');
  });
});

/** Ends the operation that copies the parent, as its handler does. */
async function endOperations(id: string): Promise<void> {
  await make.sql(
    `UPDATE database_operations SET state = 'done', finished_at = now(), lease_until = NULL
     WHERE database_id = $1 AND state IN ('pending', 'running')`,
    [id],
  );
  await make.sql(`UPDATE databases SET state = 'ready' WHERE id = $1 AND state = 'creating'`, [id]);
}
