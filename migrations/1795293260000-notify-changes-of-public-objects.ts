import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Processes keep public objects in memory. They drop an object when they are notified of a change, whichever statement
 * makes it. Changes of private buckets notify no one, because notifications wait for each other at their commit.
 */
export class NotifyChangesOfPublicObjects1795293260000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION notify_public_object() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('public_objects', bucket.id || '/' || coalesce(NEW.key, OLD.key)) FROM buckets bucket
        WHERE bucket.id = coalesce(NEW.bucket_id, OLD.bucket_id) AND bucket.visibility = 'public';
        RETURN NULL;
      END $$
    `);
    await runner.query(`
      CREATE TRIGGER objects_notify_public AFTER INSERT OR UPDATE OR DELETE ON objects
      FOR EACH ROW EXECUTE FUNCTION notify_public_object()
    `);
    await runner.query(`
      CREATE FUNCTION notify_bucket() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('public_objects', coalesce(OLD.label, NEW.label));
        RETURN NULL;
      END $$
    `);
    // Writes of objects change only other columns of their bucket.
    await runner.query(`
      CREATE TRIGGER buckets_notify AFTER INSERT OR DELETE OR UPDATE OF visibility, cors, label ON buckets
      FOR EACH ROW EXECUTE FUNCTION notify_bucket()
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TRIGGER buckets_notify ON buckets');
    await runner.query('DROP TRIGGER objects_notify_public ON objects');
    await runner.query('DROP FUNCTION notify_bucket');
    await runner.query('DROP FUNCTION notify_public_object');
  }
}
