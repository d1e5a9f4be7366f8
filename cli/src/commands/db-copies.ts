import type { Database } from '@service/client';
import { type Command, InvalidArgumentError } from 'commander';
import { Context, tableOf } from '../context.js';
import { DATABASE, databaseOf, printWhenReady } from '../database/databases.js';
import { sizeText } from '../sizes.js';
import { printable } from '../terminal.js';

/** Adds the commands for branches, restores and backups. */
export function addDbCopies(db: Command): void {
  addBranch(db);
  addRestore(db);
  addSwap(db);
  addBackups(db);
}

function addBranch(db: Command): void {
  db.command('branch')
    .argument(...DATABASE)
    .argument('[name]', 'name of the new branch (default: list the branches)')
    .description('copy a database, wait until the copy is ready, and print its id; the two share nothing afterwards')
    .option('--no-wait', 'exit as soon as it is accepted')
    .action(async (named: string, name: string | undefined, { wait }: { wait: boolean }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id } = await databaseOf(service, named);
      if (name !== undefined) {
        await printWhenReady(context, service, await service.databases.branches.create(id, { name }), wait);
        return;
      }
      const all: Database[] = [];
      for await (const branch of service.databases.branches.list(id, { limit: 100 })) all.push(branch);
      const rows = all.map((each) => [
        printable(each.name),
        each.state,
        sizeText(each.size_bytes),
        each.created_at,
        each.id,
      ]);
      context.print(all, tableOf(['NAME', 'STATE', 'SIZE', 'CREATED', 'ID'], rows));
    });
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** @throws {InvalidArgumentError} when the text is neither a time nor a duration such as 15m. */
function momentOf(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = unit === undefined ? Date.parse(text) : Date.now() - Number(amount) * UNITS[unit as keyof typeof UNITS];
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It must be a time such as 2026-05-01T12:00:00Z, or 15m for so long ago.');
  return new Date(ms).toISOString();
}

interface RestoreOptions {
  readonly at: string;
  readonly name?: string;
  readonly wait: boolean;
}

function addRestore(db: Command): void {
  db.command('restore')
    .argument(...DATABASE)
    .description('create a database with the data of an earlier moment, and print its id; the original stays as it is')
    .requiredOption('--at <time>', 'a moment (RFC 3339), or 15m, 2h or 3d for so long ago', momentOf)
    .option('--name <name>', 'name of the new database')
    .option('--no-wait', 'exit as soon as it is accepted')
    .action(async (named: string, { at, name, wait }: RestoreOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id } = await databaseOf(service, named);
      const restored = await service.databases.restore(id, { at, ...(name === undefined ? {} : { name }) });
      context.note(`${restored.id} gets the data of ${at}. "service db swap" then puts it in place.`);
      await printWhenReady(context, service, restored, wait);
    });
}

function addSwap(db: Command): void {
  db.command('swap')
    .argument(...DATABASE)
    .argument('<other>', 'the database to exchange the data with, such as one that was restored')
    .description('exchange the data of two databases; names, users and attachments stay where they are')
    .option('--yes', 'do not ask')
    .action(async (named: string, other: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const [one, two] = [await databaseOf(service, named), await databaseOf(service, other)];
      const question = `Exchange the data of ${printable(one.name)} and ${printable(two.name)}? Their connections end.`;
      await context.confirm(question, options);
      const swapped = await service.databases.swap(one.id, two.id);
      context.print(swapped, `${printable(one.name)} and ${printable(two.name)} have exchanged their data.`);
    });
}

function addBackups(db: Command): void {
  db.command('backups')
    .argument(...DATABASE)
    .description('list the backups of a database')
    .option('--create', 'make one now')
    .action(async (named: string, { create }: { create?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id } = await databaseOf(service, named);
      const { backups } = service.databases;
      if (create === true) {
        const backup = await backups.create(id);
        context.print(backup, backup.id);
        return;
      }
      const all = [];
      for await (const backup of backups.list(id, { limit: 100 })) all.push(backup);
      const rows = all.map((each) => [each.id, each.state, sizeText(each.size_bytes), each.created_at]);
      context.print(all, tableOf(['ID', 'STATE', 'SIZE', 'CREATED'], rows));
    });
}
