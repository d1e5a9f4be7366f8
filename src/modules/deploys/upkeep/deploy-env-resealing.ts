import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { ProjectEnvService } from '../../projects/project-env.service.js';
import { DeployEnvironmentsStore, type KeptEnvironment } from '../persistence/deploy-environments.store.js';
import { deployEnvReencryptionSchedule } from './upkeep.job.js';

const BATCH = 100;

/**
 * Seals what deploys keep of their environments by the newest `SECRETS_KEY`, so that an older one is needed no longer.
 */
@Injectable()
@Handles(deployEnvReencryptionSchedule)
export class DeployEnvResealing implements ScheduleHandler {
  constructor(
    private readonly environments: DeployEnvironmentsStore,
    private readonly env: ProjectEnvService,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal = new AbortController().signal): Promise<void> {
    if (!this.env.hasOlderKeys) return;
    for (let after = ''; !stopping.aborted;) {
      const kept = await this.environments.sealedOtherwise(this.env.newestKeyMark, after, BATCH);
      for (const environment of kept) await this.reseal(environment);
      if (kept.length < BATCH) return;
      after = kept.at(-1)!.deployId;
    }
  }

  private async reseal({ deployId, projectId, target, variables }: KeptEnvironment): Promise<void> {
    try {
      await this.environments.replace(deployId, variables, this.env.sealedAnew(projectId, target, variables));
    } catch (error) {
      // One whose key is gone must not keep the others from it.
      this.log.warn({ error, deployId }, 'The environment of a deploy could not be sealed by the newest key.');
    }
  }
}
