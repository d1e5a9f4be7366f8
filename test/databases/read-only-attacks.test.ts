import { expectStatus } from '../support/make.js';
import { Wire } from '../support/wire.js';
import { CHECKSUM } from './checksum.js';
import { ENGINES, namesInside, type NamesInside, useEngine, withNames } from './engines.js';

const PREPARATION = [
  'CREATE TABLE t (id int PRIMARY KEY, note text)',
  "INSERT INTO t SELECT n, 'row ' || n FROM generate_series(1, 100) n",
  'CREATE SEQUENCE counter',
  'CREATE VIEW v AS SELECT * FROM t',
  'CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM t',
  'CREATE UNLOGGED TABLE u (id int)',
  'GRANT ALL ON t, u, v TO reader',
  'GRANT ALL ON SEQUENCE counter TO reader',
  'GRANT ALL ON SCHEMA public TO reader',
  'SELECT lo_from_bytea(4242, $$before$$)',
  'GRANT ALL ON LARGE OBJECT 4242 TO reader',
  `CREATE FUNCTION definer() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN INSERT INTO t VALUES (901, 'definer'); RETURN 1; END $$`,
  `CREATE FUNCTION writable() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN PERFORM set_config('transaction_read_only', 'off', false);
        INSERT INTO t VALUES (902, 'writable'); RETURN 1; END $$`,
  `CREATE FUNCTION catching() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN BEGIN PERFORM set_config('transaction_read_only', 'off', true); EXCEPTION WHEN OTHERS THEN NULL; END;
        BEGIN INSERT INTO t VALUES (903, 'catching'); EXCEPTION WHEN OTHERS THEN NULL; END; RETURN 1; END $$`,
  `CREATE PROCEDURE committing() LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN COMMIT; INSERT INTO t VALUES (904, 'committing'); COMMIT; END $$`,
  `CREATE PROCEDURE invoking() LANGUAGE plpgsql AS
     $$ BEGIN ROLLBACK; SET TRANSACTION READ WRITE; INSERT INTO t VALUES (905, 'invoking'); COMMIT; END $$`,
  `CREATE FUNCTION renamed(int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS
     $$ BEGIN EXECUTE 'ALTER TABLE t RENAME TO stolen'; RETURN 1; END $$`,
  'CREATE OPERATOR public.@@@ (FUNCTION = renamed, RIGHTARG = int)',
];

/** Each is run alone, with read access. Most are refused, and those that are not must have had no effect. */
const ATTEMPTS = [
  'SELECT 1; DROP TABLE t',
  'COMMIT; DROP TABLE t',
  'COMMIT',
  'ROLLBACK',
  'END AND CHAIN',
  "ROLLBACK; INSERT INTO t VALUES (1001, 'x')",
  'SAVEPOINT a',
  'SET TRANSACTION READ WRITE',
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
  'SET default_transaction_read_only = off',
  "SELECT set_config('transaction_read_only', 'off', false), definer()",
  "INSERT INTO t VALUES (1002, 'x')",
  'UPDATE t SET note = NULL',
  'DELETE FROM t',
  'TRUNCATE t',
  'MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE',
  "WITH x AS (INSERT INTO t VALUES (1003, 'x') RETURNING *) SELECT * FROM x",
  "INSERT INTO v VALUES (1004, 'x')",
  'INSERT INTO u VALUES (1)',
  'SELECT definer()',
  'SELECT writable()',
  'SELECT catching()',
  'SELECT @@@ 1',
  'CALL committing()',
  'CALL invoking()',
  "DO $$ BEGIN COMMIT; INSERT INTO t VALUES (1005, 'x'); END $$",
  'DO $$ BEGIN PERFORM definer(); END $$',
  "DO $$ BEGIN EXECUTE 'COMMIT'; EXECUTE 'DROP TABLE t'; END $$",
  'EXPLAIN ANALYZE DELETE FROM t',
  'EXPLAIN ANALYZE SELECT definer()',
  'PREPARE p AS DELETE FROM t',
  'DECLARE c CURSOR WITH HOLD FOR SELECT definer()',
  'SELECT * FROM t FOR UPDATE',
  'LOCK TABLE t IN ACCESS EXCLUSIVE MODE',
  "SELECT nextval('counter')",
  "SELECT setval('counter', 500)",
  'CREATE TABLE x (a int)',
  'CREATE TABLE x AS SELECT * FROM t',
  'SELECT * INTO x FROM t',
  'CREATE TEMP TABLE x (a int)',
  'CREATE SCHEMA x',
  'CREATE ROLE x',
  'CREATE EXTENSION dblink',
  'CREATE EXTENSION pgcrypto',
  'CREATE INDEX ON t (note)',
  'CREATE OR REPLACE VIEW v AS SELECT 1 AS id',
  'ALTER TABLE t DISABLE TRIGGER ALL',
  'ALTER ROLE reader SUPERUSER',
  "ALTER ROLE reader SET default_transaction_read_only = 'off'",
  'ALTER DATABASE app SET default_transaction_read_only = off',
  'ALTER SYSTEM SET fsync = off',
  'ALTER SEQUENCE counter RESTART WITH 900',
  'GRANT ALL ON t TO PUBLIC',
  'SET ROLE owner',
  'SET ROLE platform',
  'SET SESSION AUTHORIZATION owner',
  "SELECT set_config('role', 'owner', false), definer()",
  "SELECT set_config('session_authorization', 'owner', false)",
  'RESET ALL',
  'DISCARD ALL',
  "COPY t FROM PROGRAM 'echo 1007'",
  "COPY t TO PROGRAM 'id'",
  "COPY t TO '/tmp/t'",
  'COPY (SELECT definer()) TO STDOUT',
  "SELECT pg_read_file('/etc/passwd')",
  "SELECT lo_import('/etc/passwd')",
  "SELECT lo_put(4242, 0, 'after')",
  'SELECT lo_unlink(4242)',
  "SELECT lo_from_bytea(4243, 'x')",
  "PREPARE TRANSACTION 'x'",
  "SELECT dblink('dbname=app', 'DELETE FROM t')",
  'SELECT pg_advisory_lock(1)',
  "NOTIFY news, 'x'",
  "SELECT pg_notify('news', 'x')",
  'LISTEN news',
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity',
  'SELECT pg_cancel_backend(pid) FROM pg_stat_activity',
  'SELECT pg_reload_conf()',
  'SELECT pg_switch_wal()',
  "SELECT pg_create_restore_point('x')",
  "SELECT pg_create_physical_replication_slot('x')",
  "SELECT pg_create_logical_replication_slot('x', 'pgoutput')",
  'SELECT pg_stat_reset()',
  'SELECT pg_export_snapshot()',
  "SELECT pg_logical_emit_message(false, 'x', 'y')",
  'REFRESH MATERIALIZED VIEW m',
  'VACUUM FULL t',
  'ANALYZE t',
  'REINDEX TABLE t',
  'CLUSTER t USING t_pkey',
  'CHECKPOINT',
  "LOAD 'auto_explain'",
  "SECURITY LABEL ON TABLE t IS 'x'",
  "COMMENT ON TABLE t IS 'x'",
  'DROP OWNED BY reader',
  'REASSIGN OWNED BY owner TO reader',
  'IMPORT FOREIGN SCHEMA x FROM SERVER y INTO public',
];

/** Law 6 of project databases: read access changes nothing, even where the tenant's own functions try to help. */
describe.each(ENGINES)('read access on $engine', (engine) => {
  const app = useEngine(engine);
  const wire = new Wire(app);
  let id: string;
  let names: NamesInside;

  async function write(sql: string): Promise<any> {
    return expectStatus(200, await wire.query(id, { sql: withNames(names, sql), access: 'write' })).body.data;
  }

  beforeAll(async () => {
    await wire.begin();
    id = (await wire.ready()).id as string;
    names = await namesInside(app, id);
    for (const sql of PREPARATION) await write(sql);
  });

  it(`changes nothing in ${ATTEMPTS.length} attempts`, async () => {
    const { url } = await wire.credential(id);
    const listener = await wire.client(url);
    const heard: unknown[] = [];
    listener.on('notification', (each) => heard.push(each));
    await listener.query('LISTEN news');

    const before = (await listener.query(CHECKSUM)).rows;
    const statuses = new Map<number, number>();
    for (const sql of ATTEMPTS) {
      const { status } = await wire.query(id, { sql: withNames(names, sql), timeout_ms: 3_000 });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      expect([sql, [200, 400, 408, 503].includes(status)]).toEqual([sql, true]);
      // The tenant's own session was not ended, and sees the same as before.
      expect([sql, (await listener.query(CHECKSUM)).rows]).toEqual([sql, before]);
    }
    expect(statuses.get(400)).toBeGreaterThan(ATTEMPTS.length / 2);
    expect(heard).toEqual([]);
    // No lock and no transaction is left that would hold others off.
    await listener.query('BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE NOWAIT; ROLLBACK');
    const { rows } = await listener.query('SELECT pg_try_advisory_lock(1) AS free');
    expect(rows).toEqual([{ free: true }]);
    await listener.end();
  }, 120_000);
});
