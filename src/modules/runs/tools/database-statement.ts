import { ServiceUnavailable } from '../../../platform/errors/platform.errors.js';
import type { JsonSchema } from '../../agents/json-schema.js';
import type { ToolOutcome } from '../../agents/agent-tool.js';
import { DatabaseUnavailable, QueryFailed } from '../../databases/databases.errors.js';
import type { OrgDatabase, OrgDatabasesService } from '../../databases/org-databases.service.js';
import { shownValue, within } from './bounded-rows.js';
import { storable } from './bounded-text.js';
import { failed } from './single-tool.js';

const DEFAULT_ROWS = 100;
const MAX_ROWS = 1_000;
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 30_000;
const MAX_SQL_LENGTH = 100_000;
const MAX_PARAMS = 100;
/** The model is shown 65,536 characters of a result. */
const MAX_ROWS_BYTES = 49_152;
const MAX_COLUMNS = 200;

type QueryArguments = Parameters<OrgDatabasesService['query']>[2];
type StatementOutput = Awaited<ReturnType<OrgDatabasesService['query']>>;

/** What a tool that runs a statement is called with. */
export interface StatementInput {
  readonly sql: string;
  readonly params?: readonly unknown[];
  readonly max_rows?: number;
  readonly timeout_ms?: number;
}

export const STATEMENT_PROPERTIES: Readonly<Record<string, JsonSchema>> = {
  sql: { type: 'string', minLength: 1, maxLength: MAX_SQL_LENGTH, description: 'One statement of PostgreSQL.' },
  params: {
    type: 'array',
    maxItems: MAX_PARAMS,
    items: { type: ['string', 'number', 'boolean', 'null'] },
    description: 'The values of the parameters $1, $2 and so on.',
  },
  max_rows: { type: 'integer', minimum: 1, maximum: MAX_ROWS, description: `The default is ${DEFAULT_ROWS}.` },
  timeout_ms: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description: `The default is ${DEFAULT_TIMEOUT_MS}.`,
  },
};
export const OPTIONAL_OF_STATEMENT = ['params', 'max_rows', 'timeout_ms'];

export const argumentsOf = (input: StatementInput, access: QueryArguments['access']): QueryArguments => ({
  sql: storable(input.sql),
  params: input.params ?? [],
  maxRows: input.max_rows ?? DEFAULT_ROWS,
  timeoutMs: input.timeout_ms ?? DEFAULT_TIMEOUT_MS,
  access,
});

/** Returns what the model reads of a result. Rows that do not fit are left out. */
export function statementView({ id }: OrgDatabase, result: StatementOutput): object {
  const rows = result.rows.map((row) => row.slice(0, MAX_COLUMNS).map(shownValue));
  const { kept, isCut } = within(rows, MAX_ROWS_BYTES);
  return {
    database_id: id,
    command: result.command,
    row_count: result.rowCount,
    columns: result.columns.slice(0, MAX_COLUMNS).map(({ name, type }) => ({ name: storable(name), type })),
    rows: kept,
    truncated: isCut || result.truncated || result.columns.length > MAX_COLUMNS,
    ...(isCut ? { note: 'The rows were too large. Select fewer columns or rows.' } : {}),
  };
}

/**
 * Returns what the model learns when a statement was refused or could not be run. Nothing was changed then. Undefined
 * for any other error.
 */
export function statementFailure(error: unknown): ToolOutcome | undefined {
  if (error instanceof QueryFailed) {
    const { message, code, help } = error;
    const { position, detail } = help.details as Readonly<Record<string, unknown>>;
    const facts = [
      `SQLSTATE ${sqlStateOf(error)}`,
      ...(typeof position === 'number' ? [`position ${position}`] : []),
      ...(typeof detail === 'string' ? [detail] : []),
      ...(help.hint === undefined ? [] : [help.hint]),
    ];
    return failed(code, storable(`${message} (${facts.join('; ')})`));
  }
  if (error instanceof DatabaseUnavailable) return failed(error.code, `${error.message} Try again later.`);
  if (error instanceof ServiceUnavailable)
    return failed(error.code, 'Too many statements run at once, or their results are too large. Try again later.');
  return undefined;
}

export const sqlStateOf = ({ help }: QueryFailed): string => (help.details as { readonly sql_state: string }).sql_state;
