import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsString, Matches, Max, MaxLength, Min, MinLength, ValidateIf } from 'class-validator';
import { MaxBytes } from '../../../platform/http/max-bytes.js';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { AnswerMeta } from '../../../platform/http/page.js';
import { LINK_METHODS, type LinkMethod, type SignedLink, type SignInput } from '../links/links.service.js';

const MAX_LINK_SECONDS = 604_800;
export const MEDIA_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?[\w.+-]{1,30}=[\w.+-]{1,60}){0,3}$/;
const URL_EXAMPLE = 'https://storage.example.com/photos-k3v9x2ma/team.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256&…';

export class SignLinkBody {
  @ApiProperty({ enum: LINK_METHODS, example: 'PUT' })
  @IsIn(LINK_METHODS)
  readonly method!: LinkMethod;

  @ApiProperty({ minLength: 1, maxLength: 1_024, example: '2026/12/team.jpg' })
  @IsString()
  @MinLength(1)
  @MaxBytes(1_024)
  readonly key!: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: MAX_LINK_SECONDS, default: 3_600, example: 900 })
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(MAX_LINK_SECONDS)
  readonly expires_in: number = 3_600;

  @ApiPropertyOptional({
    type: String,
    maxLength: 200,
    example: 'image/jpeg',
    description: 'Only for `PUT`: the `Content-Type` that the request must have.',
  })
  @ValidateIf(({ method, content_type: type }: SignLinkBody) => method === 'PUT' && type !== undefined)
  @MaxLength(200)
  @Matches(MEDIA_TYPE, { message: 'content_type must be a media type such as image/jpeg' })
  readonly content_type?: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    example: 5_000_000,
    description: 'Only for `PUT`: the most bytes that the body may have.',
  })
  @ValidateIf(({ method, max_bytes: bytes }: SignLinkBody) => method === 'PUT' && bytes !== undefined)
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  readonly max_bytes?: number;

  get input(): SignInput {
    const { method, key, expires_in: expiresSeconds } = this;
    if (method !== 'PUT') return { method, key, expiresSeconds };
    return { method, key, expiresSeconds, contentType: this.content_type, maxBytes: this.max_bytes };
  }
}

export class SignedLinkView {
  @ApiProperty({ example: URL_EXAMPLE }) url!: string;
  @ApiProperty({ example: 'PUT' }) method!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 'content-type': 'image/jpeg' },
    description: 'Headers that the request must have.',
  })
  headers!: Readonly<Record<string, string>>;
  @ApiProperty({ format: 'date-time', example: '2026-12-01T09:15:00.000Z' }) expires_at!: string;

  static of({ url, method, headers, expiresAt }: SignedLink): SignedLinkView {
    return { url, method, headers, expires_at: expiresAt.toISOString() };
  }
}

export class SignedLinkAnswer {
  @ApiProperty({ type: SignedLinkView }) data!: SignedLinkView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
