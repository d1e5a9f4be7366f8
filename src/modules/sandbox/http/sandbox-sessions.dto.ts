import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { PLANS } from '../../plans/plan.js';
import { MAX_ARTIFACTS } from '../domain/artifacts.js';
import { type Language, LANGUAGES } from '../domain/sandbox-runtime.js';
import { PACKAGE_SETS, type PackageChoice, type PackageSetName } from '../domain/packages.js';
import { isSessionPath, MAX_SESSION_PATH_BYTES } from '../domain/session-paths.js';
import { SESSION_ENDS, SESSION_STATES, type SessionEnd, type SessionState } from '../domain/session-state.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import type { SessionFile } from '../sessions/host/session-process.js';
import type { SessionWorkInput } from '../sessions/session-work.service.js';
import type { CreateSessionInput } from '../sessions/sandbox-sessions.service.js';
import { NetworkBody, OrgExecutionRequest } from './executions.dto.js';
import { choiceOf, PackagesBody } from './packages.dto.js';

const MAX_TEXT_BYTES = 131_072;
/** A session holds its interpreter, the agent beside it and files. */
const MIN_MEMORY_MIB = 128;
const IDLE_SECONDS = { min: 60, max: 3_600, default: 300 };
/** With the default time limit, a waiting caller gets an answer within the usual 60 second time-out of HTTP clients. */
const QUEUE_TIMEOUT_MS = 28_000;
const ROOM_TIMEOUT_MS = 20_000;
const MAX_QUEUE_TIMEOUT_MS = 300_000;

export class SandboxSessionBody extends PickType(OrgExecutionRequest, [
  'language',
  'env',
  'timezone',
  'locale',
  'typescript',
  'package_set',
  'packages',
] as const) {
  @ApiPropertyOptional({
    type: String,
    maxLength: 100,
    example: 'analysis of March',
    description: 'For you to find it.',
  })
  @MayBeAbsent()
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  @Matches(/^\P{Cc}*$/u)
  readonly name?: string;

  @ApiPropertyOptional({
    example: 256,
    type: 'integer',
    minimum: MIN_MEMORY_MIB,
    maximum: PLANS.enterprise.sandbox.memoryMib,
    description: "Memory limit, up to the maximum of the organization's plan. Default: 256.",
  })
  @MayBeAbsent()
  @IsInt()
  @Min(MIN_MEMORY_MIB)
  readonly memory_mib?: number;

  @ApiPropertyOptional({
    example: 600,
    type: 'integer',
    minimum: IDLE_SECONDS.min,
    maximum: IDLE_SECONDS.max,
    default: IDLE_SECONDS.default,
    description: 'The session ends when it has not been used for this long.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(IDLE_SECONDS.min)
  @Max(IDLE_SECONDS.max)
  readonly idle_timeout_seconds: number = IDLE_SECONDS.default;

  @ApiPropertyOptional({
    example: 60_000,
    type: 'integer',
    minimum: 1,
    maximum: MAX_QUEUE_TIMEOUT_MS,
    description:
      'Longest time to wait for a worker with room for the session. Default: 20 seconds. Then the answer is 503 with ' +
      '`Retry-After`.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_QUEUE_TIMEOUT_MS)
  readonly queue_timeout_ms: number = ROOM_TIMEOUT_MS;

  @ApiPropertyOptional({
    type: NetworkBody,
    example: { allow: ['api.example.com'] },
    description:
      'Lets the code of the session connect to hosts, by HTTP and TLS through a proxy that its environment names. ' +
      'Not on the Free plan. Default: no network.',
  })
  @MayBeAbsent()
  @IsObject()
  @ValidateNested()
  @Type(() => NetworkBody)
  readonly network?: NetworkBody;

  get input(): CreateSessionInput {
    const { env: environment, timezone: timeZone, locale, typescript } = this;
    return {
      language: this.language,
      name: this.name,
      memoryMib: this.memory_mib,
      idleTimeoutSeconds: this.idle_timeout_seconds,
      queueTimeoutMs: this.queue_timeout_ms,
      packages: choiceOf(this.language, this.package_set, this.packages),
      allowedHosts: this.network?.allow,
      options: {
        ...(environment === undefined ? {} : { environment }),
        ...(timeZone === undefined ? {} : { timeZone }),
        ...(locale === undefined ? {} : { locale }),
        ...(typescript === undefined ? {} : { typescript }),
      },
    };
  }
}

export const SESSION_EXAMPLES = {
  ordinary: { value: { language: 'python', name: 'analysis', idle_timeout_seconds: 300 } },
  packages: { value: { language: 'javascript', memory_mib: 256, package_set: 'node-common' } },
  network: { value: { language: 'python', network: { allow: ['api.example.com', '*.pypi.org'] } } },
};

abstract class SessionWorkBody {
  @ApiPropertyOptional({
    example: 'Ada\n',
    description: 'Standard input, at most 128 KiB of UTF-8.',
    maxLength: MAX_TEXT_BYTES,
  })
  @MayBeAbsent()
  @IsString()
  @MaxBytes(MAX_TEXT_BYTES)
  readonly stdin: string = '';

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
    example: 20_000,
    type: 'integer',
    minimum: 1,
    maximum: MAX_QUEUE_TIMEOUT_MS,
    description:
      'Longest time to wait for what runs in the session. Default: 28 seconds, or 5 minutes with `wait: false`. Then ' +
      'the answer is 409, or with `wait: false` the execution becomes `cancelled`.',
  })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_QUEUE_TIMEOUT_MS)
  readonly queue_timeout_ms?: number;

  @ApiPropertyOptional({
    example: true,
    type: Boolean,
    default: true,
    description: 'Set to false to get a 202 answer at once. Read the result from the execution when it has ended.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly wait: boolean = true;

  @ApiPropertyOptional({
    type: Boolean,
    example: false,
    description:
      'Keeps the files that are in `/artifacts` at the end for 24 hours, and removes them there: at most ' +
      `${MAX_ARTIFACTS}, together 20 MiB on the Free plan and 100 MiB on others. What is not kept stays.`,
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly artifacts?: boolean;

  abstract get input(): SessionWorkInput;

  protected get bounds(): Omit<SessionWorkInput, 'do' | 'text'> {
    const { stdin, timeout_ms: timeoutMs, artifacts } = this;
    const queueTimeoutMs = this.queue_timeout_ms ?? (this.wait ? QUEUE_TIMEOUT_MS : MAX_QUEUE_TIMEOUT_MS);
    return { stdin, timeoutMs, queueTimeoutMs, artifacts };
  }
}

export class SessionRunBody extends SessionWorkBody {
  @ApiProperty({
    description: 'Code in the language of the session, at most 128 KiB of UTF-8.',
    minLength: 1,
    maxLength: MAX_TEXT_BYTES,
    example: 'x = 40\nx + 2',
  })
  @IsString()
  @MinLength(1)
  @MaxBytes(MAX_TEXT_BYTES)
  readonly code!: string;

  override get input(): SessionWorkInput {
    return { do: 'run', text: this.code, ...this.bounds };
  }
}

export class SessionShellBody extends SessionWorkBody {
  @ApiProperty({
    description: 'Command for the shell, at most 128 KiB of UTF-8.',
    minLength: 1,
    maxLength: MAX_TEXT_BYTES,
    example: 'ls -l | wc -l',
  })
  @IsString()
  @MinLength(1)
  @MaxBytes(MAX_TEXT_BYTES)
  @ValidateBy({
    name: 'isCommand',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || !value.includes('\0'),
      defaultMessage: () => 'command must not contain NUL',
    },
  })
  readonly command!: string;

  override get input(): SessionWorkInput {
    return { do: 'shell', text: this.command, ...this.bounds };
  }
}

export class SandboxSessionsQuery extends PageQuery {
  @ApiPropertyOptional({ enum: SESSION_STATES, example: 'frozen', description: 'Lists only sessions in this state.' })
  @MayBeAbsent()
  @IsIn(SESSION_STATES)
  readonly status?: SessionState;
}

const PATH = {
  type: String,
  example: 'data/input.csv',
  maxLength: MAX_SESSION_PATH_BYTES,
};

const IsSessionPath = (): PropertyDecorator =>
  ValidateBy({
    name: 'isSessionPath',
    validator: {
      validate: isSessionPath,
      defaultMessage: () =>
        'path must be a relative path in the working directory, without "..", of at most ' +
        `${MAX_SESSION_PATH_BYTES} bytes`,
    },
  });

export class SessionFilesQuery {
  @ApiPropertyOptional({ ...PATH, example: 'data', description: 'Directory. Default: the working directory.' })
  @MayBeAbsent()
  @IsSessionPath()
  readonly path: string = '';
}

export class SessionFileQuery {
  @ApiProperty({ ...PATH, description: 'Path relative to the working directory.' })
  @IsSessionPath()
  @MinLength(1)
  readonly path!: string;
}

class SessionLimitsView {
  @ApiProperty({ type: 'integer' }) memory_bytes!: number;
  @ApiProperty({ type: 'integer' }) processes!: number;
  @ApiProperty({ type: 'integer', description: 'Size of all files of the session.' }) files_bytes!: number;
}

export class SandboxSessionView {
  @ApiProperty({ example: 'sbx_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiPropertyOptional({ type: String }) name?: string;
  @ApiProperty({ enum: LANGUAGES }) language!: Language;
  @ApiProperty({
    enum: SESSION_STATES,
    description:
      'A session is `frozen` between uses. `lost` means that its worker is gone. Variables and files of a session ' +
      'that has ended or is lost are gone.',
  })
  status!: SessionState;
  @ApiPropertyOptional({ enum: SESSION_ENDS, description: 'Why it ended. Absent until then.' })
  end_reason?: SessionEnd;
  @ApiProperty({ type: SessionLimitsView }) limits!: SessionLimitsView;
  @ApiPropertyOptional({ enum: PACKAGE_SETS, description: 'Absent without one.' }) package_set?: PackageSetName;
  @ApiPropertyOptional({ type: PackagesBody, description: 'The packages that were named. Absent without them.' })
  packages?: PackagesBody;
  @ApiPropertyOptional({
    type: NetworkBody,
    description: 'The hosts that it may connect to. Absent without a network.',
  })
  network?: NetworkBody;
  @ApiProperty({ type: 'integer' }) idle_timeout_seconds!: number;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time', description: 'When it last awoke or froze.' }) last_used_at!: string;
  @ApiProperty({ format: 'date-time', description: 'When it ends, however much it is used.' }) expires_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) ended_at?: string;

  static of(session: SandboxSession): SandboxSessionView {
    const { id, name, language, status, endReason, limits, packages, allowedHosts, endedAt } = session;
    return {
      id,
      ...(name === null ? {} : { name }),
      language,
      status,
      ...(endReason === null ? {} : { end_reason: endReason }),
      limits: {
        memory_bytes: limits.memoryBytes,
        processes: limits.processes,
        files_bytes: limits.filesBytes,
      },
      ...(packages === null ? {} : shownPackages(packages)),
      ...(allowedHosts === null ? {} : { network: { allow: [...allowedHosts] } }),
      idle_timeout_seconds: session.idleTimeoutSeconds,
      created_at: session.createdAt.toISOString(),
      last_used_at: session.lastUsedAt.toISOString(),
      expires_at: session.expiresAt.toISOString(),
      ...(endedAt === null ? {} : { ended_at: endedAt.toISOString() }),
    };
  }
}

const shownPackages = ({
  ecosystem,
  packages,
  set,
}: PackageChoice): Pick<SandboxSessionView, 'package_set' | 'packages'> =>
  set === undefined ? { packages: { [ecosystem]: [...packages] } } : { package_set: set };

export class SessionFileView {
  @ApiProperty({ example: 'data/input.csv', description: 'Relative to the working directory.' }) path!: string;
  @ApiProperty({ enum: ['file', 'directory', 'other'] }) type!: SessionFile['type'];
  @ApiProperty({ type: 'integer' }) size_bytes!: number;
  @ApiProperty({ format: 'date-time' }) modified_at!: string;

  static of({ path, type, sizeBytes, modifiedAtMs }: SessionFile): SessionFileView {
    return { path, type, size_bytes: sizeBytes, modified_at: new Date(modifiedAtMs).toISOString() };
  }
}

export class SandboxSessionAnswer {
  @ApiProperty({ type: SandboxSessionView }) data!: SandboxSessionView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SandboxSessionPageAnswer {
  @ApiProperty({ type: [SandboxSessionView] }) data!: SandboxSessionView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class SessionFilesAnswer {
  @ApiProperty({ type: [SessionFileView] }) data!: SessionFileView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
