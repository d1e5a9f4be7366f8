import { type Diagnostic, type ExecutionError } from '../domain/sandbox-runtime.js';

/** What a run reports about itself. It is untrusted, because the user's code can write to the same channel. */
export interface Report {
  readonly error?: ExecutionError;
  /** The exit status that the program claims. */
  readonly exit?: number;
}

const NAME_LIMIT = 100;
const TEXT_LIMIT = 8_192;
const LARGEST_NUMBER = 10_000_000;
const MAX_DIAGNOSTICS = 1_000;
const PATH_LIMIT = 200;
const DIAGNOSTIC_CODE = /^TS\d{1,5}$/;

/** Matches the user's own file in a stack trace of Node. */
const POSITION = /\/tmp\/main\.[jt]s:(\d+)(?::(\d+))?/;

const INTERNAL_FRAME = /^ {4}at (?:async )?(?:.*\()?node:(?:internal\/|diagnostics_channel)/;

/** Reads the lines of the report channel and ignores everything that does not have the expected shape. */
export function readReport(bytes: Buffer): Report {
  const facts = bytes.toString('utf8').split('\n').flatMap(parseLine);
  const error = facts.flatMap((fact) => readError(fact.error)).at(-1);
  const exit = facts
    .map((fact) => fact.exit)
    .filter(isStatus)
    .at(-1);
  return { ...(error === undefined ? {} : { error }), ...(exit === undefined ? {} : { exit }) };
}

function parseLine(line: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? [value] : [];
  } catch {
    return [];
  }
}

function readError(value: unknown): ExecutionError[] {
  if (!isRecord(value) || typeof value.name !== 'string' || typeof value.message !== 'string') return [];

  const stack = typeof value.stack === 'string' ? withoutInternals(value.stack.slice(0, TEXT_LIMIT)) : undefined;
  const position = POSITION.exec(stack ?? '');
  const line = isPosition(value.line) ? value.line : toPosition(position?.[1]);
  const column = isPosition(value.column) ? value.column : (toPosition(position?.[2]) ?? caretColumn(stack));
  const diagnostics = readDiagnostics(value.diagnostics);
  return [
    {
      name: value.name.slice(0, NAME_LIMIT),
      message: value.message.slice(0, TEXT_LIMIT),
      ...(line === undefined ? {} : { line }),
      ...(line === undefined || column === undefined ? {} : { column }),
      ...(stack === undefined ? {} : { stack }),
      ...(diagnostics.length === 0 ? {} : { diagnostics }),
    },
  ];
}

function readDiagnostics(value: unknown): Diagnostic[] {
  return Array.isArray(value) ? value.slice(0, MAX_DIAGNOSTICS).flatMap(readDiagnostic) : [];
}

function readDiagnostic(value: unknown): Diagnostic[] {
  if (!isRecord(value) || typeof value.message !== 'string' || typeof value.code !== 'string') return [];
  const { file, line, column, code } = value;
  if (!DIAGNOSTIC_CODE.test(code)) return [];
  const message = value.message.slice(0, TEXT_LIMIT);
  if (typeof file !== 'string' || !isPosition(line) || !isPosition(column)) return [{ code, message }];
  return [{ file: file.slice(0, PATH_LIMIT), line, column, code, message }];
}

/** Node's internal frames do not help the author of the code. */
function withoutInternals(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => !INTERNAL_FRAME.test(line))
    .join('\n')
    .trimEnd();
}

/** Adds the position to a syntax error in an ES module. Node prints it to standard error, but not into the error. */
export function withPosition(error: ExecutionError, stderr: string): ExecutionError {
  if (error.name !== 'SyntaxError' || error.line !== undefined) return error;

  const shown = stderr.slice(0, TEXT_LIMIT);
  const line = toPosition(POSITION.exec(shown)?.[1]);
  const column = caretColumn(shown);
  if (line === undefined) return error;
  return { ...error, line, ...(column === undefined ? {} : { column }) };
}

/**
 * Node shows a syntax error as position, line and a caret below the fault. Without a caret, the fault is at the end of
 * the code.
 */
function caretColumn(stack: string | undefined): number | undefined {
  const [, shown, caret] = stack?.split('\n', 3) ?? [];
  if (shown === '' && caret === '') return 1;
  const column = caret === undefined ? -1 : caret.indexOf('^');
  return column >= 0 && caret?.slice(0, column).trim() === '' ? column + 1 : undefined;
}

function toPosition(digits: string | undefined): number | undefined {
  const value = Number(digits);
  return isPosition(value) ? value : undefined;
}

function isPosition(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_NUMBER;
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
