/** Raised with what the statements below do, so that databases of an earlier release get it too. */
export const GUARD_VERSION = 1;

/** The roles of a database by their names on its server. They hold nothing that needs quotes. */
interface GuardedRoles {
  readonly owner: string;
  readonly reader: string;
}

/** Functions that store something although they need no right on an object. */
const WRITING = ['lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message'];
/** Commands that neither give rights nor make functions. The others are rare. */
const HARMLESS = [
  ...['CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE', 'DROP TABLE', 'CREATE INDEX', 'DROP INDEX'],
  ...['CREATE SEQUENCE', 'ALTER SEQUENCE', 'CREATE VIEW', 'DROP VIEW', 'REFRESH MATERIALIZED VIEW', 'COMMENT'],
];

const list = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

/**
 * Takes from readers what an owner has given them beyond reading. All names in it are those of `pg_catalog`, because a
 * superuser runs it in a tenant's database.
 */
const keepReading = (reader: string): string => `
CREATE OR REPLACE FUNCTION pg_catalog.service_keep_reading() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $guard$
DECLARE
  readers CONSTANT oid[] := ARRAY[0::oid, '${reader}'::regrole::oid];
  found record;
BEGIN
  FOR found IN
    SELECT p.oid::regprocedure::text AS name FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner
    WHERE p.prosecdef AND NOT o.rolsuper
  LOOP
    EXECUTE format('ALTER ROUTINE %s SECURITY INVOKER', found.name);
    RAISE WARNING '% is SECURITY INVOKER: there are no SECURITY DEFINER functions in this database', found.name;
  END LOOP;

  FOR found IN
    SELECT c.oid::regclass::text AS name, CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
      string_agg(DISTINCT a.privilege_type, ', ') AS rights
    FROM pg_class c CROSS JOIN LATERAL (
      SELECT grantee, privilege_type FROM aclexplode(c.relacl)
      UNION ALL
      SELECT x.grantee, x.privilege_type FROM pg_attribute t CROSS JOIN LATERAL aclexplode(t.attacl) x
      WHERE t.attrelid = c.oid AND t.attacl IS NOT NULL) a
    WHERE c.oid >= 16384 AND a.grantee = ANY (readers) AND a.privilege_type <> 'SELECT'
    GROUP BY c.oid, c.relkind
  LOOP
    EXECUTE format('REVOKE %s ON %s %s FROM PUBLIC, ${reader} CASCADE', found.rights, found.kind, found.name);
    RAISE WARNING 'no other role may change %', found.name;
  END LOOP;

  FOR found IN
    SELECT DISTINCT n.nspname AS name FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a
    WHERE a.grantee = ANY (readers) AND a.privilege_type = 'CREATE'
  LOOP
    EXECUTE format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, ${reader} CASCADE', found.name);
    RAISE WARNING 'no other role may create anything in schema %', found.name;
  END LOOP;

  FOR found IN
    SELECT DISTINCT l.oid AS id FROM pg_largeobject_metadata l CROSS JOIN LATERAL aclexplode(l.lomacl) a
    WHERE a.grantee = ANY (readers) AND a.privilege_type <> 'SELECT'
  LOOP
    EXECUTE format('REVOKE UPDATE ON LARGE OBJECT %s FROM PUBLIC, ${reader} CASCADE', found.id);
    RAISE WARNING 'no other role may change large object %', found.id;
  END LOOP;

  FOR found IN
    SELECT o.rolname AS role, n.nspname AS namespace, d.defaclobjtype AS type,
      string_agg(DISTINCT a.privilege_type, ', ') AS rights
    FROM pg_default_acl d JOIN pg_roles o ON o.oid = d.defaclrole
      LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace CROSS JOIN LATERAL aclexplode(d.defaclacl) a
    WHERE a.grantee = ANY (readers) AND d.defaclobjtype IN ('r', 'S', 'n', 'L')
      AND a.privilege_type NOT IN ('SELECT', CASE d.defaclobjtype WHEN 'n' THEN 'USAGE' ELSE 'SELECT' END)
    GROUP BY o.rolname, n.nspname, d.defaclobjtype
  LOOP
    EXECUTE format('ALTER DEFAULT PRIVILEGES FOR ROLE %I %s REVOKE %s ON %s FROM PUBLIC, ${reader} CASCADE',
      found.role, CASE WHEN found.namespace IS NULL THEN '' ELSE format('IN SCHEMA %I', found.namespace) END,
      found.rights,
      CASE found.type WHEN 'r' THEN 'TABLES' WHEN 'S' THEN 'SEQUENCES' WHEN 'n' THEN 'SCHEMAS'
        ELSE 'LARGE OBJECTS' END);
    RAISE WARNING 'other roles get no rights to change what % creates', found.role;
  END LOOP;
END
$guard$`;

/** Its own changes, and those of the scripts of extensions, run as a superuser, and are not looked at again. */
const AFTER_COMMAND = `
CREATE OR REPLACE FUNCTION pg_catalog.service_after_command() RETURNS event_trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $guard$
BEGIN
  IF tg_tag NOT IN (${list(HARMLESS)})
    AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper) THEN
    PERFORM service_keep_reading();
  END IF;
END
$guard$`;

/** `DROP OWNED` would take the rights of all readers. */
const beforeCommand = (reader: string): string => `
CREATE OR REPLACE FUNCTION pg_catalog.service_before_command() RETURNS event_trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $guard$
BEGIN
  IF session_user = '${reader}' THEN
    RAISE insufficient_privilege USING MESSAGE = 'permission denied: this role only reads';
  END IF;
END
$guard$`;

/** A part of an extension is not dumped, and only a superuser can drop it. */
const trigger = (name: string, event: string, routine: string): string => `
DO $guard$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger WHERE evtname = '${name}') THEN
    CREATE EVENT TRIGGER ${name} ON ${event} EXECUTE FUNCTION pg_catalog.${routine}();
    ALTER EVENT TRIGGER ${name} ENABLE ALWAYS;
    ALTER EXTENSION plpgsql ADD EVENT TRIGGER ${name};
  END IF;
END
$guard$`;

const revokeWriting = (owner: string): string => `
DO $guard$
DECLARE
  routine text;
BEGIN
  FOR routine IN
    SELECT p.oid::regprocedure::text FROM pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname IN (${list(WRITING)})
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', routine);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO ${owner}', routine);
  END LOOP;
END
$guard$`;

/**
 * Returns what makes sure that `reader` changes nothing, whatever `owner` creates and grants. A superuser runs it in
 * the tenant's database, and may repeat it. Nothing runs with the rights of another role, and nobody but `owner` has
 * rights to change: an event trigger takes them back within the command that gives them.
 */
export const guardStatements = ({ owner, reader }: GuardedRoles): readonly string[] => [
  // Whatever a tenant has made of it, the answers stay short.
  'SET client_min_messages = error',
  'SET search_path = pg_catalog, pg_temp',
  keepReading(reader),
  AFTER_COMMAND,
  beforeCommand(reader),
  trigger('service_rights', 'ddl_command_end', 'service_after_command'),
  trigger('service_read_only', 'ddl_command_start', 'service_before_command'),
  revokeWriting(owner),
  'SELECT pg_catalog.service_keep_reading()',
];

/**
 * Returns what takes back the settings that `reader` has given itself, which every role may do, and which would be
 * those of all later sessions of readers. It writes nothing where there are none.
 */
export const readerResets = (reader: string, database: string): readonly string[] => [
  `ALTER ROLE ${reader} RESET ALL`,
  `ALTER ROLE ${reader} IN DATABASE ${database} RESET ALL`,
];
