import { as, expectStatus } from '../support/make.js';
import { DATABASES } from '../support/databases.js';
import { useApp } from '../support/test-app.js';
import { Wire } from '../support/wire.js';

const app = useApp({}, 'all');
const wire = new Wire(app);

/** Operators of the tenant which PostgreSQL finds before its own, once a role looks there first. */
const TRAPS = ['oid', 'name', 'text', '"char"', 'int8'].flatMap((type) => [
  `CREATE FUNCTION trap.called(a ${type}, b ${type}) RETURNS boolean LANGUAGE plpgsql AS
     $$ BEGIN RAISE EXCEPTION 'called'; END $$`,
  `CREATE OPERATOR trap.= (FUNCTION = trap.called, LEFTARG = ${type}, RIGHTARG = ${type})`,
  `CREATE OPERATOR trap.<> (FUNCTION = trap.called, LEFTARG = ${type}, RIGHTARG = ${type})`,
]);
const SHADOWS = [
  'CREATE VIEW trap.pg_stat_statements AS SELECT 1 AS calls',
  'CREATE FUNCTION trap.count(int) RETURNS int LANGUAGE sql AS $$ SELECT 1 / 0 $$',
];

describe('what is read of a database to describe it', () => {
  it('runs nothing of the tenant, wherever the roles look for names first', async () => {
    await wire.begin();
    const { database, url } = await wire.database();
    const id = database.id as string;
    const owner = await wire.client(url);
    await owner.query('CREATE TABLE shown AS SELECT 1 AS n');
    for (const sql of ['CREATE SCHEMA trap', ...TRAPS, ...SHADOWS]) await owner.query(sql);
    await owner.query('ALTER ROLE owner SET search_path = trap, pg_catalog');
    const reader = await wire.client((await wire.credential(id, 'reader')).url);
    await reader.query('ALTER ROLE reader SET search_path = trap, pg_catalog');
    await Promise.all([owner.end(), reader.end()]);
    // The traps work.
    const trapped = await wire.query(id, { sql: "SELECT 'a'::name = 'a'::name" });
    expect(trapped.status).toBe(400);

    const stats = expectStatus(200, await app.fetch(`${DATABASES}/${id}/stats`, as(wire.key))).body.data;
    expect(stats.slow_statements).toEqual(
      expect.arrayContaining([expect.objectContaining({ statement: expect.stringContaining('CREATE TABLE shown') })]),
    );
    const schema = expectStatus(200, await app.fetch(`${DATABASES}/${id}/schema`, as(wire.key))).body.data;
    expect(schema.tables).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'shown' })]));
  });
});
