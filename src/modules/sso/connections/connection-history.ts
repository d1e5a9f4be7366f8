import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import type { Call } from '../../auth/caller.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import { type SsoNoticePayload, ssoNoticeJob } from '../jobs/sso-notice.job.js';
import type { SsoConnection } from './sso-connection.js';

type ConnectionAction = 'created' | 'changed' | 'tested' | 'activated' | 'paused' | 'deleted' | 'certificates_changed';

/** Writes what happens to connections to the audit logs of their organizations, and notifies owners. */
@Injectable()
export class ConnectionHistory {
  constructor(
    private readonly orgs: OrgDirectory,
    private readonly outbox: Outbox,
  ) {}

  /** Joins the running transaction. `call` is undefined when the service itself acted. */
  async record(
    call: Call | undefined,
    action: `sso_connection.${ConnectionAction}`,
    { id, orgId, name, type, status }: SsoConnection,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const target = { type: 'sso_connection', id };
    await this.orgs.record({ orgId, action, target, details: { name, type, status, ...details } }, call);
  }

  /** Records that SSO is no longer required, because no connection is active, and notifies all owners. */
  async recordLift(orgId: string, call: Call | undefined): Promise<void> {
    const target = { type: 'organization', id: orgId };
    const details = { sso_required: false, reason: 'no_active_connection' };
    await this.orgs.record({ orgId, action: 'org.policy_changed', target, details }, call);
    await this.notify({ orgId, kind: 'requirement_lifted' });
  }

  /** Notifies all owners by mail, once the running transaction is committed. */
  async notify(notice: Omit<SsoNoticePayload, 'ownerId'>): Promise<void> {
    await this.outbox.enqueue(ssoNoticeJob, notice);
  }
}
