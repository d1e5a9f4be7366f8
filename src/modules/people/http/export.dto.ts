import { ApiProperty } from '@nestjs/swagger';

export class ExportedDatumView {
  @ApiProperty({
    enum: [
      'account',
      'audit_entry',
      'deploy',
      'factor',
      'invoice',
      'key',
      'membership',
      'project',
      'repository',
      'session',
      'usage',
    ],
  })
  type!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The fields that the API shows elsewhere.' })
  data!: Readonly<Record<string, unknown>>;
}
