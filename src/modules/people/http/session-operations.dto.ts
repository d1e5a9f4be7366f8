import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, Matches } from 'class-validator';
import type { EndedSessions } from '../accounts/session-ending.service.js';

export class UserParameter {
  @ApiProperty({ description: 'The username or the id of the person.', example: 'ada' })
  @Matches(/^(?:usr_[0-9a-z]{26}|[A-Za-z0-9-]{1,39})$/)
  readonly user!: string;
}

export class EndSessionsBody {
  @ApiProperty({
    format: 'date-time',
    example: '2026-11-26T12:00:00Z',
    description: 'Sessions that were opened later stay. Send the same time again while `hasMore` is true.',
  })
  @IsISO8601({ strict: true, strictSeparator: true })
  readonly openedUntil!: string;
}

export class EndedSessionsOfPersonView {
  @ApiProperty({ example: 3, description: 'How many sessions ended.' }) sessions!: number;
}

export class EndedSessionsView {
  @ApiProperty({ example: 200, description: 'How many people had sessions that ended, at most 200 in one call.' })
  people!: number;
  @ApiProperty({ description: 'True when more people have sessions of that time.' }) hasMore!: boolean;

  static of({ people, hasMore }: EndedSessions): EndedSessionsView {
    return { people, hasMore };
  }
}
