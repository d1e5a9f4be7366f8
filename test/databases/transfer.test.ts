import fc from 'fast-check';
import { codeOf, DATABASES } from '../support/databases.js';
import { as, expectStatus, Make } from '../support/make.js';
import { useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';

/** A machine without pg_dump. */
const app = useApp({ DATABASES_PG_DUMP: '/none/pg_dump' }, 'all');
const wire = new Wire(app);
const make = new Make(app);
const NOBODY = 'db_00000000000000000000000000';
let from: string;
let into: string;

beforeAll(async () => {
  await wire.begin();
  from = (await wire.ready()).id as string;
  into = (await wire.ready()).id as string;
});

const exported = (id: string, key = wire.key, query = ''): Promise<any> =>
  app.fetch(`${DATABASES}/${id}/export${query}`, as(key));
const imported = (id: string, sql: string, key = wire.key, headers: Record<string, string> = {}): Promise<any> =>
  app.call('POST', `${DATABASES}/${id}/import`, {
    ...as(key, { headers: { 'content-type': 'application/octet-stream', ...headers } }),
    body: sql,
  });
const write = async (id: string, sql: string): Promise<any> =>
  expectStatus(200, await wire.query(id, { sql, access: 'write' })).body.data;
const rowsOf = async (id: string, sql: string): Promise<any> => (await write(id, sql)).rows;
const empty = async (id: string): Promise<void> => {
  await write(id, 'DROP SCHEMA IF EXISTS shop CASCADE');
  await write(id, 'DROP SCHEMA public CASCADE');
  await write(id, 'CREATE SCHEMA public');
};

const RICH = `
  CREATE SCHEMA shop;
  CREATE TYPE shop.mood AS ENUM ('good', 'it''s bad');
  CREATE DOMAIN shop.positive AS int DEFAULT 1 CHECK (VALUE > 0);
  CREATE TYPE shop.pair AS (a int, b text);
  CREATE FUNCTION shop.twice(n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT n * 2';
  CREATE FUNCTION shop.body(n int) RETURNS int IMMUTABLE BEGIN ATOMIC SELECT n; SELECT CASE WHEN n > 1 THEN 1 ELSE
    n END; END;
  CREATE TABLE shop.people (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "full name" text COLLATE "C" NOT NULL UNIQUE,
    mood shop.mood DEFAULT 'good', n shop.positive, p shop.pair, doubled int GENERATED ALWAYS AS (shop.twice(n)) STORED,
    later int GENERATED ALWAYS AS (1 + 1) VIRTUAL, data jsonb, tags text[], CHECK (shop.twice(n) < 1000));
  CREATE TABLE shop.pets (id serial PRIMARY KEY, owner bigint NOT NULL REFERENCES shop.people ON DELETE CASCADE);
  CREATE TABLE shop.log (at date NOT NULL, line text) PARTITION BY RANGE (at);
  CREATE TABLE shop.log_old PARTITION OF shop.log FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
  CREATE TABLE shop.log_new PARTITION OF shop.log DEFAULT;
  CREATE INDEX ON shop.log (at);
  ALTER TABLE shop.log ADD PRIMARY KEY (at);
  CREATE INDEX people_mood ON shop.people (mood) WHERE n > 3;
  CREATE VIEW shop.names WITH (security_invoker=true) AS SELECT "full name" FROM shop.people;
  CREATE MATERIALIZED VIEW shop.counted AS SELECT count(*) AS count FROM shop.people;
  CREATE FUNCTION shop.note() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN NEW."full name" := NEW."full name" ||
    ';'; RETURN NEW; END $f$;
  INSERT INTO shop.people ("full name", n, p, data, tags) VALUES
    (E'Ada\\n\\\\.\\n\\tü', 3, ROW(1, 'x'), '{"a": "b;"}', ARRAY['1', NULL]), ('', 4, NULL, NULL, NULL);
  INSERT INTO shop.pets (owner) VALUES (1), (2);
  INSERT INTO shop.log VALUES ('2020-01-01', 'old'), ('2026-05-05', 'new');
  REFRESH MATERIALIZED VIEW shop.counted;
  CREATE TRIGGER note BEFORE UPDATE ON shop.people FOR EACH ROW EXECUTE FUNCTION shop.note();
  ALTER TABLE shop.people ENABLE ROW LEVEL SECURITY;
  CREATE POLICY mine ON shop.people FOR SELECT TO reader USING (id = 1);
  COMMENT ON COLUMN shop.people.mood IS 'how; it is';
`;

/** What few databases have. */
const RARE = `
  CREATE SCHEMA shop;
  CREATE COLLATION shop.plain (PROVIDER = builtin, LOCALE = 'C.UTF-8');
  CREATE FUNCTION shop.apart(a float8, b float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT a - b';
  CREATE TYPE shop.span AS RANGE (SUBTYPE = float8, SUBTYPE_DIFF = shop.apart, MULTIRANGE_TYPE_NAME = shop.spans);
  CREATE TYPE shop.words AS RANGE (SUBTYPE = text, SUBTYPE_OPCLASS = text_pattern_ops, COLLATION = shop.plain);
  CREATE TYPE shop.pair AS (a int, b int);
  CREATE DOMAIN shop.positive AS int CONSTRAINT above CHECK (VALUE > 0);
  CREATE FUNCTION shop.joined(p shop.pair) RETURNS text LANGUAGE sql IMMUTABLE AS $f$ SELECT p.a || ':' || p.b $f$;
  CREATE CAST (shop.pair AS text) WITH FUNCTION shop.joined(shop.pair) AS ASSIGNMENT;
  CREATE CAST (shop.pair AS json) WITH INOUT;
  CREATE FUNCTION shop.same(a shop.pair, b shop.pair) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT a.a = b.a';
  CREATE OPERATOR shop.=== (FUNCTION = shop.same, LEFTARG = shop.pair, RIGHTARG = shop.pair, COMMUTATOR =
    OPERATOR(shop.===), NEGATOR = OPERATOR(shop.!==), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES);
  CREATE FUNCTION shop.other(a shop.pair, b shop.pair) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT a.a <> b.a';
  CREATE OPERATOR shop.!== (FUNCTION = shop.other, LEFTARG = shop.pair, RIGHTARG = shop.pair, NEGATOR =
    OPERATOR(shop.===));
  CREATE OPERATOR shop.!!! (FUNCTION = shop.joined, RIGHTARG = shop.pair);
  CREATE FUNCTION shop.step(a int, b int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a + b';
  CREATE FUNCTION shop.last(a int) RETURNS text LANGUAGE sql IMMUTABLE AS $f$ SELECT a || '!' $f$;
  CREATE AGGREGATE shop.total(int) (SFUNC = shop.step, STYPE = int, INITCOND = '0', FINALFUNC = shop.last,
    COMBINEFUNC = shop.step, PARALLEL = SAFE);
  CREATE TEXT SEARCH DICTIONARY shop.short (TEMPLATE = simple, STOPWORDS = 'english', ACCEPT = false);
  CREATE TEXT SEARCH CONFIGURATION shop.own (COPY = english);
  ALTER TEXT SEARCH CONFIGURATION shop.own ALTER MAPPING FOR asciiword WITH shop.short, english_stem;
  ALTER TEXT SEARCH CONFIGURATION shop.own DROP MAPPING FOR email;
  CREATE SEQUENCE shop.set_later;
  SELECT setval('shop.set_later', 50, false);
  CREATE TABLE shop.things (id int CONSTRAINT needed NOT NULL, s shop.span, p shop.pair, n shop.positive, body text,
    found tsvector GENERATED ALWAYS AS (to_tsvector('shop.own', body)) STORED, late int) WITH (fillfactor = 70,
    toast.autovacuum_enabled = false);
  INSERT INTO shop.things VALUES (1, '[1,2)', ROW(1, 2), 3, 'the quick foxes', DEFAULT, NULL);
  ALTER TABLE shop.things ADD CONSTRAINT later NOT NULL late NOT VALID;
  ALTER TABLE shop.things ALTER body SET STORAGE EXTERNAL, ALTER body SET STATISTICS 500,
    ALTER id SET (n_distinct = -0.5);
  CREATE UNIQUE INDEX things_id ON shop.things (id);
  CREATE INDEX things_doubled ON shop.things ((id * 2));
  ALTER INDEX shop.things_doubled ALTER COLUMN 1 SET STATISTICS 300;
  ALTER TABLE shop.things REPLICA IDENTITY USING INDEX things_id;
  ALTER TABLE shop.things CLUSTER ON things_id;
  CREATE STATISTICS shop.both ON id, n FROM shop.things;
  ALTER STATISTICS shop.both SET STATISTICS 200;
  CREATE VIEW shop.paired AS SELECT shop.total(id) AS total, bool_and(p OPERATOR(shop.===) p) AS same FROM shop.things;
  CREATE FUNCTION shop.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
  CREATE TRIGGER always BEFORE INSERT ON shop.things FOR EACH ROW EXECUTE FUNCTION shop.note();
  CREATE TRIGGER replica BEFORE INSERT ON shop.things FOR EACH ROW EXECUTE FUNCTION shop.note();
  CREATE TRIGGER never BEFORE INSERT ON shop.things FOR EACH ROW EXECUTE FUNCTION shop.note();
  ALTER TABLE shop.things ENABLE ALWAYS TRIGGER always, ENABLE REPLICA TRIGGER replica, DISABLE TRIGGER never;
  CREATE TABLE shop.parts (id int) PARTITION BY LIST (id);
  CREATE TABLE shop.part PARTITION OF shop.parts DEFAULT;
  CREATE TRIGGER each BEFORE INSERT ON shop.parts FOR EACH ROW EXECUTE FUNCTION shop.note();
  ALTER TABLE shop.part DISABLE TRIGGER each;
  CREATE RULE kept AS ON DELETE TO shop.things DO ALSO NOTHING;
  ALTER TABLE shop.things ENABLE ALWAYS RULE kept;
  COMMENT ON SCHEMA shop IS 'a schema';
  COMMENT ON TYPE shop.span IS 'a range';
  COMMENT ON COLUMN shop.pair.a IS 'a field';
  COMMENT ON DOMAIN shop.positive IS 'a domain';
  COMMENT ON CONSTRAINT above ON DOMAIN shop.positive IS 'a check';
  COMMENT ON CONSTRAINT needed ON shop.things IS 'a constraint';
  COMMENT ON FUNCTION shop.step(int, int) IS 'a function';
  COMMENT ON AGGREGATE shop.total(int) IS 'an aggregate';
  COMMENT ON OPERATOR shop.!!! (NONE, shop.pair) IS 'an operator';
  COMMENT ON CAST (shop.pair AS text) IS 'a cast';
  COMMENT ON COLLATION shop.plain IS 'a collation';
  COMMENT ON TEXT SEARCH CONFIGURATION shop.own IS 'a configuration';
  COMMENT ON TEXT SEARCH DICTIONARY shop.short IS 'a dictionary';
  COMMENT ON STATISTICS shop.both IS 'statistics';
  COMMENT ON TRIGGER always ON shop.things IS 'a trigger';
  COMMENT ON RULE kept ON shop.things IS 'a rule';
`;

/** How PostgreSQL describes it. What is not in here, the second export compares. */
const OF_SHOP = "connamespace = 'shop'::regnamespace";
const DESCRIBED = [
  "SELECT collprovider::text, colllocale FROM pg_collation WHERE collname = 'plain'",
  `SELECT rngtypid::regtype::text, rngsubtype::regtype::text, rngsubdiff::text, rngmultitypid::regtype::text,
     rngcollation::regcollation::text, (SELECT opcname FROM pg_opclass o WHERE o.oid = rngsubopc)
   FROM pg_range WHERE rngtypid::regtype::text LIKE 'shop.%' ORDER BY 1`,
  `SELECT castsource::regtype::text, casttarget::regtype::text, castcontext::text, castmethod::text
   FROM pg_cast WHERE oid >= 16384 ORDER BY 1, 2`,
  `SELECT oprname, oprcode::text, oprcom::regoper::text, oprnegate::regoper::text, oprrest::text, oprcanhash
   FROM pg_operator WHERE oprnamespace = 'shop'::regnamespace ORDER BY 1`,
  `SELECT aggfnoid::text, aggtransfn::text, aggfinalfn::text, aggcombinefn::text, agginitval, aggfinalmodify::text
   FROM pg_aggregate WHERE aggfnoid::text LIKE 'shop.%'`,
  "SELECT dictinitoption FROM pg_ts_dict WHERE dictname = 'short'",
  `SELECT maptokentype, mapseqno, mapdict::regdictionary::text FROM pg_ts_config_map
   WHERE mapcfg = 'shop.own'::regconfig ORDER BY 1, 2`,
  'SELECT last_value, is_called FROM shop.set_later',
  `SELECT attname, attstorage::text, attstattarget, attoptions::text, attnotnull FROM pg_attribute
   WHERE attrelid = 'shop.things'::regclass AND attnum > 0 ORDER BY attnum`,
  `SELECT reloptions::text, relreplident::text FROM pg_class WHERE relname IN ('things', 'names') OR oid =
     (SELECT reltoastrelid FROM pg_class WHERE oid = 'shop.things'::regclass) ORDER BY 1, 2`,
  `SELECT indexrelid::regclass::text, indisclustered, indisreplident FROM pg_index
   WHERE indrelid = 'shop.things'::regclass ORDER BY 1`,
  `SELECT conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint WHERE ${OF_SHOP} ORDER BY 1, 3`,
  'SELECT tgrelid::regclass::text, tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2',
  "SELECT rulename, ev_enabled::text FROM pg_rewrite WHERE rulename = 'kept'",
  'SELECT stxname, stxstattarget FROM pg_statistic_ext',
  `SELECT o.type, o.identity, d.description FROM pg_description d, pg_identify_object(classoid, objoid, objsubid) o
   WHERE objoid >= 16384 AND o.identity !~ '^pg_|pg_stat_statements' ORDER BY 1, 2`,
  'SELECT * FROM shop.things',
  'SELECT * FROM shop.paired',
  'SELECT (ROW(1, 2)::shop.pair)::text, shop.joined(ROW(3, 4))',
];

describe('export and import', () => {
  it('bring all of a database into another', async () => {
    expectStatus(200, await imported(from, RICH));
    const dump = expectStatus(200, await exported(from));
    expect(dump.headers.get('content-type')).toContain('application/sql');
    expect(dump.text).toMatch(/-- The export is complete\.\n$/);
    expect(dump.text).not.toContain('Not included');
    const { data } = expectStatus(200, await imported(into, dump.text)).body;
    expect(data.statements).toBeGreaterThan(30);
    for (const sql of [
      'SELECT * FROM shop.people ORDER BY id',
      'SELECT * FROM shop.pets ORDER BY id',
      'SELECT tableoid::regclass::text, * FROM shop.log ORDER BY at',
      'SELECT * FROM shop.counted',
      'SELECT shop.body(1)',
      "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'shop'::regnamespace ORDER BY 1",
      "SELECT indexdef FROM pg_indexes WHERE schemaname = 'shop' ORDER BY 1",
      "SELECT qual, cmd, roles::text FROM pg_policies WHERE schemaname = 'shop'",
      "SELECT reloptions::text FROM pg_class WHERE relname = 'names'",
    ])
      expect([sql, await rowsOf(into, sql)]).toEqual([sql, await rowsOf(from, sql)]);
    expect(await rowsOf(into, 'INSERT INTO shop.pets (owner) VALUES (1) RETURNING id')).toEqual([[3]]);
    // An export of the copy is the same.
    await write(from, 'INSERT INTO shop.pets (owner) VALUES (1)');
    expect((await exported(into)).text).toBe((await exported(from)).text);
  });

  it('bring what few databases have too', async () => {
    await empty(from);
    await empty(into);
    expectStatus(200, await imported(from, RARE));
    const dump = expectStatus(200, await exported(from)).text;
    expect(dump).not.toContain('Not included');
    expectStatus(200, await imported(into, dump));
    for (const sql of DESCRIBED) expect([sql, await rowsOf(into, sql)]).toEqual([sql, await rowsOf(from, sql)]);
    expect((await exported(into)).text).toBe(dump);
  });

  it('name what is not in an export', async () => {
    await empty(from);
    const sql = [
      "SELECT lo_from_bytea(4242, 'x')",
      "CREATE CONVERSION public.unusual FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8",
      'CREATE TABLE sent (id int)',
      'CREATE PUBLICATION news FOR TABLE sent',
    ];
    for (const each of sql) await write(from, each);
    const { text } = expectStatus(200, await exported(from));
    for (const named of ['large object 4242', 'conversion public.unusual', 'publication news'])
      expect(text).toContain(`-- Not included: ${named}\n`);
    expectStatus(200, await imported(into, text));
    await write(from, 'DROP PUBLICATION news');
    await write(from, 'SELECT lo_unlink(4242)');
  });

  it('keep random tables and rows as they are', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => value.replace(/\0/g, ''));
    const name = text.filter((value) => value !== '' && Buffer.byteLength(value) <= 50);
    const table = fc.record({
      columns: fc.uniqueArray(name, { minLength: 1, maxLength: 4 }),
      rows: fc.array(fc.array(fc.option(text), { minLength: 4, maxLength: 4 }), { maxLength: 8 }),
    });
    const ident = (value: string): string => `"${value.replace(/"/g, '""')}"`;
    const literal = (value: string | null): string => (value === null ? 'NULL' : `'${value.replace(/'/g, "''")}'`);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
        fc.array(table, { minLength: 3 }),
        async (names, all) => {
          await empty(from);
          await empty(into);
          const sql = names.map((each, index) => {
            const { columns, rows } = all[index]!;
            const types = columns.map((column) => `${ident(`c${column}`)} text`).join(', ');
            const created = `CREATE TABLE ${ident(each)} (n serial, ${types});`;
            const inserts = rows.map((row) => {
              const values = columns.map((_, at) => literal(row[at] ?? null)).join(', ');
              return `INSERT INTO ${ident(each)} VALUES (DEFAULT, ${values});`;
            });
            return [created, ...inserts].join('\n');
          });
          expectStatus(200, await imported(from, sql.join('\n')));
          const { text: dump } = expectStatus(200, await exported(from));
          expectStatus(200, await imported(into, dump));
          for (const each of names) {
            const select = `SELECT t::text FROM ${ident(each)} t ORDER BY n`;
            expect(await rowsOf(into, select)).toEqual(await rowsOf(from, select));
          }
          expect((await exported(into)).text).toBe(dump);
        },
      ),
      { numRuns: 5 },
    );
  });
});

describe('POST …/import', () => {
  beforeAll(() => empty(into));

  it.each([
    ['CREATE TABLE a (id int);\n\nSELECT nothing;', 3, '42703'],
    ['CREATE TABLE a (id int);\nCOPY a FROM stdin;\n1\n2\nx\n\\.\n', 5, '22P02'],
    ['CREATE TABLE a (id int);\nROLLBACK;', 2, '25001'],
    ['CREATE TABLE a (id int);\nDO $$ BEGIN COMMIT; END $$;', 2, '2D000'],
    ["CREATE TABLE a (id int);\nSET standard_conforming_strings = off;\nSELECT 'a\\'; COMMIT; --';", 3, '42601'],
    ['CREATE TABLE a (id int);\n\\connect other\n', 2, '42601'],
    ['CREATE TABLE a (id int);\nCOPY a FROM stdin;\n1\n', 4, '42601'],
  ])('names the line that failed, and changes nothing: %j', async (sql, line, state) => {
    const answer = await imported(into, sql);
    expect(codeOf(answer)).toEqual([400, 'query_failed']);
    expect(answer.body.error.details).toMatchObject({ line, sql_state: state });
    expect(await rowsOf(into, "SELECT to_regclass('public.a')::text")).toEqual([[null]]);
  });

  it('takes files that begin and commit, and runs nothing on a dry run', async () => {
    const sql = 'BEGIN;\nCREATE TABLE b (id int);\nCOMMIT;';
    expectStatus(200, await imported(into, sql, wire.key, { 'dry-run': 'true' }));
    expect(await rowsOf(into, "SELECT to_regclass('public.b')::text")).toEqual([[null]]);
    expectStatus(200, await imported(into, sql));
    expect(await rowsOf(into, "SELECT to_regclass('public.b')::text")).toEqual([['b']]);
  });
});

describe('GET …/export', () => {
  it('says which package the other format needs', async () => {
    const answer = await exported(from, wire.key, '?format=custom');
    expect(codeOf(answer)).toEqual([400, 'export_format_unavailable']);
    expect(answer.body.error).toMatchObject({
      message: 'This service has no pg_dump 18, which writes this format.',
      details: { format: 'custom', package: 'postgresql-client-18' },
    });
    // The operator reads it too.
    expect(app.log()).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining('are exported as SQL only') }),
    );
    expect(codeOf(await exported(from, wire.key, '?format=tar'))).toEqual([400, 'invalid_request']);
  });
});

describe('every endpoint', () => {
  const calls: [string, string[], (database: string, key: string) => Promise<any>][] = [
    ['export', ['databases:read'], (database, key) => exported(database, key)],
    ['import', ['databases:read', 'databases:write'], (database, key) => imported(database, 'SELECT 1', key)],
  ];

  it.each(calls)('%s returns 401, 403 and 404, and the same to another tenant', async (_, scopes, call) => {
    expect((await call(from, 'none')).status).toBe(401);
    const weak = await make.key(wire.owner, { scopes });
    expect(codeOf(await call(from, weak))).toEqual([403, 'insufficient_scopes']);
    const missing = await call(NOBODY, wire.key);
    expect(codeOf(missing)).toEqual([404, 'database_not_found']);
    const other = await make.key(await make.person());
    expect((await call(from, other)).body.error).toEqual(missing.body.error);
  });
});
