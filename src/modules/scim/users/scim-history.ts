import { Injectable } from '@nestjs/common';
import { type AuditActor, AuditLogService } from '../../audit/audit-log.service.js';
import type { ProvisioningConnection } from '../../sso/sso-provisioning.service.js';
import { detailsOf } from './scim-memberships.js';

type Action = `scim.${'user' | 'group'}_${'created' | 'changed' | 'deleted'}` | `scim.user_${'de' | 're'}activated`;

/** Writes what providers do to the audit logs of their organizations, in the running transaction. */
@Injectable()
export class ScimHistory {
  constructor(private readonly audit: AuditLogService) {}

  record(
    connection: ProvisioningConnection,
    action: Action,
    { id, ...facts }: { readonly id: string; readonly user_id?: string },
    by: AuditActor,
  ): Promise<void> {
    const target = { type: action.startsWith('scim.user') ? 'scim_user' : 'scim_group', id };
    const details = { ...detailsOf(connection), ...facts };
    return this.audit.record({ orgId: connection.orgId, action, target, details }, by);
  }
}
