import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Command, Option } from 'commander';
import { Context } from '../context.js';
import { DATABASE, databaseOf } from '../database/databases.js';
import { openImportFile } from '../database/import-file.js';
import { sizeText } from '../sizes.js';
import { WholeFile } from '../storage/whole-file.js';
import { printable } from '../terminal.js';

/** An import may take as long as a slow line needs. */
const TIMEOUT_MS = 60 * 60_000;

interface ExportOptions {
  readonly format: 'sql' | 'custom';
}

/** Adds the commands that copy a database out of and into the service. */
export function addDbTransfer(db: Command): void {
  db.command('export')
    .argument(...DATABASE)
    .argument('[file]', 'file to write (default: standard output)')
    .description('write a database as SQL, or in the format of pg_restore')
    .addOption(new Option('--format <format>', 'what to write').choices(['sql', 'custom']).default('sql'))
    .action(async (named: string, file: string | undefined, { format }: ExportOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const database = await databaseOf(service, named);
      const response = await service.databases.export(database.id, format);
      const body = Readable.fromWeb(response.body as ReadableStream);
      if (file === undefined) {
        await pipeline(body, process.stdout);
        return;
      }
      const progress = context.progress();
      const target = new WholeFile(file);
      try {
        const bytes = await target.write(body, (written) => {
          progress.show(`Exporting ${sizeText(written)}`);
        });
        await target.keep();
        progress.clear();
        context.print({ file, size_bytes: bytes }, `${printable(database.name)} is in ${file} (${sizeText(bytes)}).`);
      } finally {
        progress.clear();
        await target.discard();
      }
    });
  addImport(db);
}

function addImport(db: Command): void {
  db.command('import')
    .argument(...DATABASE)
    .argument('<file>', 'an SQL file, as "export" and pg_dump write it')
    .description('run an SQL file in a database, all of it or nothing')
    .option('--yes', 'do not ask')
    .action(async (named: string, file: string, options: { yes?: true }, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const { id, name } = await databaseOf(service, named);
      const { sql, discard } = await openImportFile(file);
      try {
        await context.confirm(`Import ${file} (${sizeText(sql.size)}) into ${printable(name)} (${id})?`, options);
        const result = await service.databases.import(id, sql, { timeoutMs: TIMEOUT_MS });
        context.print(result, `${file} is imported into ${printable(name)}.`);
      } finally {
        await discard();
      }
    });
}
