import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import { inOrder } from '../../../platform/text/text-fields.js';
import type { LinkAnswer } from '../github-installations.js';
import type { Link } from '../installations/github-links.js';
import type { GithubInstallation } from '../persistence/github-installation.entity.js';

const IsShortText = (): PropertyDecorator => inOrder(IsString(), MinLength(1), MaxLength(500));

export class ConnectGithubBody {
  @ApiProperty({ example: 'ghs_01jd3m8yeqf5rb0xkq5ym8s6tn', description: 'The `state` that GitHub returned.' })
  @IsShortText()
  readonly state!: string;

  @ApiProperty({
    example: '3584d83530557fdd1f46',
    description: 'The `code` that GitHub returned, valid once and for ten minutes.',
  })
  @IsShortText()
  readonly code!: string;

  @ApiProperty({ type: 'integer', example: 48211093, description: 'The `installation_id` that GitHub returned.' })
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly installation_id!: number;

  get answer(): LinkAnswer {
    return { state: this.state, code: this.code, installationId: this.installation_id };
  }
}

export class GithubLinkView {
  @ApiProperty({
    example: 'https://github.com/apps/my-platform/installations/new?state=…',
    description: 'Open this URL in a browser to install the app on an account.',
  })
  install_url!: string;
  @ApiProperty({ description: 'Open this URL instead if the account has the app already.' }) authorize_url!: string;
  @ApiProperty({ format: 'date-time' }) expires_at!: string;

  static of({ installUrl, authorizeUrl, expiresAt }: Link): GithubLinkView {
    return { install_url: installUrl, authorize_url: authorizeUrl, expires_at: expiresAt.toISOString() };
  }
}

export class GithubInstallationView {
  @ApiProperty({ example: 'ghi_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) org_id!: string;
  @ApiProperty({ type: 'integer', example: 48211093, description: 'The id of the installation at GitHub.' })
  installation_id!: number;
  @ApiProperty({ example: 'acme' }) account!: string;
  @ApiProperty({ example: 'Organization' }) account_type!: string;
  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Set while the installation is suspended at GitHub; nothing can be read then.',
  })
  suspended_at?: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;

  static of({
    id,
    orgId,
    installationId,
    account,
    accountType,
    suspendedAt,
    createdAt,
  }: GithubInstallation): GithubInstallationView {
    return {
      id,
      org_id: orgId,
      installation_id: installationId,
      account,
      account_type: accountType,
      ...(suspendedAt === null ? {} : { suspended_at: suspendedAt.toISOString() }),
      created_at: createdAt.toISOString(),
    };
  }
}

export class GithubView {
  @ApiProperty({ description: 'True when this service has a GitHub App.' }) configured!: boolean;
  @ApiProperty({
    type: [GithubInstallationView],
    description: 'The accounts that the organization of the call has connected.',
  })
  installations!: GithubInstallationView[];
}

export class GithubAnswer {
  @ApiProperty({ type: GithubView }) data!: GithubView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class GithubLinkAnswer {
  @ApiProperty({ type: GithubLinkView }) data!: GithubLinkView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class GithubInstallationAnswer {
  @ApiProperty({ type: GithubInstallationView }) data!: GithubInstallationView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
