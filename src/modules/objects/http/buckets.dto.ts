import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { MayBeAbsent, MayBeCleared } from '../../../platform/http/may-be-absent.js';
import { PageQuery } from '../../../platform/http/page.js';
import type { CreateBucketInput } from '../buckets/bucket-creation.js';
import type { UpdateBucketInput } from '../buckets/buckets.service.js';
import {
  CORS_METHODS,
  isCorsHeader,
  isCorsOrigin,
  MAX_CORS_AGE_SECONDS,
  MAX_CORS_RULES,
  MAX_CORS_VALUES,
} from '../cors/cors-rules.js';
import type { BucketVisibility, CorsRule } from '../persistence/bucket-rows.js';

const VISIBILITIES = ['private', 'public'] as const;
const MAX_DAYS = 3_650;

const NAME = { type: String, minLength: 3, maxLength: 63, pattern: '^[a-z0-9][a-z0-9-]*[a-z0-9]$', example: 'photos' };
const PROJECT = { type: String, maxLength: 63, example: 'shop', description: 'Id or slug of a project.' };
const VISIBILITY = {
  enum: VISIBILITIES,
  example: 'private' as const,
  description: '`public`: anyone who knows the address of an object can read it. Objects are never listed.',
};
const EXPIRY = {
  type: 'integer' as const,
  minimum: 1,
  maximum: MAX_DAYS,
  example: 30,
  description: 'Objects are deleted this many days after they were written.',
};

const Each = (name: string, isSound: (text: string) => boolean, message: string): PropertyDecorator =>
  ValidateBy(
    {
      name,
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isSound(value),
        defaultMessage: (fault) => `each value in ${fault?.property ?? 'the list'} ${message}`,
      },
    },
    { each: true },
  );

export class CorsRuleBody {
  @ApiProperty({ type: [String], example: ['https://shop.example.com'], description: 'Exact origins, or `*`.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_CORS_VALUES)
  @Each('isCorsOrigin', isCorsOrigin, 'must be * or an origin such as https://example.com')
  readonly origins!: string[];

  @ApiProperty({ enum: CORS_METHODS, isArray: true, example: ['GET', 'PUT'] })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_CORS_VALUES)
  @IsIn(CORS_METHODS, { each: true })
  readonly methods!: string[];

  @ApiPropertyOptional({
    type: [String],
    example: ['content-type'],
    description: 'Headers that a page may send. `*` at the end stands for the rest of a name.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_CORS_VALUES)
  @Each('isCorsHeader', (text) => isCorsHeader(text, { open: true }), 'must be the name of a header')
  readonly headers: string[] = [];

  @ApiPropertyOptional({ type: [String], example: ['etag'], description: 'Headers that a page may read.' })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_CORS_VALUES)
  @Each('isCorsHeader', (text) => isCorsHeader(text, { open: false }), 'must be the name of a header')
  readonly expose_headers: string[] = [];

  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: MAX_CORS_AGE_SECONDS, default: 600, example: 600 })
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(MAX_CORS_AGE_SECONDS)
  readonly max_age_seconds: number = 600;

  get rule(): CorsRule {
    const { origins, methods, headers, expose_headers, max_age_seconds } = this;
    return { origins, methods, headers, expose_headers, max_age_seconds };
  }
}

export class CreateBucketBody {
  @ApiProperty({ ...NAME, description: 'Unique in the organization.' })
  @IsString()
  @MaxLength(63)
  readonly name!: string;

  @ApiPropertyOptional(PROJECT)
  @MayBeAbsent()
  @IsString()
  @MaxLength(63)
  readonly project_id?: string;

  @ApiPropertyOptional({ ...VISIBILITY, default: 'private' })
  @MayBeAbsent()
  @IsIn(VISIBILITIES)
  readonly visibility: BucketVisibility = 'private';

  @ApiPropertyOptional({ type: [CorsRuleBody], maxItems: MAX_CORS_RULES, default: [] })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_CORS_RULES)
  @ValidateNested({ each: true })
  @Type(() => CorsRuleBody)
  readonly cors: CorsRuleBody[] = [];

  @ApiPropertyOptional({ ...EXPIRY, nullable: true, default: null })
  @MayBeCleared()
  @IsInt()
  @Min(1)
  @Max(MAX_DAYS)
  readonly expire_after_days: number | null = null;

  get input(): CreateBucketInput {
    const { name, project_id: projectId = null, visibility, expire_after_days: expireAfterDays } = this;
    return { name, projectId, visibility, cors: this.cors.map(({ rule }) => rule), expireAfterDays };
  }
}

export class UpdateBucketBody {
  @ApiPropertyOptional({
    ...NAME,
    description: 'The name that people see. Programs for S3 that use the label, and addresses of files, keep working.',
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(63)
  readonly name?: string;

  @ApiPropertyOptional({ ...PROJECT, nullable: true, description: 'Id or slug of a project; null for none.' })
  @MayBeCleared()
  @IsString()
  @MaxLength(63)
  readonly project_id?: string | null;

  @ApiPropertyOptional(VISIBILITY)
  @MayBeAbsent()
  @IsIn(VISIBILITIES)
  readonly visibility?: BucketVisibility;

  @ApiPropertyOptional({ type: [CorsRuleBody], maxItems: MAX_CORS_RULES, description: 'Replaces all rules.' })
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(MAX_CORS_RULES)
  @ValidateNested({ each: true })
  @Type(() => CorsRuleBody)
  readonly cors?: CorsRuleBody[];

  @ApiPropertyOptional({ ...EXPIRY, nullable: true, description: `${EXPIRY.description} Null keeps them.` })
  @MayBeCleared()
  @IsInt()
  @Min(1)
  @Max(MAX_DAYS)
  readonly expire_after_days?: number | null;

  get changes(): UpdateBucketInput {
    const { name, project_id: projectId, visibility, cors, expire_after_days: expireAfterDays } = this;
    return {
      ...(name === undefined ? {} : { name }),
      ...(projectId === undefined ? {} : { projectId }),
      ...(visibility === undefined ? {} : { visibility }),
      ...(cors === undefined ? {} : { cors: cors.map(({ rule }) => rule) }),
      ...(expireAfterDays === undefined ? {} : { expireAfterDays }),
    };
  }
}

export class BucketsQuery extends PageQuery {
  @ApiPropertyOptional({
    type: String,
    example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'Only buckets of this project.',
  })
  @MayBeAbsent()
  @IsString()
  @MaxLength(63)
  readonly project_id?: string;
}
