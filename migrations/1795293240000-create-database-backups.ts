import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Expand only: the previous release does not know these tables. They belong to the data, which a swap moves. */
export class CreateDatabaseBackups1795293240000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE database_backups (
        id            text        PRIMARY KEY CHECK (id LIKE 'dbk_%'),
        cluster_id    text        NOT NULL CHECK (cluster_id LIKE 'clu_%'),
        kind          text        NOT NULL CHECK (kind IN ('scheduled', 'manual')),
        state         text        NOT NULL CHECK (state IN ('pending', 'ready', 'failed')),
        attempt       int         NOT NULL CHECK (attempt >= 0),
        timeline      int,
        start_segment bigint,
        stop_segment  bigint,
        label         text        CHECK (length(label) <= 4096),
        part_bytes    int[]       NOT NULL,
        created_at    timestamptz NOT NULL,
        finished_at   timestamptz,
        CONSTRAINT database_backups_pending CHECK ((finished_at IS NULL) = (state = 'pending')),
        CONSTRAINT database_backups_ready CHECK (state <> 'ready' OR
          (timeline IS NOT NULL AND start_segment <= stop_segment AND label IS NOT NULL AND part_bytes <> '{}'))
      )
    `);
    await runner.query('CREATE INDEX database_backups_by_cluster ON database_backups (cluster_id, id)');
    await runner.query(`
      CREATE TABLE database_wal_ranges (
        cluster_id    text        NOT NULL CHECK (cluster_id LIKE 'clu_%'),
        timeline      int         NOT NULL CHECK (timeline > 0),
        first_segment bigint      NOT NULL CHECK (first_segment >= 0),
        last_segment  bigint      NOT NULL,
        bytes         bigint      NOT NULL CHECK (bytes > 0),
        stored_at     timestamptz NOT NULL,
        PRIMARY KEY (cluster_id, timeline, first_segment),
        CONSTRAINT database_wal_ranges_order CHECK (last_segment >= first_segment)
      )
    `);
    await runner.query(`
      CREATE TABLE database_archives (
        cluster_id      text        PRIMARY KEY CHECK (cluster_id LIKE 'clu_%'),
        complete_until  timestamptz NOT NULL,
        logged_at       timestamptz,
        restorable_from timestamptz
      )
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE database_archives');
    await runner.query('DROP TABLE database_wal_ranges');
    await runner.query('DROP TABLE database_backups');
  }
}
