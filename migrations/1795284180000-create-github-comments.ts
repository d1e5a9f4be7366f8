import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know this table. */
export class CreateGithubComments1795284180000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The comment that is edited. It is reserved before it exists, so that two workers do not write two.
    await runner.query(`
      CREATE TABLE github_comments (
        topic       text        NOT NULL,
        repository  text        NOT NULL,
        pull        int         NOT NULL,
        comment_id  bigint,
        reserved_at timestamptz NOT NULL,
        PRIMARY KEY (topic, repository, pull)
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE github_comments');
  }
}
