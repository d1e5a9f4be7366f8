import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Intake } from '../alerts/alert-intake.service.js';
import { OPS_TASK_STATUSES, type OpsTaskStatus } from '../domain/ops-task-status.js';

/** The body of a generic alert. `alerts/report.ts` parses it, and the body of Alertmanager, without validation here. */
export class GenericAlertBody {
  @ApiProperty({ example: 'The disk of the database is nearly full' }) title!: string;
  @ApiPropertyOptional({ type: String, example: 'disk', description: 'The tag of the runbook for the task.' })
  runbookTag?: string;
  @ApiPropertyOptional({ example: 'critical', enum: ['critical', 'warning', 'info'], default: 'warning' })
  severity?: string;
  @ApiPropertyOptional({ example: 'firing', enum: ['firing', 'resolved'], default: 'firing' }) status?: string;
  @ApiPropertyOptional({
    example: 'disk:db-1',
    type: String,
    description: 'Alerts with the same key belong to the same fault. Derived from source, title and labels if absent.',
  })
  dedupKey?: string;
  @ApiPropertyOptional({ example: 'node-exporter', type: String }) source?: string;
  @ApiPropertyOptional({ example: 'Less than 5 % are free.', type: String }) description?: string;
  @ApiPropertyOptional({ example: { instance: 'db-1' }, type: 'object', additionalProperties: { type: 'string' } })
  labels?: object;
  @ApiPropertyOptional({
    example: { dashboard: 'https://grafana.example.org/d/disk' },
    type: 'object',
    additionalProperties: { type: 'string' },
  })
  annotations?: object;
  @ApiPropertyOptional({ example: '2026-12-03T08:30:00Z', format: 'date-time' }) startsAt?: string;
  @ApiPropertyOptional({ example: 'https://grafana.example.org/d/disk', type: String }) url?: string;
}

class RejectedView {
  @ApiProperty({ type: 'integer', description: 'The position of the alert in the body, from 0.' }) index!: number;
  @ApiProperty({ enum: ['not_an_object', 'invalid_status', 'invalid_time', 'no_labels'] }) code!: string;
}

class TouchedTaskView {
  @ApiProperty({ example: 'tsk_01jd3m8yeqf5rb0xkq5ym8s6tn' }) id!: string;
  @ApiProperty({ enum: OPS_TASK_STATUSES }) status!: OpsTaskStatus;
  @ApiProperty() runbookTag!: string;
  @ApiProperty() dedupKey!: string;
  @ApiProperty() created!: boolean;
}

export class IntakeView {
  @ApiProperty({ type: 'integer' }) received!: number;
  @ApiProperty({ type: 'integer' }) created!: number;
  @ApiProperty({ type: 'integer', description: 'The number of existing tasks that were updated.' }) updated!: number;
  @ApiProperty({ type: 'integer' }) resolved!: number;
  @ApiProperty({
    type: 'integer',
    description: 'The number of resolutions without a task, and of faults whose resolution arrived first.',
  })
  ignored!: number;
  @ApiProperty({ type: [RejectedView] }) rejected!: RejectedView[];
  @ApiProperty({ type: [TouchedTaskView] }) tasks!: TouchedTaskView[];

  static of(intake: Intake): IntakeView {
    return { ...intake, rejected: [...intake.rejected], tasks: [...intake.tasks] };
  }
}
