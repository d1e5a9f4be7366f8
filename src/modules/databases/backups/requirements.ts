import { DatabaseBusy, DatabaseNotRestorable } from '../databases.errors.js';
import type { DatabaseRow } from '../persistence/database-rows.js';

/** @throws {DatabaseNotRestorable} @throws {DatabaseBusy} when the database has no data yet, or no longer. */
export function requireBackups({ engine, state }: DatabaseRow): void {
  if (engine !== 'own')
    throw new DatabaseNotRestorable('This database is on a server of the operator, which keeps its backups.', {
      from: null,
      until: null,
    });
  if (state !== 'ready') throw new DatabaseBusy(`The database is ${state}.`);
}
