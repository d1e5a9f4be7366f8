/** Parts of the statements that write the definitions of a database. */

const OWN_SCHEMAS = `SELECT oid FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'`;
export const IN_SCHEMA = (alias: string, name: string): string => `${alias}.${name} IN (${OWN_SCHEMAS})`;
export const NOT_OF_EXTENSION = (catalog: string, alias: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass AND d.objid = ${alias}.oid
     AND d.deptype = 'e')`;
/** What is made with something else, such as the casts of a range, is not made again. */
export const NOT_INTERNAL = (catalog: string, alias: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass AND d.objid = ${alias}.oid
     AND d.deptype = 'i')`;
/** What PostgreSQL itself has made has a lower number. */
export const MADE_LATER = (alias: string): string => `${alias}.oid >= 16384`;

export const CLASSES = 'pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace';
export const OWN_CLASS = `${IN_SCHEMA('c', 'relnamespace')} AND ${NOT_OF_EXTENSION('pg_class', 'c')}`;
export const OWN_TYPE = `${IN_SCHEMA('t', 'typnamespace')} AND ${NOT_OF_EXTENSION('pg_type', 't')}`;
export const NAME = `format('%I.%I', n.nspname, c.relname)`;
export const OPTIONS = `coalesce(' WITH (' || (SELECT string_agg(o, ', ') FROM (
    SELECT unnest(c.reloptions) UNION ALL
    SELECT 'toast.' || unnest(x.reloptions) FROM pg_class x WHERE x.oid = c.reltoastrelid) given(o)) || ')', '')`;
export const COLLATION = (type: string, collation: string): string =>
  `coalesce((SELECT format(' COLLATE %I.%I', cn.nspname, co.collname) FROM pg_collation co
     JOIN pg_namespace cn ON cn.oid = co.collnamespace JOIN pg_type ct ON ct.oid = ${type}
     WHERE co.oid = ${collation} AND co.oid <> ct.typcollation), '')`;
export const SEQUENCE = `format('INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s%s', s.seqincrement,
  s.seqmin, s.seqmax, s.seqstart, s.seqcache, CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END)`;

export const COLUMN = `format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
  || ${COLLATION('a.atttypid', 'a.attcollation')}`;

/** The function that a range measures distances with is before the type. */
export const OF_RANGES = `SELECT r.rngsubdiff::oid FROM pg_range r JOIN pg_type t ON t.oid = r.rngtypid
  WHERE ${OWN_TYPE}`;

/** An option of a definition whose value is a function, unless there is none. */
export const FUNCTION = (option: string, column: string): string =>
  `CASE WHEN ${column}::oid = 0 THEN '' ELSE ', ${option} = ' || ${column}::regproc END`;
/** An option whose value is an operator, unless there is none. */
export const OPERATOR = (option: string, column: string): string =>
  `coalesce((SELECT format(', ${option} = OPERATOR(%I.%s)', xn.nspname, x.oprname) FROM pg_operator x
     JOIN pg_namespace xn ON xn.oid = x.oprnamespace WHERE x.oid = ${column}), '')`;
