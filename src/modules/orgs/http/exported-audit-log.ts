import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { PersonalData, type PersonalDataSource } from '../../auth/personal-data.js';
import { OrgAuditLogService } from '../audit/org-audit-log.service.js';
import { AuditEntryView } from './audit-log.dto.js';

/** The audit log of the personal organization. */
@Injectable()
export class ExportedAuditLog implements PersonalDataSource, OnApplicationBootstrap {
  readonly type = 'audit_entry';

  constructor(
    private readonly data: PersonalData,
    private readonly log: OrgAuditLogService,
  ) {}

  onApplicationBootstrap(): void {
    this.data.add(this);
  }

  async *read(call: Call): AsyncIterable<AuditEntryView[]> {
    for await (const entries of this.log.export(call.org.id, {}, call))
      yield entries.map((entry) => AuditEntryView.of(entry));
  }
}
