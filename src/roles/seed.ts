import { migrate } from './migrate.js';

/** Migrates the database. This release has no demonstration data yet. */
export async function seed(databaseUrl: string): Promise<string> {
  await migrate(databaseUrl);
  return 'The database is up to date. There is no demonstration data in this release.\n';
}
