/** On a server that others use too, only what is this tenant's, or what an attempt would have made. */
const IS_ALONE = `current_database() = 'app'`;
const OWN = (name: string): string => `(${IS_ALONE} OR ${name} LIKE current_database() || '%' OR ${name} = 'x')`;

/** Everything that matters of a database, as one value. Sequences, large objects, roles and settings are in it. */
export const CHECKSUM = `SELECT md5(concat_ws('|',
  (SELECT string_agg(t::text, ',' ORDER BY id) FROM t), (SELECT count(*) FROM u), (SELECT string_agg(m::text, ',')
    FROM m),
  (SELECT concat_ws('/', last_value, is_called) FROM counter),
  (SELECT string_agg(l::text, ',' ORDER BY l.loid, l.pageno) FROM (SELECT 4242 AS loid, 0 AS pageno, lo_get(4242)) l),
  (SELECT string_agg(l.oid::text || l.lomacl::text, ',' ORDER BY l.oid) FROM pg_largeobject_metadata l),
  (SELECT string_agg(concat_ws('/', oid, relname, relowner, relacl, relfilenode, relchecks), ',' ORDER BY oid)
     FROM pg_class WHERE oid >= 16384),
  (SELECT string_agg(concat_ws('/', oid, proname, prosrc, proacl), ',' ORDER BY oid) FROM pg_proc WHERE oid >= 16384),
  (SELECT string_agg(a::text, ',' ORDER BY attrelid, attnum) FROM pg_attribute a WHERE attrelid >= 16384),
  (SELECT string_agg(n::text, ',' ORDER BY oid) FROM pg_namespace n WHERE nspname !~ '^pg_(toast_)?temp'),
  (SELECT string_agg(r::text, ',' ORDER BY oid) FROM pg_roles r WHERE ${OWN('rolname')}),
  (SELECT string_agg(e::text, ',' ORDER BY oid) FROM pg_extension e),
  (SELECT string_agg(concat_ws('/', datname, datdba, datacl), ',' ORDER BY oid) FROM pg_database
    WHERE ${OWN('datname')}),
  (SELECT string_agg(s::text, ',' ORDER BY setdatabase, setrole) FROM pg_db_role_setting s
    WHERE ${IS_ALONE} OR setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
      OR setrole IN (SELECT oid FROM pg_roles WHERE ${OWN('rolname')})),
  (SELECT string_agg(d::text, ',' ORDER BY objoid, classoid, objsubid) FROM pg_description d WHERE objoid >= 16384),
  (SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()),
  (SELECT count(*) FROM pg_replication_slots WHERE ${OWN('slot_name')}),
  (SELECT string_agg(name || setting, ',' ORDER BY name) FROM pg_settings WHERE name IN ('fsync', 'archive_mode'))
)) AS sum`;
