import { CLASSES, IN_SCHEMA, NAME, OWN_CLASS } from './fragments.js';

const constraints = (condition: string): string => `
  SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s;', ${NAME}, k.conname, pg_get_constraintdef(k.oid))
  FROM pg_constraint k JOIN ${CLASSES} ON c.oid = k.conrelid
  WHERE ${condition} AND k.conparentid = 0 AND k.conislocal AND c.relkind IN ('r', 'p') AND ${OWN_CLASS}
  ORDER BY k.contype = 'c', k.oid`;

const INDEXES = `SELECT regexp_replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') || ';' || coalesce((
    SELECT string_agg(format(E'\\nALTER INDEX %s ALTER COLUMN %s SET STATISTICS %s;', ${NAME}, a.attnum,
      a.attstattarget), '' ORDER BY a.attnum)
    FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attstattarget >= 0), '')
  FROM pg_index x JOIN ${CLASSES} ON c.oid = x.indexrelid
  WHERE ${OWN_CLASS} AND x.indisvalid AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x'))
  ORDER BY c.oid`;

/** What identifies rows in a log of changes, and the order in which they are written again. */
const TABLE_SETTINGS = `SELECT format('ALTER TABLE ONLY %s %s;', ${NAME}, given.setting)
  FROM ${CLASSES} LEFT JOIN pg_index x ON x.indrelid = c.oid AND (x.indisreplident OR x.indisclustered), unnest(ARRAY[
    CASE WHEN x.indisreplident AND c.relreplident = 'i' THEN format('REPLICA IDENTITY USING INDEX %I',
      (SELECT relname FROM pg_class WHERE oid = x.indexrelid)) END,
    CASE WHEN x.indisclustered THEN format('CLUSTER ON %I',
      (SELECT relname FROM pg_class WHERE oid = x.indexrelid)) END,
    CASE c.relreplident WHEN 'f' THEN 'REPLICA IDENTITY FULL' WHEN 'n' THEN 'REPLICA IDENTITY NOTHING' END
    ]) given(setting)
  WHERE c.relkind IN ('r', 'p') AND given.setting IS NOT NULL AND ${OWN_CLASS} GROUP BY c.oid, n.nspname, c.relname,
    given.setting ORDER BY c.oid, given.setting`;

const STATISTICS = `SELECT pg_get_statisticsobjdef(s.oid) || ';' || CASE WHEN s.stxstattarget >= 0 THEN
    format(E'\\nALTER STATISTICS %I.%I SET STATISTICS %s;', n.nspname, s.stxname, s.stxstattarget) ELSE '' END
  FROM pg_statistic_ext s JOIN pg_namespace n ON n.oid = s.stxnamespace
  WHERE ${IN_SCHEMA('s', 'stxnamespace')} ORDER BY s.oid`;

/** The states of triggers and rules. Most are those that they are made with. */
const STATE = (column: string): string =>
  `CASE ${column} WHEN 'D' THEN 'DISABLE' WHEN 'R' THEN 'ENABLE REPLICA'
     WHEN 'A' THEN 'ENABLE ALWAYS' ELSE 'ENABLE' END`;
const CHANGED = (column: string, kind: string, name: string): string => `CASE ${column} WHEN 'O' THEN '' ELSE
    format(E'\\nALTER TABLE %s %s ${kind} %I;', ${NAME}, ${STATE(column)}, ${name}) END`;

const RULES = `SELECT pg_get_ruledef(r.oid) || ${CHANGED('r.ev_enabled', 'RULE', 'r.rulename')}
  FROM pg_rewrite r JOIN ${CLASSES} ON c.oid = r.ev_class
  WHERE r.rulename <> '_RETURN' AND ${OWN_CLASS} ORDER BY r.oid`;
const TRIGGERS = `SELECT pg_get_triggerdef(t.oid) || ';' || ${CHANGED('t.tgenabled', 'TRIGGER', 't.tgname')}
  FROM pg_trigger t JOIN ${CLASSES} ON c.oid = t.tgrelid
  WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND ${OWN_CLASS} ORDER BY t.oid`;
const TRIGGERS_OF_PARTITIONS = `SELECT format('ALTER TABLE %s %s TRIGGER %I;', ${NAME},
    ${STATE('t.tgenabled')}, t.tgname)
  FROM pg_trigger t JOIN pg_trigger p ON p.oid = t.tgparentid JOIN ${CLASSES} ON c.oid = t.tgrelid
  WHERE NOT t.tgisinternal AND t.tgenabled <> p.tgenabled AND ${OWN_CLASS} ORDER BY t.oid`;

const POLICIES = `SELECT format('CREATE POLICY %I ON %s AS %s FOR %s TO %s%s%s;', p.polname, ${NAME},
    CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
    CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'
      ELSE 'ALL' END,
    (SELECT string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r)) END, ', ')
     FROM unnest(p.polroles) r),
    coalesce(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', ''),
    coalesce(' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')', ''))
  FROM pg_policy p JOIN ${CLASSES} ON c.oid = p.polrelid WHERE ${OWN_CLASS} ORDER BY p.oid`;
const ROW_SECURITY = `SELECT format('ALTER TABLE %s %s ROW LEVEL SECURITY;', ${NAME}, kind)
  FROM ${CLASSES}, unnest(ARRAY['ENABLE', 'FORCE']) kind
  WHERE ${OWN_CLASS} AND CASE kind WHEN 'FORCE' THEN c.relforcerowsecurity ELSE c.relrowsecurity END ORDER BY c.oid`;

const TABLE_COMMENTS = `SELECT CASE d.objsubid WHEN 0 THEN format('COMMENT ON %s %s IS %L;', CASE c.relkind
      WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'i' THEN 'INDEX'
      WHEN 'I' THEN 'INDEX' ELSE 'TABLE' END, ${NAME}, d.description)
    ELSE format('COMMENT ON COLUMN %s.%I IS %L;', ${NAME}, (SELECT attname FROM pg_attribute
      WHERE attrelid = c.oid AND attnum = d.objsubid), d.description) END
  FROM pg_description d JOIN ${CLASSES} ON d.classoid = 'pg_class'::regclass AND c.oid = d.objoid
  WHERE (c.relkind IN ('r', 'p', 'v', 'm', 'S', 'i', 'I') OR (c.relkind = 'c' AND d.objsubid > 0)) AND ${OWN_CLASS}
  ORDER BY c.oid, d.objsubid`;
const COMMENTED = [
  ...['pg_namespace', 'pg_type', 'pg_proc', 'pg_operator', 'pg_cast', 'pg_collation', 'pg_ts_config', 'pg_ts_dict'],
  ...['pg_constraint', 'pg_trigger', 'pg_rewrite', 'pg_policy', 'pg_statistic_ext'],
];
/** What PostgreSQL has made has comments of its own. The schema `public` may have another one. */
const OTHER_COMMENTS = `SELECT format('COMMENT ON %s %s IS %L;',
    CASE o.type WHEN 'statistics object' THEN 'STATISTICS'
      ELSE upper(regexp_replace(o.type, '^(table|domain) ', '')) END,
    CASE o.type WHEN 'domain constraint' THEN (SELECT format('%I ON DOMAIN %s', k.conname, k.contypid::regtype)
      FROM pg_constraint k WHERE k.oid = d.objoid) ELSE o.identity END, d.description)
  FROM pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) o
  WHERE d.classoid = ANY (ARRAY[${COMMENTED.map((name) => `'${name}'::regclass`).join(', ')}]::oid[])
    AND (d.objoid >= 16384 OR (d.classoid = 'pg_namespace'::regclass AND o.identity = 'public'
      AND d.description <> 'standard public schema'))
    AND NOT EXISTS (SELECT FROM pg_depend x WHERE x.classid = d.classoid AND x.objid = d.objoid AND x.deptype = 'e')
  ORDER BY o.type, o.identity`;

/** What writes all that is checked or called when rows change, and what is said about it. */
export const AFTER_DATA: readonly string[] = [
  constraints(`k.contype IN ('p', 'u', 'x', 'c')`),
  constraints(`k.contype = 'n' AND NOT k.convalidated`),
  INDEXES,
  TABLE_SETTINGS,
  `SELECT format('REFRESH MATERIALIZED VIEW %s;', ${NAME}) FROM ${CLASSES}
   WHERE c.relkind = 'm' AND c.relispopulated AND ${OWN_CLASS} ORDER BY c.oid`,
  constraints(`k.contype = 'f'`),
  STATISTICS,
  RULES,
  TRIGGERS,
  TRIGGERS_OF_PARTITIONS,
  POLICIES,
  ROW_SECURITY,
  TABLE_COMMENTS,
  OTHER_COMMENTS,
];
