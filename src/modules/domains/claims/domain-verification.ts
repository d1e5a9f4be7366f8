import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { AttemptsService } from '../../auth/attempts.service.js';
import type { Call } from '../../auth/caller.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { DomainNotFound } from '../domains.errors.js';
import type { Domain } from '../persistence/domain.entity.js';
import { DomainChecks } from './domain-checks.js';
import { DomainsService } from './domains.service.js';

/** Each check asks name servers several times. */
const CHECKS = { name: 'domain_checks', attempts: 20, periodSeconds: 60, Refusal: TooManyAttempts };

/** Checks a domain when its owner asks. */
@Injectable()
export class DomainVerification {
  constructor(
    private readonly database: Database,
    private readonly domains: DomainsService,
    private readonly checks: DomainChecks,
    private readonly attempts: AttemptsService,
  ) {}

  /**
   * Looks up the records now and returns the domain in its new state.
   *
   * @throws as {@link DomainsService.get}.
   * @throws {TooManyAttempts} `burst_limit_exceeded`: 20 a minute for each organization.
   */
  async verify(call: Call, projectIdOrSlug: string, idOrName: string): Promise<Domain> {
    // No transaction may be open while name servers are asked.
    const domain = await this.database.apart(() => this.domains.get(call, projectIdOrSlug, idOrName, 'projects:write'));
    await this.attempts.count(CHECKS, domain.orgId);
    const checked = await this.checks.check(domain, call);
    if (checked === null) throw new DomainNotFound();
    return checked;
  }
}
