import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { AnswerMeta } from '../../../platform/http/page.js';
import { EXTERNAL_METHODS, type ExternalMethod } from '../../auth/sign-in-method.js';
import { CompleteFlowBody } from '../complete-flow-body.js';
import type { Identity } from '../identities.service.js';

export class ConnectIdentityBody extends CompleteFlowBody {
  @ApiProperty({ description: 'Id that the beginning returned.', example: 'xsi_01jd3m8yeqf5rb0xkq5ym8s6tn' })
  @IsString()
  @MinLength(1)
  @MaxLength(100)
  readonly flow_id!: string;
}

export class IdentityView {
  @ApiProperty({ example: 'idn_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: EXTERNAL_METHODS }) provider!: ExternalMethod;
  @ApiPropertyOptional({ description: 'Id of the SSO connection.', example: 'sso_01jd3m8yeqf5rb0xkq5ym8s6tn' })
  connection_id?: string;
  @ApiProperty({ description: 'Login or email address at the provider, when it was last used.', example: 'octocat' })
  name!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiPropertyOptional({ type: String, format: 'date-time' }) last_used_at?: string;

  static of({ id, provider, issuer, name, createdAt, lastUsedAt }: Identity): IdentityView {
    return {
      id,
      provider,
      ...(provider === 'sso' ? { connection_id: issuer } : {}),
      name,
      created_at: createdAt.toISOString(),
      ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt.toISOString() }),
    };
  }
}

export class IdentityAnswer {
  @ApiProperty({ type: IdentityView }) data!: IdentityView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class IdentitiesAnswer {
  @ApiProperty({ type: [IdentityView] }) data!: IdentityView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
