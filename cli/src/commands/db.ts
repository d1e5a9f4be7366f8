import type { Database } from '@service/client';
import type { Command } from 'commander';
import { Context, tableOf } from '../context.js';
import { DATABASE, databaseOf, printWhenReady } from '../database/databases.js';
import { sizeText } from '../sizes.js';
import { printable } from '../terminal.js';

/** Adds the commands that create, list, show and delete databases. */
export function addDb(db: Command): void {
  addCreate(db);
  addList(db);
  addShow(db);
  addDelete(db);
  addUndelete(db);
  addPurge(db);
}

function addCreate(db: Command): void {
  db.command('create')
    .argument('<name>', 'name of the database')
    .description('create a database, wait until it is ready, and print its id')
    .option('--project <id-or-slug>', 'the project that it belongs to')
    .option('--no-wait', 'exit as soon as it is accepted')
    .action(async (name: string, { project, wait }: { project?: string; wait: boolean }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const owner = project === undefined ? {} : { project_id: (await service.projects.get(project)).id };
      await printWhenReady(context, service, await service.databases.create({ name, ...owner }), wait);
    });
}

function addList(db: Command): void {
  db.command('list')
    .description('list databases with their sizes')
    .option('--project <id-or-slug>', 'only those of a project')
    .option('--deleted', 'also those that were deleted and can be brought back')
    .action(async ({ project, deleted }: { project?: string; deleted?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const query = {
        limit: 100,
        ...(project === undefined ? {} : { project_id: (await service.projects.get(project)).id }),
        ...(deleted === undefined ? {} : { include_deleted: true }),
      };
      const all: Database[] = [];
      for await (const database of service.databases.list(query)) all.push(database);
      context.print(all, tableOf(['NAME', 'STATE', 'SIZE', 'QUOTA', 'ACTIVITY', 'ID'], all.map(rowOf)));
    });
}

const rowOf = ({ name, size_bytes: size, quota_bytes: quota, activity, id, ...rest }: Database): string[] => [
  printable(name),
  stateText(rest),
  sizeText(size),
  sizeText(quota),
  rest.state === 'ready' ? activity : '',
  id,
];

function stateText({
  state,
  error,
  read_only_because: because,
}: Pick<Database, 'state' | 'error' | 'read_only_because'>) {
  if (error !== null) return `${state} (${printable(error.code)})`;
  return because === null ? state : `${state} (read-only: ${because})`;
}

function addShow(db: Command): void {
  db.command('show')
    .argument(...DATABASE)
    .description('print a database: its state, its size, where to connect, and what it can be restored to')
    .action(async (named: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const database = await databaseOf(await context.service(), named);
      context.print(database, detailsOf(database));
    });
}

function detailsOf(database: Database): string {
  const { connections, restorable, host, port } = database;
  const rows: [string, string | null][] = [
    ['ID', database.id],
    ['Name', printable(database.name)],
    ['State', stateText(database)],
    ['Error', database.error === null ? null : printable(database.error.message)],
    ['Project', database.project_id],
    ['Branch of', database.parent_id],
    ['Activity', `${database.activity}, ${connections.open} of ${connections.limit} connections`],
    ['Size', `${sizeText(database.size_bytes)} of ${sizeText(database.quota_bytes)}`],
    ['Address', `${host}:${port}, database ${database.database}`],
    ['Restorable', restorable.from === null ? null : `${restorable.from} to ${restorable.until ?? 'now'}`],
    ['Created', database.created_at],
    [
      'Deleted',
      database.deleted_at === null ? null : `${database.deleted_at}, until ${database.restorable_until ?? ''}`,
    ],
  ];
  const shown = rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(12)}${value}`]));
  return shown.join('\n');
}

function addDelete(db: Command): void {
  db.command('delete')
    .argument(...DATABASE)
    .description('delete a database; for 7 days "undelete" brings it back')
    .option('--yes', 'do not ask')
    .action(async (named: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id, name } = await databaseOf(service, named);
      await context.confirm(`Delete ${printable(name)} (${id})? Its connections end.`, options);
      await service.databases.delete(id);
      context.print({ id, deleted: true }, `${id} is deleted. "service db undelete ${id}" brings it back for 7 days.`);
    });
}

function addPurge(db: Command): void {
  db.command('purge')
    .argument('<database>', 'id or name of a deleted database')
    .description('remove a deleted database for good, with its backups')
    .option('--yes', 'do not ask')
    .action(async (named: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id, name } = await databaseOf(service, named, true);
      await context.confirm(`Remove ${printable(name)} (${id}) for good? Nothing brings its data back.`, options);
      await service.databases.purge(id);
      context.print({ id, purged: true }, `${id} is being removed.`);
    });
}

function addUndelete(db: Command): void {
  db.command('undelete')
    .argument('<database>', 'id or name of a deleted database')
    .description('bring back a database that was deleted less than 7 days ago')
    .action(async (named: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const database = await service.databases.undelete((await databaseOf(service, named, true)).id);
      context.print(database, `${database.id} is ${database.state}.`);
    });
}
