import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { type LeakHandler, type LeakPlace, LeakedTokens } from '../../auth/leaked-tokens.js';
import { InvitationsStore } from '../persistence/invitations.store.js';
import { OrganizationsStore } from '../persistence/organizations.store.js';

/** Revokes invitations whose token is public: with it, an account could claim the invited address. */
@Injectable()
export class LeakedInvitations implements LeakHandler {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationsStore,
    private readonly organizations: OrganizationsStore,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    leaked: LeakedTokens,
  ) {
    leaked.register('inv', this);
  }

  findKnown(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.invitations.known(hashes);
  }

  end(hash: Buffer, { url, source }: LeakPlace): Promise<boolean> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const found = await this.invitations.findOpenByToken([hash], now);
      if (found === undefined) return false;
      await this.organizations.lock(found.orgId);
      // It may have been accepted before the organization was locked.
      const invitation = await this.invitations.findOpenByToken([hash], now);
      if (invitation === undefined) return false;
      const { id, orgId } = invitation;
      await this.invitations.revoke(id, now);
      const details = { reason: 'leaked', url, source };
      await this.audit.record({ orgId, action: 'invitation.revoked', target: { type: 'invitation', id }, details }, {});
      return true;
    });
  }
}
