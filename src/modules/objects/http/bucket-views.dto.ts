import { ApiProperty } from '@nestjs/swagger';
import { AnswerMeta, PageMeta } from '../../../platform/http/page.js';
import type { ObjectsSettings } from '../objects.settings.js';
import type { Bucket, BucketVisibility, CorsRule } from '../persistence/bucket-rows.js';
import type { StorageUsage } from '../usage/storage-usage.service.js';
import { CorsRuleBody } from './buckets.dto.js';

/** Programs for S3 must name one. Any other name works as well. */
const STORAGE_REGION = 'us-east-1';

class BucketAccessView {
  @ApiProperty({ example: 'https://storage.example.com' }) endpoint!: string;
  @ApiProperty({ example: 'photos-k3v9x2ma', description: 'The bucket as programs for S3 address it.' })
  bucket!: string;
  @ApiProperty({ example: STORAGE_REGION }) region!: string;
}

export class BucketView {
  @ApiProperty({ example: 'bkt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ example: 'org_01jd3m8yeqf5rb0xkq5ym8s6tn' }) organization_id!: string;
  @ApiProperty({ type: String, nullable: true, example: null }) project_id!: string | null;
  @ApiProperty({ example: 'photos' }) name!: string;
  @ApiProperty({ example: 'photos-k3v9x2ma', description: 'Unique in the service, and part of host names.' })
  label!: string;
  @ApiProperty({ enum: ['private', 'public'], example: 'private' }) visibility!: BucketVisibility;
  @ApiProperty({ type: [CorsRuleBody], description: 'What pages of other origins may do.' }) cors!: readonly CorsRule[];
  @ApiProperty({ type: 'integer', nullable: true, example: null }) expire_after_days!: number | null;
  @ApiProperty({ type: 'integer', example: 48_213, description: 'With the parts of unfinished uploads.' })
  size_bytes!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'What running uploads have announced.' })
  reserved_bytes!: number;
  @ApiProperty({ type: 'integer', example: 3 }) object_count!: number;
  @ApiProperty({ type: BucketAccessView }) s3!: BucketAccessView;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'https://photos-k3v9x2ma.storage.example.com',
    description: 'What the addresses of its objects begin with. Null for a private bucket.',
  })
  public_url!: string | null;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:00:00.000Z' }) created_at!: string;

  static of(bucket: Bucket, settings: ObjectsSettings): BucketView {
    const { label, visibility } = bucket;
    return {
      id: bucket.id,
      organization_id: bucket.orgId,
      project_id: bucket.projectId,
      name: bucket.name,
      label,
      visibility,
      cors: bucket.cors,
      expire_after_days: bucket.expireAfterDays,
      size_bytes: bucket.sizeBytes,
      reserved_bytes: bucket.reservedBytes,
      object_count: bucket.objectCount,
      s3: { endpoint: settings.endpoint, bucket: label, region: STORAGE_REGION },
      public_url: visibility === 'public' ? settings.originOf(label) : null,
      created_at: bucket.createdAt.toISOString(),
    };
  }
}

export class StorageUsageView {
  @ApiProperty({ type: 'integer', example: 48_213 }) size_bytes!: number;
  @ApiProperty({ type: 'integer', example: 0, description: 'What running uploads have announced.' })
  reserved_bytes!: number;
  @ApiProperty({ type: 'integer', example: 1_000_000_000 }) quota_bytes!: number;
  @ApiProperty({ type: 'integer', example: 2 }) buckets!: number;
  @ApiProperty({ type: 'integer', example: 10 }) buckets_limit!: number;

  static of({ sizeBytes, reservedBytes, quotaBytes, buckets, bucketsLimit }: StorageUsage): StorageUsageView {
    return {
      size_bytes: sizeBytes,
      reserved_bytes: reservedBytes,
      quota_bytes: quotaBytes,
      buckets,
      buckets_limit: bucketsLimit,
    };
  }
}

export class BucketAnswer {
  @ApiProperty({ type: BucketView }) data!: BucketView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class BucketPageAnswer {
  @ApiProperty({ type: [BucketView] }) data!: BucketView[];
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}

export class StorageUsageAnswer {
  @ApiProperty({ type: StorageUsageView }) data!: StorageUsageView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
