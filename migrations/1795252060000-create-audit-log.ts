import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was done is never changed afterwards: the database refuses it, whoever asks. */
export class CreateAuditLog1795252060000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_log (
        id          text        PRIMARY KEY CHECK (id LIKE 'aud_%'),
        org_id      text        NOT NULL REFERENCES organizations (id),
        action      text        NOT NULL CHECK (action ~ '^[a-z_]+\\.[a-z_]+$'),
        actor_user_id text      REFERENCES users (id),
        actor_key_id  text,
        target_type text        NOT NULL,
        target_id   text        NOT NULL,
        ip          text,
        request_id  text,
        details     jsonb       NOT NULL,
        at          timestamptz NOT NULL
      )
    `);
    await runner.query('CREATE INDEX audit_log_by_org ON audit_log (org_id, id DESC)');
    await runner.query(`
      CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'The audit log is append-only.';
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log()
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_log');
    await runner.query('DROP FUNCTION refuse_change_of_audit_log');
  }
}
