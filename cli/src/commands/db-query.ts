import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { Context } from '../context.js';
import { DATABASE, databaseOf } from '../database/databases.js';
import { placeText } from '../database/query-failure.js';
import { resultText } from '../database/result-table.js';
import { UsageError } from '../failures.js';
import { wholeNumber } from '../numbers.js';

interface QueryOptions {
  readonly write?: true;
  readonly param?: readonly string[];
  readonly file?: string;
  readonly maxRows?: number;
  readonly timeoutMs?: number;
}

/** Adds the command that runs one statement. */
export function addDbQuery(db: Command): void {
  db.command('query')
    .argument(...DATABASE)
    .argument('[sql]', 'one statement (default: from standard input)')
    .description('run one SQL statement and print its rows; it can change nothing without --write')
    .option('--write', 'let the statement change data')
    .option('--param <value...>', 'values of $1, $2 and so on')
    .option('--file <file>', 'read the statement from a file')
    .option('--max-rows <number>', 'the most rows to return, at most 10000', wholeNumber)
    .option('--timeout-ms <number>', 'the longest that it may take, at most 30000', wholeNumber)
    .action(async (named: string, given: string | undefined, options: QueryOptions, command: Command) => {
      const context = await Context.of(command);
      const service = await context.service();
      const sql = await sqlOf(given, options);
      const { id } = await databaseOf(service, named);
      const { write, param, maxRows, timeoutMs } = options;
      const query = {
        sql,
        access: write === true ? ('write' as const) : ('read' as const),
        ...(param === undefined ? {} : { params: param }),
        ...(maxRows === undefined ? {} : { max_rows: maxRows }),
        ...(timeoutMs === undefined ? {} : { timeout_ms: timeoutMs }),
      };
      try {
        const result = await service.databases.query(id, query);
        context.print(result, resultText(context.paint, result));
      } catch (error) {
        const place = placeText(sql, error);
        if (place !== undefined) context.note(place);
        throw error;
      }
    });
}

/** @throws {UsageError} when there is no statement, or two. */
async function sqlOf(given: string | undefined, { file }: QueryOptions): Promise<string> {
  if (given !== undefined && file !== undefined)
    throw new UsageError('The statement is given twice. Pass it as the argument or with --file.');
  if (file !== undefined) return readFile(file, 'utf8').catch((error: unknown) => cannotRead(file, error));
  if (given === undefined && process.stdin.isTTY)
    throw new UsageError('There is no statement. Pass it as the argument, or run "service db shell".');
  const sql = given ?? (await text(process.stdin));
  if (sql.trim() === '') throw new UsageError('The statement is empty.');
  return sql;
}

function cannotRead(file: string, error: unknown): never {
  throw new UsageError(`${file} cannot be read: ${(error as Error).message}. Name another file.`);
}
