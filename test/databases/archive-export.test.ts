import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabasesSettings } from '../../src/modules/databases/databases.settings.js';
import { as, expectStatus } from '../support/make.js';
import { codeOf, DATABASES } from '../support/databases.js';
import { makeScratchDirectory } from '../support/scratch-directory.js';
import { StandInDump } from '../support/stand-in-dump.js';
import { eventually, type TestApp, useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';
import { ENGINES, namesInside, useEngine } from './engines.js';

const directory = makeScratchDirectory();
const standIn = new StandInDump(directory);
const WITH_STAND_IN = { DATABASES_PG_DUMP: standIn.path };

beforeAll(() => {
  standIn.install();
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const exported = (app: TestApp, wire: Wire, id: string): Promise<any> =>
  app.fetch(`${DATABASES}/${id}/export?format=custom`, as(wire.key));

/** Says what the program in place of pg_dump is to do. */
async function prepare(wire: Wire, id: string, mode: string): Promise<void> {
  for (const sql of ['DROP TABLE IF EXISTS stand_in', `CREATE TABLE stand_in AS SELECT '${mode}' AS mode`])
    expectStatus(200, await wire.query(id, { sql, access: 'write' }));
}

describe.each(ENGINES)('an export for pg_restore from $engine', ({ engine, settings }) => {
  const app = useEngine({ engine, settings: { ...settings, ...WITH_STAND_IN } });
  const wire = new Wire(app);

  it('is what pg_dump writes, as the owner of that database and nothing else', async () => {
    await wire.begin();
    const { id } = await wire.ready();
    await prepare(wire, id as string, 'archive');
    for (const sql of ['CREATE TABLE notes (note text)', "INSERT INTO notes VALUES ('one'), ('two')"])
      expectStatus(200, await wire.query(id as string, { sql, access: 'write' }));

    const answer = expectStatus(200, await exported(app, wire, id as string));
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${id as string}.dump"`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const facts = JSON.parse(answer.text.slice('PGDMP'.length));
    const names = await namesInside(app, id as string);
    expect(facts).toMatchObject({ user: names.owner, readOnly: 'on', rows: ['one', 'two'], uid: 1_000 });
    // It sees its libraries and the socket of this database, and no network at all.
    expect(facts).toMatchObject({ run: ['.s.PGSQL.5432'], seesHost: [], network: 'EACCES' });
    expect(facts.arguments).toEqual([
      ...['--host=/run/postgresql', '--port=5432', '--username=owner', '--dbname=app', '--no-password'],
      ...['--format=custom', '--encoding=UTF8', '--no-privileges', '--lock-wait-timeout=60000'],
      '--exclude-extension=pg_stat_statements',
    ]);
    expect(Object.keys(facts.environment).sort()).toEqual(
      ['HOME', 'LC_ALL', 'LD_LIBRARY_PATH', 'PGGSSENCMODE', 'PGOPTIONS', 'PGSSLMODE', 'PWD'].sort(),
    );
    const [row] = await wire.make.sql("SELECT count(*)::int FROM audit_log WHERE action = 'database.exported'");
    expect(row).toEqual({ count: 1 });
    // Nothing is left of the socket.
    expect(readdirSync(app.settings.of(DatabasesSettings).exportsDirectory).filter(isOfThisProcess)).toEqual([]);
  });
});

const isOfThisProcess = (name: string): boolean => name.startsWith(`${process.pid}-`);

describe('an export for pg_restore', () => {
  const app = useApp(WITH_STAND_IN, 'all');
  const wire = new Wire(app);
  let id: string;

  beforeAll(async () => {
    await wire.begin();
    id = (await wire.ready()).id as string;
  });

  /** How many MiB the program has written, or undefined when it is not connected. */
  async function written(): Promise<number | undefined> {
    const sql = "SELECT application_name FROM pg_stat_activity WHERE application_name LIKE 'stand-in %'";
    const { data } = expectStatus(200, await wire.query(id, { sql, access: 'write' })).body;
    return data.rows.length === 0 ? undefined : Number(data.rows[0][0].split(' ')[1]);
  }

  it('reports what fails before there is anything to send', async () => {
    await prepare(wire, id, 'broken');
    const answer = await exported(app, wire, id);
    expect(codeOf(answer)).toEqual([400, 'query_failed']);
    expect(answer.body.error.message).toBe(
      'pg_dump failed: query failed: ERROR:  column "no_such_column" does not exist',
    );
    const log = await wire.make.sql("SELECT 1 FROM audit_log WHERE action = 'database.exported'");
    expect(log).toEqual([]);
  });

  it('says so when the server is newer than pg_dump', async () => {
    await prepare(wire, id, 'mismatch');
    const answer = await exported(app, wire, id);
    expect(codeOf(answer)).toEqual([400, 'export_format_unavailable']);
    expect(answer.body.error).toMatchObject({
      message: 'The database runs PostgreSQL 19, and the pg_dump of this service is 18: it must not be older.',
      details: { format: 'custom', package: 'postgresql-client-19' },
    });
  });

  it('breaks off when pg_dump fails on its way', async () => {
    await prepare(wire, id, 'short');
    await expect(exported(app, wire, id)).rejects.toThrow(/terminated|fetch failed/);
  });

  it('is written no faster than it is read, one at a time, and ends with its caller', async () => {
    await prepare(wire, id, 'endless');
    const leave = new AbortController();
    const response = await fetch(`${app.url}${DATABASES}/${id}/export?format=custom`, {
      headers: { authorization: `Bearer ${wire.key}` },
      signal: leave.signal,
    });
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    await reader.read();
    let before: number | undefined;
    await eventually(
      async () => {
        const now = await written();
        const isStill = now !== undefined && now === before;
        before = now;
        return isStill;
      },
      'the program waits for its reader',
      20_000,
    );
    expect(before).toBeLessThan(64);

    expect(codeOf(await exported(app, wire, id))).toEqual([503, 'service_unavailable']);
    leave.abort();
    await eventually(async () => (await written()) === undefined, 'the program has ended');
    await prepare(wire, id, 'broken');
    expect(codeOf(await exported(app, wire, id))).toEqual([400, 'query_failed']);
  });

  it('says which version is too old, and that a program does not run', async () => {
    standIn.says('17.2');
    const answer = await exported(app, wire, id);
    expect(codeOf(answer)).toEqual([400, 'export_format_unavailable']);
    expect(answer.body.error).toMatchObject({
      message: 'The database runs PostgreSQL 18, and the pg_dump of this service is 17: it must not be older.',
      details: { format: 'custom', package: 'postgresql-client-18' },
    });
    writeFileSync(standIn.path, '#!/bin/sh\nexit 1\n');
    const broken = await exported(app, wire, id);
    expect(broken.body.error.message).toBe('This service has no pg_dump 18, which writes this format.');
    standIn.says('18.4');
  });
});

/** Packages of distributions, or the program that TEST_PG_DUMP names. */
function realProgram(): string | undefined {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  const places = versions.filter((name) => Number(name) >= 18).map((name) => `/usr/lib/postgresql/${name}/bin/pg_dump`);
  return [process.env['TEST_PG_DUMP'], ...places].find((path) => path !== undefined && existsSync(path));
}

describe('the real pg_dump', () => {
  const program = realProgram();
  const maybe = program === undefined ? it.skip : it;
  const app = useApp(program === undefined ? {} : { DATABASES_PG_DUMP: program }, 'all');
  const wire = new Wire(app);

  maybe('writes an archive of all of a database (skipped without pg_dump 18)', async () => {
    await wire.begin();
    const { id } = await wire.ready();
    for (const sql of [
      'CREATE TABLE notes (id int PRIMARY KEY, note text)',
      "INSERT INTO notes SELECT n, 'note ' || n FROM generate_series(1, 10000) n",
      'ALTER TABLE notes ENABLE ROW LEVEL SECURITY',
      'CREATE POLICY none ON notes TO reader USING (false)',
      'CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql AS $$ SELECT n * 2 $$',
      'CREATE VIEW twofold AS SELECT twice(id) FROM notes',
    ])
      expectStatus(200, await wire.query(id as string, { sql, access: 'write' }));
    const answer = await fetch(`${app.url}${DATABASES}/${id as string}/export?format=custom`, {
      headers: { authorization: `Bearer ${wire.key}` },
    });
    expect(answer.status).toBe(200);
    const file = join(directory, 'archive');
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
    const restore = join(dirname(program!), 'pg_restore');
    const { stdout, stderr } = spawnSync(restore, ['--no-owner', '-f', '-', file], { encoding: 'utf8' });
    expect(stderr).toBe('');
    for (const part of ['CREATE TABLE public.notes', 'CREATE VIEW public.twofold', '\n10000\tnote 10000\n'])
      expect(stdout).toContain(part);
    expect(stdout).not.toContain('pg_stat_statements');
    expect(stdout).not.toContain('EVENT TRIGGER');
  });
});
