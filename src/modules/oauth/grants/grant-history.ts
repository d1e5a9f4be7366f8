import { Injectable } from '@nestjs/common';
import { type AuditActor, type AuditedAct, AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import type { GrantEndReason, OauthGrant } from '../persistence/oauth-grants.store.js';

type NamedGrant = Pick<OauthGrant, 'id' | 'userId' | 'clientName' | 'clientHost' | 'scopes'>;

type Act = Omit<AuditedAct, 'orgId'>;

/** Records grants in the audit logs of the organizations that they reach, in the running transaction. */
@Injectable()
export class GrantHistory {
  constructor(private readonly audit: AuditLogService) {}

  recordMade(grant: NamedGrant, orgIds: readonly string[], by: Call): Promise<void> {
    return this.record(actOf(grant, 'grant.made', { scopes: grant.scopes }), orgIds, by);
  }

  recordEnded(
    grant: NamedGrant,
    reason: GrantEndReason,
    orgIds: readonly string[],
    by: Call | AuditActor,
  ): Promise<void> {
    return this.record(actOf(grant, 'grant.ended', { reason }), orgIds, by);
  }

  private async record(act: Act, orgIds: readonly string[], by: Call | AuditActor): Promise<void> {
    for (const orgId of orgIds) await this.audit.record({ orgId, ...act }, by);
  }
}

/** No organization learns of the others. */
const actOf = (
  { id, userId, clientName, clientHost }: NamedGrant,
  action: Act['action'],
  details: Readonly<Record<string, unknown>>,
): Act => ({
  action,
  target: { type: 'grant', id },
  details: { client: clientName, client_host: clientHost, user_id: userId, ...details },
});
