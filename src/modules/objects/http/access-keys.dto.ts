import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import type { PageRequest } from '../../../platform/database/page.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, decodeCursor, IsCursor, PageMeta } from '../../../platform/http/page.js';
import { IsTitle } from '../../../platform/text/text-fields.js';
import { type AccessKey, KEY_ACCESSES, type KeyAccess } from '../access-keys/access-key-rows.js';
import type { CreateAccessKeyInput, CreatedAccessKey } from '../access-keys/access-keys.service.js';
import { isAccessKeyId } from '../access-keys/new-key-pair.js';

const MAX_BUCKETS = 50;
const ID = 'AKQ7ZC3XN5W2LDUEB6TM';
const BUCKET = 'bkt_01jd3m8yeqf5rb0xkq5ym8s6tn';
const TIME = '2035-01-31T00:00:00.000Z';

export class CreateAccessKeyBody {
  @ApiProperty({ minLength: 1, maxLength: 100, example: 'Backups of the office' })
  @IsTitle()
  readonly name!: string;

  @ApiProperty({ enum: KEY_ACCESSES, example: 'write', description: '`write` includes `read`.' })
  @IsIn(KEY_ACCESSES)
  readonly access!: KeyAccess;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_BUCKETS,
    example: [BUCKET],
    description: 'Ids of the buckets that the key opens. Without it, the key opens all buckets of the organization.',
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_BUCKETS)
  @IsString({ each: true })
  @MaxLength(63, { each: true })
  readonly bucket_ids?: string[];

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    example: TIME,
    description: 'When the key expires. Without it, the key does not expire.',
  })
  @MayBeAbsent()
  @IsISO8601({ strict: true, strictSeparator: true })
  readonly expires_at?: string;

  get input(): CreateAccessKeyInput {
    const { name, access, bucket_ids: ids, expires_at: expiresAt } = this;
    return {
      name,
      access,
      bucketIds: ids === undefined ? null : [...new Set(ids)],
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
    };
  }
}

export const CREATE_ACCESS_KEY_EXAMPLES = {
  example: { summary: 'For a backup program', value: { name: 'backups', access: 'write' } },
};

export class AccessKeyView {
  @ApiProperty({ example: ID, description: 'What S3 calls the access key ID.' }) id!: string;
  @ApiProperty({ example: 'Backups of the office' }) name!: string;
  @ApiProperty({ enum: KEY_ACCESSES, example: 'write' }) access!: KeyAccess;
  @ApiProperty({
    type: [String],
    nullable: true,
    example: [BUCKET],
    description: 'The buckets that it opens. Null means all buckets of the organization.',
  })
  bucket_ids!: readonly string[] | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The project of an attachment. The key then ends with the attachment.',
  })
  project_id!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: TIME }) expires_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null }) last_used_at!: string | null;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:00:00.000Z' }) created_at!: string;

  static of(key: AccessKey): AccessKeyView {
    return {
      id: key.id,
      name: key.name,
      access: key.access,
      bucket_ids: key.bucketIds,
      project_id: key.projectId,
      expires_at: key.expiresAt?.toISOString() ?? null,
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
      created_at: key.createdAt.toISOString(),
    };
  }
}

export class CreatedAccessKeyView extends AccessKeyView {
  @ApiProperty({ description: 'The secret access key, which is returned only once.', example: 'kq5ym8s6tn…' })
  secret!: string;

  static ofCreated({ key, secret }: CreatedAccessKey): CreatedAccessKeyView {
    const view: Omit<CreatedAccessKeyView, 'secret'> = AccessKeyView.of(key);
    return { ...view, secret };
  }
}

export class CreatedAccessKeyAnswer {
  @ApiProperty({ type: CreatedAccessKeyView }) data!: CreatedAccessKeyView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class AccessKeyPageAnswer {
  @ApiProperty({ type: [AccessKeyView] }) data!: AccessKeyView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

/** Ids are random, so that a cursor is the time of the last key and its id. */
const decode = (cursor: unknown): string | undefined =>
  decodeCursor(cursor, (text) => {
    const [at = '', id = ''] = text.split('/');
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(at) && !Number.isNaN(Date.parse(at)) && isAccessKeyId(id);
  });

export class AccessKeysQuery {
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
    example: Buffer.from(`2026-12-01T09:00:00.000Z/${ID}`).toString('base64url'),
    description: 'The `meta.next_cursor` of an earlier page. The list continues after it.',
  })
  @MayBeAbsent()
  @IsCursor(decode)
  readonly cursor?: string;

  get page(): PageRequest {
    return { limit: this.limit, after: decode(this.cursor) };
  }
}
