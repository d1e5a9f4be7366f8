import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AUDIT_ENTRY_ID } from '../../src/modules/audit/audit.ids.js';
import { DEPLOY_ID } from '../../src/modules/deploys/deploys.ids.js';
import { UsageMonthArchived } from '../../src/modules/metering/domain/metering.errors.js';
import { UsagePeriodsService } from '../../src/modules/metering/usage-periods.service.js';
import { UsageService } from '../../src/modules/metering/usage.service.js';
import { RUN_ID } from '../../src/modules/runs/runs.ids.js';
import { Schedules } from '../../src/platform/background/schedules.js';
import { firstIdOf } from '../../src/platform/partitions/partitioned-table.js';
import { Clock } from '../../src/platform/time/clock.js';
import { FakeBuilds } from '../support/fake-builds.js';
import { as, expectStatus, Make, type Person } from '../support/make.js';
import { onThisMachine } from '../support/patience.js';
import { type Answer, eventually, TestApp } from '../support/test-app.js';

jest.setTimeout(onThisMachine(90_000));

const TOKEN = 'a-token-of-the-usage-sources';
const TABLES = ['audit_log', 'deploy_log_lines', 'run_events', 'usage_events'] as const;
const QUANTITY = 1_000;

/** Months after the present one, as the migration has made one partition for all that is older. */
const YEAR = new Date().getUTCFullYear() + 1;
const startOf = (month: number): Date => new Date(Date.UTC(YEAR, month, 1));
const lastOf = (month: number): Date => new Date(startOf(month + 1).getTime() - 1);
const suffixOf = (month: number): string => startOf(month).toISOString().slice(0, 7).replace('-', '_');
const MONTHS = [1, 2, 3] as const;
/** The first and the last moment of each of three months. */
const TIMES = MONTHS.flatMap((month) => [startOf(month), lastOf(month)]);

/** Each test goes on where the one before has stopped. */
describe('three months', () => {
  const app = new TestApp(
    {
      USAGE_TOKEN: TOKEN,
      AUDIT_LOG_MONTHS: '3',
      AUDIT_ARCHIVE_URL: 'file:',
      USAGE_EVENTS_MONTHS: '13',
      USAGE_ARCHIVE_URL: 'file:',
    },
    'without_databases',
  );
  const make = new Make(app);
  let now: Date | undefined;
  let ada: Person;
  let orgId: string;
  let key: string;
  let deployed: string;

  beforeAll(() => app.start());
  afterAll(async () => {
    jest.restoreAllMocks();
    await app.stop();
  });
  new FakeBuilds(app);

  beforeAll(async () => {
    ada = await make.person({ plan: 'pro' });
    orgId = ada.organization.id;
    key = await make.key(ada, { scopes: ['*'] });
    const project = expectStatus(
      201,
      await app.post('/api/v1/projects', { name: 'shop', repo_url: 'https://github.com/acme/shop' }, as(key)),
    ).body.data.id as string;
    const path = `/api/v1/projects/${project}/deploys`;
    deployed = expectStatus(202, await app.post(path, { branch: 'main' }, as(key))).body.data.id as string;
    await eventually(
      async () => (await app.fetch(`/api/v1/deploys/${deployed}`, as(key))).body.data.finished_at !== undefined,
      'the deploy is over',
      30_000,
    );
    // They would run at moments of their own while the clock leaps over months.
    await (app.get(Schedules) as unknown as { stop(): Promise<void> }).stop();
    const clock = app.get(Clock);
    const real = clock.now.bind(clock);
    jest.spyOn(clock, 'now').mockImplementation(() => now ?? real());
  });

  const idOf = (kind: Parameters<typeof firstIdOf>[0], at: Date): string => `${firstIdOf(kind)(at)}${'7'.repeat(16)}`;
  const event = (at: Date): Record<string, unknown> => ({
    source: 'a-source',
    id: 'the-same',
    org_id: orgId,
    meter: 'sandbox_compute',
    quantity: String(QUANTITY),
    occurred_at: at.toISOString(),
  });
  const report = async (...events: unknown[]): Promise<any> =>
    expectStatus(
      200,
      await app.post('/api/v1/billing/events', { events }, { headers: { authorization: `Bearer ${TOKEN}` } }),
    ).body.data;
  const linesOf = ({ text }: Answer): any[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line));
  const usageOf = async (from: Date, to: Date, query = ''): Promise<any[]> =>
    expectStatus(
      200,
      await app.fetch(
        `/api/v1/billing/usage?from=${from.toISOString().slice(0, 10)}&to=${to.toISOString().slice(0, 10)}${query}`,
        as(key),
      ),
    ).body.data as any[];
  const ahead = (): Promise<unknown> => app.runSchedule('partitions');
  const removeOld = (): Promise<unknown> => app.runSchedule('old-partitions');
  const partitionsOf = async (table: string): Promise<string[]> =>
    (
      await make.sql<{ name: string }>(
        'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::text::regclass ORDER BY 1',
        [table],
      )
    ).map(({ name }) => name);
  const namesOf = (table: string): string[] => MONTHS.map((month) => `${table}_${suffixOf(month)}`);
  interface Archived {
    readonly partition_name: string;
    readonly rows: string;
    readonly manifest_key: string;
    readonly manifest_sha256: string;
  }
  const archivedOf = (table: string): Promise<Archived[]> =>
    make.sql<Archived>(
      "SELECT * FROM partition_archives WHERE table_name = $1 AND partition_name !~ 'until' ORDER BY partition_name",
      [table],
    );
  /** Reads an archive, as one does who has nothing but its files. */
  function read(directory: string, { manifest_key, manifest_sha256 }: Archived): { id: string; quantity: number }[] {
    const content = readFileSync(join(app.dataDirectory, directory, manifest_key));
    expect(hash('sha256', content)).toBe(manifest_sha256);
    const { parts } = JSON.parse(content.toString()) as { parts: { key: string }[] };
    return parts.flatMap((part) =>
      gunzipSync(readFileSync(join(app.dataDirectory, directory, part.key)))
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: string; quantity: number }),
    );
  }

  it('have their rows in the partition of their month, to the millisecond', async () => {
    for (const month of MONTHS) {
      now = startOf(month);
      await ahead();
      for (const at of [startOf(month), lastOf(month)]) {
        now = at;
        expect(await report(event(at))).toEqual({ accepted: 1, duplicates: 0, rejected: [] });
        const [entry, deploy, run] = [idOf(AUDIT_ENTRY_ID, at), idOf(DEPLOY_ID, at), idOf(RUN_ID, at)];
        await make.sql(
          `INSERT INTO audit_log (id, org_id, action, target_type, target_id, details, at)
           VALUES ($1, $2, 'test.done', 'test', $1, '{}', $3)`,
          [entry, orgId, at],
        );
        await make.sql(
          `INSERT INTO deploys SELECT (jsonb_populate_record(d, jsonb_build_object('id', $1::text, 'created_at',
             $2::timestamptz, 'finished_at', $2::timestamptz))).* FROM deploys d WHERE id = $3`,
          [deploy, at, deployed],
        );
        // The last line comes in the next month.
        await make.sql(
          `INSERT INTO deploy_log_lines
           SELECT $1, n, $2::timestamptz + (n - 1) * interval '31 days', 'build', 'stdout', 'line ' || n
           FROM generate_series(1, 2) n`,
          [deploy, at],
        );
        await make.sql(
          `INSERT INTO runs (id, org_id, agent_id, agent_version, root_run_id, depth, trigger, user_id, state, input,
             cost_limit_nano, step_limit, active_limit_ms, tool_call_limit, budget_subjects, last_seq, created_at,
             ended_at)
           VALUES ($1, $2, 'agt_00000000000000000000000000', 1, $1, 0, 'api', $3, 'succeeded', '"Hello."', 1, 1, 1, 0,
             '{}', 2, $4, $4)`,
          [run, orgId, ada.user.id, at],
        );
        await make.sql(
          `INSERT INTO run_events SELECT $1, n, 'run.queued', $2::timestamptz + (n - 1) * interval '31 days', '{}'
           FROM generate_series(1, 2) n`,
          [run, at],
        );
      }
    }
    for (const table of TABLES) {
      const rows = await make.sql<{ name: string; count: string }>(
        `SELECT tableoid::regclass::text AS name, count(*) FROM ${table} GROUP BY 1 ORDER BY 1`,
      );
      const each = table === 'audit_log' || table === 'usage_events' ? '2' : '4';
      expect(rows.filter(({ name }) => !name.includes('until'))).toEqual(
        namesOf(table).map((name) => ({ name, count: each })),
      );
    }
  });

  it('are read across their borders by the API', async () => {
    const pages: string[][] = [];
    for (let cursor: string | null | undefined = ''; cursor !== null && cursor !== undefined;) {
      const query = `limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { data, meta } = expectStatus(
        200,
        await app.fetch(`/api/v1/orgs/${orgId}/audit-log?${query}`, as(key)),
      ).body;
      pages.push(
        (data as { action: string; target: { id: string } }[])
          .filter(({ action }) => action === 'test.done')
          .map(({ target }) => target.id),
      );
      cursor = meta.next_cursor as string | null | undefined;
    }
    expect(pages[0]).toHaveLength(4);
    expect(pages.flat()).toEqual([...TIMES].reverse().map((at) => idOf(AUDIT_ENTRY_ID, at)));
    const period = `from=${startOf(2).toISOString()}&to=${startOf(3).toISOString()}`;
    const exported = linesOf(await app.fetch(`/api/v1/orgs/${orgId}/audit-log/export?${period}`, as(key)));
    expect(exported.slice(0, -1).map(({ id }) => id as string)).toEqual([
      idOf(AUDIT_ENTRY_ID, startOf(2)),
      idOf(AUDIT_ENTRY_ID, lastOf(2)),
    ]);

    for (const at of TIMES) {
      const log = linesOf(await app.fetch(`/api/v1/deploys/${idOf(DEPLOY_ID, at)}/logs`, as(key)));
      expect(log.map(({ text, end }) => (text as string | undefined) ?? Object.keys(end as object))).toEqual([
        'line 1',
        'line 2',
        ['state'],
      ]);
      const events = linesOf(await app.fetch(`/api/v1/runs/${idOf(RUN_ID, at)}/events?follow=false`, as(key)));
      expect(events.map(({ seq }) => seq as number | undefined).filter((seq) => seq !== undefined)).toEqual([1, 2]);
    }

    const days = await usageOf(startOf(1), startOf(4), '&group_by=day');
    expect(days.map(({ day, quantity }) => [day, quantity] as unknown).sort()).toEqual(
      TIMES.map((at) => [at.toISOString().slice(0, 10), String(QUANTITY)]),
    );
    for (const month of MONTHS)
      expect(await usageOf(startOf(month), startOf(month + 1))).toMatchObject([{ quantity: String(2 * QUANTITY) }]);
    expect(await report(...TIMES.map(event))).toEqual({ accepted: 0, duplicates: TIMES.length, rejected: [] });
  });

  it('stay while they have rows that are kept', async () => {
    now = startOf(4);
    await ahead();
    await removeOld();
    for (const table of TABLES) expect(await partitionsOf(table)).toEqual(expect.arrayContaining(namesOf(table)));
  });

  it('go once their rows have gone: logs of builds, events of runs, and the audit log to its archive', async () => {
    now = lastOf(8);
    await ahead();
    for (const schedule of ['deploy-retention', 'old-agent-runs']) await app.runSchedule(schedule);
    await removeOld();
    for (const table of ['deploy_log_lines', 'run_events', 'audit_log']) {
      const left = await partitionsOf(table);
      for (const name of namesOf(table)) expect(left).not.toContain(name);
      expect(left).toEqual(expect.arrayContaining([8, 9, 10].map((month) => `${table}_${suffixOf(month)}`)));
      // Dropped, and not only detached.
      for (const name of namesOf(table))
        expect(await make.sql('SELECT to_regclass($1) AS found', [name])).toEqual([{ found: null }]);
    }
    const archived = await archivedOf('audit_log');
    expect(archived.map(({ partition_name }) => partition_name)).toEqual(
      expect.arrayContaining(namesOf('audit_log').slice(0, 3)),
    );
    const ids = archived.flatMap((each) => read('audit-archive', each).map(({ id }) => id));
    expect(ids).toEqual(TIMES.map((at) => idOf(AUDIT_ENTRY_ID, at)));
    const { data } = expectStatus(200, await app.fetch(`/api/v1/orgs/${orgId}/audit-log?limit=100`, as(key))).body;
    expect((data as { action: string }[]).filter(({ action }) => action === 'test.done')).toEqual([]);
    expect(await partitionsOf('usage_events')).toEqual(expect.arrayContaining(namesOf('usage_events')));
  });

  describe('of usage', () => {
    /** The month of one organization, and then that of all. */
    const close = async (...months: number[]): Promise<void> => {
      for (const month of months) {
        await app.get(UsagePeriodsService).close([orgId], startOf(month));
        await removeOld();
        expect((await archivedOf('usage_events')).filter(({ rows }) => rows !== '0')).toEqual([]);
        await make.sql('INSERT INTO closed_periods (period_from, closed_at) VALUES ($1, now())', [startOf(month)]);
      }
    };
    const late = { id: 'late', occurred_at: startOf(1).toISOString() };
    let before: unknown;
    const report3 = async (): Promise<unknown> => [
      await usageOf(startOf(1), startOf(4), '&group_by=day'),
      await make.sql('SELECT * FROM usage_months WHERE used_in < $1 AND month < $1 ORDER BY id', [startOf(4)]),
    ];

    it('stay until they are billed, and until late events are', async () => {
      now = lastOf(17);
      await ahead();
      await removeOld();
      expect((await archivedOf('usage_events')).filter(({ rows }) => rows !== '0')).toEqual([]);
      await close(1);
      expect(await report({ ...event(startOf(1)), ...late })).toMatchObject({ accepted: 1 });
      await close(2, 3);
      before = await report3();
      await removeOld();
      // The late event is billed in the present month.
      expect((await archivedOf('usage_events')).filter(({ rows }) => rows !== '0')).toEqual([]);
      now = lastOf(18);
      await close(17);
      await removeOld();
      // Sums of the last month are still compared with their events.
      expect((await archivedOf('usage_events')).filter(({ rows }) => rows !== '0')).toEqual([]);
      await app.runSchedule('usage-reconciliation');
      expect((await app.fetch('/metrics')).text).toMatch(/^usage_reconcile_drift(\{[^}]*\})? 0$/m);
    });

    it('go to their archive, and nothing that was billed changes', async () => {
      now = lastOf(19);
      await ahead();
      await removeOld();
      const archived = await archivedOf('usage_events');
      expect(archived.filter(({ rows }) => rows !== '0').map(({ partition_name: name, rows }) => [name, rows])).toEqual(
        namesOf('usage_events').map((name, index) => [name, index === 0 ? '3' : '2']),
      );
      const quantities = archived.flatMap((each) => (each.rows === '0' ? [] : read('usage-archive', each)));
      expect(quantities.map(({ quantity }) => quantity)).toEqual(Array.from({ length: 7 }, () => QUANTITY));
      const left = await partitionsOf('usage_events');
      for (const name of namesOf('usage_events')) expect(left).not.toContain(name);
      expect(await report3()).toEqual(before);
      await app.runSchedule('usage-reconciliation');
      expect((await app.fetch('/metrics')).text).toMatch(/^usage_reconcile_drift(\{[^}]*\})? 0$/m);
    });

    it('take no event any more, as nobody knows whether it is in the archive', async () => {
      expect(await report(event(startOf(1)), { ...event(startOf(2)), id: 'new' }, event(now!))).toEqual({
        accepted: 1,
        duplicates: 0,
        rejected: [0, 1].map((index) => ({
          index,
          code: 'too_old',
          field: 'occurred_at',
          message: 'Events of that month are in the archive',
        })),
      });
      const usage = app.get(UsageService).record([
        {
          orgId,
          projectId: null,
          meter: 'sandbox_compute',
          model: null,
          quantity: 1n,
          occurredAt: lastOf(3),
          source: 'a-source',
          sourceId: 'new',
        },
      ]);
      await expect(usage).rejects.toThrow(UsageMonthArchived);
      for (const name of namesOf('usage_events')) expect(await partitionsOf('usage_events')).not.toContain(name);
    });
  });
});

describe('without settings', () => {
  it('no month of usage leaves the database', async () => {
    const app = new TestApp({ USAGE_TOKEN: TOKEN }, 'without_databases');
    await app.start();
    try {
      jest.spyOn(app.get(Clock), 'now').mockReturnValue(startOf(0));
      await app.runSchedule('partitions');
      jest.spyOn(app.get(Clock), 'now').mockReturnValue(startOf(100));
      await app.runSchedule('old-partitions');
      const name = `usage_events_${suffixOf(0)}`;
      expect(await new Make(app).sql('SELECT to_regclass($1) IS NOT NULL AS there', [name])).toEqual([{ there: true }]);
    } finally {
      jest.restoreAllMocks();
      await app.stop();
    }
  });

  it('a time to archive without a place to archive to is refused', async () => {
    const app = new TestApp({ USAGE_EVENTS_MONTHS: '13' }, 'without_databases');
    await expect(app.start()).rejects.toThrow('USAGE_EVENTS_MONTHS needs USAGE_ARCHIVE_URL');
  });
});
