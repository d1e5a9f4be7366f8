import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { type AuditEntry, AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgOfPath } from '../org-of-path.js';

/** An entry with the current username of its actor. */
export interface NamedAuditEntry {
  readonly entry: AuditEntry;
  readonly actorUsername: string | null;
}

/** Reads the audit log of an organization for its members. */
@Injectable()
export class OrgAuditLogService {
  constructor(
    private readonly paths: OrgOfPath,
    private readonly log: AuditLogService,
    private readonly people: PersonDirectory,
  ) {}

  /**
   * Lists entries, newest first.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(orgIdOrSlug: string, page: PageRequest, call: Call): Promise<Page<NamedAuditEntry>> {
    const { items, next } = await this.log.list(this.paths.require(call, orgIdOrSlug, 'audit:read').id, page);
    const actorIds = items.flatMap(({ actorUserId }) => actorUserId ?? []);
    const usernames = await this.people.usernamesOf([...new Set(actorIds)]);
    return {
      items: items.map((entry) => ({ entry, actorUsername: usernames.get(entry.actorUserId ?? '') ?? null })),
      next,
    };
  }
}
