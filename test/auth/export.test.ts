import { DiscoveryService } from '@nestjs/core';
import { ExportedAs } from '../../src/modules/auth/personal-data.js';
import { EXPORTED_TYPES } from '../../src/modules/people/http/export.dto.js';
import { Clock } from '../../src/platform/time/clock.js';
import { as, expectStatus, Make, type Person, uniqueName } from '../support/make.js';
import { Scheduling } from '../support/schedules.js';
import { type Answer, useApp } from '../support/test-app.js';

const EXPORT = '/api/v1/me/export';
const HOUR_MS = 3_600_000;

interface Line {
  readonly type: string;
  readonly data: Record<string, any>;
}

describe('GET /api/v1/me/export', () => {
  const app = useApp({}, 'api');
  const make = new Make(app);
  afterEach(() => jest.restoreAllMocks());

  const exported = (person: Person): Promise<Answer> => app.fetch(EXPORT, as(person));
  const linesOf = ({ text }: Answer): any[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  const dataOf = (lines: readonly Line[], type: string): Record<string, any>[] =>
    lines.filter((line) => line.type === type).map(({ data }) => data);
  const errorOf = ({ status, body }: Answer): unknown => [status, body.error?.code];

  it('streams what the service keeps about a person, with how many lines that were', async () => {
    const person = await make.person();
    const org = await make.org(person);
    const key = await make.key(person, { name: 'for the build server' });
    const repository = expectStatus(201, await app.post('/api/v1/repositories', { name: 'shop' }, as(key))).body.data;
    const made = await app.post(
      '/api/v1/projects',
      { name: 'shop', repo_url: 'https://github.com/acme/shop' },
      as(key),
    );
    const project = expectStatus(201, made).body.data;
    expectStatus(
      202,
      await app.post(`/api/v1/projects/${project.id}/deploys`, { branch: 'main', type: 'preview' }, as(key)),
    );
    await make.sql(
      `INSERT INTO deploys SELECT (jsonb_populate_record(d, jsonb_build_object('id', 'dpl_' || lpad(n::text, 26, '0'),
        'branch', 'b' || n))).* FROM deploys d, generate_series(1, 249) n WHERE d.project_id = $1`,
      [project.id],
    );

    const answer = expectStatus(200, await exported(person));
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${person.user.username}.ndjson"`);
    const lines = linesOf(answer);
    const things = lines.slice(0, -1) as Line[];
    expect(lines.at(-1)).toEqual({ end: { lines: things.length } });
    expect(dataOf(things, 'account')).toMatchObject([{ id: person.user.id, email: person.user.email }]);
    expect(dataOf(things, 'session')).toMatchObject([{ current: true }]);
    expect(dataOf(things, 'key')).toMatchObject([{ name: 'for the build server', last4: key.slice(-4) }]);
    expect(dataOf(things, 'membership').map(({ id }) => id as string)).toEqual(
      expect.arrayContaining([person.organization.id, org.id]),
    );
    expect(dataOf(things, 'audit_entry').map(({ action }) => action as string)).toEqual(
      expect.arrayContaining(['person.signed_up', 'person.data_exported']),
    );
    expect(dataOf(things, 'project')).toMatchObject([{ id: project.id }]);
    expect(dataOf(things, 'repository')).toMatchObject([{ id: repository.id }]);
    expect(new Set(dataOf(things, 'deploy').map(({ id }) => id as string)).size).toBe(250);
  });

  it('has what the personal organization contains', async () => {
    const scheduling = new Scheduling(app);
    await scheduling.begin();
    const { owner, key, agentId } = scheduling;
    const schedule = await scheduling.created();
    const made = async (path: string, body: object): Promise<string> =>
      expectStatus(201, await app.post(path, body, as(key))).body.data.id as string;
    const bucket = await made('/api/v1/storage/buckets', { name: uniqueName('b') });
    // No host runs here, so the database stays `creating`.
    await make.sql(
      `INSERT INTO database_hosts (id, address, certificate_sha256, engine, postgres_version, seen_at)
       VALUES ($1, '127.0.0.1:9', $2, 'own', '17.0', now())`,
      [`dbh_${'0'.repeat(26)}`, 'a'.repeat(64)],
    );
    const database = expectStatus(201, await app.post('/api/v1/databases', { name: 'shop' }, as(key))).body.data;
    const endpoint = await made(`/api/v1/orgs/${owner.organization.id}/webhook-endpoints`, {
      url: 'https://example.com/hook',
    });
    const run = expectStatus(202, await app.post(`/api/v1/agents/${agentId}/runs`, { input: 'Go.' }, as(key))).body
      .data;

    const things = linesOf(expectStatus(200, await exported(owner))).slice(0, -1) as Line[];
    const idsOf = (type: string): string[] => dataOf(things, type).map(({ id }) => id as string);
    expect({
      agent: idsOf('agent'),
      bucket: idsOf('bucket'),
      database: idsOf('database'),
      run: idsOf('run'),
      schedule: idsOf('schedule'),
      webhook_endpoint: idsOf('webhook_endpoint'),
    }).toEqual({
      agent: [agentId],
      bucket: [bucket],
      database: [database.id],
      run: [run.id],
      schedule: [schedule.id],
      webhook_endpoint: [endpoint],
    });
  });

  it('describes each type that a module exports', () => {
    const discovery = app.get(DiscoveryService);
    const types = discovery
      .getProviders({ metadataKey: ExportedAs.KEY })
      .map((provider) => discovery.getMetadataByDecorator(ExportedAs, provider));
    expect(types.sort()).toEqual(EXPORTED_TYPES);
  });

  it('has no secret in it, and nothing of other people', async () => {
    const [person, other] = [await make.person(), await make.person()];
    const org = await make.org(other);
    await make.member(org, person, 'admin');
    const [key, foreign] = [await make.key(person), await make.key(other, { kind: 'org_bound', org_id: org.id })];
    const answer = expectStatus(200, await exported(person));
    for (const secret of [person.sessionToken, key, foreign, other.user.email, '$argon2'])
      expect(answer.text).not.toContain(secret);
    const things = linesOf(answer).slice(0, -1) as Line[];
    expect(dataOf(things, 'key')).toHaveLength(1);
    expect(dataOf(things, 'membership').map(({ id }) => id as string)).toContain(org.id);
  });

  it('is of the personal organization, whichever one the call names', async () => {
    const person = await make.person();
    const org = await make.org(person);
    const things = linesOf(
      expectStatus(200, await app.fetch(EXPORT, as(person, { headers: { 'x-service-org': org.id } }))),
    ) as Line[];
    expect(dataOf(things, 'account')[0]!.organization).toMatchObject({ id: person.organization.id });
    expect(dataOf(things, 'audit_entry').map(({ action }) => action as string)).toContain('person.signed_up');
  });

  it('requires a session and a recent sign-in, and is limited', async () => {
    const person = await make.person();
    expect(errorOf(await app.fetch(EXPORT))).toEqual([401, 'session_required']);
    expect(errorOf(await app.fetch(EXPORT, as(await make.key(person))))).toEqual([401, 'session_required']);
    for (let count = 0; count < 10; count++) expectStatus(200, await exported(person));
    const refused = await exported(person);
    expect([refused.status, refused.body.error.details.policy]).toEqual([429, 'export_data']);
    const clock = app.get(Clock);
    const later = new Date(clock.now().getTime() + HOUR_MS);
    jest.spyOn(clock, 'now').mockReturnValue(later);
    expect(errorOf(await exported(person))).toEqual([401, 'recent_sign_in_required']);
  });
});
