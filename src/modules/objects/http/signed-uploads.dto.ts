import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  MinLength,
} from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import type { BeginSignedUploadInput, SignedPart, SignedUpload } from '../links/signed-uploads.service.js';
import { MAX_PARTS } from '../multipart/multipart.service.js';
import { MEDIA_TYPE, SignedLinkView } from './links.dto.js';

const ID = 'mpu_01jd3m8yeqf5rb0xkq5ym8s6tn';

export class BeginObjectUploadBody {
  @ApiProperty({ minLength: 1, maxLength: 1_024, example: 'films/intro.mp4' })
  @IsString()
  @MinLength(1)
  @MaxBytes(1_024)
  readonly key!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 734_003_200, description: 'It decides the size of the parts.' })
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly size_bytes!: number;

  @ApiPropertyOptional({ type: String, default: 'application/octet-stream', example: 'video/mp4' })
  @MayBeAbsent()
  @IsString()
  @Matches(MEDIA_TYPE, { message: 'content_type must be a media type such as image/jpeg' })
  readonly content_type: string = 'application/octet-stream';

  get input(): BeginSignedUploadInput {
    return { key: this.key, sizeBytes: this.size_bytes, contentType: this.content_type };
  }
}

export class SignObjectPartsBody {
  @ApiProperty({ type: [Number], minItems: 1, maxItems: 100, example: [1, 2, 3], description: 'Numbers of parts.' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(100)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(MAX_PARTS, { each: true })
  readonly numbers!: number[];
}

export class BegunObjectUploadView {
  @ApiProperty({ example: ID }) upload_id!: string;
  @ApiProperty({ type: 'integer', example: 8_388_608, description: 'The size of every part but the last.' })
  part_bytes!: number;
  @ApiProperty({ type: 'integer', example: 88, description: 'How many parts there are.' }) parts!: number;

  static of({ upload, partBytes, parts }: SignedUpload): BegunObjectUploadView {
    return { upload_id: upload.id, part_bytes: partBytes, parts };
  }
}

export class SignedPartView extends SignedLinkView {
  @ApiProperty({ type: 'integer', example: 1 }) number!: number;

  static ofPart(part: SignedPart): SignedPartView {
    const link: Omit<SignedPartView, 'number'> = SignedLinkView.of(part);
    return { number: part.number, ...link };
  }
}

export class ObjectUploadView extends BegunObjectUploadView {
  @ApiProperty({ example: 'films/intro.mp4' }) key!: string;
  @ApiProperty({ example: 'video/mp4' }) content_type!: string;
  @ApiProperty({ type: 'integer', example: 734_003_200, description: 'The size that was announced.' })
  size_bytes!: number;
  @ApiProperty({ type: [Number], example: [1, 2, 5], description: 'Numbers of the parts that are there.' })
  uploaded!: readonly number[];
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:00:00.000Z' }) created_at!: string;

  static ofProgress(progress: SignedUpload): ObjectUploadView {
    const { upload, partBytes, parts, uploaded } = progress;
    return {
      upload_id: upload.id,
      part_bytes: partBytes,
      parts,
      key: upload.key,
      content_type: upload.contentType,
      size_bytes: upload.sizeBytes ?? 0,
      uploaded,
      created_at: upload.createdAt.toISOString(),
    };
  }
}

export class BegunObjectUploadAnswer {
  @ApiProperty({ type: BegunObjectUploadView }) data!: BegunObjectUploadView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class SignedPartsAnswer {
  @ApiProperty({ type: [SignedPartView] }) data!: SignedPartView[];
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}

export class ObjectUploadAnswer {
  @ApiProperty({ type: ObjectUploadView }) data!: ObjectUploadView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
