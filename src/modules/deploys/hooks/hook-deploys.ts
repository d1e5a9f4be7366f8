import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { Clock } from '../../../platform/time/clock.js';
import { type AttemptRule, AttemptsService } from '../../auth/attempts.service.js';
import { SecretHasher } from '../../auth/secret-hasher.js';
import { TooManyAttempts } from '../../limits/limits.errors.js';
import { ProjectsService } from '../../projects/projects.service.js';
import { DeployHookNotFound } from '../deploys.errors.js';
import type { DeployHook } from '../persistence/deploy-hook.entity.js';
import type { Deploy } from '../persistence/deploy.entity.js';
import { DeployHooksStore } from '../persistence/deploy-hooks.store.js';
import { DeployRequests } from '../requests/deploy-requests.js';

/** Generous for an address that several people share, and far too few to guess 24 random bytes. */
const BY_ADDRESS: AttemptRule = {
  name: 'deploy_hook_address',
  attempts: 120,
  periodSeconds: 60,
  Refusal: TooManyAttempts,
};
/** More deploys of one branch would only replace each other in the queue. */
const BY_HOOK: AttemptRule = { name: 'deploy_hook', attempts: 30, periodSeconds: 600, Refusal: TooManyAttempts };

const ID_FORM = /^dhk_[0-9a-z]{26}$/;

/** The request that someone sends to the URL of a hook. */
export interface HookRequest {
  readonly hookId: string;
  readonly secret: string;
  readonly ip: string;
}

/** Starts the deploys of hooks. Anybody who has the URL may do so; there is no other caller. */
@Injectable()
export class HookDeploys {
  constructor(
    private readonly database: Database,
    private readonly hooks: DeployHooksStore,
    private readonly hasher: SecretHasher,
    private readonly attempts: AttemptsService,
    private readonly projects: ProjectsService,
    private readonly requests: DeployRequests,
    private readonly clock: Clock,
  ) {}

  /**
   * Queues a deploy of the branch of the hook. A wrong secret gets the answer of a hook that does not exist.
   *
   * @throws {DeployHookNotFound} `deploy_hook_not_found`
   * @throws {TooManyAttempts} `burst_limit_exceeded`
   * @throws {ProjectHasNoRepository} `project_has_no_repository`
   * @throws {TooManyDeploysWaiting} `concurrency_limit_exceeded`
   * @throws {StorageLimitReached} `storage_limit_reached`
   */
  async start({ hookId, secret, ip }: HookRequest): Promise<Deploy> {
    await this.attempts.countAddress(BY_ADDRESS, ip);
    const hook = ID_FORM.test(hookId) ? await this.hooks.find(hookId) : null;
    if (hook === null || !this.opens(hook, secret)) throw new DeployHookNotFound();
    await this.attempts.count(BY_HOOK, hook.id);
    return this.database.transaction(async () => {
      const project = await this.projects.findAndLock(hook.projectId);
      // The hooks of a deleted project are removed with its other data, soon after.
      if (project === null || (await this.projects.findDeletedIds([project.id])).length > 0)
        throw new DeployHookNotFound();
      await this.hooks.used(hook.id, this.clock.now());
      return this.requests.requestByHook(project, hook);
    });
  }

  private opens({ secretHash }: DeployHook, secret: string): boolean {
    return this.hasher.hashes(secret).some((hash) => timingSafeEqual(hash, secretHash));
  }
}
