import { Injectable } from '@nestjs/common';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import type { Call } from '../../auth/caller.js';
import type { Approval } from '../domain/approval.js';
import { type ApprovalFilter, ApprovalsStore } from '../persistence/approvals.store.js';
import { ApprovalNotFound } from '../runs.errors.js';

/** Finds approvals for callers. */
@Injectable()
export class ApprovalsReader {
  constructor(private readonly approvals: ApprovalsStore) {}

  /** Newest first. */
  list({ org }: Call, filter: ApprovalFilter, page: PageRequest): Promise<Page<Approval>> {
    return this.approvals.list(org.id, filter, page);
  }

  /**
   * @throws {ApprovalNotFound} `approval_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async get({ principal }: Call, id: string): Promise<Approval> {
    const approval = await this.approvals.find(principal.lookupOrgIds, id);
    if (approval === undefined) throw new ApprovalNotFound();
    principal.require('agents:read', approval.orgId);
    return approval;
  }
}
