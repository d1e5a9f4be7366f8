import { once } from 'node:events';
import type { Client } from 'pg';
import { DatabaseAccess } from '../../src/modules/databases/database-access.js';
import { ClusterOpening } from '../../src/modules/databases/engine/own/cluster-opening.js';
import { ClusterRecords } from '../../src/modules/databases/engine/own/cluster-records.js';
import { ClusterStarter } from '../../src/modules/databases/engine/own/cluster-starter.js';
import { Clusters } from '../../src/modules/databases/engine/own/clusters.js';
import { simpleQueryOf, terminateOf } from '../../src/modules/databases/sql/query-protocol.js';
import { startupMessageOf } from '../../src/modules/databases/wire/protocol/startup-packet.js';
import { eventually, useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';
import { CHECKSUM } from './checksum.js';
import { ENGINES, namesInside, type NamesInside, useEngine, withNames } from './engines.js';

const BODY = (id: number): string => `LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN PERFORM set_config('default_transaction_read_only', 'off', false);
     INSERT INTO public.t VALUES (${id}, 'written') ON CONFLICT DO NOTHING; RETURN 1; END $$`;

/** The owner helps wherever it can. What is refused here helps nobody. */
const PREPARATION = [
  'CREATE TABLE t (id int PRIMARY KEY, note text)',
  "INSERT INTO t SELECT n, 'row ' || n FROM generate_series(1, 100) n",
  'CREATE TABLE u (id int)',
  'CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM t',
  'CREATE SEQUENCE counter',
  'SELECT lo_from_bytea(4242, $$before$$)',
  // Functions with the rights of the owner, however they are called.
  `CREATE FUNCTION definer() RETURNS int ${BODY(901)}`,
  `CREATE FUNCTION later() RETURNS int LANGUAGE sql AS
     $$ INSERT INTO public.t VALUES (902) ON CONFLICT DO NOTHING RETURNING 1 $$`,
  'ALTER FUNCTION later() SECURITY DEFINER',
  `CREATE PROCEDURE called() LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN INSERT INTO public.t VALUES (903) ON CONFLICT DO NOTHING; END $$`,
  `DO $$ BEGIN EXECUTE 'CREATE FUNCTION hidden() RETURNS int LANGUAGE sql SECURITY DEFINER AS
     ''INSERT INTO public.t VALUES (904) ON CONFLICT DO NOTHING RETURNING 1'''; END $$`,
  `CREATE FUNCTION same(int, int) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN INSERT INTO public.t VALUES (905) ON CONFLICT DO NOTHING; RETURN true; END $$`,
  'CREATE OPERATOR === (FUNCTION = same, LEFTARG = int, RIGHTARG = int, RESTRICT = eqsel)',
  `CREATE FUNCTION noted(int) RETURNS text ${BODY(906).replace('RETURN 1', "RETURN 'x'")}`,
  'CREATE TYPE wrapped AS (value int)',
  `CREATE FUNCTION wrap(int) RETURNS wrapped LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN INSERT INTO public.t VALUES (907) ON CONFLICT DO NOTHING; RETURN ROW(1)::wrapped; END $$`,
  'CREATE CAST (int AS wrapped) WITH FUNCTION wrap(int)',
  `CREATE FUNCTION step(int, int) RETURNS int ${BODY(908)}`,
  'CREATE AGGREGATE gathered(int) (SFUNC = step, STYPE = int, INITCOND = 0)',
  `CREATE FUNCTION apart(float8, float8) RETURNS float8 IMMUTABLE LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN IF session_user = 'reader' THEN PERFORM public.definer(); END IF; RETURN $1 - $2; END $$`,
  'CREATE TYPE span AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = apart)',
  'CREATE TABLE spans AS SELECT span(n, n + 1) AS s FROM generate_series(1, 1000) n',
  'ANALYZE t, spans',
  'CREATE VIEW calling AS SELECT id, definer() AS written FROM t',
  'CREATE VIEW ruled AS SELECT * FROM u',
  'CREATE RULE also AS ON INSERT TO ruled DO INSTEAD INSERT INTO t VALUES (910)',
  `CREATE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN INSERT INTO public.t VALUES (911) ON CONFLICT DO NOTHING; RETURN NULL; END $$`,
  'CREATE TRIGGER firing AFTER INSERT ON u FOR EACH STATEMENT EXECUTE FUNCTION fired()',
  'CREATE DOMAIN checked AS int CHECK (definer() = 1)',
  // Rights, now and for what comes.
  'GRANT ALL ON ALL TABLES IN SCHEMA public TO reader, PUBLIC',
  'GRANT INSERT (id), UPDATE (id) ON t TO reader WITH GRANT OPTION',
  'GRANT ALL ON SEQUENCE counter TO PUBLIC',
  'GRANT ALL ON SCHEMA public TO reader',
  'GRANT ALL ON LARGE OBJECT 4242 TO reader',
  'GRANT ALL ON ALL FUNCTIONS IN SCHEMA public TO reader',
  'ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO reader',
  'ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO PUBLIC',
  'ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO reader',
  'ALTER DEFAULT PRIVILEGES GRANT ALL ON LARGE OBJECTS TO reader',
  'CREATE SCHEMA given CREATE TABLE inside (id int) GRANT ALL ON inside TO reader',
  'CREATE TABLE afterwards (id int)',
  'CREATE SEQUENCE afterwards_counter',
  'SELECT lo_from_bytea(4243, $$later$$)',
  'BEGIN; CREATE FUNCTION bundled() RETURNS int LANGUAGE sql SECURITY DEFINER AS ' +
    "'INSERT INTO public.t VALUES (912) ON CONFLICT DO NOTHING RETURNING 1'; GRANT ALL ON t TO reader; COMMIT",
];

const WRITABLE = [
  'SET default_transaction_read_only = off',
  "SELECT set_config('transaction_read_only', 'off', false)",
];

/** Each runs in a session of its own, one statement after another, whether they fail or not. */
const ATTEMPTS: readonly (readonly string[])[] = [
  ['SELECT definer()'],
  ['SELECT later()', 'SELECT hidden()', 'SELECT bundled()'],
  ['CALL called()'],
  ['BEGIN READ WRITE', 'SELECT definer()', 'COMMIT'],
  ['SELECT 1 === 1', 'SELECT * FROM t WHERE id === 1', 'EXPLAIN SELECT * FROM t WHERE id === 7'],
  ['SELECT 1::wrapped', 'SELECT CAST(id AS wrapped) FROM t'],
  ['SELECT noted(1)', 'SELECT * FROM t WHERE noted(id) IS NOT NULL'],
  ['SELECT gathered(id) FROM t', 'SELECT gathered(id) OVER () FROM t'],
  ["SELECT * FROM spans WHERE s && '[1,5)'::span", "EXPLAIN SELECT * FROM spans WHERE s && '[1,5)'::span"],
  ['SELECT * FROM calling', 'COPY (SELECT * FROM calling) TO STDOUT'],
  ['SELECT 1::checked'],
  ['DO $$ BEGIN PERFORM definer(); END $$'],
  ["DO $$ BEGIN COMMIT; PERFORM set_config('transaction_read_only', 'off', false); PERFORM definer(); END $$"],
  ['SELECT 1; COMMIT; SELECT definer(); INSERT INTO t VALUES (1001)'],
  ['INSERT INTO t VALUES (1002)', 'INSERT INTO t (id) VALUES (1003)', 'UPDATE t SET id = -id', 'DELETE FROM t'],
  ['TRUNCATE t', 'LOCK TABLE t IN ACCESS EXCLUSIVE MODE', 'SELECT * FROM t FOR UPDATE'],
  ['MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE'],
  ['WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x'],
  ['INSERT INTO u VALUES (1)', 'INSERT INTO ruled VALUES (1)', 'INSERT INTO calling VALUES (1)'],
  ['INSERT INTO afterwards VALUES (1)', 'INSERT INTO given.inside VALUES (1)'],
  ["SELECT nextval('counter')", "SELECT setval('counter', 500)", "SELECT nextval('afterwards_counter')"],
  ['PREPARE p AS DELETE FROM t', 'EXECUTE p', 'EXPLAIN ANALYZE EXECUTE p'],
  ['BEGIN', 'DECLARE c CURSOR WITH HOLD FOR SELECT definer()', 'FETCH ALL FROM c', 'COMMIT'],
  ['COPY t FROM STDIN', "COPY t FROM PROGRAM 'echo 1004'", "COPY t TO '/tmp/t'"],
  ["SELECT lo_put(4242, 0, 'after')", 'SELECT lo_unlink(4242)', "SELECT lo_put(4243, 0, 'after')"],
  ["SELECT lo_from_bytea(4244, 'x')", 'SELECT lo_create(4245)', 'SELECT lo_creat(-1)'],
  ['BEGIN', "SELECT lowrite(lo_open(4242, x'20000'::int), 'after')", 'COMMIT'],
  ['SET ROLE owner', 'INSERT INTO t VALUES (1005)'],
  ['SET SESSION AUTHORIZATION owner', 'INSERT INTO t VALUES (1006)'],
  ["SELECT set_config('role', 'owner', false)", 'INSERT INTO t VALUES (1007)'],
  ['SET session_replication_role = replica', 'SET event_triggers = off', 'INSERT INTO t VALUES (1008)'],
  ['GRANT ALL ON t TO PUBLIC', 'GRANT INSERT ON t TO reader', 'INSERT INTO t VALUES (1009)'],
  ['GRANT owner TO reader', 'GRANT pg_write_all_data TO reader', 'INSERT INTO t VALUES (1010)'],
  ['CREATE TABLE x (id int)', 'CREATE TEMP TABLE x (id int)', 'SELECT * INTO TEMP x FROM t', 'CREATE SCHEMA x'],
  ['CREATE FUNCTION pg_temp.f() RETURNS int LANGUAGE sql AS $$ DELETE FROM t RETURNING 1 $$', 'SELECT pg_temp.f()'],
  ['ALTER TABLE t RENAME TO x', 'DROP TABLE t', 'CREATE INDEX ON t (note)', "COMMENT ON TABLE t IS 'x'"],
  ['REFRESH MATERIALIZED VIEW m', 'CLUSTER t USING t_pkey', 'REINDEX TABLE t', 'VACUUM FULL t'],
  ['DROP EVENT TRIGGER service_read_only', 'DROP EXTENSION plpgsql CASCADE'],
  ["SELECT pg_logical_emit_message(false, 'x', repeat('y', 1000))"],
  ['SELECT pg_catalog.service_keep_reading()'],
  ["PREPARE TRANSACTION 'x'", 'SELECT pg_switch_wal()', 'CHECKPOINT'],
  ['DROP OWNED BY reader', 'REASSIGN OWNED BY reader TO owner'],
  ['CREATE ROLE x', 'ALTER ROLE reader SUPERUSER', 'ALTER DATABASE app SET default_transaction_read_only = off'],
];

const attempt = async (client: Client, sql: string): Promise<string | undefined> =>
  client.query(sql).then(
    () => undefined,
    (error: unknown) => (error as { code?: string }).code ?? 'failed',
  );

/**
 * Law 6 of project databases over the wire, where a client rules its transactions: a credential for reading changes
 * nothing, whatever the owner has created and granted.
 */
describe.each(ENGINES)('a credential for reading on $engine', (engine) => {
  const app = useEngine(engine);
  const wire = new Wire(app);
  let names: NamesInside;
  const named = (sql: string): string => withNames(names, sql);
  let id: string;
  let ownerUrl: string;
  let readerUrl: string;
  let owner: Client;

  beforeAll(async () => {
    await wire.begin();
    id = (await wire.ready()).id as string;
    names = await namesInside(app, id);
    ownerUrl = (await wire.credential(id)).url;
    readerUrl = (await wire.credential(id, 'reader')).url;
    owner = await wire.client(ownerUrl);
    for (const sql of PREPARATION) expect([sql, await attempt(owner, named(sql))]).toEqual([sql, undefined]);
  });
  afterAll(() => owner.end());

  it(`changes nothing in ${ATTEMPTS.length} attempts, which the owner has prepared`, async () => {
    const before = (await owner.query(CHECKSUM)).rows;
    for (const statements of ATTEMPTS) {
      const reader = await wire.client(readerUrl);
      for (const sql of [...WRITABLE, ...statements]) await attempt(reader, named(sql));
      await reader.end();
      expect([statements, (await owner.query(CHECKSUM)).rows]).toEqual([statements, before]);
    }
  }, 120_000);

  it('changes nothing by statements that are sent without waiting for answers', async () => {
    const before = (await owner.query(CHECKSUM)).rows;
    const stream = await app.get(DatabaseAccess).open({ databaseId: id, role: 'reader' });
    const statements = [...WRITABLE, ...ATTEMPTS.flat()].filter((sql) => !sql.startsWith('COPY')).map(named);
    const ended = once(stream, 'close');
    stream.resume();
    stream.write(Buffer.concat([startupMessageOf([['user', 'any']]), ...statements.map(simpleQueryOf), terminateOf()]));
    await ended;
    expect((await owner.query(CHECKSUM)).rows).toEqual(before);
  }, 60_000);

  it('still reads everything, also what was made afterwards', async () => {
    await owner.query('CREATE TABLE newest AS SELECT 7 AS number');
    const reader = await wire.client(readerUrl);
    expect((await reader.query('SELECT count(*)::int AS count FROM t')).rows).toEqual([{ count: 100 }]);
    expect((await reader.query('SELECT number FROM newest')).rows).toEqual([{ number: 7 }]);
    expect((await reader.query("SELECT convert_from(lo_get(4242), 'UTF8') AS text")).rows).toEqual([
      { text: 'before' },
    ]);
    await reader.end();
  });

  it('leaves its own functions to the owner, who may go on writing', async () => {
    expect((await owner.query('SELECT definer()')).rows).toEqual([{ definer: 1 }]);
    await owner.query('DELETE FROM t WHERE id = 901');
    await owner.query("SELECT nextval('counter'), lo_put(4242, 0, 'before')");
  });

  it('leaves no settings to later sessions of readers', async () => {
    const reader = await wire.client(readerUrl);
    await reader.query(named("ALTER ROLE reader SET search_path = 'given'"));
    await reader.query(named("ALTER ROLE reader IN DATABASE app SET statement_timeout = '1ms'"));
    await reader.end();
    await app.runSchedule('database-sizes');
    const later = await wire.client(readerUrl);
    const { rows } = await later.query(
      "SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS within",
    );
    expect(rows).toEqual([{ path: '"$user", public', within: '0' }]);
    await later.end();
  });
});

describe('a database of a release without the guard', () => {
  const app = useApp({}, 'all');
  const wire = new Wire(app);

  it('gets it at its next start, before a client is served', async () => {
    await wire.begin();
    const { database, url } = await wire.database();
    const [row] = await wire.make.sql('SELECT cluster_id FROM databases WHERE id = $1', [database.id]);
    const clusterId = row!['cluster_id'] as string;
    const cluster = app.get(Clusters).of(clusterId);
    const input = await app.get(ClusterOpening).inputOf(clusterId);
    await cluster.hold(async (server) => {
      await app.get(ClusterStarter).configure({ ...input, entersApp: true });
      await server.asPlatform((client) => client.query('SELECT pg_reload_conf()'));
      await eventually(
        () =>
          server
            .asPlatform((client) => client.query('SELECT 1'), { database: 'app' })
            .then(
              () => true,
              () => false,
            ),
        'the service may work in the database',
      );
      await server.asPlatform(
        async (client) => {
          for (const name of ['service_read_only', 'service_rights']) {
            await client.query(`ALTER EXTENSION plpgsql DROP EVENT TRIGGER ${name}`);
            await client.query(`DROP EVENT TRIGGER ${name}`);
          }
          for (const name of ['after_command', 'before_command', 'keep_reading'])
            await client.query(`DROP FUNCTION pg_catalog.service_${name}()`);
        },
        { database: 'app' },
      );
    });
    const owner = await wire.client(url);
    await owner.query('CREATE TABLE t (id int, note text)');
    await owner.query(`CREATE FUNCTION definer() RETURNS int ${BODY(1)}`);
    await owner.query('GRANT ALL ON t TO reader; ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC');
    await owner.end();
    const { url: readerUrl } = await wire.credential(database.id as string, 'reader');
    const before = await wire.client(readerUrl);
    expect(await attempt(before, 'SELECT definer()')).toBeUndefined();
    await before.end();

    await app.get(ClusterRecords).change(clusterId, { guard: 0 });
    await cluster.stop();
    const reader = await wire.client(readerUrl);
    for (const sql of ['SELECT definer()', 'INSERT INTO t VALUES (2)', 'DELETE FROM t'])
      expect([sql, await attempt(reader, sql)]).toEqual([sql, '42501']);
    expect((await reader.query('SELECT id FROM t')).rows).toEqual([{ id: 1 }]);
    await reader.end();
    // The service is kept out again.
    await expect(
      cluster.hold((server) => server.asPlatform((client) => client.query('SELECT 1'), { database: 'app' })),
    ).rejects.toThrow('pg_hba.conf');
  });
});
