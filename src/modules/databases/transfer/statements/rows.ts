import { CLASSES, NAME, OWN_CLASS } from './fragments.js';

/** The tables that hold rows. A column that is generated is not written. */
export const TABLES = `
  SELECT c.oid::text, ${NAME}, (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute a
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
  FROM ${CLASSES} WHERE c.relkind = 'r' AND ${OWN_CLASS} ORDER BY c.oid`;

/** The sequences, and their names as values. */
export const SEQUENCES = `
  SELECT ${NAME}, quote_literal(${NAME}) FROM ${CLASSES} WHERE c.relkind = 'S' AND ${OWN_CLASS} ORDER BY 1`;
