import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { PLANS } from '../../billing/plan.js';
import { ExecutionsStore, type NewExecution } from '../persistence/executions.store.js';
import type { SandboxFile, SandboxLimits } from '../sandbox-runtime.js';
import { type ExecutionWish, RETURN_MS } from '../sandbox.service.js';
import { Backlog } from '../workers/backlog.js';
import { OrgPlaces } from './org-places.js';
import { limitsOf, type LimitsWish } from './plan-limits.js';

export interface OrgExecutionWish extends ExecutionWish, LimitsWish {
  readonly files: readonly SandboxFile[];
}

/** Lets executions of organizations in, within what their plan allows. */
@Injectable()
export class AdmissionService {
  constructor(
    private readonly config: Config,
    private readonly backlog: Backlog,
    private readonly places: OrgPlaces,
    private readonly executions: ExecutionsStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * What an execution would be given, if there is room for it now.
   *
   * @throws {ExecutionBeyondPlan} `invalid_request`
   * @throws {SandboxUnavailable} `sandbox_unavailable`
   */
  async check({ org }: Call, wish: LimitsWish): Promise<SandboxLimits> {
    const limits = limitsOf(PLANS[org.plan], wish, this.config.sandbox);
    await this.backlog.requireRoom();
    return limits;
  }

  /**
   * Makes the row of an execution, queued, and takes a place for it; the place is held until it is over.
   *
   * @throws as {@link check}.
   * @throws {SandboxConcurrencyLimitExceeded} `concurrency_limit_exceeded`
   */
  async admit(call: Call, wish: OrgExecutionWish, startWithinMs: number): Promise<NewExecution> {
    const limits = await this.check(call, wish);
    const { principal, org } = call;
    const createdAt = this.clock.now();
    const execution: NewExecution = {
      id: this.ids.next('exe'),
      orgId: org.id,
      userId: principal.user.id,
      keyId: principal.credential.type === 'api_key' ? principal.credential.keyId : null,
      language: wish.language,
      limits,
      createdAt,
      givesUpAt: new Date(createdAt.getTime() + startWithinMs + RETURN_MS),
    };
    await this.places.take(org.id, execution.id, PLANS[org.plan], startWithinMs + limits.timeoutMs + RETURN_MS);
    try {
      await this.executions.add(execution);
      return execution;
    } catch (error) {
      await this.places.free(org.id, execution.id);
      throw error;
    }
  }
}
