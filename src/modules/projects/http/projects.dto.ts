import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Max, MaxLength, Min, MinLength, ValidateBy } from 'class-validator';
import { MAX_BRANCH_BYTES } from '../../../platform/git/branch-name.js';
import type { LastDeploy } from '../last-deploys.js';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { isSlug } from '../../../platform/text/slug.js';
import { inOrder, IsBranchName, IsOneLine, IsTitle, Trimmed } from '../../../platform/text/text-fields.js';
import type { Project } from '../persistence/project.entity.js';
import {
  BUILD_NETWORKS,
  type BuildNetwork,
  DEFAULT_BRANCH,
  type Framework,
  FRAMEWORKS,
  isDirectory,
  isRequestPath,
  NODE_VERSIONS,
  type NodeVersion,
  START_TIMEOUT_MS,
} from '../project-settings.js';

const MAX_URL_LENGTH = 2_000;
const MAX_COMMAND_LENGTH = 1_000;

const NAME = { minLength: 1, maxLength: 100, example: 'Shop' };
const SLUG = { type: String, pattern: '^[a-z0-9](-?[a-z0-9])*$', maxLength: 63, example: 'shop' };
const BRANCH = {
  type: String,
  maxLength: MAX_BRANCH_BYTES,
  example: DEFAULT_BRANCH,
  description: 'The branch whose deploys are production deploys.',
};

/** Validates text. Values of other types are refused by another rule. */
const holds = (name: string, isSound: (text: string) => boolean, message: string): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isSound(value),
      defaultMessage: (fault) => `${fault?.property ?? 'The field'} ${message}`,
    },
  });

const IsProjectSlug = (): PropertyDecorator =>
  inOrder(
    IsString(),
    holds('isSlug', isSlug, 'must be 1 to 63 characters of a-z, 0-9 and single hyphens between them'),
  );
const isDirectoryRule = (): PropertyDecorator =>
  holds(
    'isDirectory',
    isDirectory,
    'must be a path in the repository such as apps/web, without "." and "..", of at most 200 characters',
  );

/** An optional field; if it is `clearable`, null removes its value. */
type OptionalField = (clearable: boolean) => PropertyDecorator;

const optional =
  (api: ApiPropertyOptions, ...rules: PropertyDecorator[]): OptionalField =>
  (clearable) =>
    applyDecorators(
      ApiPropertyOptional({ ...api, ...(clearable ? { nullable: true } : {}) }),
      clearable ? MayBeCleared() : MayBeAbsent(),
      inOrder(...rules),
    );

const command = (example: string, description: string): OptionalField =>
  optional(
    { type: String, minLength: 1, maxLength: MAX_COMMAND_LENGTH, example, description },
    Trimmed(),
    IsString(),
    MinLength(1),
    MaxLength(MAX_COMMAND_LENGTH),
    IsOneLine(),
  );

const RepoUrl = optional(
  {
    type: String,
    maxLength: MAX_URL_LENGTH,
    example: 'https://github.com/acme/shop',
    description:
      'The clone URL of the repository: https, a public host, no user. ' +
      'For repositories of this service, use the `repo_url` of the repository.',
  },
  IsString(),
  MaxLength(MAX_URL_LENGTH),
);
const FrameworkField = optional(
  { enum: FRAMEWORKS, example: 'nextjs', description: 'Detected in each deploy if absent.' },
  IsIn(FRAMEWORKS),
);
const RootDirectory = optional(
  {
    type: String,
    maxLength: 200,
    example: 'apps/web',
    description: 'The directory of the project in its repository; the root if absent.',
  },
  IsString(),
  isDirectoryRule(),
);
const InstallCommand = command('npm ci', 'Installs the dependencies. Derived from the lock file if absent.');
const BuildCommand = command('npm run build', 'Builds the project. Derived from the framework if absent.');
const OutputDirectory = optional(
  {
    type: String,
    maxLength: 200,
    example: 'dist',
    description: 'The output of the build, below `root_directory`. Derived from the framework if absent.',
  },
  IsString(),
  isDirectoryRule(),
);
const NodeVersionField = optional(
  { enum: NODE_VERSIONS, example: '24', description: 'Read from package.json if absent.' },
  IsIn(NODE_VERSIONS),
);
const StartCommand = command('npm start', 'Starts the server. Derived from the framework if absent.');
const HealthPath = optional(
  {
    type: String,
    maxLength: 200,
    example: '/healthz',
    description: 'The path that must answer with a status below 500 before a deploy goes live; `/` if absent.',
  },
  IsString(),
  holds('isPath', isRequestPath, 'must be a path such as /healthz, of at most 200 printable ASCII characters'),
);
const StartTimeoutMs = optional(
  {
    type: 'integer',
    minimum: START_TIMEOUT_MS.min,
    maximum: START_TIMEOUT_MS.max,
    example: 30_000,
    description: 'How long the server may take to start, in milliseconds; 15000 if absent.',
  },
  IsInt(),
  Min(START_TIMEOUT_MS.min),
  Max(START_TIMEOUT_MS.max),
);
const BuildNetworkField = optional(
  {
    enum: BUILD_NETWORKS,
    example: 'registries',
    description:
      'What builds may reach: package registries (the default), or every public address (`open`), which needs a plan ' +
      'with `open_build_network`.',
  },
  IsIn(BUILD_NETWORKS),
);

export class CreateProjectBody {
  @ApiProperty(NAME)
  @IsTitle()
  readonly name!: string;

  @ApiPropertyOptional({
    ...SLUG,
    description:
      'The name of the project in paths and hosts. Derived from the name if absent, with a number if that is taken.',
  })
  @MayBeAbsent()
  @IsProjectSlug()
  readonly slug?: string;

  @RepoUrl(false) readonly repo_url?: string;
  @FrameworkField(false) readonly framework?: Framework;
  @RootDirectory(false) readonly root_directory?: string;
  @InstallCommand(false) readonly install_command?: string;
  @BuildCommand(false) readonly build_command?: string;
  @OutputDirectory(false) readonly output_directory?: string;
  @NodeVersionField(false) readonly node_version?: NodeVersion;
  @StartCommand(false) readonly start_command?: string;
  @HealthPath(false) readonly health_path?: string;
  @StartTimeoutMs(false) readonly start_timeout_ms?: number;
  @BuildNetworkField(false) readonly build_network?: BuildNetwork;

  @ApiPropertyOptional({ ...BRANCH, description: `${BRANCH.description} Default: ${DEFAULT_BRANCH}.` })
  @MayBeAbsent()
  @IsBranchName()
  readonly production_branch?: string;
}

/** Absent fields stay the same, and null clears a field. */
export class ChangeProjectBody {
  @ApiPropertyOptional({ ...NAME, type: String })
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  @ApiPropertyOptional({ ...SLUG, description: 'The new slug. The old one is available to others at once.' })
  @MayBeAbsent()
  @IsProjectSlug()
  readonly slug?: string;

  @RepoUrl(true) readonly repo_url?: string | null;
  @FrameworkField(true) readonly framework?: Framework | null;
  @RootDirectory(true) readonly root_directory?: string | null;
  @InstallCommand(true) readonly install_command?: string | null;
  @BuildCommand(true) readonly build_command?: string | null;
  @OutputDirectory(true) readonly output_directory?: string | null;
  @NodeVersionField(true) readonly node_version?: NodeVersion | null;
  @StartCommand(true) readonly start_command?: string | null;
  @HealthPath(true) readonly health_path?: string | null;
  @StartTimeoutMs(true) readonly start_timeout_ms?: number | null;
  @BuildNetworkField(true) readonly build_network?: BuildNetwork | null;

  @ApiPropertyOptional(BRANCH)
  @MayBeAbsent()
  @IsBranchName()
  readonly production_branch?: string;
}

export class ProjectView {
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ example: 'Shop' }) name!: string;
  @ApiProperty({ example: 'shop' }) slug!: string;
  @ApiPropertyOptional({
    type: String,
    description: 'Absent while no repository is linked; the project cannot be deployed then.',
  })
  repo_url?: string;
  @ApiPropertyOptional({ enum: FRAMEWORKS }) framework?: Framework;
  @ApiPropertyOptional({ type: String }) root_directory?: string;
  @ApiPropertyOptional({ type: String }) install_command?: string;
  @ApiPropertyOptional({ type: String }) build_command?: string;
  @ApiPropertyOptional({ type: String }) output_directory?: string;
  @ApiPropertyOptional({ enum: NODE_VERSIONS }) node_version?: NodeVersion;
  @ApiPropertyOptional({ type: String }) start_command?: string;
  @ApiPropertyOptional({ type: String }) health_path?: string;
  @ApiPropertyOptional({ type: 'integer' }) start_timeout_ms?: number;
  @ApiPropertyOptional({ enum: BUILD_NETWORKS }) build_network?: BuildNetwork;
  @ApiProperty({ example: 'main' }) production_branch!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of(project: Project): ProjectView {
    const { id, orgId, name, slug, productionBranch, createdAt, updatedAt } = project;
    const { repoUrl, framework, rootDirectory, installCommand, buildCommand, outputDirectory, nodeVersion } = project;
    const { startCommand, healthPath, startTimeoutMs, buildNetwork } = project;
    return {
      id,
      org_id: orgId,
      name,
      slug,
      ...(repoUrl === null ? {} : { repo_url: repoUrl }),
      ...(framework === null ? {} : { framework }),
      ...(rootDirectory === null ? {} : { root_directory: rootDirectory }),
      ...(installCommand === null ? {} : { install_command: installCommand }),
      ...(buildCommand === null ? {} : { build_command: buildCommand }),
      ...(outputDirectory === null ? {} : { output_directory: outputDirectory }),
      ...(nodeVersion === null ? {} : { node_version: nodeVersion }),
      ...(startCommand === null ? {} : { start_command: startCommand }),
      ...(healthPath === null ? {} : { health_path: healthPath }),
      ...(startTimeoutMs === null ? {} : { start_timeout_ms: startTimeoutMs }),
      ...(buildNetwork === null ? {} : { build_network: buildNetwork }),
      production_branch: productionBranch,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }
}

class LastDeployView {
  @ApiProperty({ example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'ready', description: 'State of the deploy, as in `GET /api/v1/deploys/{deploy_id}`.' })
  state!: string;
  @ApiProperty({ example: 'production' }) type!: string;
  @ApiProperty({ example: 'main' }) branch!: string;
  @ApiPropertyOptional({ type: String, description: 'Absent until the commit is known.' }) commit_sha?: string;
  @ApiPropertyOptional({ type: String, description: 'First line of the commit message.' }) commit_message?: string;
  @ApiPropertyOptional({ type: String, description: 'Why it failed.' }) error_code?: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent while it is active.' })
  finished_at?: string;

  static of(deploy: LastDeploy): LastDeployView {
    const { id, state, type, branch, commitSha, commitMessage, errorCode, createdAt, finishedAt } = deploy;
    return {
      id,
      state,
      type,
      branch,
      ...(commitSha === null ? {} : { commit_sha: commitSha }),
      ...(commitMessage === null ? {} : { commit_message: commitMessage }),
      ...(errorCode === null ? {} : { error_code: errorCode }),
      created_at: createdAt.toISOString(),
      ...(finishedAt === null ? {} : { finished_at: finishedAt.toISOString() }),
    };
  }
}

export class ListedProjectView extends ProjectView {
  @ApiPropertyOptional({ type: LastDeployView, description: 'Absent without a deploy, or without `deploys:read`.' })
  last_deploy?: LastDeployView;

  static listed(project: Project, deploy: LastDeploy | undefined): ListedProjectView {
    const view: ListedProjectView = ProjectView.of(project);
    if (deploy !== undefined) view.last_deploy = LastDeployView.of(deploy);
    return view;
  }
}

export class ProjectAnswer {
  @ApiProperty({ type: ProjectView }) data!: ProjectView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ProjectPageAnswer {
  @ApiProperty({ type: [ListedProjectView] }) data!: ListedProjectView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
