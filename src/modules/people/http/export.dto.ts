import { ApiProperty } from '@nestjs/swagger';

/** What the sources of all modules are exported as. */
export const EXPORTED_TYPES = [
  'account',
  'agent',
  'audit_entry',
  'bucket',
  'database',
  'deploy',
  'factor',
  'identity',
  'invoice',
  'key',
  'membership',
  'project',
  'repository',
  'run',
  'schedule',
  'session',
  'usage',
  'webhook_endpoint',
];

export class ExportedDatumView {
  @ApiProperty({ enum: EXPORTED_TYPES }) type!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'The fields that the API shows elsewhere.' })
  data!: Readonly<Record<string, unknown>>;
}
