import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { MayBeAbsent } from '../../../platform/http/may-be-absent.js';
import { EVENT_TYPES, type EventType } from '../event-types.js';
import type { StoredEvent } from '../persistence/events.store.js';

const MAX_SEQ = 999_999_999_999_999;

export class EventsQuery {
  @ApiPropertyOptional({
    example: 120,
    type: 'integer',
    minimum: 0,
    maximum: MAX_SEQ,
    description:
      'Also the stored events after this `seq`; `0` for all of them. Without it, the stream starts now. ' +
      'The header `Last-Event-ID` takes precedence.',
  })
  @MayBeAbsent()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(MAX_SEQ)
  readonly after?: number;
}

/** An event, both as a line of NDJSON and as `data` of a server-sent event. */
export class EventView {
  @ApiProperty({ type: 'integer', description: 'Increases with each event, with gaps.' }) seq!: number;
  @ApiProperty({ example: 'evt_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: EVENT_TYPES }) type!: EventType;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'Ids and facts, by type of event.' })
  data!: Readonly<Record<string, unknown>>;

  static of({ seq, id, type, at, data }: StoredEvent): EventView {
    return { seq, id, type, created_at: at.toISOString(), data };
  }
}
