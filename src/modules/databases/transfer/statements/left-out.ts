import { IN_SCHEMA, MADE_LATER, NOT_OF_EXTENSION } from './fragments.js';

/** The catalogs of what is not written, with the column of their schema. */
const IN_SCHEMAS = [
  ['pg_opclass', 'opcnamespace'],
  ['pg_opfamily', 'opfnamespace'],
  ['pg_conversion', 'connamespace'],
  ['pg_ts_parser', 'prsnamespace'],
  ['pg_ts_template', 'tmplnamespace'],
] as const;
/** The catalogs of what is in no schema. */
const IN_NONE = [
  ...['pg_am', 'pg_language', 'pg_transform', 'pg_event_trigger', 'pg_publication'],
  ...['pg_foreign_data_wrapper', 'pg_foreign_server'],
];

const found = (catalog: string, condition: string): string =>
  `SELECT '${catalog}'::regclass AS classid, o.oid FROM ${catalog} o
   WHERE ${condition} AND ${NOT_OF_EXTENSION(catalog, 'o')}`;

/** What there is and the export does not write. It says so. */
export const LEFT_OUT = `
  SELECT '-- Not included: ' || regexp_replace(pg_describe_object(classid, oid, 0), '[\\r\\n]', ' ', 'g') FROM (
    ${[
      ...IN_SCHEMAS.map(([catalog, schema]) => found(catalog, IN_SCHEMA('o', schema))),
      ...IN_NONE.map((catalog) => found(catalog, MADE_LATER('o'))),
      found('pg_operator', `o.oprcode::oid = 0 AND ${IN_SCHEMA('o', 'oprnamespace')}`),
      found('pg_class', `o.relkind = 'f' AND ${IN_SCHEMA('o', 'relnamespace')}`),
      // Types that are written in C, and those that are only named.
      found(
        'pg_type',
        `(o.typtype = 'p' OR (o.typtype = 'b' AND NOT EXISTS (SELECT FROM pg_type e WHERE e.typarray = o.oid)))
           AND ${IN_SCHEMA('o', 'typnamespace')}`,
      ),
      `SELECT 'pg_user_mapping'::regclass, umid FROM pg_user_mappings`,
      `SELECT 'pg_subscription'::regclass, oid FROM pg_subscription
       WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      `SELECT 'pg_largeobject'::regclass, oid FROM pg_largeobject_metadata`,
    ].join('\n    UNION ALL ')}) found ORDER BY classid, oid`;
