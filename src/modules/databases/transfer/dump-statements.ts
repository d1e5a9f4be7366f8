/** What writes the definitions of a database, in an order in which they can be run. Each row is one statement. */

const IN_SCHEMA = (alias: string, name: string): string =>
  `${alias}.${name} IN (
    SELECT oid FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema')`;
const NOT_OF_EXTENSION = (catalog: string, alias: string): string =>
  `NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '${catalog}'::regclass AND d.objid = ${alias}.oid
     AND d.deptype = 'e')`;
const OWN_CLASS = `${IN_SCHEMA('c', 'relnamespace')} AND ${NOT_OF_EXTENSION('pg_class', 'c')}`;
const NAME = `format('%I.%I', n.nspname, c.relname)`;
const CLASSES = 'pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace';
const OPTIONS = `coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '')`;
const COLLATION = (alias: string, collation: string): string =>
  `coalesce((SELECT format(' COLLATE %I.%I', cn.nspname, co.collname) FROM pg_collation co
     JOIN pg_namespace cn ON cn.oid = co.collnamespace JOIN pg_type ct ON ct.oid = ${alias}
     WHERE co.oid = ${collation} AND co.oid <> ct.typcollation), '')`;
const SEQUENCE = `format('INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s%s', s.seqincrement, s.seqmin,
  s.seqmax, s.seqstart, s.seqcache, CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END)`;

const COLUMN = `format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod))
  || ${COLLATION('a.atttypid', 'a.attcollation')}`;
const IDENTITY = `CASE WHEN a.attidentity <> '' AND NOT c.relispartition THEN (
  SELECT format(' GENERATED %s AS IDENTITY (SEQUENCE NAME %I.%I %s)',
    CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END, sn.nspname, sc.relname, ${SEQUENCE})
  FROM pg_depend d JOIN pg_class sc ON sc.oid = d.objid AND sc.relkind = 'S'
    JOIN pg_namespace sn ON sn.oid = sc.relnamespace JOIN pg_sequence s ON s.seqrelid = sc.oid
  WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid
    AND d.refobjsubid = a.attnum AND d.deptype = 'i') ELSE '' END`;
/** The expression is set when its functions are there. A virtual column has none of the tenant's. */
const GENERATED = `CASE a.attgenerated WHEN 's' THEN format(' GENERATED ALWAYS AS (NULL::%s) STORED',
    format_type(a.atttypid, a.atttypmod))
  WHEN 'v' THEN format(' GENERATED ALWAYS AS (%s) VIRTUAL', (SELECT pg_get_expr(e.adbin, e.adrelid) FROM pg_attrdef e
    WHERE e.adrelid = c.oid AND e.adnum = a.attnum)) ELSE '' END`;

const constraints = (kinds: string): string => `
  SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', ${NAME}, k.conname, pg_get_constraintdef(k.oid))
  FROM pg_constraint k JOIN ${CLASSES} ON c.oid = k.conrelid
  WHERE k.contype = ANY ('{${kinds}}') AND k.conparentid = 0 AND k.conislocal AND c.relkind IN ('r', 'p')
    AND ${OWN_CLASS}
  ORDER BY k.contype = 'c', k.oid`;

/** The tables and their sequences, before there is data. */
export const BEFORE_DATA: readonly string[] = [
  `SELECT format('CREATE SCHEMA IF NOT EXISTS %I;', n.nspname) FROM pg_namespace n
   WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'public')
     AND ${NOT_OF_EXTENSION('pg_namespace', 'n')} ORDER BY n.oid`,
  `SELECT format('CREATE EXTENSION IF NOT EXISTS %I WITH SCHEMA %I;', e.extname, n.nspname)
   FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
   WHERE e.extname NOT IN ('plpgsql', 'pg_stat_statements') ORDER BY e.oid`,
  `SELECT format('CREATE TYPE %I.%I AS ENUM (%s);', n.nspname, t.typname,
     (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) FROM pg_enum e WHERE
       e.enumtypid = t.oid))
   FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
   WHERE t.typtype = 'e' AND ${IN_SCHEMA('t', 'typnamespace')} AND ${NOT_OF_EXTENSION('pg_type', 't')} ORDER BY t.oid`,
  `SELECT CASE t.typtype
     WHEN 'd' THEN format('CREATE DOMAIN %I.%I AS %s%s%s%s;', n.nspname, t.typname, format_type(t.typbasetype,
       t.typtypmod),
       ${COLLATION('t.typbasetype', 't.typcollation')}, coalesce(' DEFAULT ' || t.typdefault, ''),
       CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END)
     WHEN 'r' THEN (SELECT format('CREATE TYPE %I.%I AS RANGE (SUBTYPE = %s);', n.nspname, t.typname,
       format_type(r.rngsubtype, NULL)) FROM pg_range r WHERE r.rngtypid = t.oid)
     ELSE format('CREATE TYPE %I.%I AS (%s);', n.nspname, t.typname, (SELECT coalesce(string_agg(${COLUMN}, ', '
       ORDER BY a.attnum), '') FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT
         a.attisdropped))
     END
   FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
   WHERE (t.typtype IN ('d', 'r') OR (t.typtype = 'c' AND (SELECT relkind FROM pg_class WHERE oid = t.typrelid) = 'c'))
     AND ${IN_SCHEMA('t', 'typnamespace')} AND ${NOT_OF_EXTENSION('pg_type', 't')} ORDER BY t.oid`,
  `SELECT format('CREATE SEQUENCE %s AS %s %s;', ${NAME}, format_type(s.seqtypid, NULL), ${SEQUENCE})
   FROM ${CLASSES} JOIN pg_sequence s ON s.seqrelid = c.oid WHERE ${OWN_CLASS} AND NOT EXISTS (SELECT FROM pg_depend d
     WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i') ORDER BY c.oid`,
  `SELECT format('CREATE %sTABLE %s (%s)%s%s;', CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END, ${NAME},
     (SELECT string_agg(${COLUMN} || ${GENERATED} || ${IDENTITY}
        || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attnum)
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
     CASE c.relkind WHEN 'p' THEN ' PARTITION BY ' || pg_get_partkeydef(c.oid) ELSE '' END, ${OPTIONS})
   FROM ${CLASSES} WHERE c.relkind IN ('r', 'p') AND ${OWN_CLASS} ORDER BY c.oid`,
  `SELECT format('ALTER SEQUENCE %s OWNED BY %I.%I.%I;', ${NAME}, tn.nspname, t.relname, a.attname)
   FROM pg_depend d JOIN ${CLASSES} ON c.oid = d.objid AND c.relkind = 'S' JOIN pg_class t ON t.oid = d.refobjid
     JOIN pg_namespace tn ON tn.oid = t.relnamespace
     JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
   WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a' AND ${OWN_CLASS}
   ORDER BY c.oid`,
  // Each is after what it was made with, and functions are not checked before they run.
  `SELECT definition FROM (
     SELECT p.oid, pg_get_functiondef(p.oid) || ';' AS definition FROM pg_proc p
     WHERE p.prokind IN ('f', 'p', 'w') AND ${IN_SCHEMA('p', 'pronamespace')} AND ${NOT_OF_EXTENSION('pg_proc', 'p')}
       AND NOT EXISTS (SELECT FROM pg_depend i WHERE i.classid = 'pg_proc'::regclass AND i.objid = p.oid AND
         i.deptype = 'i')
     UNION ALL
     SELECT c.oid, format('CREATE %sVIEW %s%s AS %s', CASE c.relkind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END, ${NAME},
       ${OPTIONS}, CASE c.relkind WHEN 'm' THEN rtrim(pg_get_viewdef(c.oid), ';') || E'\\nWITH NO DATA;'
       ELSE pg_get_viewdef(c.oid) END)
     FROM ${CLASSES} WHERE c.relkind IN ('v', 'm') AND ${OWN_CLASS}) found ORDER BY oid`,
  `SELECT format('ALTER DOMAIN %I.%I ADD CONSTRAINT %I %s;', n.nspname, t.typname, k.conname,
    pg_get_constraintdef(k.oid))
   FROM pg_constraint k JOIN pg_type t ON t.oid = k.contypid JOIN pg_namespace n ON n.oid = t.typnamespace
   WHERE k.contype = 'c' AND ${IN_SCHEMA('t', 'typnamespace')} AND ${NOT_OF_EXTENSION('pg_type', 't')} ORDER BY k.oid`,
  `SELECT format('ALTER TABLE %s ALTER COLUMN %I SET %s;', CASE c.relkind WHEN 'v' THEN ${NAME} ELSE 'ONLY ' ||
    ${NAME} END,
     a.attname, CASE a.attgenerated WHEN 's' THEN format('EXPRESSION AS (%s)', pg_get_expr(e.adbin, e.adrelid))
     ELSE 'DEFAULT ' || pg_get_expr(e.adbin, e.adrelid) END)
   FROM pg_attrdef e JOIN ${CLASSES} ON c.oid = e.adrelid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum =
     e.adnum
   WHERE a.attgenerated <> 'v' AND ${OWN_CLASS} ORDER BY e.oid`,
  `SELECT CASE WHEN c.relispartition
     THEN format('ALTER TABLE %I.%I ATTACH PARTITION %s %s;', pn.nspname, p.relname, ${NAME},
       pg_get_expr(c.relpartbound, c.oid))
     ELSE format('ALTER TABLE %s INHERIT %I.%I;', ${NAME}, pn.nspname, p.relname) END
   FROM pg_inherits i JOIN ${CLASSES} ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
     JOIN pg_namespace pn ON pn.oid = p.relnamespace
   WHERE c.relkind IN ('r', 'p') AND ${OWN_CLASS} ORDER BY c.oid, i.inhseqno`,
];

/** The tables that hold rows. A column that is generated is not written. */
export const TABLES = `
  SELECT c.oid::text, ${NAME}, (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
  FROM ${CLASSES} WHERE c.relkind = 'r' AND ${OWN_CLASS} ORDER BY c.oid`;

/** Values that sequences have reached, and what is checked or called when rows change. */
export const AFTER_DATA: readonly string[] = [
  // The CASE keeps the function from what is no sequence.
  `SELECT format('SELECT pg_catalog.setval(%L, %s, true);', ${NAME}, pg_sequence_last_value(c.oid))
   FROM ${CLASSES} WHERE ${OWN_CLASS}
     AND CASE c.relkind WHEN 'S' THEN pg_sequence_last_value(c.oid) IS NOT NULL ELSE false END ORDER BY 1`,
  constraints('p,u,x,c'),
  `SELECT regexp_replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') || ';'
   FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
   WHERE ${OWN_CLASS} AND x.indisvalid AND NOT c.relispartition
     AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x')) ORDER
       BY c.oid`,
  `SELECT format('REFRESH MATERIALIZED VIEW %s;', ${NAME}) FROM ${CLASSES}
   WHERE c.relkind = 'm' AND c.relispopulated AND ${OWN_CLASS} ORDER BY c.oid`,
  constraints('f'),
  `SELECT pg_get_statisticsobjdef(s.oid) || ';' FROM pg_statistic_ext s
   WHERE ${IN_SCHEMA('s', 'stxnamespace')} ORDER BY s.oid`,
  `SELECT pg_get_ruledef(r.oid) FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
   WHERE r.rulename <> '_RETURN' AND ${OWN_CLASS} ORDER BY r.oid`,
  `SELECT pg_get_triggerdef(t.oid) || ';' || CASE t.tgenabled WHEN 'D' THEN
    format(E'\\nALTER TABLE %s DISABLE TRIGGER %I;',
     ${NAME}, t.tgname) ELSE '' END
   FROM pg_trigger t JOIN ${CLASSES} ON c.oid = t.tgrelid
   WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND ${OWN_CLASS} ORDER BY t.oid`,
  `SELECT format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s;', p.polname, ${NAME},
     CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
     CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'
       ELSE 'ALL' END,
     (SELECT string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r)) END, ', ') FROM
       unnest(p.polroles) r),
     coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', ''),
     coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''))
   FROM pg_policy p JOIN ${CLASSES} ON c.oid = p.polrelid WHERE ${OWN_CLASS} ORDER BY p.oid`,
  `SELECT format('ALTER TABLE %s %s ROW LEVEL SECURITY;', ${NAME}, kind) FROM ${CLASSES}, unnest(ARRAY['ENABLE',
    'FORCE']) kind
   WHERE ${OWN_CLASS} AND CASE kind WHEN 'FORCE' THEN c.relforcerowsecurity ELSE c.relrowsecurity END ORDER BY c.oid`,
  `SELECT CASE d.objsubid WHEN 0 THEN format('COMMENT ON %s %s IS %L;', CASE c.relkind WHEN 'v' THEN 'VIEW'
     WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'i' THEN 'INDEX' WHEN 'I' THEN 'INDEX' ELSE
       'TABLE' END,
     ${NAME}, d.description)
     ELSE format('COMMENT ON COLUMN %s.%I IS %L;', ${NAME}, (SELECT attname FROM pg_attribute
       WHERE attrelid = c.oid AND attnum = d.objsubid), d.description) END
   FROM pg_description d JOIN ${CLASSES} ON d.classoid = 'pg_class'::regclass AND c.oid = d.objoid
   WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'i', 'I') AND ${OWN_CLASS} ORDER BY c.oid, d.objsubid`,
];

/** What there is and the export does not write. It says so. */
export const LEFT_OUT = `
  SELECT '-- Not included: ' || regexp_replace(pg_describe_object(classid, oid, 0), '[\\r\\n]', ' ', 'g') FROM (
    SELECT 'pg_proc'::regclass AS classid, p.oid FROM pg_proc p
      WHERE p.prokind = 'a' AND ${IN_SCHEMA('p', 'pronamespace')} AND ${NOT_OF_EXTENSION('pg_proc', 'p')}
    UNION ALL SELECT 'pg_operator'::regclass, o.oid FROM pg_operator o
      WHERE ${IN_SCHEMA('o', 'oprnamespace')} AND ${NOT_OF_EXTENSION('pg_operator', 'o')}
    UNION ALL SELECT 'pg_collation'::regclass, o.oid FROM pg_collation o
      WHERE ${IN_SCHEMA('o', 'collnamespace')} AND ${NOT_OF_EXTENSION('pg_collation', 'o')}
    UNION ALL SELECT 'pg_ts_config'::regclass, o.oid FROM pg_ts_config o
      WHERE ${IN_SCHEMA('o', 'cfgnamespace')} AND ${NOT_OF_EXTENSION('pg_ts_config', 'o')}
    UNION ALL SELECT 'pg_class'::regclass, c.oid FROM pg_class c WHERE c.relkind = 'f' AND ${OWN_CLASS}
    UNION ALL SELECT 'pg_largeobject'::regclass, l.oid FROM pg_largeobject_metadata l) found`;
