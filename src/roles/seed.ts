import { migrate } from './migrate.js';

/** Brings the database up to date. This release has nothing that a demonstration could start from yet. */
export async function seed(databaseUrl: string): Promise<string> {
  await migrate(databaseUrl);
  return 'The database is up to date. There is no demonstration data in this release.\n';
}
