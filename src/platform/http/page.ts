import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min, ValidateBy } from 'class-validator';
import { MayBeAbsent } from './may-be-absent.js';
import type { Page, PageRequest } from '../database/page.js';
import { Envelope } from './envelope.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/** Opaque to callers, so that what a list is ordered by may change. */
const encode = (id: string): string => Buffer.from(id).toString('base64url');

function decode(cursor: unknown): string | undefined {
  if (typeof cursor !== 'string') return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  return ID.test(id) && encode(id) === cursor ? id : undefined;
}

const IsCursor = (): PropertyDecorator =>
  ValidateBy({
    name: 'isCursor',
    validator: {
      validate: (value: unknown) => decode(value) !== undefined,
      defaultMessage: () => 'cursor must be the next_cursor of an earlier page',
    },
  });

/** What a list takes in its query. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    example: 50,
    description: 'Items on a page.',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_LIMIT)
  readonly limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    type: String,
    example: encode('prj_01jd3m8yeqf5rb0xkq5ym8s6tn'),
    description: '`meta.next_cursor` of an earlier page: the list goes on after it.',
  })
  @MayBeAbsent()
  @IsCursor()
  readonly cursor?: string;

  get page(): PageRequest {
    return { limit: this.limit, after: decode(this.cursor) };
  }
}

/** `meta` of a list, for its `…PageAnswer`. */
export class PageMeta {
  @ApiProperty() request_id!: string;
  @ApiProperty({ description: 'Whether there are more items after this page.' }) has_more!: boolean;
  @ApiPropertyOptional({ type: String, description: 'Pass it as `cursor` to get the next page; absent on the last.' })
  next_cursor?: string;
}

/** `meta` of an answer that is no list. */
export class AnswerMeta {
  @ApiProperty() request_id!: string;
}

/**
 * What a caller passes as `cursor` to go on after this one; for lists that are not answered as {@link pageEnvelope}
 * does.
 */
export const cursorOf = (next: string | undefined): string | undefined =>
  next === undefined ? undefined : encode(next);

/** The answer of a list. */
export function pageEnvelope<T, View>({ items, next }: Page<T>, view: (item: T) => View): Envelope<View[]> {
  return new Envelope(items.map(view), {
    has_more: next !== undefined,
    ...(next === undefined ? {} : { next_cursor: encode(next) }),
  });
}
