import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, Length, Matches } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { type AccessExplanation, OBSTACLES, type Obstacle } from '../explain/access-explanation.service.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export class ExplainBody {
  @ApiProperty({ enum: METHODS, example: 'POST' })
  @IsIn(METHODS)
  readonly method!: (typeof METHODS)[number];

  @ApiProperty({ example: '/api/v1/sandbox/executions', maxLength: 2_000 })
  @IsString()
  @Length(1, 2_000)
  @Matches(/^\//, { message: 'path must begin with /' })
  readonly path!: string;

  @ApiPropertyOptional({
    example: 'acme',
    type: String,
    description: 'Id or slug of the organization. The default is that of a call without `x-service-org`.',
  })
  @MayBeAbsent()
  @IsString()
  @Length(1, 64)
  readonly org?: string;
}

class ExplainedOrganization {
  @ApiProperty() id!: string;
  @ApiProperty() slug!: string;
  @ApiProperty() role!: string;
  @ApiProperty() plan!: string;
}

export class ExplanationView {
  @ApiProperty({ description: 'True when such a call would be allowed now.' }) allowed!: boolean;
  @ApiPropertyOptional({ enum: OBSTACLES, description: 'The first check that refuses the call.' })
  refused_by?: Obstacle;
  @ApiPropertyOptional({ type: String, description: 'Error code that the call would return.' })
  code?: string;
  @ApiPropertyOptional({ type: String }) message?: string;
  @ApiPropertyOptional({ type: String, description: 'Smallest change that would allow the call.' }) fix?: string;
  @ApiPropertyOptional({ type: String, example: 'POST /api/v1/keys/:key_id/rotate' }) route?: string;
  @ApiProperty({ type: [String] }) required_scopes!: readonly string[];
  @ApiPropertyOptional({ type: ExplainedOrganization }) organization?: ExplainedOrganization;

  static of({ allowed, route, organization, requiredScopes, refusal }: AccessExplanation): ExplanationView {
    return {
      allowed,
      ...(refusal === undefined ? {} : { refused_by: refusal.by, code: refusal.code, message: refusal.message }),
      ...(refusal?.fix === undefined ? {} : { fix: refusal.fix }),
      ...(route === undefined ? {} : { route }),
      required_scopes: requiredScopes,
      ...(organization === undefined
        ? {}
        : {
            organization: {
              id: organization.id,
              slug: organization.slug,
              role: organization.role,
              plan: organization.plan,
            },
          }),
    };
  }
}

export class ExplanationAnswer {
  @ApiProperty({ type: ExplanationView }) data!: ExplanationView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
