import type { Database, Service } from '@service/client';
import type { Context } from '../context.js';
import { EXIT, UsageError } from '../failures.js';
import { printable } from '../terminal.js';

export const DATABASE = ['<database>', 'id, name or URL name of the database'] as const;

/**
 * Finds a database by its id, its name or its name in URLs.
 *
 * @throws {UsageError} when there is none, or when several have the name.
 */
export async function databaseOf({ databases }: Service, named: string, deleted = false): Promise<Database> {
  if (/^db_[0-9a-z]{26}$/.test(named)) return databases.get(named);
  const found: Database[] = [];
  for await (const each of databases.list({ limit: 100, ...(deleted ? { include_deleted: true } : {}) }))
    if ((each.name === named || each.database === named) && (each.state === 'deleted') === deleted) found.push(each);
  const [only, ...others] = found;
  if (only === undefined)
    throw new UsageError(`There is no database "${printable(named)}". List them with "service db list".`);
  if (others.length > 0)
    throw new UsageError(`Several databases have this name. Pass an id: ${found.map(({ id }) => id).join(', ')}.`);
  return only;
}

/** Waits for a database that is about to exist, and prints its id. The exit code says whether it is ready. */
export async function printWhenReady(
  context: Context,
  { databases }: Service,
  created: Database,
  wait: boolean,
): Promise<void> {
  const progress = context.progress();
  progress.show(`${created.state} ${printable(created.name)}`);
  const database = wait
    ? await databases.waitUntilReady(created.id).finally(() => {
        progress.clear();
      })
    : created;
  progress.clear();
  if (database.error !== null)
    context.note(`${context.notePaint.red(printable(database.error.code))}: ${printable(database.error.message)}`);
  if (wait && database.state !== 'ready') process.exitCode = EXIT.otherError;
  context.print(database, database.id);
}
