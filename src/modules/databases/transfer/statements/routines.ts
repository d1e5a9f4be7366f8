import {
  CLASSES,
  FUNCTION,
  IN_SCHEMA,
  MADE_LATER,
  NAME,
  NOT_INTERNAL,
  NOT_OF_EXTENSION,
  OF_RANGES,
  OPERATOR,
  OPTIONS,
  OWN_CLASS,
} from './fragments.js';

const FUNCTIONS = `SELECT p.oid AS place, 0 AS step, pg_get_functiondef(p.oid) || ';' AS definition FROM pg_proc p
  WHERE p.prokind IN ('f', 'p', 'w') AND ${IN_SCHEMA('p', 'pronamespace')} AND ${NOT_OF_EXTENSION('pg_proc', 'p')}
    AND p.oid NOT IN (${OF_RANGES}) AND ${NOT_INTERNAL('pg_proc', 'p')}`;

const VIEWS = `SELECT c.oid, 0, format('CREATE %sVIEW %s%s AS %s',
    CASE c.relkind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END, ${NAME}, ${OPTIONS},
    CASE c.relkind WHEN 'm' THEN rtrim(pg_get_viewdef(c.oid), ';') || E'\\nWITH NO DATA;'
    ELSE pg_get_viewdef(c.oid) END)
  FROM ${CLASSES} WHERE c.relkind IN ('v', 'm') AND ${OWN_CLASS}`;

/** One that another has named as its commutator has a lower number than its function. */
const OPERATORS = `SELECT greatest(o.oid, o.oprcode::oid), 1,
  format('CREATE OPERATOR %I.%s (FUNCTION = %s%s%s%s%s%s%s%s);',
    n.nspname, o.oprname, o.oprcode::regproc,
    CASE o.oprleft WHEN 0 THEN '' ELSE ', LEFTARG = ' || format_type(o.oprleft, NULL) END,
    ', RIGHTARG = ' || format_type(o.oprright, NULL),
    ${OPERATOR('COMMUTATOR', 'o.oprcom')}, ${OPERATOR('NEGATOR', 'o.oprnegate')},
    ${FUNCTION('RESTRICT', 'o.oprrest')}, ${FUNCTION('JOIN', 'o.oprjoin')},
    CASE WHEN o.oprcanhash THEN ', HASHES' ELSE '' END || CASE WHEN o.oprcanmerge THEN ', MERGES' ELSE '' END)
  FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace
  WHERE o.oprcode::oid <> 0 AND ${IN_SCHEMA('o', 'oprnamespace')} AND ${NOT_OF_EXTENSION('pg_operator', 'o')}`;

const CASTS = `SELECT k.oid, 0, format('CREATE CAST (%s AS %s) %s%s;', format_type(k.castsource, NULL),
    format_type(k.casttarget, NULL),
    CASE k.castmethod WHEN 'f' THEN 'WITH FUNCTION ' || k.castfunc::regprocedure WHEN 'i' THEN 'WITH INOUT'
      ELSE 'WITHOUT FUNCTION' END,
    CASE k.castcontext WHEN 'a' THEN ' AS ASSIGNMENT' WHEN 'i' THEN ' AS IMPLICIT' ELSE '' END)
  FROM pg_cast k WHERE ${MADE_LATER('k')} AND ${NOT_OF_EXTENSION('pg_cast', 'k')} AND ${NOT_INTERNAL('pg_cast', 'k')}`;

const MODIFIES = (option: string, fn: string, column: string): string =>
  `CASE WHEN ${fn}::oid = 0 THEN '' ELSE ', ${option} = ' || CASE ${column} WHEN 'r' THEN 'READ_ONLY'
     WHEN 's' THEN 'SHAREABLE' ELSE 'READ_WRITE' END END`;
const FLAG = (option: string, condition: string): string => `CASE WHEN ${condition} THEN ', ${option}' ELSE '' END`;
const VALUE = (option: string, value: string): string => `coalesce(', ${option} = ' || ${value}, '')`;
const AGGREGATE_OPTIONS = [
  VALUE('SSPACE', 'nullif(g.aggtransspace, 0)'),
  FUNCTION('FINALFUNC', 'g.aggfinalfn'),
  FLAG('FINALFUNC_EXTRA', 'g.aggfinalextra'),
  MODIFIES('FINALFUNC_MODIFY', 'g.aggfinalfn', 'g.aggfinalmodify'),
  FUNCTION('COMBINEFUNC', 'g.aggcombinefn'),
  FUNCTION('SERIALFUNC', 'g.aggserialfn'),
  FUNCTION('DESERIALFUNC', 'g.aggdeserialfn'),
  VALUE('INITCOND', 'quote_literal(g.agginitval)'),
  FUNCTION('MSFUNC', 'g.aggmtransfn'),
  FUNCTION('MINVFUNC', 'g.aggminvtransfn'),
  VALUE('MSTYPE', 'format_type(nullif(g.aggmtranstype, 0), NULL)'),
  VALUE('MSSPACE', 'nullif(g.aggmtransspace, 0)'),
  FUNCTION('MFINALFUNC', 'g.aggmfinalfn'),
  FLAG('MFINALFUNC_EXTRA', 'g.aggmfinalextra'),
  MODIFIES('MFINALFUNC_MODIFY', 'g.aggmfinalfn', 'g.aggmfinalmodify'),
  VALUE('MINITCOND', 'quote_literal(g.aggminitval)'),
  OPERATOR('SORTOP', 'g.aggsortop'),
  VALUE('PARALLEL', `CASE p.proparallel WHEN 's' THEN 'SAFE' WHEN 'r' THEN 'RESTRICTED' END`),
  FLAG('HYPOTHETICAL', `g.aggkind = 'h'`),
];
const AGGREGATES = `SELECT p.oid, 0, format('CREATE AGGREGATE %I.%I(%s) (SFUNC = %s, STYPE = %s%s);', n.nspname,
    p.proname, CASE p.pronargs WHEN 0 THEN '*' ELSE pg_get_function_arguments(p.oid) END, g.aggtransfn::regproc,
    format_type(g.aggtranstype, NULL), concat(${AGGREGATE_OPTIONS.join(', ')}))
  FROM pg_aggregate g JOIN pg_proc p ON p.oid = g.aggfnoid::oid JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE ${IN_SCHEMA('p', 'pronamespace')} AND ${NOT_OF_EXTENSION('pg_proc', 'p')}`;

/** Each is after what it was made with, and functions are not checked before they run. */
export const ROUTINES = `SELECT definition FROM (
  ${[FUNCTIONS, VIEWS, OPERATORS, CASTS, AGGREGATES].join('\n  UNION ALL\n  ')}) found ORDER BY place, step`;
