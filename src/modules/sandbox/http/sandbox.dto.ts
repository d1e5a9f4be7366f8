import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, Min, MinLength } from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import {
  type AnonymousExecutionInput,
  type CreateExecutionInput,
  type Execution,
  LONGEST_ANONYMOUS_WAIT_MS,
} from '../runs/sandbox.service.js';
import { type Language, LANGUAGES } from '../domain/sandbox-runtime.js';
import { RunOptionsBody } from './run-options.dto.js';

const MAX_CODE_BYTES = 131_072;
const QUEUE_TIMEOUT_MS = 10_000;

export abstract class ProgramBody extends RunOptionsBody {
  @ApiProperty({
    description: 'The program, at most 128 KiB of UTF-8.',
    minLength: 1,
    maxLength: MAX_CODE_BYTES,
    example: 'print(1 + 2)',
  })
  @IsString()
  @MinLength(1)
  @MaxBytes(MAX_CODE_BYTES)
  readonly code!: string;

  @ApiProperty({ enum: LANGUAGES, example: 'python' })
  @IsIn(LANGUAGES)
  readonly language!: Language;

  @ApiPropertyOptional({
    example: 'Ada\n',
    description: 'Standard input of the program, at most 128 KiB of UTF-8.',
    maxLength: MAX_CODE_BYTES,
  })
  @MayBeAbsent()
  @IsString()
  @MaxBytes(MAX_CODE_BYTES)
  readonly stdin: string = '';

  get input(): CreateExecutionInput {
    const { language, code, stdin, options } = this;
    return { language, code, stdin, options };
  }
}

/** Service document §2, "Sandbox execution request". */
export class ExecutionRequest extends ProgramBody {
  @ApiPropertyOptional({
    example: 20_000,
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_ANONYMOUS_WAIT_MS,
    description:
      'Longest time that the execution may wait in the queue. Default: 10 seconds. If the wait would be longer, the ' +
      'answer is 503 with `Retry-After`, and the execution is not counted.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(LONGEST_ANONYMOUS_WAIT_MS)
  readonly queue_timeout_ms: number = QUEUE_TIMEOUT_MS;

  override get input(): AnonymousExecutionInput {
    return { ...super.input, queueTimeoutMs: this.queue_timeout_ms };
  }
}

export class TruncatedView {
  @ApiProperty() stdout!: boolean;
  @ApiProperty() stderr!: boolean;
}

export class RuntimeView {
  @ApiProperty({ example: 'python' }) name!: string;
  @ApiProperty({ example: '3.11.2' }) version!: string;
}

class DiagnosticView {
  @ApiPropertyOptional({
    type: String,
    example: 'main.ts',
    description: 'Path of the file; `main.ts` is the submitted code. Absent when an error is in no file.',
  })
  file?: string;
  @ApiPropertyOptional({ type: 'integer', example: 1 }) line?: number;
  @ApiPropertyOptional({ type: 'integer', example: 7 }) column?: number;
  @ApiProperty({ example: 'TS2322' }) code!: string;
  @ApiProperty({ example: "Type 'string' is not assignable to type 'number'." }) message!: string;
}

export class ExecutionErrorView {
  @ApiProperty({ example: 'ZeroDivisionError' }) name!: string;
  @ApiProperty({ example: 'division by zero' }) message!: string;
  @ApiPropertyOptional({ type: Number, description: 'Line in the submitted code.' }) line?: number;
  @ApiPropertyOptional({ type: Number }) column?: number;
  @ApiPropertyOptional({ type: String }) stack?: string;
  @ApiPropertyOptional({
    type: [DiagnosticView],
    description: 'With `check`, the errors that TypeScript found, in at most 40 KB. The program then did not start.',
  })
  diagnostics?: readonly DiagnosticView[];
}

export class ExecutionView {
  @ApiProperty({ example: 'exe_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: LANGUAGES }) language!: Language;
  @ApiProperty({ enum: ['succeeded', 'failed', 'timed_out', 'out_of_memory', 'output_limit'] }) status!: string;
  @ApiProperty() stdout!: string;
  @ApiProperty() stderr!: string;
  @ApiProperty({ type: Number, nullable: true, description: 'Null when a signal ended the run.' }) exit_code!:
    number | null;
  @ApiProperty({ type: String, nullable: true, example: null }) signal!: string | null;
  @ApiProperty({ description: 'Time in the queue, in milliseconds.' }) queue_ms!: number;
  @ApiProperty({ description: 'Wall time of the run, in milliseconds.' }) duration_ms!: number;
  @ApiProperty() cpu_ms!: number;
  @ApiProperty() memory_peak_bytes!: number;
  @ApiProperty({ type: TruncatedView }) truncated!: TruncatedView;
  @ApiProperty({ type: RuntimeView }) runtime!: RuntimeView;
  @ApiPropertyOptional({ type: ExecutionErrorView }) error?: ExecutionErrorView;

  static of({ id, language, queueMs, outcome }: Execution): ExecutionView {
    return {
      id,
      language,
      status: outcome.status,
      stdout: outcome.stdout,
      stderr: outcome.stderr,
      exit_code: outcome.exitCode,
      signal: outcome.signal,
      queue_ms: queueMs,
      duration_ms: toHundredths(outcome.durationMs),
      cpu_ms: toHundredths(outcome.cpuMs),
      memory_peak_bytes: outcome.memoryPeakBytes,
      truncated: outcome.truncated,
      runtime: outcome.runtime,
      ...(outcome.error === undefined ? {} : { error: outcome.error }),
    };
  }
}

/** The clocks are no more precise than this, and short numbers are easier to read. */
export const toHundredths = (value: number): number => Math.round(value * 100) / 100;

class AnonymousExecutionMeta {
  @ApiProperty({ type: 'integer', description: "Runs left today for the caller's IP address." })
  remaining_executions!: number;
  @ApiProperty() request_id!: string;
}

export class AnonymousExecutionAnswer {
  @ApiProperty({ type: ExecutionView }) data!: ExecutionView;
  @ApiProperty({ type: AnonymousExecutionMeta }) meta!: AnonymousExecutionMeta;
}
