import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Log } from '../../../platform/logging/log.js';
import { AttemptsService } from '../../auth/attempts.service.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { OrgDirectory } from '../../orgs/org-directory.js';
import type { SsoConnection } from '../connections/sso-connection.js';
import { SsoMetrics } from '../metrics/sso.metrics.js';

/** Anybody can send answers that are refused, and must not fill the audit log of an organization with them. */
const ENTRIES = { name: 'sso_refusals', attempts: 10, periodSeconds: 60, Refusal: TooManyAttempts };
const MAX_REASON = 200;

/** Records why answers of providers are refused, where only the organization reads it. */
@Injectable()
export class RefusedAnswers {
  constructor(
    private readonly database: Database,
    private readonly orgs: OrgDirectory,
    private readonly attempts: AttemptsService,
    private readonly metrics: SsoMetrics,
    private readonly log: Log,
  ) {}

  /** @param reason it repeats no secret. */
  async record(
    { id, orgId, type }: SsoConnection,
    reason: string,
    result: 'refused' | 'forged' = 'refused',
  ): Promise<void> {
    this.metrics.response(type, result);
    try {
      await this.attempts.count(ENTRIES, id);
    } catch (error) {
      if (!(error instanceof TooManyAttempts))
        this.log.warn({ error, connectionId: id }, 'A refused answer is not in the audit log.');
      return;
    }
    const target = { type: 'sso_connection', id };
    const details = { reason: reason.slice(0, MAX_REASON), connection_id: id };
    await this.database.transaction(() =>
      this.orgs.record({ orgId, action: 'sso.response_refused', target, details }, undefined),
    );
  }
}
