import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min, ValidateBy } from 'class-validator';
import { MayBeAbsent } from './may-be-absent.js';
import type { Page, PageRequest } from '../database/page.js';
import { Envelope } from './envelope.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
const ID = /^[a-z]{2,5}_[0-9a-z]{26}$/;

/** The cursor is opaque to callers, so that the order of a list may change. */
const encode = (id: string): string => Buffer.from(id).toString('base64url');

/** Returns what follows a cursor, unless it is none of the kind that `isKey` accepts. */
export function decodeCursor(cursor: unknown, isKey: (key: string) => boolean): string | undefined {
  if (typeof cursor !== 'string') return undefined;
  const key = Buffer.from(cursor, 'base64url').toString();
  return isKey(key) && encode(key) === cursor ? key : undefined;
}

const decode = (cursor: unknown): string | undefined => decodeCursor(cursor, (key) => ID.test(key));

/** A cursor that `decoded` understands. */
export const IsCursor = (decoded: (cursor: unknown) => string | undefined): PropertyDecorator =>
  ValidateBy({
    name: 'isCursor',
    validator: {
      validate: (value: unknown) => decoded(value) !== undefined,
      defaultMessage: () => 'cursor must be the next_cursor of an earlier page',
    },
  });

/** The query parameters of a list. */
export class PageQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    example: 50,
    description: 'Number of items on a page.',
  })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(MAX_LIMIT)
  readonly limit: number = DEFAULT_LIMIT;

  @ApiPropertyOptional({
    type: String,
    example: encode('prj_01jd3m8yeqf5rb0xkq5ym8s6tn'),
    description: 'The `meta.next_cursor` of an earlier page. The list continues after it.',
  })
  @MayBeAbsent()
  @IsCursor(decode)
  readonly cursor?: string;

  get page(): PageRequest {
    return { limit: this.limit, after: decode(this.cursor) };
  }
}

/** The `meta` of a list, for its `…PageAnswer`. */
export class PageMeta {
  @ApiProperty() request_id!: string;
  @ApiProperty({ description: 'Whether there are more items after this page.' }) has_more!: boolean;
  @ApiPropertyOptional({ type: String, description: 'Pass it as `cursor` to get the next page; absent on the last.' })
  next_cursor?: string;
}

/** The `meta` of a response that is not a list. */
export class AnswerMeta {
  @ApiProperty() request_id!: string;
}

/** Returns the `cursor` of the next page, for lists that do not use {@link pageEnvelope}. */
export const cursorOf = (next: string | undefined): string | undefined =>
  next === undefined ? undefined : encode(next);

/** Builds the response of a list. */
export function pageEnvelope<T, View>({ items, next }: Page<T>, view: (item: T) => View): Envelope<View[]> {
  return new Envelope(items.map(view), {
    has_more: next !== undefined,
    ...(next === undefined ? {} : { next_cursor: encode(next) }),
  });
}
