import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { ExportedAs, type PersonalDataSource } from '../../auth/personal-data.js';
import { OrgAuditLogService } from '../audit/org-audit-log.service.js';
import { AuditEntryView } from './audit-log.dto.js';

/** The audit log of the personal organization. */
@Injectable()
@ExportedAs('audit_entry')
export class ExportedAuditLog implements PersonalDataSource {
  constructor(private readonly log: OrgAuditLogService) {}

  async *read(call: Call): AsyncIterable<AuditEntryView[]> {
    for await (const entries of this.log.export(call.org.id, {}, call))
      yield entries.map((entry) => AuditEntryView.of(entry));
  }
}
