import type { Command } from 'commander';
import { Context } from '../context.js';
import { DATABASE, databaseOf } from '../database/databases.js';
import { Shell } from '../database/shell.js';
import { ShellHistory } from '../database/shell-history.js';

/** Adds the command that runs statements as they are typed. */
export function addDbShell(db: Command): void {
  db.command('shell')
    .argument(...DATABASE)
    .description('run SQL statements as you type them, or from standard input; \\? shows help')
    .option('--write', 'let statements change data')
    .action(async (named: string, { write }: { write?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const database = await databaseOf(service, named);
      await new Shell(context, service, database, write === true).run(new ShellHistory(context.fileOf('db-history')));
    });
}
