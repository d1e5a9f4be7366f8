import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { Log } from '../../../platform/logging/log.js';
import { type EnvGroup, ProjectEnvStore } from '../persistence/project-env.store.js';
import { ProjectsStore } from '../persistence/projects.store.js';
import { ProjectEnvService } from '../project-env.service.js';
import { projectEnvReencryptionSchedule } from './projects.job.js';

const BATCH = 100;

/** Seals variables of projects by the newest `SECRETS_KEY`, so that an older one is needed no longer. */
@Injectable()
@Handles(projectEnvReencryptionSchedule)
export class EnvResealing implements ScheduleHandler {
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectsStore,
    private readonly variables: ProjectEnvStore,
    private readonly env: ProjectEnvService,
    private readonly log: Log,
  ) {}

  async run(stopping: AbortSignal = new AbortController().signal): Promise<void> {
    if (!this.env.hasOlderKeys) return;
    let after: EnvGroup | undefined;
    while (!stopping.aborted) {
      const groups = await this.variables.sealedOtherwise(this.env.newestKeyMark, after, BATCH);
      for (const group of groups) await this.reseal(group);
      if (groups.length < BATCH) return;
      after = groups.at(-1);
    }
  }

  private async reseal({ projectId, target }: EnvGroup): Promise<void> {
    try {
      await this.database.transaction(async () => {
        // Who deletes a project removes them.
        if ((await this.projects.findByIdForChange(projectId)) === null) return;
        const rows = await this.variables.list(projectId, target);
        const resealed = this.env.sealedAnew(projectId, target, rows);
        await this.variables.set(rows.map((row, index) => Object.assign(row, { value: resealed[index]!.value })));
      });
    } catch (error) {
      // One whose key is gone must not keep the others from it.
      this.log.warn({ error, projectId, target }, 'Variables of a project could not be sealed by the newest key.');
    }
  }
}
