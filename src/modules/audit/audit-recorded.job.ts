import { IsString } from 'class-validator';
import { defineEvent } from '../../platform/background/define-event.js';

/** An entry was written to the audit log of an organization. */
export class AuditRecordedPayload {
  @IsString() readonly orgId!: string;
  @IsString() readonly entryId!: string;
}

export const auditRecordedEvent = defineEvent({
  name: 'audit-recorded',
  summary: 'An entry was written to the audit log of an organization.',
  payload: AuditRecordedPayload,
});
