import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
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
import { PACKAGE_SETS, type PackageSetName } from '../domain/packages.js';
import { canCoexist, isFilePath, MAX_FILES, MAX_FILES_BYTES } from '../domain/files.js';
import type { ListedExecution } from '../persistence/executions.store.js';
import type { QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import { ALLOWED_HOST, MAX_ALLOWED_HOSTS } from '../domain/allowed-hosts.js';
import { type ExecutionArtifacts, MAX_ARTIFACTS } from '../domain/artifacts.js';
import {
  type Language,
  LANGUAGES,
  type RunOptions,
  type SandboxFile,
  type SandboxLimits,
} from '../domain/sandbox-runtime.js';
import { choiceOf, FitsLanguage, IsSetOfLanguage, PackagesBody } from './packages.dto.js';
import { ArtifactErrorView, ArtifactView, RichResultView } from './artifacts.dto.js';
import { ExecutionErrorView, ProgramBody, RuntimeView, toHundredths, TruncatedView } from './sandbox.dto.js';

/** A sandbox with less cannot start every interpreter. */
export const MIN_MEMORY_MIB = 64;
/** With the default time limit, a waiting caller gets an answer within the usual 60 second time-out of HTTP clients. */
const CALLER_QUEUE_TIMEOUT_MS = 28_000;
/** This is also the default with `wait: false`. */
const MAX_QUEUE_TIMEOUT_MS = 300_000;

const isPython = (request: object | undefined): boolean =>
  (request as { readonly language?: unknown } | undefined)?.language === 'python';

const IsFilePath = (): PropertyDecorator =>
  ValidateBy({
    name: 'isFilePath',
    validator: {
      validate: isFilePath,
      defaultMessage: () =>
        'path must be a relative path without ".." or special characters, and not a reserved name such as main.py',
    },
  });

const CanCoexist = (): PropertyDecorator =>
  ValidateBy({
    name: 'canCoexist',
    validator: {
      validate: (files: unknown) =>
        !Array.isArray(files) || canCoexist(files.map((file: SandboxFile | null) => String(file?.path))),
      defaultMessage: () => 'files must have distinct paths, and no path may be a directory of another',
    },
  });

const MaxTotalBytes = (): PropertyDecorator =>
  ValidateBy({
    name: 'maxBytesTogether', // The name is on the wire, as the code of the error.
    validator: {
      validate: (files: unknown) => !Array.isArray(files) || bytesOf(files as SandboxFile[]) <= MAX_FILES_BYTES,
      defaultMessage: () => `files must total at most ${MAX_FILES_BYTES} bytes of UTF-8`,
    },
  });

const bytesOf = (files: readonly (SandboxFile | null)[]): number =>
  files.reduce((sum, file) => sum + Buffer.byteLength(String(file?.content)), 0);

class FileBody implements SandboxFile {
  @ApiProperty({
    description: 'Path relative to the working directory of the program.',
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

export class NetworkBody {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_ALLOWED_HOSTS,
    example: ['api.example.com', '*.pypi.org', 'api.example.org:8443'],
    description:
      'Names of hosts. `*.` stands for one or more labels. Without a port, 443 and 80 are meant. Port 80 speaks ' +
      'HTTP, any other TLS. Addresses, and names of private addresses, are refused.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_ALLOWED_HOSTS)
  @ValidateBy(
    {
      name: ALLOWED_HOST.code,
      validator: { validate: ALLOWED_HOST.holds, defaultMessage: () => ALLOWED_HOST.message },
    },
    { each: true },
  )
  readonly allow!: string[];
}

export class OrgExecutionRequest extends ProgramBody {
  @ApiPropertyOptional({
    type: [FileBody],
    maxItems: MAX_FILES,
    description: 'Files that the program can import or read, at most 256 KiB of UTF-8 in total.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_FILES)
  @CanCoexist()
  @MaxTotalBytes()
  @ValidateNested({ each: true })
  @Type(() => FileBody)
  readonly files: FileBody[] = [];

  @ApiPropertyOptional({
    example: 5_000,
    type: 'integer',
    minimum: 1,
    maximum: PLANS.enterprise.sandbox.timeoutMs,
    description: "Limit of wall and CPU time, up to the maximum of the organization's plan. Default: 30 seconds.",
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
      "Memory limit, up to the maximum of the organization's plan. Default: 256. Any other value needs a new " +
      'sandbox, which takes about 30 ms longer to start.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(MIN_MEMORY_MIB)
  readonly memory_mib?: number;

  @ApiPropertyOptional({
    example: true,
    type: Boolean,
    default: true,
    description: 'Set to false to get a 202 answer at once. Read the result from the execution when the code has run.',
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
      'Longest time that the execution may wait in the queue. If you wait for the result, set it to your own ' +
      'time-out minus `timeout_ms`. Default: 28 seconds, or 5 minutes with `wait: false`. If the wait would ' +
      'be longer, the answer is 503 with `Retry-After`.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_QUEUE_TIMEOUT_MS)
  readonly queue_timeout_ms?: number;

  @ApiPropertyOptional({
    enum: PACKAGE_SETS,
    example: 'python-data',
    description:
      'Set of installed packages for the program: `python-data` for Python, `node-common` for JavaScript and ' +
      'TypeScript. `GET /api/v1/sandbox/package-sets` lists what they contain.',
  })
  @MayBeAbsent()
  @IsIn(PACKAGE_SETS)
  @IsSetOfLanguage()
  readonly package_set?: PackageSetName;

  @ApiPropertyOptional({
    type: PackagesBody,
    example: { pip: ['six==1.16.0'] },
    description:
      'Packages for the program, each with its exact version, on plans from Builder on. They are installed when they ' +
      'are first named, which is charged as compute; until then the answer is 503 with `Retry-After`.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => PackagesBody)
  @FitsLanguage()
  readonly packages?: PackagesBody;

  @ApiPropertyOptional({
    type: Boolean,
    example: false,
    description:
      'Returns the value of the last expression, and figures of matplotlib, as `results`, as in a notebook. Only for ' +
      'Python.',
  })
  @MayBeAbsent()
  @IsBoolean()
  @ValidateBy({
    name: 'isShown', // The name is on the wire, as the code of the error.
    validator: {
      validate: (value: unknown, args) => value !== true || isPython(args?.object),
      defaultMessage: () => 'rich_results must be false or absent unless language is python',
    },
  })
  readonly rich_results?: boolean;

  @ApiPropertyOptional({
    type: Boolean,
    example: false,
    description:
      'Keeps the files that the program leaves in `/artifacts` for 24 hours: at most ' +
      `${MAX_ARTIFACTS}, together 20 MiB on the Free plan and 100 MiB on others.`,
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly artifacts?: boolean;

  @ApiPropertyOptional({
    type: NetworkBody,
    example: { allow: ['api.example.com'] },
    description:
      'Lets the program connect to hosts, by HTTP and TLS through a proxy that its environment names. Not on the ' +
      'Free plan. Needs a new sandbox, which takes about 100 ms longer to start. Default: no network.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => NetworkBody)
  readonly network?: NetworkBody;

  override get input(): CreateOrgExecutionInput {
    const { files, timeout_ms: timeoutMs, memory_mib: memoryMib, wait, artifacts } = this;
    const packages = choiceOf(this.language, this.package_set, this.packages);
    const queueTimeoutMs = this.queue_timeout_ms ?? (wait ? CALLER_QUEUE_TIMEOUT_MS : MAX_QUEUE_TIMEOUT_MS);
    const own = packages === undefined ? {} : { packages };
    return { ...super.input, files, timeoutMs, memoryMib, artifacts, queueTimeoutMs, ...own };
  }

  override get options(): RunOptions {
    return {
      ...super.options,
      ...(this.rich_results === true ? { richResults: true } : {}),
      ...(this.network === undefined ? {} : { allowedHosts: this.network.allow }),
    };
  }
}

export const EXECUTION_EXAMPLES = {
  program: {
    value: {
      language: 'python',
      code: 'print(input())',
      stdin: 'Ada\n',
      files: [{ path: 'lib/greet.py', content: 'def greet(name):\n    return "hello, " + name\n' }],
      timeout_ms: 10_000,
      wait: true,
    },
  },
  packages: {
    value: {
      language: 'javascript',
      code: "console.log(require('lodash').chunk([1, 2, 3], 2))",
      package_set: 'node-common',
    },
  },
  results: {
    value: {
      language: 'python',
      code: 'open("/artifacts/sum.txt", "w").write(str(1 + 2))\n1 + 2',
      rich_results: true,
      artifacts: true,
    },
  },
};

class LimitsView {
  @ApiProperty({ type: 'integer' }) timeout_ms!: number;
  @ApiProperty({ type: 'integer' }) memory_bytes!: number;
  @ApiProperty({ type: 'integer', description: 'Limit of standard output and of standard error, each.' })
  output_bytes!: number;
  @ApiProperty({
    type: 'integer',
    description: 'How many processes the program may start. 0 in the anonymous sandbox.',
  })
  processes!: number;
  @ApiPropertyOptional({ type: 'integer', description: 'Size of the artifacts together. Absent without `artifacts`.' })
  artifact_bytes?: number;

  static of({ timeoutMs, memoryBytes, outputBytes, processes = 0, artifactBytes }: SandboxLimits): LimitsView {
    return {
      timeout_ms: timeoutMs,
      memory_bytes: memoryBytes,
      output_bytes: outputBytes,
      processes,
      ...(artifactBytes === undefined ? {} : { artifact_bytes: artifactBytes }),
    };
  }
}

const WHEN_RUN = 'Absent until the code has run to its end.';

/** An execution in any state. Once it has run to its end it has all the fields of an anonymous execution. */
export class OrgExecutionView {
  @ApiProperty({ example: 'exe_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: LANGUAGES }) language!: Language;
  @ApiProperty({
    enum: EXECUTION_STATES,
    description:
      '`queued` and `running` are temporary; all others are final. `lost` means that the platform lost the run, and ' +
      'that it is unknown whether the code ran.',
  })
  status!: ExecutionState;
  @ApiPropertyOptional({ type: String, description: WHEN_RUN }) stdout?: string;
  @ApiPropertyOptional({ type: String }) stderr?: string;
  @ApiPropertyOptional({ type: 'integer', nullable: true, description: 'Null when a signal ended the run.' })
  exit_code?: number | null;
  @ApiPropertyOptional({ type: String, nullable: true, example: null }) signal?: string | null;
  @ApiPropertyOptional({ type: 'integer', description: 'Time in the queue, in milliseconds.' })
  queue_ms?: number;
  @ApiPropertyOptional({ type: Number, description: 'Wall time of the run, in milliseconds.' }) duration_ms?: number;
  @ApiPropertyOptional({ type: Number }) cpu_ms?: number;
  @ApiPropertyOptional({ type: 'integer' }) memory_peak_bytes?: number;
  @ApiPropertyOptional({ type: TruncatedView }) truncated?: TruncatedView;
  @ApiPropertyOptional({ type: RuntimeView }) runtime?: RuntimeView;
  @ApiPropertyOptional({ type: ExecutionErrorView }) error?: ExecutionErrorView;
  @ApiPropertyOptional({ type: [RichResultView], description: 'With `rich_results`, in the order in which they came.' })
  results?: RichResultView[];
  @ApiPropertyOptional({ type: [ArtifactView], description: 'With `artifacts`: the files that are kept.' })
  artifacts?: ArtifactView[];
  @ApiPropertyOptional({ type: [ArtifactErrorView], description: 'With `artifacts`: what is not kept, if anything.' })
  artifact_errors?: ArtifactErrorView[];
  @ApiPropertyOptional({
    type: String,
    example: '0.000000334',
    description:
      'Price in USD, as a decimal: of the wall time by whole milliseconds, and of artifacts for 24 hours. Absent ' +
      'until the code has run.',
  })
  cost?: string;
  @ApiPropertyOptional({
    type: String,
    example: 'sbx_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Session in which it runs. Absent outside of sessions.',
  })
  session_id?: string;
  @ApiPropertyOptional({
    type: Boolean,
    description:
      'In a session: true when its interpreter had to be replaced, so that variables are gone. Files remain. Absent ' +
      'until the code has run.',
  })
  state_lost?: boolean;
  @ApiProperty({ type: LimitsView, description: 'Limits of the execution.' }) limits!: LimitsView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) started_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) finished_at?: string;

  static of(execution: SandboxExecution): OrgExecutionView {
    const { stdout, stderr, error, results, artifacts } = execution;
    return Object.assign(ListedExecutionView.of(execution), {
      ...(stdout === null || stderr === null ? {} : { stdout: stdout.toString(), stderr: stderr.toString() }),
      ...(error === null ? {} : { error }),
      ...(results === null ? {} : { results: [...results] }),
      ...(artifacts === null ? {} : artifactsOf(artifacts)),
    });
  }

  static ofAny(execution: QueuedExecution | SandboxExecution): OrgExecutionView {
    return 'startedAt' in execution ? OrgExecutionView.of(execution) : OrgExecutionView.ofQueued(execution);
  }

  static ofQueued({ id, language, status, sessionId, limits, createdAt }: QueuedExecution): OrgExecutionView {
    return {
      id,
      language,
      status,
      ...(sessionId === null ? {} : { session_id: sessionId }),
      limits: LimitsView.of(limits),
      created_at: createdAt.toISOString(),
    };
  }
}

const artifactsOf = ({ kept, errors }: ExecutionArtifacts): Partial<OrgExecutionView> => ({
  artifacts: kept.map((artifact) => ArtifactView.of(artifact)),
  ...(errors.length === 0 ? {} : { artifact_errors: [...errors] }),
});

/** An execution in a list, without its output. */
export class ListedExecutionView extends OmitType(OrgExecutionView, [
  'stdout',
  'stderr',
  'error',
  'results',
  'artifacts',
  'artifact_errors',
] as const) {
  static of(execution: ListedExecution): ListedExecutionView {
    const { id, language, status, sessionId, stateLost, limits, queueMs, createdAt, startedAt, finishedAt } = execution;
    return {
      id,
      language,
      status,
      ...(queueMs === null ? {} : { queue_ms: queueMs }),
      ...figuresOf(execution),
      ...(execution.costNano === null ? {} : { cost: formatUsd(BigInt(execution.costNano)) }),
      ...(sessionId === null ? {} : { session_id: sessionId }),
      ...(stateLost === null ? {} : { state_lost: stateLost }),
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

/** The answer to `Dry-Run: true`. */
export class RehearsalView {
  @ApiProperty({ enum: LANGUAGES }) language!: Language;
  @ApiProperty({ type: LimitsView }) limits!: LimitsView;
  @ApiPropertyOptional({
    type: String,
    example: '0.000833334',
    description:
      'Highest cost in USD, as a decimal: the price of the whole time limit, of artifacts, and of 240 seconds of ' +
      'installing `packages` that were not installed for the organization before. Absent in the anonymous sandbox, ' +
      'which is free.',
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
