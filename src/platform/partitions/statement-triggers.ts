/**
 * Finds the statements that give a partition the triggers for each statement that its table has. PostgreSQL passes on
 * those for each row only. Parameters: the table and the partition.
 */
export const STATEMENT_TRIGGERS = `
  SELECT regexp_replace(pg_get_triggerdef(t.oid), ' ON [^ ]+ ', format(' ON %I ', $2::text)) AS statement
  FROM pg_trigger t
  WHERE t.tgrelid = $1::text::regclass AND NOT t.tgisinternal AND (t.tgtype & 1) = 0
    AND NOT EXISTS (SELECT FROM pg_trigger c WHERE c.tgrelid = $2::text::regclass AND c.tgname = t.tgname)`;
