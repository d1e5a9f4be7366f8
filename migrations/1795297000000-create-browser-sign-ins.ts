import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only. The previous release has no sign-ins that begin in a program. */
export class CreateBrowserSignIns1795297000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE browser_sign_ins (
        id              text        PRIMARY KEY CHECK (id LIKE 'bsi_%'),
        client_name     text        NOT NULL CHECK (length(client_name) BETWEEN 1 AND 100),
        return_to       text        NOT NULL CHECK (length(return_to) BETWEEN 1 AND 1000),
        challenge       text        NOT NULL CHECK (length(challenge) = 43),
        created_at      timestamptz NOT NULL,
        expires_at      timestamptz NOT NULL,
        session_id      text        REFERENCES sessions (id) ON DELETE CASCADE,
        code_hash       bytea,
        code_expires_at timestamptz,
        CONSTRAINT browser_sign_ins_code_hash_unique UNIQUE (code_hash),
        CONSTRAINT browser_sign_ins_approved CHECK (
          (session_id IS NULL) = (code_hash IS NULL) AND (code_hash IS NULL) = (code_expires_at IS NULL)
        )
      )
    `);
    await runner.query('CREATE INDEX browser_sign_ins_by_session ON browser_sign_ins (session_id)');
    await runner.query('CREATE INDEX browser_sign_ins_expired ON browser_sign_ins (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE browser_sign_ins');
  }
}
