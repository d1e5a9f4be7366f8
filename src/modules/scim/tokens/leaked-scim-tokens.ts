import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import { authMailJob } from '../../auth/auth-mail.job.js';
import { type LeakHandler, type LeakPlace, LeakedTokens } from '../../auth/leaked-tokens.js';
import { SsoProvisioningService } from '../../sso/sso-provisioning.service.js';
import { ScimTokensStore } from '../persistence/scim-tokens.store.js';

/** Revokes SCIM tokens that are public: with one, anybody could add and remove people of the organization. */
@Injectable()
export class LeakedScimTokens implements LeakHandler {
  constructor(
    private readonly database: Database,
    private readonly tokens: ScimTokensStore,
    private readonly sso: SsoProvisioningService,
    private readonly audit: AuditLogService,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    leaked: LeakedTokens,
  ) {
    leaked.register('scim', this);
  }

  findKnown(hashes: readonly Buffer[]): Promise<Buffer[]> {
    return this.tokens.known(hashes);
  }

  end(hash: Buffer, { url, source }: LeakPlace): Promise<boolean> {
    return this.database.transaction(async () => {
      const now = this.clock.now();
      const token = await this.tokens.revokeByHash(hash, now);
      if (token === undefined || token.expiresAt <= now) return false;
      const { id, name, connectionId, createdBy } = token;
      const orgId = await this.sso.orgIdOf(connectionId);
      if (orgId === undefined) return true;
      const details = { connection_id: connectionId, name, reason: 'leaked', url, source };
      await this.audit.record({ orgId, action: 'scim_token.revoked', target: { type: 'scim_token', id }, details }, {});
      const leak = { what: 'scim_token', id, name, url } as const;
      await this.outbox.enqueue(authMailJob, { kind: 'token_leaked', subjectId: createdBy, leak });
      return true;
    });
  }
}
