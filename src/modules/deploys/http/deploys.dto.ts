import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsString, Matches, Min } from 'class-validator';
import { MAX_BRANCH_BYTES } from '../../../platform/git/branch-name.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { IsBranchName } from '../../../platform/text/text-fields.js';
import type { CreateDeployInput } from '../requests/deploy-requests.js';
import {
  type DeployOutput,
  type DeployTrigger,
  LOG_PHASES,
  LOG_STREAMS,
  type LogLine,
  type LogPhase,
  type LogStream,
} from '../domain/deploy-facts.js';
import { DEPLOY_STATES, DEPLOY_TYPES, type DeployState, type DeployType } from '../domain/deploy-state.js';
import type { Hosts } from '../requests/live-deploys.js';
import { DEPLOY_EVENT_KINDS, type DeployEvent, type DeployEventKind } from '../persistence/deploy-event.entity.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import type { DeployFilter } from '../persistence/deploys.store.js';

const ID = { example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn' };
const TYPE = {
  enum: DEPLOY_TYPES,
  description:
    'production: what the project shows the world, in plans that have it. preview: a host of its own for the branch.',
};

export class CreateDeployBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_BRANCH_BYTES,
    example: 'main',
    description: 'Left out, the production branch of the project.',
  })
  @MayBeAbsent()
  @IsBranchName()
  readonly branch?: string;

  @ApiPropertyOptional({ ...TYPE, default: 'preview', example: 'preview' })
  @MayBeAbsent()
  @IsIn(DEPLOY_TYPES)
  readonly type: DeployType = 'preview';

  @ApiPropertyOptional({
    example: false,
    type: Boolean,
    default: false,
    description: 'true: builds even if this commit was built before with the same settings and variables.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly force: boolean = false;

  @ApiPropertyOptional({
    example: '8d4e3c7a1b90f2655e4d3c2b1a09f8e7d6c5b4a3',
    type: String,
    pattern: '^[0-9a-f]{40}$',
    description: 'The full hash of a commit. Left out, what the branch points to when the deploy begins.',
  })
  @MayBeAbsent()
  @Matches(/^[0-9a-f]{40}$/, { message: 'commit must be the full hash of a commit, 40 hexadecimal digits' })
  readonly commit?: string;

  get input(): CreateDeployInput {
    const { branch, type, force, commit } = this;
    return { branch, type, force, commit };
  }
}

/** A commit belongs to one repository, so that most deploys name none. */
export const CREATE_DEPLOY_EXAMPLES = {
  preview: { summary: 'A preview of a branch', value: { branch: 'main' } },
  production: {
    summary: 'Production, from one commit',
    value: { branch: 'main', type: 'production', force: true, commit: '8d4e3c7a1b90f2655e4d3c2b1a09f8e7d6c5b4a3' },
  },
};

export class RollBackBody {
  @ApiPropertyOptional({
    type: String,
    ...ID,
    description: 'A deploy of the project that is ready. Left out, the last that was live before the one that is.',
  })
  @MayBeAbsent()
  @IsString()
  readonly deploy_id?: string;
}

export class DeploysQuery extends PageQuery {
  @ApiPropertyOptional({ example: 'main', type: String, description: 'Those of this branch.' })
  @MayBeAbsent()
  @IsBranchName()
  readonly branch?: string;

  @ApiPropertyOptional({ example: 'production', enum: DEPLOY_TYPES, description: 'Only deploys of this type.' })
  @MayBeAbsent()
  @IsIn(DEPLOY_TYPES)
  readonly type?: DeployType;

  @ApiPropertyOptional({ example: 'ready', enum: DEPLOY_STATES, description: 'Only deploys in this state.' })
  @MayBeAbsent()
  @IsIn(DEPLOY_STATES)
  readonly state?: DeployState;

  get filter(): DeployFilter {
    const { branch, type, state } = this;
    return { branch, type, state };
  }
}

export class LogsQuery {
  @ApiPropertyOptional({
    example: 120,
    type: 'integer',
    minimum: 0,
    description: 'Only lines after this `seq`; the header Last-Event-ID wins.',
  })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  readonly after?: number;

  @ApiPropertyOptional({
    example: false,
    type: Boolean,
    default: true,
    description: 'false: what there is now, without waiting for more.',
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  readonly follow: boolean = true;
}

class CommitView {
  @ApiProperty({ example: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' }) sha!: string;
  @ApiProperty({ description: 'Its first line.' }) message!: string;
  @ApiProperty({ description: 'The name of its author.' }) author!: string;
}

class FailureView {
  @ApiProperty({ example: 'build_failed', description: 'Listed in the documentation of deploys.' }) code!: string;
  @ApiProperty() message!: string;
}

class OutputView {
  @ApiProperty({ example: 'nextjs' }) framework!: string;
  @ApiPropertyOptional({
    type: String,
    example: '22',
    description: 'Release line of Node; absent where nothing was run.',
  })
  node_version?: string;
  @ApiProperty({ enum: ['static', 'server'] }) kind!: 'static' | 'server';
  @ApiProperty({ type: 'integer' }) files!: number;
  @ApiProperty({ type: 'integer' }) bytes!: number;

  static of({ framework, nodeVersion, kind, files, bytes }: DeployOutput): OutputView {
    return { framework, ...(nodeVersion === null ? {} : { node_version: nodeVersion }), kind, files, bytes };
  }
}

const OF_LAST_ATTEMPT = 'Of the last attempt.';

export class DeployView {
  @ApiProperty(ID) id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty({ example: 'main' }) branch!: string;
  @ApiProperty(TYPE) type!: DeployType;
  @ApiProperty({
    enum: DEPLOY_STATES,
    description:
      'queued, initializing, building and deploying lead to one of the others. skipped: a newer one of the branch came before its turn.',
  })
  state!: DeployState;
  @ApiProperty({ description: 'Whether production leads to it or, of a preview, the host of its branch.' })
  live!: boolean;
  @ApiPropertyOptional({
    type: Boolean,
    description: 'true: production was rolled back to it, and stays there until the next promote.',
  })
  pinned?: boolean;
  @ApiProperty({ description: 'Always this deploy; it answers once that is ready.' }) url!: string;
  @ApiProperty({
    type: [String],
    description: 'What else leads to it now: production first, then the host of its branch.',
  })
  aliases!: string[];
  @ApiProperty({ enum: ['api', 'push'] }) trigger!: DeployTrigger;
  @ApiPropertyOptional({ type: CommitView, description: 'Absent until it is known.' }) commit?: CommitView;
  @ApiPropertyOptional({ type: OutputView, description: 'What was built, once it is ready.' }) output?: OutputView;
  @ApiPropertyOptional({
    type: String,
    description: 'The earlier deploy of the same commit, settings and variables whose files it has.',
  })
  same_as?: string;
  @ApiPropertyOptional({ type: FailureView, description: 'Of one that has ended as error.' }) error?: FailureView;
  @ApiProperty({ type: 'integer', description: 'How often a worker was asked to do it.' }) attempt!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Time spent in each phase, in milliseconds, once it is over.',
  })
  phase_ms!: Record<string, number>;
  @ApiPropertyOptional({
    type: Boolean,
    description: 'true: its files are not kept any more, and it cannot be opened.',
  })
  files_removed?: boolean;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: OF_LAST_ATTEMPT }) initializing_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: OF_LAST_ATTEMPT }) building_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: OF_LAST_ATTEMPT }) deploying_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) ready_at?: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) finished_at?: string;

  static of(deploy: Deploy, url: string, { aliases, pinnedTo }: Hosts): DeployView {
    const {
      id,
      projectId,
      branch,
      type,
      state,
      trigger,
      commitSha,
      commitMessage,
      commitAuthor,
      output,
      sameAs,
      errorCode,
      errorMessage,
    } = deploy;
    const leading = aliases.filter(({ deployId, kind }) => deployId === id && kind !== 'deploy');
    const toProduction = leading.filter(({ kind }) => kind === 'production');
    return {
      id,
      project_id: projectId,
      branch,
      type,
      state,
      live: toProduction.length > 0 || (type === 'preview' && leading.length > 0),
      ...(pinnedTo === id ? { pinned: true } : {}),
      url,
      aliases: [...toProduction, ...leading.filter(({ kind }) => kind !== 'production')].map((alias) => alias.url),
      trigger,
      ...(commitSha === null
        ? {}
        : { commit: { sha: commitSha, message: commitMessage ?? '', author: commitAuthor ?? '' } }),
      ...(output === null ? {} : { output: OutputView.of(output) }),
      ...(sameAs === null ? {} : { same_as: sameAs }),
      ...(errorCode === null || errorMessage === null ? {} : { error: { code: errorCode, message: errorMessage } }),
      attempt: deploy.attempt,
      phase_ms: deploy.phaseMs,
      ...(deploy.filesRemovedAt === null || state !== 'ready' ? {} : { files_removed: true }),
      ...timesOf(deploy),
    };
  }
}

type Times = Pick<
  DeployView,
  'created_at' | 'initializing_at' | 'building_at' | 'deploying_at' | 'ready_at' | 'finished_at'
>;

function timesOf({ createdAt, initializingAt, buildingAt, deployingAt, readyAt, finishedAt }: Deploy): Times {
  const at = <Name extends string>(name: Name, time: Date | null): Partial<Record<Name, string>> =>
    time === null ? {} : ({ [name]: time.toISOString() } as Record<Name, string>);
  return {
    created_at: createdAt.toISOString(),
    ...at('initializing_at', initializingAt),
    ...at('building_at', buildingAt),
    ...at('deploying_at', deployingAt),
    ...at('ready_at', readyAt),
    ...at('finished_at', finishedAt),
  };
}

export class DeployEventView {
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({
    enum: DEPLOY_EVENT_KINDS,
    description:
      'state: it went to another state. handed_back: an attempt came to nothing, and it waits anew. live: hosts were pointed to it.',
  })
  kind!: DeployEventKind;
  @ApiProperty({ type: 'integer' }) attempt!: number;
  @ApiPropertyOptional({ enum: DEPLOY_STATES }) from?: DeployState;
  @ApiPropertyOptional({ enum: DEPLOY_STATES }) to?: DeployState;
  @ApiProperty({ type: 'object', additionalProperties: true }) details!: Record<string, unknown>;

  static of({ at, kind, attempt, from, to, details }: DeployEvent): DeployEventView {
    return {
      at: at.toISOString(),
      kind,
      attempt,
      ...(from === null ? {} : { from }),
      ...(to === null ? {} : { to }),
      details,
    };
  }
}

export class DeployAnswer {
  @ApiProperty({ type: DeployView }) data!: DeployView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class DeployPageAnswer {
  @ApiProperty({ type: [DeployView] }) data!: DeployView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class DeployEventsAnswer {
  @ApiProperty({ type: [DeployEventView] }) data!: DeployEventView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

/** A line of a log, as it is in NDJSON and as `data` of a server-sent event. */
export class DeployLogLineView {
  @ApiProperty({ type: 'integer', description: '1 for the first; without gaps.' }) seq!: number;
  @ApiProperty({ format: 'date-time' }) time!: string;
  @ApiProperty({ enum: LOG_PHASES }) phase!: LogPhase;
  @ApiProperty({ enum: LOG_STREAMS, description: 'system: the platform itself.' }) stream!: LogStream;
  @ApiProperty({ description: 'One line, in which the values of secrets are masked.' }) text!: string;

  static of({ seq, at, phase, stream, text }: LogLine): DeployLogLineView {
    return { seq, time: at.toISOString(), phase, stream, text };
  }
}
