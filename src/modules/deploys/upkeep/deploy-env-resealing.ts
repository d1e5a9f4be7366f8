import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicJobs } from '../../../platform/background/schedules.js';
import { Log } from '../../../platform/logging/log.js';
import { ProjectEnvService } from '../../projects/project-env.service.js';
import { DeployEnvironmentsStore, type KeptEnvironment } from '../persistence/deploy-environments.store.js';

const EVERY_MS = 3_600_000;
/** The other processes have been restarted with the new key by then. */
const FIRST_AFTER_MS = 600_000;
const BATCH = 100;

/** In the worker: seals what deploys keep of their environments by the newest `SECRETS_KEY`, so that an older one is needed no longer. */
@Injectable()
export class DeployEnvResealing implements OnApplicationBootstrap {
  constructor(
    private readonly environments: DeployEnvironmentsStore,
    private readonly env: ProjectEnvService,
    private readonly jobs: PeriodicJobs,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    if (!this.env.hasOlderKeys) return;
    this.jobs.start({ name: 'sealing environments of deploys by the newest key', everyMs: EVERY_MS, firstAfterMs: FIRST_AFTER_MS, run: (stopping) => this.run(stopping) });
  }

  async run(stopping: AbortSignal = new AbortController().signal): Promise<void> {
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
