import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsString, Matches, Max, Min, ValidateBy } from 'class-validator';
import type { PageRequest } from '../../../platform/database/page.js';
import { isBranchName } from '../../../platform/git/branch-name.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, decodeCursor, IsCursor, PageMeta } from '../../../platform/http/page.js';
import { inOrder } from '../../../platform/text/text-fields.js';
import type { Repository } from '../persistence/repository.entity.js';
import type { CommitFacts } from '../domain/commit-facts.js';
import type { ShownBranch } from '../hosted/repository-branches.js';
import type { RepositoryBranch } from '../persistence/repository-branch.entity.js';
import { type Provider, PROVIDERS } from '../domain/provider.js';
import { isRepositoryName } from '../domain/repository-name.js';
import { type TemplateName, type TemplateNeed, TEMPLATE_NEEDS, TEMPLATES } from '../domain/template-name.js';

const IsRepositoryName = (): PropertyDecorator =>
  inOrder(
    IsString(),
    ValidateBy({
      name: 'isRepositoryName',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isRepositoryName(value),
        defaultMessage: () =>
          'name must be 1 to 100 letters, digits, ".", "_" and "-", begin with a letter or digit, ' +
          'and not end with "." or ".git"',
      },
    }),
  );

export class CreateRepositoryBody {
  @ApiProperty({
    pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*$',
    maxLength: 100,
    example: 'shop',
    description: 'Unique in the organization, regardless of case.',
  })
  @IsRepositoryName()
  readonly name!: string;

  @ApiPropertyOptional({
    example: 'nextjs',
    enum: TEMPLATES,
    description: 'The template of the first commit. The repository is empty if absent.',
  })
  @MayBeAbsent()
  @IsIn(TEMPLATES)
  readonly template?: TemplateName;

  @ApiPropertyOptional({
    example: 'github',
    enum: PROVIDERS,
    description:
      'The host of the repository; this service if absent. ' +
      '`github` needs a template, and an account that the organization has connected.',
  })
  @MayBeAbsent()
  @IsIn(PROVIDERS)
  readonly provider?: Provider;

  @ApiPropertyOptional({
    example: 'acme',
    description: 'The GitHub account; required with `github` if the organization has connected several.',
  })
  @MayBeAbsent()
  @IsString()
  @Matches(/^[A-Za-z0-9-]{1,39}$/, { message: 'account must be the name of a GitHub account' })
  readonly account?: string;

  @ApiPropertyOptional({
    example: true,
    description: 'The visibility at GitHub: private unless this is `false`.',
  })
  @MayBeAbsent()
  @IsBoolean()
  readonly private?: boolean;
}

/** Some fields apply only to GitHub, so that one example cannot show all of them. */
export const CREATE_REPOSITORY_EXAMPLES = {
  empty: { summary: 'An empty repository', value: { name: 'shop' } },
  template: { summary: 'A repository from a template', value: { name: 'shop', template: 'nextjs' } },
  github: {
    summary: 'A repository at GitHub',
    value: { name: 'shop', template: 'nextjs', provider: 'github', account: 'acme', private: true },
  },
};

const branchOf = (cursor: unknown): string | undefined => decodeCursor(cursor, isBranchName);

/** The page of a list of branches. Its cursor is a name. */
export class BranchesQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
    example: 50,
    description: 'Number of items on a page.',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  readonly limit: number = 20;

  @ApiPropertyOptional({
    type: String,
    example: Buffer.from('main').toString('base64url'),
    description: 'The `meta.next_cursor` of an earlier page. The list continues after it.',
  })
  @MayBeAbsent()
  @IsCursor(branchOf)
  readonly cursor?: string;

  get page(): PageRequest {
    return { limit: this.limit, after: branchOf(this.cursor) };
  }
}

class BranchCommitView {
  @ApiProperty({ example: '4b825dc642cb6eb9a060e54bf8d69288fbee4904' }) sha!: string;
  @ApiPropertyOptional({
    type: String,
    example: 'Add the shop',
    description: 'First line of the message, at most 200 characters. Absent when it is unknown.',
  })
  message?: string;
  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    description: 'The time that the commit claims. Absent when it is unknown.',
  })
  committed_at?: string;

  static of({ sha, message, committedAt }: CommitFacts): BranchCommitView {
    return {
      sha,
      ...(message === null ? {} : { message }),
      ...(committedAt === null ? {} : { committed_at: committedAt.toISOString() }),
    };
  }
}

export class BranchView {
  @ApiProperty({ example: 'main' }) name!: string;
  @ApiProperty({ description: 'Whether clones check it out.' }) is_default!: boolean;
  @ApiProperty({ type: BranchCommitView, description: 'The commit that the branch points to.' })
  commit!: BranchCommitView;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Absent when it was never pushed.' })
  pushed_at?: string;

  static of({ branch, isDefault }: ShownBranch): BranchView {
    return {
      name: branch.name,
      is_default: isDefault,
      commit: BranchCommitView.of(branch.commit),
      ...(branch.pushedAt === null ? {} : { pushed_at: branch.pushedAt.toISOString() }),
    };
  }
}

class LastPushView {
  @ApiProperty({ format: 'date-time' }) at!: string;
  @ApiProperty({ example: 'main' }) branch!: string;
  @ApiProperty({ type: BranchCommitView }) commit!: BranchCommitView;
}

export class RepositoryView {
  @ApiProperty({ example: 'repo_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ example: 'shop' }) name!: string;
  @ApiProperty({ enum: PROVIDERS }) provider!: Provider;
  @ApiPropertyOptional({ enum: TEMPLATES }) template?: TemplateName;
  @ApiProperty({
    example: 'http://127.0.0.1:3000/git/acme/shop.git',
    description:
      'The URL for clones and for projects. Git uses an API key as the password, or the credentials of GitHub.',
  })
  repo_url!: string;
  @ApiProperty({ example: 'main' }) default_branch!: string;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'The size on disk after the last push. Absent at GitHub, and in the answer to the creation.',
  })
  size_bytes?: number;
  @ApiPropertyOptional({
    type: LastPushView,
    description: 'The branch that was pushed last, of those that still exist. Absent before the first push.',
  })
  last_push?: LastPushView;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  static of(
    { id, orgId, name, provider, template, defaultBranch, sizeBytes, createdAt, provisionedAt }: Repository,
    repoUrl: string,
    lastPush: RepositoryBranch | undefined,
  ): RepositoryView {
    return {
      id,
      org_id: orgId,
      name,
      provider,
      ...(template === null ? {} : { template }),
      repo_url: repoUrl,
      default_branch: defaultBranch,
      ...(provisionedAt === null || provider !== 'service' ? {} : { size_bytes: sizeBytes }),
      ...(lastPush?.pushedAt == null
        ? {}
        : {
            last_push: {
              at: lastPush.pushedAt.toISOString(),
              branch: lastPush.name,
              commit: BranchCommitView.of(lastPush.commit),
            },
          }),
      created_at: createdAt.toISOString(),
    };
  }
}

export class TemplateView {
  @ApiProperty({ enum: TEMPLATES }) id!: TemplateName;
  @ApiProperty({ example: 'Next.js' }) name!: string;
  @ApiProperty() description!: string;
  @ApiProperty({
    enum: TEMPLATE_NEEDS,
    isArray: true,
    description: 'What to attach to the project before its first deploy.',
    example: ['database'],
  })
  needs!: readonly TemplateNeed[];
}

const DESCRIPTIONS: Readonly<Record<TemplateName, Omit<TemplateView, 'id'>>> = {
  nextjs: {
    name: 'Next.js',
    description: 'A page and an endpoint with the App Router, in TypeScript, with fonts of its own.',
    needs: [],
  },
  'nextjs-postgres': {
    name: 'Next.js with PostgreSQL',
    description: 'A guest book that keeps its entries in a database, with a form that works without JavaScript.',
    needs: ['database'],
  },
  'nextjs-uploads': {
    name: 'Next.js with uploads',
    description: 'A page that takes files and shows them, kept in a bucket by the official client for S3.',
    needs: ['bucket'],
  },
  expo: {
    name: 'Expo',
    description: 'An app for Android, iOS and the web with Expo Router, in TypeScript; deployed as a website.',
    needs: [],
  },
  'ai-chat': {
    name: 'AI chat',
    description: 'A page that talks with a model, and a small Node server that calls it with the official client.',
    needs: [],
  },
};

export const TEMPLATE_VIEWS: readonly TemplateView[] = TEMPLATES.map((id) => ({ id, ...DESCRIPTIONS[id] }));

export class RepositoryAnswer {
  @ApiProperty({ type: RepositoryView }) data!: RepositoryView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class RepositoryPageAnswer {
  @ApiProperty({ type: [RepositoryView] }) data!: RepositoryView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class BranchPageAnswer {
  @ApiProperty({ type: [BranchView] }) data!: BranchView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class TemplatesAnswer {
  @ApiProperty({ type: [TemplateView] }) data!: TemplateView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
