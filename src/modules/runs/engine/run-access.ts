import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import type { Call } from '../../auth/caller.js';
import { RunPrincipalsService } from '../../auth/run-principals.service.js';
import type { AgentVersion } from '../../agents/agent-definition.js';
import type { Run } from '../domain/run.js';

/** A run is in this process, and audit logs name where calls came from. */
const IP = '127.0.0.1';

/** The caller who started the run has no access any more, so that it ends. */
export class AccessRevoked extends Error {
  readonly code = 'access_revoked';

  constructor() {
    super('The caller who started the run has no access any more: a revoked or expired key, or an ended membership.');
  }
}

/** Finds what a run may do now. */
@Injectable()
export class RunAccess {
  constructor(private readonly principals: RunPrincipalsService) {}

  /**
   * Returns the call that the run acts with, by the present permissions of the caller who started it.
   *
   * @throws {AccessRevoked} when they have ended.
   */
  async callOf(run: Run, version: AgentVersion): Promise<Call> {
    const principal = await this.principals.find({
      id: run.id,
      orgId: run.orgId,
      userId: run.userId,
      keyId: run.keyId,
      scopes: [...version.scopes, 'ai:invoke'],
    });
    const org = principal?.membershipIn(run.orgId);
    if (principal === undefined || org === undefined || !principal.rightsIn(org.id).has('ai:invoke'))
      throw new AccessRevoked();
    return { principal, org, ip: IP, requestId: run.id, budgetSubjects: run.budgetSubjects };
  }
}

/** True for a refusal that more money or a higher limit would lift. */
export const isOutOfMoney = (error: unknown): error is DomainError & { readonly status: 402 } =>
  error instanceof DomainError && error.status === 402;
