import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsString, Matches } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import { KEY_ACCESSES, type KeyAccess } from '../access-keys/access-key-rows.js';
import { ATTACHMENT_TARGETS, type AttachmentTarget, type BucketAttachment } from '../attachments/attachment-rows.js';
import { DEFAULT_PREFIX } from '../attachments/attachment-variables.js';
import type { AttachInput } from '../attachments/bucket-attachments.service.js';

export class AttachBucketBody {
  @ApiPropertyOptional({
    type: String,
    pattern: '^[A-Z][A-Z0-9_]{0,31}$',
    default: DEFAULT_PREFIX,
    example: DEFAULT_PREFIX,
    description:
      'What the names of the environment variables begin with. With `STORAGE`, the SDKs of AWS find the bucket too.',
  })
  @MayBeAbsent()
  @IsString()
  @Matches(/^[A-Z][A-Z0-9_]{0,31}$/, {
    message: 'prefix must be capital letters, digits and _, and begin with a letter',
  })
  readonly prefix: string = DEFAULT_PREFIX;

  @ApiPropertyOptional({ enum: KEY_ACCESSES, default: 'write', example: 'write' })
  @MayBeAbsent()
  @IsIn(KEY_ACCESSES)
  readonly access: KeyAccess = 'write';

  @ApiPropertyOptional({
    enum: ATTACHMENT_TARGETS,
    isArray: true,
    default: ATTACHMENT_TARGETS,
    example: ['production'],
  })
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(ATTACHMENT_TARGETS.length)
  @ArrayUnique()
  @IsIn(ATTACHMENT_TARGETS, { each: true })
  readonly targets: AttachmentTarget[] = [...ATTACHMENT_TARGETS];

  get input(): AttachInput {
    const { prefix, access, targets } = this;
    return { prefix, access, targets };
  }
}

export class BucketAttachmentView {
  @ApiProperty({ example: 'bkt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) bucket_id!: string;
  @ApiProperty({ example: 'prj_01jd3m8yeqf5rb0xkq5ym8s6tn' }) project_id!: string;
  @ApiProperty({ example: DEFAULT_PREFIX }) prefix!: string;
  @ApiProperty({ enum: KEY_ACCESSES, example: 'write' }) access!: KeyAccess;
  @ApiProperty({ enum: ATTACHMENT_TARGETS, isArray: true, example: ['production', 'preview'] })
  targets!: readonly AttachmentTarget[];
  @ApiProperty({ example: 'AKQ7ZC3XN5W2LDUEB6TM', description: 'The key pair of the attachment.' })
  access_key_id!: string;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:00:00.000Z' }) created_at!: string;

  static of(attachment: BucketAttachment): BucketAttachmentView {
    const { bucketId, projectId, prefix, access, targets, accessKeyId, createdAt } = attachment;
    return {
      bucket_id: bucketId,
      project_id: projectId,
      prefix,
      access,
      targets,
      access_key_id: accessKeyId,
      created_at: createdAt.toISOString(),
    };
  }
}

export class BucketAttachmentAnswer {
  @ApiProperty({ type: BucketAttachmentView }) data!: BucketAttachmentView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class BucketAttachmentPageAnswer {
  @ApiProperty({ type: [BucketAttachmentView] }) data!: BucketAttachmentView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
