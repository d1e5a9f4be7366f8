import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsString, Max, Min } from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta, decodeCursor, IsCursor, PageMeta } from '../../../platform/http/page.js';
import type { ObjectsSettings } from '../objects.settings.js';
import type { ListPage, ListRequest } from '../objects/object-lists.service.js';
import type { Bucket } from '../persistence/bucket-rows.js';
import type { ListedObject } from '../persistence/object-lists.store.js';
import { publicUrlOf } from '../serving/public-url.js';

const MAX_KEY_BYTES = 1_024;
const MAX_LISTED = 1_000;
const KEY = '2026/12/team.jpg';

/** A cursor is the last key or prefix of a page. */
const decode = (cursor: unknown): string | undefined =>
  decodeCursor(cursor, (key) => key !== '' && Buffer.byteLength(key) <= 2 * MAX_KEY_BYTES && !key.includes('\0'));

export class ObjectsQuery {
  @ApiPropertyOptional({ type: String, default: '', example: '2026/12/', description: 'Only keys that begin with it.' })
  @MayBeAbsent()
  @IsString()
  @MaxBytes(MAX_KEY_BYTES)
  readonly prefix: string = '';

  @ApiPropertyOptional({
    type: String,
    default: '',
    example: '/',
    description: 'Keys that have it behind the prefix are listed as one prefix, like the directories of a file system.',
  })
  @MayBeAbsent()
  @IsString()
  @MaxBytes(MAX_KEY_BYTES)
  readonly delimiter: string = '';

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LISTED,
    default: 100,
    example: 100,
    description: 'Number of items on a page.',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_LISTED)
  readonly limit: number = 100;

  @ApiPropertyOptional({
    type: String,
    example: Buffer.from(KEY).toString('base64url'),
    description: 'The `meta.next_cursor` of an earlier page. The list continues after it.',
  })
  @MayBeAbsent()
  @IsCursor(decode)
  readonly cursor?: string;

  get request(): ListRequest {
    const { prefix, delimiter, limit } = this;
    return { prefix, delimiter, limit, after: decode(this.cursor) ?? '' };
  }
}

export class StoredObjectView {
  @ApiProperty({ example: KEY }) key!: string;
  @ApiProperty({ type: 'integer', example: 48_213 }) size_bytes!: number;
  @ApiProperty({ example: '9b2cf535f27731c974343645a3985328' }) etag!: string;
  @ApiProperty({ example: 'image/jpeg' }) content_type!: string;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: { author: 'ada' } })
  metadata!: Readonly<Record<string, string>>;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:00:00.000Z' }) updated_at!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: `https://photos-k3v9x2ma.storage.example.com/${KEY}`,
    description: 'The public address. Null in a private bucket.',
  })
  url!: string | null;

  static of(object: ListedObject, bucket: Bucket, settings: ObjectsSettings): StoredObjectView {
    return {
      key: object.key,
      size_bytes: object.size,
      etag: object.etag,
      content_type: object.contentType,
      metadata: object.metadata,
      updated_at: object.updatedAt.toISOString(),
      url: bucket.visibility === 'public' ? publicUrlOf(settings.originOf(bucket.label), object.key) : null,
    };
  }
}

export class ObjectListView {
  @ApiProperty({ type: [StoredObjectView] }) objects!: StoredObjectView[];
  @ApiProperty({ type: [String], example: ['2026/11/', '2026/12/'] }) prefixes!: string[];

  static of({ steps, bucket }: ListPage & { readonly bucket: Bucket }, settings: ObjectsSettings): ObjectListView {
    return {
      objects: steps.flatMap((step) => ('object' in step ? [StoredObjectView.of(step.object, bucket, settings)] : [])),
      prefixes: steps.flatMap((step) => ('prefix' in step ? [step.prefix] : [])),
    };
  }
}

export class StoredObjectAnswer {
  @ApiProperty({ type: StoredObjectView }) data!: StoredObjectView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ObjectListAnswer {
  @ApiProperty({ type: ObjectListView }) data!: ObjectListView;
  @ApiProperty({ type: PageMeta }) meta!: PageMeta;
}
