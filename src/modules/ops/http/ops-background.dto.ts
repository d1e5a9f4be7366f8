import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { ScheduleTime } from '../background/schedule-times.js';

class ScheduleView {
  @ApiProperty({ example: 'expired-claims' }) name!: string;
  @ApiProperty({ description: 'What it does, in a sentence.' }) summary!: string;
  @ApiProperty({ example: 60, description: 'Seconds from the end of one run to the beginning of the next.' })
  everySeconds!: number;
  @ApiProperty({ description: 'True while a process runs it.' }) running!: boolean;
  @ApiPropertyOptional({ format: 'date-time', description: 'Absent before the first success.' }) lastSuccessAt?: string;
  @ApiPropertyOptional({
    format: 'date-time',
    description: 'When the next run is due. It is in the past while the schedule is late or fails.',
  })
  dueAt?: string;

  static of({ name, summary, everyMs, isRunning, lastSuccessAt, dueAt }: ScheduleTime): ScheduleView {
    return {
      name,
      summary,
      everySeconds: everyMs / 1_000,
      running: isRunning,
      ...(lastSuccessAt === null ? {} : { lastSuccessAt: lastSuccessAt.toISOString() }),
      ...(dueAt === null ? {} : { dueAt: dueAt.toISOString() }),
    };
  }
}

export class SchedulesView {
  @ApiProperty({ type: [ScheduleView] }) schedules!: ScheduleView[];

  static of(schedules: readonly ScheduleTime[]): SchedulesView {
    return { schedules: schedules.map((each) => ScheduleView.of(each)) };
  }
}
