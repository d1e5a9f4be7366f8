import {
  CLASSES,
  COLLATION,
  COLUMN,
  FUNCTION,
  IN_SCHEMA,
  MADE_LATER,
  NAME,
  NOT_OF_EXTENSION,
  OF_RANGES,
  OPTIONS,
  OWN_CLASS,
  OWN_TYPE,
  SEQUENCE,
} from './fragments.js';
import { ROUTINES } from './routines.js';

/** Releases of PostgreSQL name the column of the locale differently. */
const LOCALE = `coalesce(to_jsonb(o)->>'colllocale', to_jsonb(o)->>'colliculocale', o.collcollate)`;
const COLLATIONS = `SELECT format('CREATE COLLATION %I.%I (PROVIDER = %s, %s%s%s);', n.nspname, o.collname,
    CASE o.collprovider WHEN 'i' THEN 'icu' WHEN 'b' THEN 'builtin' ELSE 'libc' END,
    CASE o.collprovider WHEN 'c' THEN format('LC_COLLATE = %L, LC_CTYPE = %L', o.collcollate, o.collctype)
      ELSE format('LOCALE = %L', ${LOCALE}) END,
    CASE WHEN o.collisdeterministic THEN '' ELSE ', DETERMINISTIC = false' END,
    coalesce(', RULES = ' || quote_literal(to_jsonb(o)->>'collicurules'), ''))
  FROM pg_collation o JOIN pg_namespace n ON n.oid = o.collnamespace
  WHERE ${IN_SCHEMA('o', 'collnamespace')} AND ${NOT_OF_EXTENSION('pg_collation', 'o')} ORDER BY o.oid`;

const ENUMS = `SELECT format('CREATE TYPE %I.%I AS ENUM (%s);', n.nspname, t.typname,
    (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) FROM pg_enum e WHERE
      e.enumtypid = t.oid))
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype = 'e' AND ${OWN_TYPE} ORDER BY t.oid`;

const RANGE = `(SELECT format('CREATE TYPE %I.%I AS RANGE (SUBTYPE = %s%s%s%s, MULTIRANGE_TYPE_NAME = %I.%I);',
    n.nspname, t.typname, format_type(r.rngsubtype, NULL),
    CASE WHEN oc.opcdefault THEN '' ELSE format(', SUBTYPE_OPCLASS = %I.%I', ocn.nspname, oc.opcname) END,
    replace(${COLLATION('r.rngsubtype', 'r.rngcollation')}, ' COLLATE ', ', COLLATION = '),
    ${FUNCTION('SUBTYPE_DIFF', 'r.rngsubdiff')}, mn.nspname, m.typname)
  FROM pg_range r JOIN pg_opclass oc ON oc.oid = r.rngsubopc JOIN pg_namespace ocn ON ocn.oid = oc.opcnamespace
    JOIN pg_type m ON m.oid = r.rngmultitypid JOIN pg_namespace mn ON mn.oid = m.typnamespace
  WHERE r.rngtypid = t.oid)`;
const TYPES = `SELECT definition FROM (
  SELECT p.oid, pg_get_functiondef(p.oid) || ';' AS definition FROM pg_proc p
  WHERE p.oid IN (${OF_RANGES}) AND ${IN_SCHEMA('p', 'pronamespace')} AND ${NOT_OF_EXTENSION('pg_proc', 'p')}
  UNION ALL
  SELECT t.oid, CASE t.typtype
    WHEN 'd' THEN format('CREATE DOMAIN %I.%I AS %s%s%s%s;', n.nspname, t.typname,
      format_type(t.typbasetype, t.typtypmod), ${COLLATION('t.typbasetype', 't.typcollation')},
      coalesce(' DEFAULT ' || t.typdefault, ''), CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END)
    WHEN 'r' THEN ${RANGE}
    ELSE format('CREATE TYPE %I.%I AS (%s);', n.nspname, t.typname, (SELECT coalesce(string_agg(${COLUMN}, ', '
      ORDER BY a.attnum), '') FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0
        AND NOT a.attisdropped))
    END
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE (t.typtype IN ('d', 'r') OR (t.typtype = 'c' AND (SELECT relkind FROM pg_class WHERE oid = t.typrelid) = 'c'))
    AND ${OWN_TYPE}) found ORDER BY oid`;

const DICTIONARIES = `SELECT format('CREATE TEXT SEARCH DICTIONARY %I.%I (TEMPLATE = %I.%I%s);', n.nspname,
    o.dictname, mn.nspname, m.tmplname, coalesce(', ' || o.dictinitoption, ''))
  FROM pg_ts_dict o JOIN pg_namespace n ON n.oid = o.dictnamespace JOIN pg_ts_template m ON m.oid = o.dicttemplate
    JOIN pg_namespace mn ON mn.oid = m.tmplnamespace
  WHERE ${IN_SCHEMA('o', 'dictnamespace')} AND ${NOT_OF_EXTENSION('pg_ts_dict', 'o')} ORDER BY o.oid`;
const MAPPINGS = `SELECT string_agg(mapping, '' ORDER BY type) FROM (SELECT m.maptokentype AS type,
    format(E'\\nALTER TEXT SEARCH CONFIGURATION %I.%I ADD MAPPING FOR %I WITH %s;', n.nspname, o.cfgname,
      (SELECT k.alias FROM ts_token_type(o.cfgparser) k WHERE k.tokid = m.maptokentype),
      string_agg(m.mapdict::regdictionary::text, ', ' ORDER BY m.mapseqno)) AS mapping
  FROM pg_ts_config_map m WHERE m.mapcfg = o.oid GROUP BY m.maptokentype) mapped`;
const CONFIGURATIONS = `SELECT format('CREATE TEXT SEARCH CONFIGURATION %I.%I (PARSER = %I.%I);', n.nspname,
    o.cfgname, pn.nspname, p.prsname) || coalesce((${MAPPINGS}), '')
  FROM pg_ts_config o JOIN pg_namespace n ON n.oid = o.cfgnamespace JOIN pg_ts_parser p ON p.oid = o.cfgparser
    JOIN pg_namespace pn ON pn.oid = p.prsnamespace
  WHERE ${IN_SCHEMA('o', 'cfgnamespace')} AND ${NOT_OF_EXTENSION('pg_ts_config', 'o')} ORDER BY o.oid`;

const OWN_SEQUENCES = `SELECT format('CREATE %sSEQUENCE %s AS %s %s;',
    CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END, ${NAME}, format_type(s.seqtypid, NULL), ${SEQUENCE})
  FROM ${CLASSES} JOIN pg_sequence s ON s.seqrelid = c.oid WHERE ${OWN_CLASS} AND NOT EXISTS (SELECT FROM pg_depend d
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i') ORDER BY c.oid`;

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
/** Since PostgreSQL 18 it is a constraint. One that is not valid comes after the rows that break it. */
const NOT_NULL = `CASE WHEN NOT a.attnotnull THEN '' ELSE coalesce((
    SELECT CASE WHEN k.convalidated THEN
      CASE k.conname WHEN left(format('%s_%s_not_null', c.relname, a.attname), 63) THEN ''
        ELSE format(' CONSTRAINT %I', k.conname) END
      || ' NOT NULL' || CASE WHEN k.connoinherit THEN ' NO INHERIT' ELSE '' END ELSE '' END
    FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'n' AND k.conkey = ARRAY[a.attnum]), ' NOT NULL')
  END`;
const CREATED_TABLES = `SELECT format('CREATE %sTABLE %s (%s)%s%s;',
    CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END, ${NAME},
    (SELECT string_agg(${COLUMN} || ${GENERATED} || ${IDENTITY} || ${NOT_NULL}, ', ' ORDER BY a.attnum)
     FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    CASE c.relkind WHEN 'p' THEN ' PARTITION BY ' || pg_get_partkeydef(c.oid) ELSE '' END, ${OPTIONS})
  FROM ${CLASSES} WHERE c.relkind IN ('r', 'p') AND ${OWN_CLASS} ORDER BY c.oid`;

/** How columns are stored, and how closely they are looked at. */
const COLUMN_SETTINGS = `SELECT format('ALTER TABLE ONLY %s ALTER COLUMN %I SET %s;', ${NAME}, a.attname, given.setting)
  FROM ${CLASSES} JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid, unnest(ARRAY[
      CASE WHEN a.attstorage <> t.typstorage THEN 'STORAGE ' || CASE a.attstorage WHEN 'p' THEN 'PLAIN'
        WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
      CASE a.attcompression WHEN 'p' THEN 'COMPRESSION pglz' WHEN 'l' THEN 'COMPRESSION lz4' END,
      CASE WHEN a.attstattarget >= 0 THEN 'STATISTICS ' || a.attstattarget END,
      '(' || array_to_string(a.attoptions, ', ') || ')']) given(setting)
  WHERE c.relkind IN ('r', 'p') AND given.setting IS NOT NULL AND ${OWN_CLASS} ORDER BY c.oid, a.attnum, 1`;

const OWNED_SEQUENCES = `SELECT format('ALTER SEQUENCE %s OWNED BY %I.%I.%I;', ${NAME}, tn.nspname, t.relname,
    a.attname)
  FROM pg_depend d JOIN ${CLASSES} ON c.oid = d.objid AND c.relkind = 'S' JOIN pg_class t ON t.oid = d.refobjid
    JOIN pg_namespace tn ON tn.oid = t.relnamespace
    JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
  WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a' AND ${OWN_CLASS}
  ORDER BY c.oid`;

const DOMAIN_CHECKS = `SELECT format('ALTER DOMAIN %I.%I ADD CONSTRAINT %I %s;', n.nspname, t.typname, k.conname,
    pg_get_constraintdef(k.oid))
  FROM pg_constraint k JOIN pg_type t ON t.oid = k.contypid JOIN pg_namespace n ON n.oid = t.typnamespace
  WHERE k.contype = 'c' AND ${OWN_TYPE} ORDER BY k.oid`;

const EXPRESSIONS = `SELECT format('ALTER TABLE %s ALTER COLUMN %I SET %s;',
    CASE c.relkind WHEN 'v' THEN ${NAME} ELSE 'ONLY ' || ${NAME} END, a.attname,
    CASE a.attgenerated WHEN 's' THEN format('EXPRESSION AS (%s)', pg_get_expr(e.adbin, e.adrelid))
      ELSE 'DEFAULT ' || pg_get_expr(e.adbin, e.adrelid) END)
  FROM pg_attrdef e JOIN ${CLASSES} ON c.oid = e.adrelid
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = e.adnum
  WHERE a.attgenerated <> 'v' AND ${OWN_CLASS} ORDER BY e.oid`;

const PARENTS = `SELECT CASE WHEN c.relispartition
    THEN format('ALTER TABLE %I.%I ATTACH PARTITION %s %s;', pn.nspname, p.relname, ${NAME},
      pg_get_expr(c.relpartbound, c.oid))
    ELSE format('ALTER TABLE %s INHERIT %I.%I;', ${NAME}, pn.nspname, p.relname) END
  FROM pg_inherits i JOIN ${CLASSES} ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
    JOIN pg_namespace pn ON pn.oid = p.relnamespace
  WHERE c.relkind IN ('r', 'p') AND ${OWN_CLASS} ORDER BY c.oid, i.inhseqno`;

/** What writes the tables and all that they need, before there is data. Each row is one definition. */
export const BEFORE_DATA: readonly string[] = [
  `SELECT format('CREATE SCHEMA IF NOT EXISTS %I;', n.nspname) FROM pg_namespace n
   WHERE n.nspname NOT LIKE 'pg\\_%' AND n.nspname NOT IN ('information_schema', 'public')
     AND ${NOT_OF_EXTENSION('pg_namespace', 'n')} ORDER BY n.oid`,
  `SELECT format('CREATE EXTENSION IF NOT EXISTS %I WITH SCHEMA %I;', e.extname, n.nspname)
   FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
   WHERE ${MADE_LATER('e')} AND e.extname <> 'pg_stat_statements' ORDER BY e.oid`,
  COLLATIONS,
  ENUMS,
  TYPES,
  DICTIONARIES,
  CONFIGURATIONS,
  OWN_SEQUENCES,
  CREATED_TABLES,
  COLUMN_SETTINGS,
  OWNED_SEQUENCES,
  ROUTINES,
  DOMAIN_CHECKS,
  EXPRESSIONS,
  PARENTS,
];
