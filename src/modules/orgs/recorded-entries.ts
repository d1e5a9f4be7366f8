import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit/audit-log.service.js';
import { PersonDirectory } from '../auth/person-directory.js';
import { type AuditEntryFields, fieldsOf } from './audit/audit-entry-fields.js';

/** Gives modules that follow audit logs single entries, as callers see them. */
@Injectable()
export class RecordedEntries {
  constructor(
    private readonly log: AuditLogService,
    private readonly people: PersonDirectory,
  ) {}

  /** Returns undefined for an unknown entry, and for one of another organization. */
  async find(orgId: string, entryId: string): Promise<AuditEntryFields | undefined> {
    const entry = await this.log.find(orgId, entryId);
    if (entry === undefined) return undefined;
    const { actorUserId } = entry;
    const usernames = await this.people.usernamesOf(actorUserId === null ? [] : [actorUserId]);
    return fieldsOf({ entry, actorUsername: usernames.get(actorUserId ?? '') ?? null });
  }
}
