import { ApiProperty } from '@nestjs/swagger';

const TYPES = ['execution', 'stdout', 'stderr', 'result', 'error'];

/** A line of NDJSON. Server-sent events have the same `data`, `seq` as their id and `type` as their name. */
export class ExecutionEventView {
  @ApiProperty({ type: 'integer', description: 'Numbers increase, with gaps.' }) seq!: number;
  @ApiProperty({ enum: TYPES }) type!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: '`text` of output, the execution, or the body of an error.',
    example: { text: 'hello\n' },
  })
  data!: object;
}
