import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsISO8601 } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import type { ScimToken } from '../persistence/scim-tokens.store.js';
import type { CreatedScimToken } from '../tokens/scim-tokens.service.js';

export class CreateScimTokenBody {
  @ApiProperty({ maxLength: 100, example: 'Okta' }) @IsTitle() readonly name!: string;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    example: '2027-01-31T00:00:00Z',
    description: 'Within a year, which is the default.',
  })
  @MayBeAbsent()
  @IsISO8601({ strict: true, strictSeparator: true })
  readonly expires_at?: string;
}

export class ScimTokenView {
  @ApiProperty({ example: 'sct_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'Okta' }) name!: string;
  @ApiProperty({ example: 'svc_scim_' }) prefix!: string;
  @ApiProperty({ example: 'a1B2' }) last4!: string;
  @ApiProperty({ description: 'Id of the user who created it.' }) created_by!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time', description: 'A token in the past is refused.' }) expires_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Accurate to a minute.' })
  last_used_at?: string;

  static of({ id, name, last4, createdBy, createdAt, expiresAt, lastUsedAt }: ScimToken): ScimTokenView {
    return {
      id,
      name,
      prefix: 'svc_scim_',
      last4,
      created_by: createdBy,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt.toISOString(),
      ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt.toISOString() }),
    };
  }
}

export class CreatedScimTokenView extends ScimTokenView {
  @ApiProperty({ description: 'The token itself, which is returned only once.', example: 'svc_scim_…' })
  secret!: string;
  @ApiProperty({
    description: 'The URL to enter at the provider.',
    example: 'https://api.example.com/scim/v2/sso_01jd3m8yeqf5rb0xkq5ym8s6tn',
  })
  base_url!: string;

  static created(token: CreatedScimToken, baseUrl: string): CreatedScimTokenView {
    return Object.assign(ScimTokenView.of(token), { secret: token.secret, base_url: baseUrl });
  }
}

export class CreatedScimTokenAnswer {
  @ApiProperty({ type: CreatedScimTokenView }) data!: CreatedScimTokenView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ScimTokensAnswer {
  @ApiProperty({ type: [ScimTokenView] }) data!: ScimTokenView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
