import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsString, Matches, Max, MaxLength, Min, MinLength } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { QueryResult } from '../sql/database-queries.js';
import type { QueryAccess, QueryInput } from '../sql/query-runner.js';

const ACCESSES: readonly QueryAccess[] = ['read', 'write'];
const MAX_SQL_LENGTH = 200_000;
const MAX_PARAMS = 1_000;
const MAX_TIMEOUT_MS = 30_000;
const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_ROWS = 10_000;
const DEFAULT_ROWS = 1_000;

export class DatabaseQueryBody {
  @ApiProperty({
    type: String,
    minLength: 1,
    maxLength: MAX_SQL_LENGTH,
    example: 'SELECT id, email FROM customers WHERE country = $1',
    description: 'One statement. Parameters are `$1`, `$2` …',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_SQL_LENGTH)
  // PostgreSQL has no text with this character.
  @Matches(/^[^\0]*$/, { message: 'sql must not contain the character U+0000' })
  readonly sql!: string;

  @ApiPropertyOptional({
    type: 'array',
    items: {},
    maxItems: MAX_PARAMS,
    example: ['DE'],
    description: 'The values of the parameters. Objects become JSON, and arrays become arrays of PostgreSQL.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_PARAMS)
  readonly params: readonly unknown[] = [];

  @ApiProperty({
    enum: ACCESSES,
    example: 'read',
    description: 'read: nothing is changed, whatever the statement says. write: needs `databases:write`.',
  })
  @IsIn(ACCESSES)
  readonly access!: QueryAccess;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    default: DEFAULT_TIMEOUT_MS,
    example: 5_000,
    description: 'How long the statement may take. Then it is cancelled.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_TIMEOUT_MS)
  readonly timeout_ms: number = DEFAULT_TIMEOUT_MS;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_ROWS,
    default: DEFAULT_ROWS,
    example: 100,
    description: 'How many rows are returned at most. All rows together have at most 8 MiB.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_ROWS)
  readonly max_rows: number = DEFAULT_ROWS;

  get input(): QueryInput {
    const { sql, params, access, timeout_ms: timeoutMs, max_rows: maxRows } = this;
    return { sql, params, access, timeoutMs, maxRows };
  }
}

export class DatabaseQueryColumnView {
  @ApiProperty({ example: 'email' }) name!: string;
  @ApiProperty({ example: 'text', description: 'The name of the type in PostgreSQL, with `[]` for arrays.' })
  type!: string;
}

export class DatabaseQueryView {
  @ApiProperty({ type: [DatabaseQueryColumnView] }) columns!: readonly DatabaseQueryColumnView[];
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: {} },
    example: [[1, 'ada@example.com']],
    description:
      'Booleans, JSON, and numbers that JavaScript does not round are values of JSON. All others are texts as ' +
      'PostgreSQL writes them.',
  })
  rows!: readonly (readonly unknown[])[];
  @ApiProperty({ example: 1, description: 'How many rows were returned by PostgreSQL, or changed.' })
  row_count!: number;
  @ApiProperty({ example: false, description: 'Whether there are more rows than were returned.' }) truncated!: boolean;
  @ApiProperty({ example: 12, description: 'Time in milliseconds, including waking the database.' })
  duration_ms!: number;
  @ApiProperty({ type: String, nullable: true, example: 'SELECT', description: 'What the statement was.' })
  command!: string | null;

  static of({ columns, rows, rowCount, truncated, durationMs, command }: QueryResult): DatabaseQueryView {
    return { columns, rows, row_count: rowCount, truncated, duration_ms: durationMs, command };
  }
}

export class DatabaseQueryAnswer {
  @ApiProperty({ type: DatabaseQueryView }) data!: DatabaseQueryView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
