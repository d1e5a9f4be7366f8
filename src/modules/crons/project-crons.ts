import { Injectable } from '@nestjs/common';
import { Ids } from '../../platform/ids/ids.js';
import { Clock } from '../../platform/time/clock.js';
import type { FileCron } from './cron-rules.js';
import { CRON_ID } from './crons.ids.js';
import { Cron } from './persistence/cron.entity.js';
import { CronsStore } from './persistence/crons.store.js';

/** Keeps the crons of projects equal to those of the deploy that is in production. */
@Injectable()
export class ProjectCrons {
  constructor(
    private readonly crons: CronsStore,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes the crons that come from a file those of the deploy that is in production from now on, in the running
   * transaction, in which the project is locked. A cron that stays keeps its history, and stays disabled if it was.
   */
  async follow(project: { readonly id: string; readonly orgId: string }, wanted: readonly FileCron[]): Promise<void> {
    const present = (await this.crons.list(project.id)).filter(({ source }) => source === 'file');
    const isSame = (one: FileCron) => (other: FileCron) => one.path === other.path && one.schedule === other.schedule;
    await this.crons.remove(present.filter((cron) => !wanted.some(isSame(cron))).map(({ id }) => id));
    for (const { path, schedule } of wanted.filter((cron) => !present.some(isSame(cron))))
      await this.crons.insert(
        Cron.create(
          {
            orgId: project.orgId,
            projectId: project.id,
            source: 'file',
            path,
            schedule,
            timeZone: 'UTC',
            enabled: true,
          },
          { id: this.ids.next(CRON_ID), at: this.clock.now() },
        ),
      );
  }

  async removeAllOf(projectId: string): Promise<void> {
    await this.crons.removeAllOf(projectId);
  }
}
