import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsObject, IsString, Matches, Min, ValidateBy, ValidateNested } from 'class-validator';
import { MAX_BRANCH_BYTES } from '../../../platform/git/branch-name.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta, PageQuery } from '../../../platform/http/page.js';
import { IsBranchName } from '../../../platform/text/text-fields.js';
import type { CreateDeployInput } from '../requests/deploy-requests.js';
import {
  DEPLOY_TRIGGERS,
  type DeployOutput,
  type DeployTrigger,
  LOG_PHASES,
  LOG_STREAMS,
  type LogLine,
  type LogPhase,
  type LogStream,
} from '../domain/deploy-facts.js';
import { DEPLOY_STATES, DEPLOY_TYPES, type DeployState, type DeployType } from '../domain/deploy-state.js';
import type { Hosts } from '../requests/project-hosts.js';
import { DEPLOY_EVENT_KINDS, type DeployEvent, type DeployEventKind } from '../persistence/deploy-event.entity.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import type { DeployFilter } from '../persistence/deploys.store.js';

const ID = { example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn' };
const TYPE = {
  enum: DEPLOY_TYPES,
  description:
    'production: served by the production host of the project, if the plan includes it. ' +
    'preview: served by a host of its own for the branch.',
};

const ExcludesCommit = (): PropertyDecorator =>
  ValidateBy({
    name: 'excludesCommit',
    validator: {
      validate: (_value: unknown, fault) => (fault?.object as { commit?: unknown } | undefined)?.commit === undefined,
      defaultMessage: () => 'source must be absent if commit is set, because an upload has no other commits',
    },
  });

class DeploySourceBody {
  @ApiProperty({ example: 'upl_01jd3m8yeqf5rb0xkq5ym8s6tn', description: 'A complete upload of the project.' })
  @IsString()
  readonly upload_id!: string;
}

export class CreateDeployBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_BRANCH_BYTES,
    example: 'main',
    description: 'Branch to deploy. Defaults to the production branch of the project.',
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
    description: 'Builds even if this commit was built before with the same settings and variables.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly force: boolean = false;

  @ApiPropertyOptional({
    example: '8d4e3c7a1b90f2655e4d3c2b1a09f8e7d6c5b4a3',
    type: String,
    pattern: '^[0-9a-f]{40}$',
    description: 'Full hash of a commit. Defaults to the head of the branch when the deploy starts.',
  })
  @MayBeAbsent()
  @Matches(/^[0-9a-f]{40}$/, { message: 'commit must be a full commit hash of 40 hexadecimal digits' })
  readonly commit?: string;

  @ApiPropertyOptional({
    type: DeploySourceBody,
    example: { upload_id: 'upl_01jd3m8yeqf5rb0xkq5ym8s6tn' },
    description:
      'Deploys an upload instead of the linked repository, which the project then does not need. ' +
      '`branch` only names the deploy, and `commit` must be absent.',
  })
  @MayBeAbsent()
  @IsObject()
  @ExcludesCommit()
  @ValidateNested()
  @Type(() => DeploySourceBody)
  readonly source?: DeploySourceBody;

  get input(): CreateDeployInput {
    const { branch, type, force, commit, source } = this;
    return { branch, type, force, commit, uploadId: source?.upload_id };
  }
}

/** The first example names no commit, because a commit exists in one repository only. */
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
    description: 'A ready deploy of the project. Defaults to the deploy that was live before the current one.',
  })
  @MayBeAbsent()
  @IsString()
  readonly deploy_id?: string;
}

export class DeploysQuery extends PageQuery {
  @ApiPropertyOptional({ example: 'main', type: String, description: 'Only deploys of this branch.' })
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
    description: 'Only lines after this `seq`. The header `Last-Event-ID` takes precedence.',
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
    description: 'Waits for new lines until the deploy ends. `false` returns the lines that exist now.',
  })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean()
  readonly follow: boolean = true;
}

class CommitView {
  @ApiProperty({ example: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' }) sha!: string;
  @ApiProperty({ description: 'First line of the commit message.' }) message!: string;
  @ApiProperty({ description: 'Name of the author.' }) author!: string;
}

class FailureView {
  @ApiProperty({ example: 'build_failed', description: 'One of the codes listed in the documentation of deploys.' })
  code!: string;
  @ApiProperty() message!: string;
}

class OutputView {
  @ApiProperty({ example: 'nextjs' }) framework!: string;
  @ApiPropertyOptional({
    type: String,
    example: '22',
    description: 'Major version of Node. Absent if the build ran nothing.',
  })
  node_version?: string;
  @ApiProperty({ enum: ['static', 'server'] }) kind!: 'static' | 'server';
  @ApiProperty({ type: 'integer' }) files!: number;
  @ApiProperty({ type: 'integer' }) bytes!: number;

  static of({ framework, nodeVersion, kind, files, bytes }: DeployOutput): OutputView {
    return { framework, ...(nodeVersion === null ? {} : { node_version: nodeVersion }), kind, files, bytes };
  }
}

const OF_LAST_ATTEMPT = 'Time of the last attempt.';

export class DeployView {
  @ApiProperty(ID) id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty({ example: 'main' }) branch!: string;
  @ApiProperty(TYPE) type!: DeployType;
  @ApiProperty({
    enum: DEPLOY_STATES,
    description:
      'queued, initializing, building and deploying are active, the others are final. ' +
      'skipped: a newer deploy of the branch was queued before this one started.',
  })
  state!: DeployState;
  @ApiProperty({ description: 'True if production, or the branch host of a preview, leads to this deploy.' })
  live!: boolean;
  @ApiPropertyOptional({
    type: Boolean,
    description: 'True if production was rolled back to this deploy and stays there until the next promote.',
  })
  pinned?: boolean;
  @ApiProperty({ description: 'Permanent URL of this deploy. It responds once the deploy is ready.' }) url!: string;
  @ApiProperty({
    type: [String],
    description: 'Other URLs that lead to this deploy now: production first, then the host of its branch.',
  })
  aliases!: string[];
  @ApiProperty({ enum: DEPLOY_TRIGGERS }) trigger!: DeployTrigger;
  @ApiPropertyOptional({ type: String, description: 'Id of the upload that is deployed. Absent for a repository.' })
  upload_id?: string;
  @ApiPropertyOptional({ type: CommitView, description: 'Absent until the commit is known.' }) commit?: CommitView;
  @ApiPropertyOptional({ type: OutputView, description: 'Result of the build, once the deploy is ready.' })
  output?: OutputView;
  @ApiPropertyOptional({
    type: String,
    description: 'Id of the earlier deploy whose files are reused: same commit, settings and variables.',
  })
  same_as?: string;
  @ApiPropertyOptional({ type: FailureView, description: 'Reason of the state `error`.' }) error?: FailureView;
  @ApiProperty({ type: 'integer', description: 'Number of times that the deploy was assigned to a worker.' })
  attempt!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Time spent in each phase, in milliseconds, once the deploy has ended.',
  })
  phase_ms!: Record<string, number>;
  @ApiPropertyOptional({
    type: Boolean,
    description: 'True if the files were deleted, so that the deploy can no longer be opened.',
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
      ...(deploy.uploadId === null ? {} : { upload_id: deploy.uploadId }),
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
      'state: the state changed. handed_back: an attempt was lost and the deploy is queued again. ' +
      'live: hosts were pointed to the deploy.',
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

/** A line of a log, both as a line of NDJSON and as `data` of a server-sent event. */
export class DeployLogLineView {
  @ApiProperty({ type: 'integer', description: 'Number of the line, from 1 and without gaps.' }) seq!: number;
  @ApiProperty({ format: 'date-time' }) time!: string;
  @ApiProperty({ enum: LOG_PHASES }) phase!: LogPhase;
  @ApiProperty({ enum: LOG_STREAMS, description: 'system: written by the platform.' }) stream!: LogStream;
  @ApiProperty({ description: 'One line, with the values of secrets masked.' }) text!: string;

  static of({ seq, at, phase, stream, text }: LogLine): DeployLogLineView {
    return { seq, time: at.toISOString(), phase, stream, text };
  }
}
