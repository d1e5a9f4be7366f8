import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class HealthView {
  @ApiProperty({ enum: ['ok'] }) status!: 'ok';
}

const PARTS = {
  type: 'object' as const,
  additionalProperties: { type: 'object' as const, properties: { status: { type: 'string' } }, required: ['status'] },
};

export class ReadinessView {
  @ApiProperty({ enum: ['ok', 'degraded', 'error', 'shutting_down'] }) status!: string;
  @ApiPropertyOptional({ ...PARTS, description: 'The parts that are up or degraded.' }) info?: object;
  @ApiPropertyOptional({ ...PARTS, description: 'The parts that are down.' }) error?: object;
  @ApiProperty({ ...PARTS, description: 'All parts.' }) details!: object;
}
