import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { type AuditEntry, AuditLogService, type AuditPeriod } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { PersonDirectory } from '../../auth/person-directory.js';
import { OrgOfPath } from '../org-of-path.js';
import type { NamedAuditEntry } from './audit-entry-fields.js';

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
    return { items: await this.named(items), next };
  }

  /**
   * Reads all entries of a period, oldest first and in parts. What refuses the call is thrown before the first part.
   *
   * @throws {OrganizationNotFound} `organization_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  export(orgIdOrSlug: string, period: AuditPeriod, call: Call): AsyncIterable<NamedAuditEntry[]> {
    const { id } = this.paths.require(call, orgIdOrSlug, 'audit:read');
    return this.partsOf(this.log.read(id, period));
  }

  private async *partsOf(parts: AsyncIterable<AuditEntry[]>): AsyncIterable<NamedAuditEntry[]> {
    for await (const part of parts) yield await this.named(part);
  }

  private async named(entries: readonly AuditEntry[]): Promise<NamedAuditEntry[]> {
    const actorIds = entries.flatMap(({ actorUserId }) => actorUserId ?? []);
    const usernames = await this.people.usernamesOf([...new Set(actorIds)]);
    return entries.map((entry) => ({ entry, actorUsername: usernames.get(entry.actorUserId ?? '') ?? null }));
  }
}
