import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release opens sessions whose token is sent in `Authorization`, as the default says. */
export class AddWebSessions1795291000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE sessions ADD COLUMN in_cookie boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    // Without the column the token of a cookie would look like one for the header.
    await runner.query('DELETE FROM sessions WHERE in_cookie');
    await runner.query('ALTER TABLE sessions DROP COLUMN in_cookie');
  }
}
