import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { MAX_BRANCH_BYTES } from '../../../platform/git/branch-name.js';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { inOrder, IsBranchName, IsOneLine, IsTitle, Trimmed } from '../../../platform/text/text-fields.js';
import type { Project } from '../persistence/project.entity.js';
import {
  DEFAULT_BRANCH,
  type Framework,
  FRAMEWORKS,
  isDirectory,
  NODE_VERSIONS,
  type NodeVersion,
} from '../project-settings.js';
import { isProjectSlug } from '../domain/project-slug.js';

const MAX_URL_LENGTH = 2_000;
const MAX_COMMAND_LENGTH = 1_000;

const NAME = { minLength: 1, maxLength: 100, example: 'Shop' };
const SLUG = { type: String, pattern: '^[a-z0-9](-?[a-z0-9])*$', maxLength: 63, example: 'shop' };
const BRANCH = {
  type: String,
  maxLength: MAX_BRANCH_BYTES,
  example: DEFAULT_BRANCH,
  description: 'Deploys of it are production deploys.',
};

/** A rule for text; a value of another type breaks another rule. */
const holds = (name: string, isSound: (text: string) => boolean, message: string): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => typeof value === 'string' && isSound(value),
      defaultMessage: (fault) => `${fault?.property ?? 'The field'} ${message}`,
    },
  });

const IsProjectSlug = (): PropertyDecorator =>
  inOrder(IsString(), holds('isSlug', isProjectSlug, 'must be 1 to 63 of a-z, 0-9 and single hyphens between them'));
const isDirectoryRule = (): PropertyDecorator =>
  holds(
    'isDirectory',
    isDirectory,
    'must be a path inside of the repository, apps/web for one, without "." and ".." and of at most 200 characters',
  );

/** A field that can be left out; where `clearable`, null takes its value away. */
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
      'Where the repository is cloned from: https, a public host, no user. Repositories of this service are named by the `repo_url` that it gave out.',
  },
  IsString(),
  MaxLength(MAX_URL_LENGTH),
);
const FrameworkField = optional(
  { enum: FRAMEWORKS, example: 'nextjs', description: 'Left out, it is found out when the project is deployed.' },
  IsIn(FRAMEWORKS),
);
const RootDirectory = optional(
  {
    type: String,
    maxLength: 200,
    example: 'apps/web',
    description: 'Where the project is in its repository; left out, at its root.',
  },
  IsString(),
  isDirectoryRule(),
);
const InstallCommand = command('npm ci', 'Installs the dependencies. Left out, what the lock file asks for.');
const BuildCommand = command('npm run build', 'Builds the project. Left out, what the framework asks for.');
const OutputDirectory = optional(
  {
    type: String,
    maxLength: 200,
    example: 'dist',
    description: 'What the build makes, below `root_directory`. Left out, that of the framework.',
  },
  IsString(),
  isDirectoryRule(),
);
const NodeVersionField = optional(
  { enum: NODE_VERSIONS, example: '24', description: 'Left out, what package.json asks for.' },
  IsIn(NODE_VERSIONS),
);

export class CreateProjectBody {
  @ApiProperty(NAME)
  @IsTitle()
  readonly name!: string;

  @ApiPropertyOptional({
    ...SLUG,
    description:
      'Names the project in paths and hosts. Left out, it is made from the name, with a number where that is taken.',
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

  @ApiPropertyOptional({ ...BRANCH, description: `${BRANCH.description} Default: ${DEFAULT_BRANCH}.` })
  @MayBeAbsent()
  @IsBranchName()
  readonly production_branch?: string;
}

/** What is left out stays as it is; null clears. */
export class ChangeProjectBody {
  @ApiPropertyOptional({ ...NAME, type: String })
  @MayBeAbsent()
  @IsTitle()
  readonly name?: string;

  @ApiPropertyOptional({ ...SLUG, description: 'The old one is free for others at once.' })
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
    description: 'Absent while no repository is linked: then nothing can be deployed.',
  })
  repo_url?: string;
  @ApiPropertyOptional({ enum: FRAMEWORKS }) framework?: Framework;
  @ApiPropertyOptional({ type: String }) root_directory?: string;
  @ApiPropertyOptional({ type: String }) install_command?: string;
  @ApiPropertyOptional({ type: String }) build_command?: string;
  @ApiPropertyOptional({ type: String }) output_directory?: string;
  @ApiPropertyOptional({ enum: NODE_VERSIONS }) node_version?: NodeVersion;
  @ApiProperty({ example: 'main' }) production_branch!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static of(project: Project): ProjectView {
    const { id, orgId, name, slug, productionBranch, createdAt, updatedAt } = project;
    const { repoUrl, framework, rootDirectory, installCommand, buildCommand, outputDirectory, nodeVersion } = project;
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
      production_branch: productionBranch,
      created_at: createdAt.toISOString(),
      updated_at: updatedAt.toISOString(),
    };
  }
}

export class ProjectAnswer {
  @ApiProperty({ type: ProjectView }) data!: ProjectView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ProjectPageAnswer {
  @ApiProperty({ type: [ProjectView] }) data!: ProjectView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
