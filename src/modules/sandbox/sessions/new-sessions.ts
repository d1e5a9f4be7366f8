import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { AuditLogService } from '../../audit/audit-log.service.js';
import type { Call } from '../../auth/caller.js';
import { PlansSettings } from '../../plans/plans.settings.js';
import type { SandboxSession } from '../persistence/sandbox-session.entity.js';
import {
  MAX_PACKAGE_CHOICES,
  SandboxSessionsStore,
  TooManyPackageChoices,
} from '../persistence/sandbox-sessions.store.js';
import { SandboxSessionLimitReached } from '../sandbox.errors.js';

const RETRY_AFTER_SECONDS = 60;

/** What is limited, by the policy of its limit. */
const LIMITED = {
  sandbox_sessions: 'sandbox sessions',
  sandbox_session_packages: 'choices of packages in sandbox sessions',
} as const;

/** Writes new sessions, and into the audit log which hosts they may connect to. */
@Injectable()
export class NewSessions {
  constructor(
    private readonly database: Database,
    private readonly sessions: SandboxSessionsStore,
    private readonly audit: AuditLogService,
    private readonly plansSettings: PlansSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * @param limit how many live sessions the organization may have.
   * @throws {SandboxSessionLimitReached} `concurrency_limit_exceeded`
   * @throws {RunHasSession}
   */
  async add(call: Call, session: SandboxSession, limit: number): Promise<void> {
    try {
      await this.database.transaction(async () => {
        if (!(await this.sessions.addWithin(limit, session))) throw this.limitReached('sandbox_sessions', limit);
        await this.record(call, session);
      });
    } catch (error) {
      if (!(error instanceof TooManyPackageChoices)) throw error;
      throw this.limitReached('sandbox_session_packages', MAX_PACKAGE_CHOICES);
    }
  }

  private async record(call: Call, { id, orgId, allowedHosts }: SandboxSession): Promise<void> {
    if (allowedHosts === null) return;
    await this.audit.record(
      {
        orgId,
        action: 'sandbox_session.network_allowed',
        target: { type: 'sandbox_session', id },
        details: { hosts: allowedHosts },
      },
      call,
    );
  }

  private limitReached(policy: keyof typeof LIMITED, limit: number): SandboxSessionLimitReached {
    return new SandboxSessionLimitReached(LIMITED[policy], {
      policy,
      limit,
      remaining: 0,
      resetsAt: new Date(this.clock.now().getTime() + RETRY_AFTER_SECONDS * 1_000),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      upgradeUrl: this.plansSettings.pricingUrl,
    });
  }
}
