import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { formatUsd } from '../../../platform/money/nano-dollars.js';
import { PLANS } from '../../plans/plan.js';
import { EXECUTION_STATES, type ExecutionState } from '../domain/execution-state.js';
import type { CreateOrgExecutionInput, Rehearsal } from '../executions/execution-admission.service.js';
import { canCoexist, isFilePath, MAX_FILES, MAX_FILES_BYTES } from '../domain/files.js';
import type { ListedExecution } from '../persistence/executions.store.js';
import type { QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { type Language, LANGUAGES, type SandboxFile, type SandboxLimits } from '../domain/sandbox-runtime.js';
import { ExecutionErrorView, ExecutionRequest, RuntimeView, toHundredths, TruncatedView } from './sandbox.dto.js';

/** A sandbox with less cannot start every interpreter. */
const MIN_MEMORY_MIB = 64;
/** With the usual time limit, a caller who waits is answered within the 60 seconds that HTTP clients usually have. */
const CALLER_QUEUE_TIMEOUT_MS = 28_000;
/** Also of an execution that nobody waits for, unless its caller says otherwise. */
const MAX_QUEUE_TIMEOUT_MS = 300_000;

const IsFilePath = (): PropertyDecorator =>
  ValidateBy({
    name: 'isFilePath',
    validator: {
      validate: isFilePath,
      defaultMessage: () =>
        'path must be a relative path of plain names, without "..", and not the name of the program itself',
    },
  });

const CanCoexist = (): PropertyDecorator =>
  ValidateBy({
    name: 'canCoexist',
    validator: {
      validate: (files: unknown) =>
        !Array.isArray(files) || canCoexist(files.map((file: SandboxFile | null) => String(file?.path))),
      defaultMessage: () => 'files must have different paths, none of which is a directory of another',
    },
  });

const MaxBytesTogether = (): PropertyDecorator =>
  ValidateBy({
    name: 'maxBytesTogether',
    validator: {
      validate: (files: unknown) => !Array.isArray(files) || bytesOf(files as SandboxFile[]) <= MAX_FILES_BYTES,
      defaultMessage: () => `files must be at most ${MAX_FILES_BYTES} bytes of UTF-8 together`,
    },
  });

const bytesOf = (files: readonly (SandboxFile | null)[]): number =>
  files.reduce((sum, file) => sum + Buffer.byteLength(String(file?.content)), 0);

class FileBody implements SandboxFile {
  @ApiProperty({
    description: 'Relative to the working directory of the program.',
    maxLength: 200,
    example: 'lib/greet.py',
  })
  @IsFilePath()
  readonly path!: string;

  @ApiProperty({ example: 'def greet(name):\n    return "hello, " + name\n', description: 'UTF-8.' })
  @IsString()
  @MaxBytes(MAX_FILES_BYTES)
  readonly content!: string;
}

export class OrgExecutionRequest extends ExecutionRequest {
  @ApiPropertyOptional({
    type: [FileBody],
    maxItems: MAX_FILES,
    description: 'Files beside the program, which it can import or read; at most 256 KiB of UTF-8 together.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_FILES)
  @CanCoexist()
  @MaxBytesTogether()
  @ValidateNested({ each: true })
  @Type(() => FileBody)
  readonly files: FileBody[] = [];

  @ApiPropertyOptional({
    example: 5_000,
    type: 'integer',
    minimum: 1,
    maximum: PLANS.enterprise.sandbox.timeoutMs,
    description: 'Wall and processor time, at most what the plan of the organization allows. Default: 30 seconds.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  readonly timeout_ms?: number;

  @ApiPropertyOptional({
    example: 256,
    type: 'integer',
    minimum: MIN_MEMORY_MIB,
    maximum: PLANS.enterprise.sandbox.memoryMib,
    description:
      'At most what the plan of the organization allows. Default: 256. Any other amount starts a sandbox of its own, which takes some 30 ms longer.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(MIN_MEMORY_MIB)
  readonly memory_mib?: number;

  @ApiPropertyOptional({
    example: true,
    type: Boolean,
    default: true,
    description: 'false: the answer comes at once, with 202, and the result is there to be read when the code has run.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly wait: boolean = true;

  @ApiPropertyOptional({
    example: 20_000,
    type: 'integer',
    minimum: 1,
    maximum: MAX_QUEUE_TIMEOUT_MS,
    description:
      'How long the execution may wait for its turn. A caller that waits sets it to its own time-out less `timeout_ms`. Default: 28 seconds, and 5 minutes with `wait: false`. If the wait would be longer, the answer is 503 with `Retry-After`.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_QUEUE_TIMEOUT_MS)
  readonly queue_timeout_ms?: number;

  get input(): CreateOrgExecutionInput {
    const { language, code, stdin, files, timeout_ms: timeoutMs, memory_mib: memoryMib, wait } = this;
    const queueTimeoutMs = this.queue_timeout_ms ?? (wait ? CALLER_QUEUE_TIMEOUT_MS : MAX_QUEUE_TIMEOUT_MS);
    return { language, code, stdin, files, timeoutMs, memoryMib, queueTimeoutMs };
  }
}

class LimitsView {
  @ApiProperty({ type: 'integer' }) timeout_ms!: number;
  @ApiProperty({ type: 'integer' }) memory_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Of standard output and of standard error, each.' })
  output_bytes!: number;

  static of({ timeoutMs, memoryBytes, outputBytes }: SandboxLimits): LimitsView {
    return { timeout_ms: timeoutMs, memory_bytes: memoryBytes, output_bytes: outputBytes };
  }
}

const WHEN_RUN = 'Absent until the code has run, and where it did not run to its end.';

/** An execution in whatever state: of one that ran to its end it has all that the anonymous sandbox shows. */
export class OrgExecutionView {
  @ApiProperty({ example: 'exe_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: LANGUAGES }) language!: Language;
  @ApiProperty({
    enum: EXECUTION_STATES,
    description:
      'queued and running lead to one of the others. lost: the platform lost the run, and whether the code ran is not known.',
  })
  status!: ExecutionState;
  @ApiPropertyOptional({ type: String, description: WHEN_RUN }) stdout?: string;
  @ApiPropertyOptional({ type: String }) stderr?: string;
  @ApiPropertyOptional({ type: 'integer', nullable: true, description: 'Null when a signal ended the run.' })
  exit_code?: number | null;
  @ApiPropertyOptional({ type: String, nullable: true, example: null }) signal?: string | null;
  @ApiPropertyOptional({ type: 'integer', description: 'What the run waited for a worker, in milliseconds.' })
  queue_ms?: number;
  @ApiPropertyOptional({ type: Number, description: 'Wall time of the run, in milliseconds.' }) duration_ms?: number;
  @ApiPropertyOptional({ type: Number }) cpu_ms?: number;
  @ApiPropertyOptional({ type: 'integer' }) memory_peak_bytes?: number;
  @ApiPropertyOptional({ type: TruncatedView }) truncated?: TruncatedView;
  @ApiPropertyOptional({ type: RuntimeView }) runtime?: RuntimeView;
  @ApiPropertyOptional({ type: ExecutionErrorView }) error?: ExecutionErrorView;
  @ApiPropertyOptional({
    type: String,
    example: '0.000000334',
    description:
      'In USD, as a decimal: the price of its wall time, by whole milliseconds. Absent until it has run, and where it did not.',
  })
  cost?: string;
  @ApiProperty({ type: LimitsView, description: 'What it may, or might, use.' }) limits!: LimitsView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) started_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) finished_at?: string;

  static of(execution: SandboxExecution): OrgExecutionView {
    const { stdout, stderr, error } = execution;
    return Object.assign(
      ListedExecutionView.of(execution),
      stdout === null || stderr === null ? {} : { stdout: stdout.toString(), stderr: stderr.toString() },
      error === null ? {} : { error },
    );
  }

  static ofQueued({ id, language, status, limits, createdAt }: QueuedExecution): OrgExecutionView {
    return { id, language, status, limits: LimitsView.of(limits), created_at: createdAt.toISOString() };
  }
}

/** An execution in a list, without what it printed. */
export class ListedExecutionView extends OmitType(OrgExecutionView, ['stdout', 'stderr', 'error'] as const) {
  static of(execution: ListedExecution): ListedExecutionView {
    const { id, language, status, limits, queueMs, createdAt, startedAt, finishedAt } = execution;
    return {
      id,
      language,
      status,
      ...(queueMs === null ? {} : { queue_ms: queueMs }),
      ...figuresOf(execution),
      ...(execution.costNano === null ? {} : { cost: formatUsd(BigInt(execution.costNano)) }),
      limits: LimitsView.of(limits),
      created_at: createdAt.toISOString(),
      ...(startedAt === null ? {} : { started_at: startedAt.toISOString() }),
      ...(finishedAt === null ? {} : { finished_at: finishedAt.toISOString() }),
    };
  }
}

function figuresOf({
  exitCode,
  signal,
  durationMs,
  cpuMs,
  memoryPeakBytes,
  truncated,
  runtime,
}: ListedExecution): Partial<ListedExecutionView> {
  if (durationMs === null || cpuMs === null || truncated === null || runtime === null) return {};
  return {
    exit_code: exitCode,
    signal,
    duration_ms: toHundredths(durationMs),
    cpu_ms: toHundredths(cpuMs),
    memory_peak_bytes: Number(memoryPeakBytes),
    truncated,
    runtime,
  };
}

/** What an execution would be given: the answer to `Dry-Run: true`. */
export class RehearsalView {
  @ApiProperty({ enum: LANGUAGES }) language!: Language;
  @ApiProperty({ type: LimitsView }) limits!: LimitsView;
  @ApiPropertyOptional({
    type: String,
    example: '0.000833334',
    description:
      'In USD, as a decimal: what it costs if it uses its whole time limit. Absent in the anonymous sandbox, which costs nothing.',
  })
  max_cost?: string;

  static of(language: Language, limits: SandboxLimits): RehearsalView {
    return { language, limits: LimitsView.of(limits) };
  }

  static ofPaid(language: Language, { limits, maxCostNano }: Rehearsal): RehearsalView {
    return { language, limits: LimitsView.of(limits), max_cost: formatUsd(maxCostNano) };
  }
}

export class OrgExecutionAnswer {
  @ApiProperty({ type: OrgExecutionView }) data!: OrgExecutionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ExecutionPageAnswer {
  @ApiProperty({ type: [ListedExecutionView] }) data!: ListedExecutionView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
