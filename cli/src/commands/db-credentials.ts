import type { DatabaseAccess, DatabaseCredential, IssuedDatabaseCredential } from '@service/client';
import { type Command, Option } from 'commander';
import { Context, tableOf } from '../context.js';
import { DATABASE, databaseOf } from '../database/databases.js';
import { wholeNumber } from '../numbers.js';
import { printable } from '../terminal.js';

const CREDENTIAL = ['<credential-id>', 'id of the credential, see "service db credentials"'] as const;

/** Adds the commands for the users and passwords of a database. */
export function addDbCredentials(db: Command): void {
  addUrl(db);
  addList(db);
  addRotate(db);
  addRevoke(db);
}

function addUrl(db: Command): void {
  db.command('url')
    .argument(...DATABASE)
    .description('create a user with a password, and print only its connection URL; it is shown once')
    .addOption(new Option('--access <access>', 'what it may do').choices(['owner', 'reader']).default('owner'))
    .option('--name <name>', 'what it is for')
    .action(async (named: string, { access, name }: { access: DatabaseAccess; name?: string }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id } = await databaseOf(service, named);
      const input = { access, ...(name === undefined ? {} : { name }) };
      printUrl(context, await service.databases.credentials.create(id, input));
    });
}

/** Prints only the URL to standard output, so that it can be piped to where it is needed. */
function printUrl(context: Context, credential: IssuedDatabaseCredential): void {
  context.note(`${credential.id} (${credential.access}). Its URL is shown once:`);
  context.print(credential, credential.url);
}

function addList(db: Command): void {
  db.command('credentials')
    .argument(...DATABASE)
    .description('list the users of a database, without passwords')
    .action(async (named: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id } = await databaseOf(service, named);
      const all: DatabaseCredential[] = [];
      for await (const each of service.databases.credentials.list(id, { limit: 100 })) all.push(each);
      context.print(all, tableOf(['USER', 'NAME', 'ACCESS', 'LAST USED', 'EXPIRES', 'ID'], all.map(rowOf)));
    });
}

const rowOf = ({ user, name, access, last_used_at: used, expires_at: end, id }: DatabaseCredential): string[] => [
  user,
  printable(name),
  access,
  used ?? 'never',
  end ?? '',
  id,
];

function addRotate(db: Command): void {
  db.command('rotate')
    .argument(...DATABASE)
    .argument(...CREDENTIAL)
    .description('replace a user and its password, and print only the new URL; it is shown once')
    .option('--grace-seconds <seconds>', 'how long the old one works, at most 604800 (default: a day)', wholeNumber)
    .action(
      async (named: string, credential: string, { graceSeconds }: { graceSeconds?: number }, command: Command) => {
        const context = await Context.of(command);
        const service = await context.service();
        const { id } = await databaseOf(service, named);
        const rotation = graceSeconds === undefined ? {} : { grace_seconds: graceSeconds };
        printUrl(context, await service.databases.credentials.rotate(id, credential, rotation));
      },
    );
}

function addRevoke(db: Command): void {
  db.command('revoke')
    .argument(...DATABASE)
    .argument(...CREDENTIAL)
    .description('revoke a user, and end its connections')
    .action(async (named: string, credential: string, _options: object, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      await service.databases.credentials.delete((await databaseOf(service, named)).id, credential);
      context.print({ id: credential, deleted: true }, `${credential} is revoked.`);
    });
}
